#include "reports/json_text.h"

#include <stdlib.h>

/* jansson's allocator has no context argument, and its callers no way to say that one of their values is not whole. */
static _Thread_local bool was_short;

static void *allocate(size_t n_bytes)
{
    void *memory = malloc(n_bytes);
    was_short |= !memory;
    return memory;
}

/* Before jansson allocates anything, as it asks for. */
__attribute__((constructor)) static void watch_memory(void)
{
    json_set_alloc_funcs(allocate, free);
}

char *json_text(json_t *value, size_t flags)
{
    char *text = value ? json_dumps(value, flags) : NULL;
    json_decref(value);
    if (was_short) {
        free(text);
        text = NULL;
    }
    was_short = false;
    return text;
}

bool json_write(FILE *out, json_t *value, size_t flags)
{
    char *text = json_text(value, flags);
    if (text) {
        fputs(text, out);
        fputc('\n', out);
    }
    free(text);
    return text != NULL;
}
