/*
 * Infinities and NaNs in dot steps of gfx11 and gfx12, one result at a time. First match wins: a NaN factor, infinity times
 * zero, products of both infinities, a NaN acc, both infinities, an infinity (AMD's rocjitsu project, gfx11_dot2.h and
 * gfx12_dot.h, compared with gfx1100 and gfx1201).
 */
#ifndef EMULATOR_DOT_SPECIAL_H
#define EMULATOR_DOT_SPECIAL_H

#include "device/emulator/dot_step.h"

enum { POSITIVE_INFINITY = 1, NEGATIVE_INFINITY = 2, INVALID_PRODUCT = 4, NAN_FACTOR = 8 };

static inline bool dot_factor_is_zero(struct dot_format f, uint32_t bits)
{
    return f.flush ? !(bits & f.infinity) : !(bits & 0x7fffu);
}

/* Factors in the low halves. */
static inline unsigned dot_classify_product(struct dot_format f, uint32_t a, uint32_t b)
{
    uint32_t a_magnitude = a & 0x7fffu, b_magnitude = b & 0x7fffu;
    if (a_magnitude > f.infinity || b_magnitude > f.infinity)
        return NAN_FACTOR;
    if (a_magnitude != f.infinity && b_magnitude != f.infinity)
        return 0;
    if (dot_factor_is_zero(f, a) || dot_factor_is_zero(f, b))
        return INVALID_PRODUCT;
    return (a ^ b) & 0x8000u ? NEGATIVE_INFINITY : POSITIVE_INFINITY;
}

/* Of two products. */
static inline unsigned dot_classify(struct dot_format f, uint32_t a, uint32_t b)
{
    return dot_classify_product(f, a, b) | dot_classify_product(f, a >> 16, b >> 16);
}

/* The f32 result; class: of all products of the step. One of them or acc must be special. */
static inline uint32_t dot_special_result(unsigned class, uint32_t acc)
{
    const unsigned both = POSITIVE_INFINITY | NEGATIVE_INFINITY;
    if (class & NAN_FACTOR)
        return DOT_FACTOR_NAN;
    if ((class & INVALID_PRODUCT) || class == both)
        return F32_MADE_NAN;
    if (f32_is_nan(acc))
        return f32_quiet(acc);
    if ((acc & 0x7fffffffu) == 0x7f800000u)
        class |= acc >> 31 ? NEGATIVE_INFINITY : POSITIVE_INFINITY;
    if (class == both)
        return F32_MADE_NAN;
    return class == NEGATIVE_INFINITY ? 0xff800000u : 0x7f800000u;
}

/* A special f32 result in 16 bits. */
static inline uint32_t dot_narrow_special(struct dot_format f, uint32_t bits)
{
    bool is_bf16 = f.infinity == 0x7f80u;
    if (bits == DOT_FACTOR_NAN)
        return is_bf16 ? DOT_FACTOR_NAN_BF16 : DOT_FACTOR_NAN_F16;
    return is_bf16 ? bits >> 16 : (bits >> 16 & 0x8000u) | 0x7c00u | (bits >> 13 & 0x3ffu);
}

#endif
