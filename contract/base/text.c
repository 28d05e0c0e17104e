#include "contract/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool grow(struct text *text, size_t needed)
{
    if (needed <= text->capacity)
        return true;
    size_t capacity = needed * 2;
    char *data = realloc(text->data, capacity);
    if (!data)
        return false;
    text->data = data;
    text->capacity = capacity;
    return true;
}

void text_append(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !grow(text, text->length + (size_t)length + 1)) {
        text->failed = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)length;
}

void text_append_word(struct text *text, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
    if (*word && word[strspn(word, plain)] == '\0') {
        text_append(text, " %s", word);
        return;
    }
    text_append(text, " '");
    for (; *word; word++)
        if (*word == '\'')
            text_append(text, "'\\''");
        else
            text_append(text, "%c", *word);
    text_append(text, "'");
}

void text_free(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}
