/*
 * The depth of an output as its family declares it: the additions that round on the longest way from any input to any of
 * its elements, part by part. A reference bounds a sum by the same function that declares its part, so the two cannot
 * differ; the depth audit holds the declared depth to what the emulator measures (docs/numerics.md, "Depth").
 */
#ifndef REFERENCE_DEPTH_H
#define REFERENCE_DEPTH_H

#include <stdint.h>

enum { DEPTH_MAX_PARTS = 8 };

struct depth_part {
    int64_t additions;
    const char *what; /* "the sum of squares": of a fixed text */
};

/* Zeroed: no part. Parts follow one another along the way; of ways that meet, the longest. */
struct depth {
    int n_parts;
    struct depth_part part[DEPTH_MAX_PARTS];
};

/* Adds a part of `additions` to the way. A caller that names more than DEPTH_MAX_PARTS gets the rest in the last one. */
static inline void depth_add(struct depth *depth, int64_t additions, const char *what)
{
    if (depth->n_parts < DEPTH_MAX_PARTS)
        depth->part[depth->n_parts++] = (struct depth_part){additions, what};
    else
        depth->part[DEPTH_MAX_PARTS - 1].additions += additions;
}

static inline int64_t depth_total(const struct depth *depth)
{
    int64_t total = 0;
    for (int i = 0; i < depth->n_parts; i++)
        total += depth->part[i].additions;
    return total;
}

#endif
