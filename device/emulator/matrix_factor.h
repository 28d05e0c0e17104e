/*
 * Which formats the factors of matrix and dot instructions have; their numbers are matrix_format.h's.
 */
#ifndef EMULATOR_MATRIX_FACTOR_H
#define EMULATOR_MATRIX_FACTOR_H

#include <stdint.h>

enum factor_id {
    FACTOR_F16,
    FACTOR_BF16,
    FACTOR_XF32,
    FACTOR_FP8,
    FACTOR_BF8,
    FACTOR_FP8_FNUZ,
    FACTOR_BF8_FNUZ,
    FACTOR_FP6,
    FACTOR_BF6,
    FACTOR_FP4,
    /* These have no row in factor_formats. */
    FACTOR_F32,
    FACTOR_F64,
    FACTOR_I8,
    FACTOR_I4
};

/* Of one factor in registers, where an xf32 is an f32. */
static inline unsigned factor_bits(unsigned format)
{
    static const uint8_t bits[] = {
        [FACTOR_F16] = 16,     [FACTOR_BF16] = 16,    [FACTOR_XF32] = 32, [FACTOR_FP8] = 8, [FACTOR_BF8] = 8,
        [FACTOR_FP8_FNUZ] = 8, [FACTOR_BF8_FNUZ] = 8, [FACTOR_FP6] = 6,   [FACTOR_BF6] = 6, [FACTOR_FP4] = 4,
        [FACTOR_F32] = 32,     [FACTOR_F64] = 64,     [FACTOR_I8] = 8,    [FACTOR_I4] = 4,
    };
    return bits[format];
}

#endif
