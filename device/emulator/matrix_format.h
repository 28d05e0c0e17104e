/*
 * Formats of the factors of matrix and dot instructions: f16, bf16, xf32 and those of 8 bits and fewer (OCP 8-bit floating
 * point 1.0 and microscaling formats 1.0; the FNUZ forms of gfx942: LLVM, Float8E4M3FNUZ and Float8E5M2FNUZ).
 */
#ifndef EMULATOR_MATRIX_FORMAT_H
#define EMULATOR_MATRIX_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "device/emulator/lanes.h"

/* X(name, bits, fraction bits, bias, magnitude of infinity, least magnitude of a NaN, whether the pattern of -0 is a NaN);
 * NO_PATTERN: the format has none. xf32 is an f32 without its 13 low bits. */
#define NO_PATTERN UINT32_MAX
#define FACTOR_FORMATS(X)                                                                                                  \
    X(F16, 16, 10, 15, 0x7c00, 0x7c01, false)                                                                              \
    X(BF16, 16, 7, 127, 0x7f80, 0x7f81, false)                                                                             \
    X(XF32, 19, 10, 127, 0x3fc00, 0x3fc01, false)                                                                          \
    X(FP8, 8, 3, 7, NO_PATTERN, 0x7f, false)                                                                               \
    X(BF8, 8, 2, 15, 0x7c, 0x7d, false)                                                                                    \
    X(FP8_FNUZ, 8, 3, 8, NO_PATTERN, NO_PATTERN, true)                                                                     \
    X(BF8_FNUZ, 8, 2, 16, NO_PATTERN, NO_PATTERN, true)                                                                    \
    X(FP6, 6, 3, 1, NO_PATTERN, NO_PATTERN, false)                                                                         \
    X(BF6, 6, 2, 3, NO_PATTERN, NO_PATTERN, false)                                                                         \
    X(FP4, 4, 1, 1, NO_PATTERN, NO_PATTERN, false)

#define FACTOR_ENUM(name, ...) FACTOR_##name,
enum factor_id { FACTOR_FORMATS(FACTOR_ENUM) FACTOR_F32, FACTOR_F64, FACTOR_I8, FACTOR_I4 };
#undef FACTOR_ENUM

struct factor_format {
    uint8_t bits, fraction_bits;
    int16_t bias;
    uint32_t infinity, least_nan;
    bool negative_zero_is_nan;
};

static const struct factor_format factor_formats[] = {
#define FACTOR_ROW(name, ...) {__VA_ARGS__},
    FACTOR_FORMATS(FACTOR_ROW)
#undef FACTOR_ROW
};

static inline uint32_t factor_magnitude(const struct factor_format *f, uint32_t bits)
{
    return bits & ((1u << (f->bits - 1)) - 1);
}

static inline bool factor_is_nan(const struct factor_format *f, uint32_t bits)
{
    uint32_t magnitude = factor_magnitude(f, bits);
    return magnitude >= f->least_nan || (f->negative_zero_is_nan && bits == 1u << (f->bits - 1));
}

static inline bool factor_is_infinite(const struct factor_format *f, uint32_t bits)
{
    return factor_magnitude(f, bits) == f->infinity;
}

/* Exact in f32 for every number of every format, xf32's subnormals included; NaN and infinity as they are. */
static inline float factor_value(const struct factor_format *f, uint32_t bits)
{
    uint32_t sign = bits >> (f->bits - 1) << 31;
    if (factor_is_nan(f, bits))
        return bits_f32(0xffc00000u);
    if (factor_is_infinite(f, bits))
        return bits_f32(sign | 0x7f800000u);
    /* As an f32 the pattern is 2^(127 - bias) too small, subnormals included. */
    float scaled =
        bits_f32(factor_magnitude(f, bits) << (23 - f->fraction_bits)) * bits_f32((uint32_t)(254 - f->bias) << 23);
    return bits_f32(sign | f32_bits(scaled));
}

#endif
