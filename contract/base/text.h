/*
 * A growing string, for output lines and generated text.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stddef.h>

struct text {
    char *data; /* NUL-terminated once anything was appended, NULL before */
    size_t length, capacity;
};

/* An empty text is `struct text text = {0}`. Out of host memory leaves the text as it was. */
void text_append(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_free(struct text *text);

#endif
