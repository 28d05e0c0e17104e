/* Trellis tiles whose weights all have one sign: a walk through windows of that sign, ended where the ring closes. */
#include "kernels/exl3/exl3.h"

#include <string.h>

enum { WINDOW_BITS = 16, MOST_STEPS = 1 << 14 };

/* The ring is the walk's weights in order; before weight 0 stand its own last 16 bits, the tail. */
struct walk {
    int bits, sign;
    uint16_t window[EXL3_TILE_WEIGHTS + 1]; /* [t + 1]: of weight t; [0]: the tail */
    uint16_t first[EXL3_TILE_WEIGHTS];      /* value of weight t's own bits that was tried first */
    uint16_t n_tried[EXL3_TILE_WEIGHTS];
};

/* Those of weight t's own bits that lie in the tail are the tail's. */
static bool agrees_with_tail(const struct walk *walk, int t, unsigned own)
{
    int after = (EXL3_TILE_WEIGHTS - 1 - t) * walk->bits, inside = WINDOW_BITS - after;
    if (inside <= 0)
        return true;
    unsigned mask = (1u << (inside < walk->bits ? inside : walk->bits)) - 1;
    return ((own ^ walk->window[0] >> after) & mask) == 0;
}

static bool try_weight(struct walk *walk, int t)
{
    unsigned own = (walk->first[t] + walk->n_tried[t]++) % (1u << walk->bits);
    uint16_t window = (uint16_t)(walk->window[t] << walk->bits | own);
    walk->window[t + 1] = window;
    return agrees_with_tail(walk, t, own) && walk->sign * exl3_weight(window) > 0;
}

/* Depth first from the tail on; false where the ring could not be closed within MOST_STEPS. */
static bool walk_ring(struct walk *walk, struct random_key key, uint64_t *draw)
{
    int t = 0, fresh = -1; /* weights up to `fresh` have their first value */
    walk->window[0] = (uint16_t)random_bits(key, (*draw)++);
    for (int step = 0; step < MOST_STEPS && t >= 0 && t < EXL3_TILE_WEIGHTS; step++) {
        if (t > fresh) {
            walk->first[t] = (uint16_t)random_below(key, (*draw)++, 1u << walk->bits);
            walk->n_tried[t] = 0;
            fresh = t;
        }
        if (walk->n_tried[t] == 1u << walk->bits)
            fresh = --t;
        else
            t += try_weight(walk, t);
    }
    return t == EXL3_TILE_WEIGHTS;
}

/* Sets bit i of the stream: most significant first in little-endian 32-bit words of two halves. */
static void set_stream_bit(uint16_t *tile, int i)
{
    int half = 2 * (i / 32) + (i % 32 < 16);
    tile[half] |= (uint16_t)(1u << (15 - i % 16));
}

static void one_signed_tile(struct random_key key, int bits, int sign, uint16_t *tile)
{
    struct walk walk = {.bits = bits, .sign = sign};
    uint64_t draw = 0;
    while (!walk_ring(&walk, key, &draw))
        ;
    for (int i = 0; i < EXL3_TILE_WEIGHTS * bits; i++)
        if (walk.window[i / bits + 1] >> (bits - 1 - i % bits) & 1)
            set_stream_bit(tile, i);
}

void exl3_tile_pool_fill(struct exl3_tile_pool *pool, struct random_key key, int bits, int sign)
{
    struct random_key own = random_key_for(key.value, sign > 0 ? "positive tiles" : "negative tiles");
    *pool = (struct exl3_tile_pool){.bits = bits};
    for (int i = 0; i < EXL3_POOL_TILES; i++)
        one_signed_tile((struct random_key){random_bits(own, (uint64_t)i)}, bits, sign, pool->tile[i]);
}

void exl3_tile_pool_draw(const struct exl3_tile_pool *pool, struct random_key key, int64_t index, uint16_t *tile)
{
    uint32_t place = random_below(key, (uint64_t)index, EXL3_POOL_TILES);
    memcpy(tile, pool->tile[place], (size_t)exl3_tile_words(pool->bits) * sizeof *tile);
}
