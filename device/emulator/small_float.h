/*
 * Floating-point formats that convert to f32 exactly: f16, bf16 and xf32, and those of 4 to 8 bits: fp8 (E4M3) and bf8
 * (E5M2) as the OCP defines them (gfx950, gfx12) and in the FNUZ form of gfx942, fp6 (E2M3), bf6 (E3M2) and fp4 (E2M1) of
 * the OCP's microscaling formats. Written so that loops over lanes vectorise.
 *
 * Sources: OCP "8-bit Floating Point Specification" 1.0 and "Microscaling Formats" 1.0; CDNA3 ISA for FNUZ. What
 * conversions do with overflow, NaN and random bits: CDNA4 ISA, "Data conversion"; measured on gfx1201 by AMD's rocjitsu
 * project (conversion.h and its tests in ROCm/rocm-systems): NaNs become 0xff and 0xfe whatever their sign, every NaN
 * decodes to 0xffc00000, and stochastic rounding adds the top random bits below the last place that a normal result would
 * keep.
 */
#ifndef EMULATOR_SMALL_FLOAT_H
#define EMULATOR_SMALL_FLOAT_H

#include "device/emulator/float_lanes.h"

#define NO_PATTERN UINT32_MAX

struct small_format {
    uint8_t bits, fraction_bits;
    uint8_t bias;
    bool fnuz;          /* the pattern of -0 is the only NaN */
    uint32_t least_nan; /* the least magnitude that is a NaN, or NO_PATTERN */
    uint32_t infinity;  /* magnitude, or NO_PATTERN */
    uint32_t largest;   /* magnitude of the largest finite number */
    uint32_t overflow;  /* magnitude that an overflow or an infinity becomes; fnuz: the NaN's whole pattern */
    uint32_t nan;       /* pattern that a NaN becomes */
};

static const struct small_format small_f16 = {16, 10, 15, false, 0x7c01, 0x7c00, 0x7bff, 0x7c00, 0x7e00};
static const struct small_format small_bf16 = {16, 7, 127, false, 0x7f81, 0x7f80, 0x7f7f, 0x7f80, 0x7fc0};
/* An f32 without its 13 low bits. */
static const struct small_format small_xf32 = {19, 10, 127, false, 0x3fc01, 0x3fc00, 0x3fbff, 0x3fc00, 0x3fe00};

static const struct small_format small_fp8 = {8, 3, 7, false, 0x7f, NO_PATTERN, 0x7e, 0x7f, 0xff};
static const struct small_format small_bf8 = {8, 2, 15, false, 0x7d, 0x7c, 0x7b, 0x7c, 0xfe};
static const struct small_format small_fp8_fnuz = {8, 3, 8, true, NO_PATTERN, NO_PATTERN, 0x7f, 0x80, 0x80};
static const struct small_format small_bf8_fnuz = {8, 2, 16, true, NO_PATTERN, NO_PATTERN, 0x7f, 0x80, 0x80};
/* No infinities and no NaNs: both become the largest number (of a NaN modelled). */
static const struct small_format small_fp6 = {6, 3, 1, false, NO_PATTERN, NO_PATTERN, 0x1f, 0x1f, 0x1f};
static const struct small_format small_bf6 = {6, 2, 3, false, NO_PATTERN, NO_PATTERN, 0x1f, 0x1f, 0x1f};
static const struct small_format small_fp4 = {4, 1, 1, false, NO_PATTERN, NO_PATTERN, 0x07, 0x07, 0x07};

/* The bits above the format's are ignored. */
static inline uint32_t small_magnitude(const struct small_format f, uint32_t code)
{
    return code & ((1u << (f.bits - 1u)) - 1);
}

static inline bool small_is_nan(const struct small_format f, uint32_t code)
{
    const uint32_t magnitude = small_magnitude(f, code);
    return magnitude >= f.least_nan || (f.fnuz && !magnitude && code >> (f.bits - 1u) & 1);
}

/* Exact, xf32's subnormals included; every NaN is the one that operations make. */
static inline uint32_t small_to_f32(const struct small_format f, uint32_t code)
{
    const uint32_t magnitude = small_magnitude(f, code), sign = (code >> (f.bits - 1u) & 1) << 31;
    /* As an f32 the pattern is 2^(127 - bias) too small, denormals included. */
    const float scale = bits_f32((254u - f.bias) << 23);
    uint32_t bits = sign | f32_bits(bits_f32(magnitude << (23 - f.fraction_bits)) * scale);
    bits = magnitude == f.infinity ? sign | 0x7f800000u : bits;
    return small_is_nan(f, code) ? F32_MADE_NAN : bits;
}

/* How a conversion to a small format goes. */
struct small_rounding {
    bool saturate;           /* MODE.FP16_OVFL: a finite number that overflows becomes the largest */
    bool saturates_infinity; /* so does an infinity (CDNA4 ISA); on gfx1201 it does not */
    bool stochastic;         /* else to nearest even */
};

/* The magnitude of significand * 2^(field - 1) units of the format's least normal number, where the significand has its
 * leading bit at 23 (a place below it is a denormal's or zero's): rounded, exponent without end. */
static inline uint32_t small_round(const struct small_format f, bool stochastic, uint32_t random, int32_t field,
                                   uint32_t significand)
{
    const unsigned dropped = 23u - f.fraction_bits;
    int32_t below = field < 1 ? 1 - field : 0;
    below = below > 31 ? 31 : below;
    uint32_t units;
    if (stochastic) {
        units = ((significand >> below) + (random >> (32 - dropped))) >> dropped;
    } else {
        uint32_t shift = dropped + (uint32_t)below;
        shift = shift > 31 ? 31 : shift;
        units = (significand + (1u << (shift - 1)) - 1 + (significand >> shift & 1)) >> shift;
    }
    return ((uint32_t)(field < 1 ? 0 : field - 1) << f.fraction_bits) + units;
}

/* sign: 0 or 1. is_infinite, is_nan: of the source. */
static inline uint32_t small_finish(const struct small_format f, const struct small_rounding how, uint32_t sign,
                                    uint32_t magnitude, bool is_infinite, bool is_nan)
{
    bool overflows = magnitude > f.largest || is_infinite;
    bool saturates = is_infinite ? how.saturate && how.saturates_infinity : how.saturate;
    magnitude = overflows ? (saturates ? f.largest : f.overflow) : magnitude;
    bool unsigned_result = f.fnuz && (magnitude == 0 || magnitude == f.nan);
    uint32_t code = magnitude | (unsigned_result ? 0 : sign << (f.bits - 1));
    return is_nan ? f.nan | (f.least_nan == NO_PATTERN && !f.fnuz ? sign << (f.bits - 1) : 0) : code;
}

/* f32 to the format, scaled by 2^-scale_log2 before the one rounding; a constant 0 for loops that should vectorise. */
static inline uint32_t small_from_f32(const struct small_format f, const struct small_rounding how, uint32_t random,
                                      int32_t scale_log2, uint32_t bits)
{
    uint32_t magnitude = bits & 0x7fffffffu;
    int32_t field = (int32_t)(magnitude >> 23) - (127 - f.bias) - scale_log2;
    uint32_t significand = (magnitude & 0x7fffffu) | 0x800000u;
    if (scale_log2 && magnitude < 0x800000u) { /* unscaled denormals are far below every format's */
        int shift = magnitude ? __builtin_clz(magnitude) - 8 : 0;
        significand = magnitude << shift;
        field = magnitude ? field + 1 - shift : 0;
    }
    uint32_t rounded = small_round(f, how.stochastic, random, field > 300 ? 300 : field, significand);
    return small_finish(f, how, bits >> 31, rounded, magnitude == 0x7f800000u, magnitude > 0x7f800000u);
}

#endif
