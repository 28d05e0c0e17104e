/*
 * Formats of the factors of matrix and dot instructions.
 */
#ifndef EMULATOR_MATRIX_FORMAT_H
#define EMULATOR_MATRIX_FORMAT_H

#include "device/emulator/matrix_factor.h"
#include "device/emulator/small_float.h"

static const struct small_format *const factor_formats[] = {
    [FACTOR_F16] = &small_f16,           [FACTOR_BF16] = &small_bf16, [FACTOR_XF32] = &small_xf32,
    [FACTOR_FP8] = &small_fp8,           [FACTOR_BF8] = &small_bf8,   [FACTOR_FP8_FNUZ] = &small_fp8_fnuz,
    [FACTOR_BF8_FNUZ] = &small_bf8_fnuz, [FACTOR_FP6] = &small_fp6,   [FACTOR_BF6] = &small_bf6,
    [FACTOR_FP4] = &small_fp4,
};

static inline float factor_value(const struct small_format *f, uint32_t bits)
{
    return bits_f32(small_to_f32(*f, bits));
}

#endif
