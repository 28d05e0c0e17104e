/*
 * An arena: many allocations, one release. One arena serves one case or one parse, and everything in it dies with it.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *newest;
};

/* An empty arena is `struct arena arena = {0}`. */

/* n_bytes of zeroed memory, 64-byte aligned; NULL only when the host is out of memory. Owned by the arena. */
void *arena_alloc(struct arena *arena, size_t n_bytes);
/* A printf-style string owned by the arena; NULL only when the host is out of memory. */
char *arena_format(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Releases all that came from the arena and leaves it empty and usable. */
void arena_free(struct arena *arena);

#endif
