/*
 * A growing string, for output lines and generated text.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct text {
    char *data; /* NUL-terminated once anything was appended, NULL before */
    size_t length, capacity;
    bool failed; /* something that was appended is missing */
};

/* An empty text is `struct text text = {0}`. Out of host memory leaves the text as it was, and says so in `failed`. */
void text_append(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* " word", in single quotes where a shell would read it otherwise. */
void text_append_word(struct text *text, const char *word);
void text_free(struct text *text);

#endif
