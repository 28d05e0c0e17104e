#include "tests/fuzz/must.h"

#include <stdio.h>
#include <stdlib.h>

void must(bool holds)
{
    if (!holds)
        abort();
}

static bool is_one_line(const char *text)
{
    for (const char *at = text; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            return false;
    return *text != '\0';
}

void must_be_clear(const struct error *error)
{
    bool is_clear = is_one_line(error->text) && error->status == STATUS_USAGE;
    if (!is_clear)
        fprintf(stderr, "ERROR: an unclear refusal (status %d): %s\n", (int)error->status, error->text);
    must(is_clear);
}
