#include "contract/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A quoted newline would make two lines of one, an escape would reach the terminal. */
static void make_one_line(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
}

bool error_set(struct error *error, enum status status, const char *format, ...)
{
    if (!error)
        return false;
    error->status = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    make_one_line(error->text);
    return false;
}

bool error_prefix(struct error *error, const char *format, ...)
{
    if (!error)
        return false;
    char old[sizeof error->text];
    memcpy(old, error->text, sizeof old);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    int room = (int)sizeof error->text - 1 - length;
    if (length >= 0 && room > 0)
        snprintf(error->text + length, (size_t)room + 1, ": %.*s", room, old);
    make_one_line(error->text);
    return false;
}
