/*
 * The sums of one block of a matrix product, by the rules of the chips: a is [m][k], b is [k][n], c is [m][n], accumulated
 * in place; all are bits of their formats (shape->a_format, b_format, result).
 */
#ifndef EMULATOR_MATRIX_RULES_H
#define EMULATOR_MATRIX_RULES_H

#include "device/emulator/matrix_format.h"
#include "device/emulator/matrix_shape.h"

/* Factors as bits, with the formats as the chip reads them, and the E8M0 scales of 32 consecutive k each (NULL: none). */
struct matrix_factors {
    const uint32_t *bits;
    const struct small_format *format; /* NULL: f32 */
    const uint8_t *scale;              /* [row or column][k / 32] */
};

/* One fused multiply-add for each product, rising k; f32, subnormals kept. Factors of every format but f64 and integers are
 * exact in f32, and this is also the IEEE model. Scaled factors are scaled in f32. */
void VARIANT(matrix_fma)(const struct matrix_shape *shape, struct matrix_factors a, struct matrix_factors b, uint32_t *c);
/* gfx908 and gfx90a, f16 and bf16: shape->group products, each rounded to f32, are added as a balanced tree of f32
 * additions and their sum to the accumulator. With flush, subnormal factors and accumulators count as +0, and subnormal
 * sums and products become zeros of their sign. */
void VARIANT(matrix_pairwise)(const struct matrix_shape *shape, struct matrix_factors a, struct matrix_factors b,
                              uint32_t *c, bool flush);
/* gfx942 (and gfx950, modelled): groups of products on a common grid, one rounding a group; matrix_group.c. */
void VARIANT(matrix_group)(const struct matrix_shape *shape, struct matrix_factors a, struct matrix_factors b, uint32_t *c);
/* i8 and i4: sums modulo 2^32, or exact sums saturated once. */
void VARIANT(matrix_integer)(const struct matrix_shape *shape, const uint32_t *a, const uint32_t *b, uint32_t *c,
                             bool a_signed, bool b_signed, bool saturate);
void VARIANT(matrix_fma_f64)(const struct matrix_shape *shape, const uint64_t *a, const uint64_t *b, uint64_t *c);

#endif
