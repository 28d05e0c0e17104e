/*
 * Blocks of quantized weights as model files store them (ggml, ggml-common.h: block_q8_0).
 *
 * Q8_0: 32 weights in 34 bytes, an f16 scale and 32 signed bytes; weight i is scale * q[i]. The product has at most 11 + 8
 * bits, so it is exact in f32. A row of n weights takes n / 32 blocks, rounded up; what lies past n in its last block
 * counts as nothing. Rows follow one another without a gap, so blocks are aligned to 2 bytes only.
 */
#ifndef REFERENCE_BLOCKS_H
#define REFERENCE_BLOCKS_H

#include <assert.h>
#include <stdint.h>

#include "reference/format.h"

enum { Q8_0_WEIGHTS = 32, Q8_0_WORDS = 17 /* of 16 bits: how registrations declare a tensor of blocks */ };

struct block_q8_0 {
    uint16_t scale; /* f16 bits */
    int8_t q[Q8_0_WEIGHTS];
};
static_assert(sizeof(struct block_q8_0) == 34 && sizeof(struct block_q8_0) == 2 * Q8_0_WORDS, "blocks have no padding");

/* Blocks of a row of n weights. */
static inline int64_t q8_0_blocks(int64_t n)
{
    return (n + Q8_0_WEIGHTS - 1) / Q8_0_WEIGHTS;
}

static inline double q8_0_scale(const struct block_q8_0 *block)
{
    return format_load(FORMAT_F16, &block->scale, 0);
}

/* Weight k of the row that starts at `row`. */
static inline double q8_0_weight(const struct block_q8_0 *row, int64_t k)
{
    const struct block_q8_0 *block = &row[k / Q8_0_WEIGHTS];
    return q8_0_scale(block) * block->q[k % Q8_0_WEIGHTS];
}

#endif
