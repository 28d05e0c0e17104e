/*
 * IQ2_XXS blocks as model files store them (ggml, ggml-common.h: block_iq2_xxs): 256 weights in 66 bytes, an f16 scale d
 * and for each 32 weights two little-endian words of 32 bits.
 *
 *   word 0   four bytes, each the number of a grid point: the magnitudes of eight weights, each 8, 25 or 43
 *   word 1   bits 6:0, 13:7, 20:14, 27:21: signs of seven weights of each eight, set where negative; the eighth is negative
 *            where that makes their number even. Bits 31:28: s
 *
 * A weight is d * (2 s + 1) / 8 * magnitude with its sign: at most 11 + 5 + 6 bits, exact in f32. Rows have whole blocks.
 */
#ifndef REFERENCE_BLOCKS_IQ2_H
#define REFERENCE_BLOCKS_IQ2_H

#include <assert.h>
#include <stdint.h>

enum { IQ2_XXS_WEIGHTS = 256, IQ2_XXS_WORDS = 33 /* of 16 bits */, IQ2_XXS_RUN = 8 /* weights of a grid point */ };

struct block_iq2_xxs {
    uint16_t scale; /* f16 bits */
    uint16_t q[32]; /* four halves of words for each 32 weights */
};
static_assert(sizeof(struct block_iq2_xxs) == 66 && sizeof(struct block_iq2_xxs) == 2 * IQ2_XXS_WORDS,
              "blocks have no padding");

/* The eight magnitudes of a grid point. */
void iq2_xxs_grid_point(int number, int8_t magnitudes[IQ2_XXS_RUN]);
/* The signs of eight weights from the seven that are stored: bit i set where weight i is negative. */
int iq2_xxs_signs(int seven);
/* Run `run` of a block, of 0 … 31: signed magnitudes, and what they are all times. */
void iq2_xxs_run(const struct block_iq2_xxs *block, int run, int8_t q[IQ2_XXS_RUN]);
double iq2_xxs_scale(const struct block_iq2_xxs *block, int run);

#endif
