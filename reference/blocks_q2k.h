/*
 * Q2_K blocks as model files store them (ggml, ggml-common.h: block_q2_K): 256 weights in 84 bytes.
 *
 *   scales    16 bytes, one for each 16 weights: bits 3:0 s, bits 7:4 m
 *   q         64 bytes: byte 32 (k / 128) + k % 32 holds weight k's two bits from bit 2 (k % 128 / 32) on
 *   scale     f16 d, and then minimum, f16 dmin
 *
 * A weight is d s q - dmin m. Each product is exact in f32 (11 + 4 + 2 and 11 + 4 bits); their difference is exact in f64.
 * Rows have whole blocks.
 */
#ifndef REFERENCE_BLOCKS_Q2K_H
#define REFERENCE_BLOCKS_Q2K_H

#include <assert.h>
#include <stdint.h>

enum { Q2_K_WEIGHTS = 256, Q2_K_WORDS = 42 /* of 16 bits */, Q2_K_GROUP = 16 /* weights of a scale */ };

struct block_q2_k {
    uint8_t scales[Q2_K_WEIGHTS / Q2_K_GROUP];
    uint8_t q[Q2_K_WEIGHTS / 4];
    uint16_t scale, minimum; /* f16 bits */
};
static_assert(sizeof(struct block_q2_k) == 84 && sizeof(struct block_q2_k) == 2 * Q2_K_WORDS, "blocks have no padding");

/* The two bits of weight k of a block, and d s and dmin m of its group. */
int q2_k_bits(const struct block_q2_k *block, int k);
double q2_k_scale(const struct block_q2_k *block, int k);
double q2_k_minimum(const struct block_q2_k *block, int k);

#endif
