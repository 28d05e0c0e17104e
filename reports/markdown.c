#include "reports/markdown.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* An underscore within a word is no markup. */
static bool is_within_word(const char *text, const char *at)
{
    return at > text && isalnum((unsigned char)at[-1]) && isalnum((unsigned char)at[1]);
}

void markdown_write_text(FILE *out, const char *words)
{
    for (const char *text = words; *text; text++) {
        if (*text == '_' && is_within_word(words, text))
            fputc('_', out);
        else if (*text == '\n' || *text == '\r')
            fputc(' ', out);
        else if (strchr("<>&@#", *text))
            fprintf(out, "&#%d;", *text);
        else if (strchr("\\`*_{}[]|~$", *text))
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    }
}

/* A fence is longer than every row of backticks inside. */
static size_t fence_length(const char *text)
{
    size_t longest = 2;
    for (const char *at = text; *at;) {
        size_t n = strspn(at, "`");
        longest = n > longest ? n : longest;
        at += n ? n : 1;
    }
    return longest + 1;
}

static void write_fence(FILE *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fputc('`', out);
    fputc('\n', out);
}

void markdown_write_block(FILE *out, const char *text)
{
    size_t n = fence_length(text), length = strlen(text);
    write_fence(out, n);
    fputs(text, out);
    if (length == 0 || text[length - 1] != '\n')
        fputc('\n', out);
    write_fence(out, n);
}
