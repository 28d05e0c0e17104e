/* What rows of Q8_0 blocks look like under each pattern. */
#include "kernels/ds4/ds4.h"

#include <math.h>

enum { LARGEST_Q = 127, SMALLEST_Q = -128 };
enum { NAN_ROW = 5, INFINITE_ROW = 9, ROWS_OF_CLASSES = 16 }; /* planted in every 16 rows */

static double edge_of(struct random_key key, uint64_t i, const double *edges, uint32_t n)
{
    return edges[random_below(key, i, n)];
}

double ds4_block_scale(const struct reg_case *c, struct random_key key, uint64_t i)
{
    static const double edges[] = {0x1.ffcp15, -0x1.ffcp15, 0x1p-14, 0x1p-24, 0, -0.0, 0x1.554p-7};
    if (c->pattern == REG_PATTERN_EDGES)
        return edge_of(key, i, edges, sizeof edges / sizeof edges[0]);
    if (c->pattern == REG_PATTERN_EXACT)
        return ldexp(1, -6 + (int)random_below(key, i, 3));
    return 0x1p-8 + random_unit(key, i) * 0x1p-7;
}

static double q_of(const struct reg_case *c, struct random_key key, uint64_t i)
{
    static const double edges[] = {SMALLEST_Q, LARGEST_Q, -1, 0, 1};
    if (c->pattern == REG_PATTERN_EDGES)
        return edge_of(key, i, edges, sizeof edges / sizeof edges[0]);
    if (c->pattern == REG_PATTERN_EXACT || c->pattern == REG_PATTERN_ONESIDED)
        return 1 + random_below(key, i, LARGEST_Q);
    return (double)random_below(key, i, 2 * LARGEST_Q + 1) - LARGEST_Q;
}

void ds4_plant_scales(const struct reg_case *c, int tensor, int words_of_block, int scale_word, uint16_t *data)
{
    const struct reg_tensor *t = &c->plan->tensor[tensor];
    struct random_key key = {random_bits(reg_key(c, tensor), UINT64_MAX)};
    for (int64_t row = 0; row < t->rows; row++) {
        uint32_t block = random_below(key, (uint64_t)row, (uint32_t)(t->columns / words_of_block));
        uint16_t *scale = data + row * t->columns + block * words_of_block + scale_word;
        if (row % ROWS_OF_CLASSES == NAN_ROW)
            format_store(FORMAT_F16, scale, 0, NAN);
        else if (row % ROWS_OF_CLASSES == INFINITE_ROW)
            format_store(FORMAT_F16, scale, 0, INFINITY);
    }
}

void ds4_fill_q8_0(const struct reg_case *c, int tensor, void *data)
{
    const struct reg_tensor *t = &c->plan->tensor[tensor];
    struct random_key scales = reg_key(c, tensor), qs = {random_bits(scales, UINT64_MAX)};
    struct block_q8_0 *out = data;
    int64_t blocks = t->columns / Q8_0_WORDS;
    for (int64_t i = 0; i < t->rows * blocks; i++) {
        format_store(FORMAT_F16, &out[i].scale, 0, ds4_block_scale(c, scales, (uint64_t)i));
        for (int j = 0; j < Q8_0_WEIGHTS; j++)
            out[i].q[j] = (int8_t)q_of(c, qs, (uint64_t)i * Q8_0_WEIGHTS + (uint64_t)j);
    }
    if (c->pattern == REG_PATTERN_CLASSES)
        ds4_plant_scales(c, tensor, Q8_0_WORDS, 0, data);
}
