#include "contract/base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, BLOCK_BYTES = 64 << 10 };

struct arena_block {
    struct arena_block *older;
    size_t used_bytes, capacity_bytes;
    unsigned char *data;
};

static size_t rounded(size_t n_bytes)
{
    return (n_bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

static struct arena_block *block_new(struct arena *arena, size_t capacity_bytes)
{
    struct arena_block *block = malloc(sizeof *block);
    void *data = aligned_alloc(ALIGNMENT, capacity_bytes);
    if (!block || !data) {
        free(block);
        free(data);
        return NULL;
    }
    *block = (struct arena_block){.older = arena->newest, .capacity_bytes = capacity_bytes, .data = data};
    arena->newest = block;
    return block;
}

void *arena_alloc(struct arena *arena, size_t n_bytes)
{
    if (n_bytes > SIZE_MAX - ALIGNMENT)
        return NULL;
    size_t size = rounded(n_bytes ? n_bytes : 1);
    struct arena_block *block = arena->newest;
    if (!block || block->capacity_bytes - block->used_bytes < size)
        block = block_new(arena, size > BLOCK_BYTES ? size : (size_t)BLOCK_BYTES);
    if (!block)
        return NULL;
    void *result = block->data + block->used_bytes;
    block->used_bytes += size;
    return memset(result, 0, size);
}

char *arena_format(struct arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length < 0 ? NULL : arena_alloc(arena, (size_t)length + 1);
    if (!text)
        return NULL;
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

void arena_free(struct arena *arena)
{
    while (arena->newest) {
        struct arena_block *block = arena->newest;
        arena->newest = block->older;
        free(block->data);
        free(block);
    }
}
