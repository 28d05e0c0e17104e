/*
 * One step of gfx11's dot hardware: acc + a0*b0 + a1*b1 with f16 or bf16 factors, in integers, so that the loops around it
 * vectorise. V_DOT2_F32_F16, V_DOT2_F32_BF16, their f16 and bf16 forms, and each pair of k of a WMMA are this step.
 *
 * The rule was fitted to gfx1100 by AMD's rocjitsu project (gfx11_dot2.h) and found equal on gfx1151 in 12 million cases
 * (ROCm/rocm-systems issue 12056):
 * - a grid G: the larger of (exponent of the largest non-zero product - 24), where a factor's exponent is that of its
 * field, at least 1, and a product's the sum of two; and (exponent of acc's leading bit - 26);
 * - acc and both products, exact, are cut toward zero to multiples of 2^G;
 * - they are added in the sign frame of acc: a term of the other sign adds the complement of its magnitude, which is one
 * unit less than its negative, zeros included;
 * - the sum is rounded to nearest even; the f32 result below the normal range is +0, and a sum of 0 too;
 * - a denormal f32 acc counts as zero of its sign, bf16 denormals as zero; f16 ones are kept. MODE has no say.
 */
#ifndef EMULATOR_DOT_STEP_H
#define EMULATOR_DOT_STEP_H

#include <stdint.h>

#include "device/emulator/float_lanes.h"

#define DOT_FACTOR_NAN      0xffc00a3du
#define DOT_FACTOR_NAN_F16  0xfe3du
#define DOT_FACTOR_NAN_BF16 0xfffdu

/* The factors' format; a compile-time constant where it counts. */
struct dot_format {
    int fraction_bits, bias;
    uint32_t infinity; /* exponent mask of 16 bits */
    int flush;         /* denormal factors count as zero */
};

static const struct dot_format dot_f16 = {10, 15, 0x7c00, 0};
static const struct dot_format dot_bf16 = {7, 127, 0x7f80, 1};

/* The sum before rounding: magnitude * 2^(grid), sign. */
struct dot_sum {
    uint32_t magnitude; /* below 2^30 */
    int32_t grid;
    uint32_t sign; /* bit 31 */
};

/* Below the exponent of any term. */
enum { DOT_NONE = -2000 };

struct dot_product {
    uint32_t significand; /* at the grid of 2 * fraction_bits below `exponent` */
    int32_t exponent;     /* biased twice; DOT_NONE for a zero product */
    uint32_t negative;    /* 0 or 1 */
};

static inline struct dot_product dot_multiply(struct dot_format f, uint32_t a, uint32_t b)
{
    uint32_t one = 1u << f.fraction_bits, mask = one - 1;
    uint32_t a_field = (a & 0x7fffu) >> f.fraction_bits, b_field = (b & 0x7fffu) >> f.fraction_bits;
    uint32_t a_denormal = a_field == 0, b_denormal = b_field == 0;
    uint32_t a_sig = (a & mask) | (a_denormal ? 0 : one), b_sig = (b & mask) | (b_denormal ? 0 : one);
    if (f.flush) {
        a_sig = a_denormal ? 0 : a_sig;
        b_sig = b_denormal ? 0 : b_sig;
    }
    uint32_t significand = a_sig * b_sig;
    int32_t exponent = (int32_t)(a_field + a_denormal + b_field + b_denormal);
    return (struct dot_product){significand, significand ? exponent : DOT_NONE, (a ^ b) >> 15 & 1};
}

static inline uint32_t shift_right(uint32_t value, int32_t count)
{
    return value >> (count > 31 ? 31 : count);
}

/* least_acc_exponent: acc's leading exponent counts as at least this, even for a zero acc (f16 results: -14); DOT_NONE
 * otherwise. No operand may be infinite or NaN. */
static inline struct dot_sum dot_add(struct dot_format f, uint32_t a, uint32_t b, uint32_t acc, int32_t least_acc_exponent)
{
    struct dot_product p = dot_multiply(f, a, b), q = dot_multiply(f, a >> 16, b >> 16);
    int32_t acc_field = (int32_t)(acc >> 23 & 0xff);
    uint32_t acc_sig = acc_field ? (acc & 0x7fffffu) | 0x800000u : 0;
    /* Everything relative to a product's exponent: G = unit - 2 * bias - 24. */
    int32_t acc_offset = 2 * f.bias - 129;
    int32_t acc_exponent = (acc_field ? acc_field : DOT_NONE) + acc_offset;
    int32_t least = least_acc_exponent + 127 + acc_offset;
    int32_t unit = p.exponent > q.exponent ? p.exponent : q.exponent;
    unit = unit > acc_exponent ? unit : acc_exponent;
    unit = unit > least ? unit : least;
    const int up = 24 - 2 * f.fraction_bits;
    uint32_t frame = acc >> 31;
    uint32_t p_term = shift_right(p.significand << up, unit - p.exponent) ^ -(p.negative ^ frame);
    uint32_t q_term = shift_right(q.significand << up, unit - q.exponent) ^ -(q.negative ^ frame);
    uint32_t acc_term = shift_right(acc_sig << 3, unit - acc_exponent);
    int32_t sum = (int32_t)(acc_term + p_term + q_term);
    uint32_t all_zero = (acc_sig | p.significand | q.significand) == 0;
    uint32_t magnitude = (uint32_t)(sum < 0 ? -sum : sum);
    return (struct dot_sum){all_zero ? 0 : magnitude, unit - 2 * f.bias - 24, acc ^ (uint32_t)sum};
}

/* f32 result of finite operands. */
static inline uint32_t dot_round_f32(struct dot_sum sum)
{
    uint32_t bits = f32_bits((float)(int32_t)sum.magnitude); /* nearest even */
    int32_t field = (int32_t)(bits >> 23) + sum.grid;
    uint32_t sign = sum.sign & 0x80000000u;
    uint32_t result = sign | (bits + ((uint32_t)sum.grid << 23));
    result = field >= 255 ? sign | 0x7f800000u : result;
    return field <= 0 || sum.magnitude == 0 ? 0 : result;
}

/* f16 result of finite operands, rounded once; denormals made, +0 for what rounds to zero. */
static inline uint32_t dot_round_f16(struct dot_sum sum, uint32_t saturate)
{
    /* To 24 bits by rounding to odd, which leaves enough to round again. */
    uint32_t odd = (sum.magnitude >> 6 | ((sum.magnitude & 63) != 0)) << 6;
    uint32_t kept = sum.magnitude < 1u << 24 ? sum.magnitude : odd;
    uint32_t bits = f32_bits((float)(int32_t)kept) + ((uint32_t)sum.grid << 23);
    uint32_t half = f32_to_f16_rne(kept ? bits : 0);
    half -= saturate & (half == 0x7c00u);
    return half ? half | (sum.sign >> 16 & 0x8000u) : 0;
}

/* Whether either half of a factor, or acc, is infinite or NaN. */
static inline uint32_t dot_is_special(struct dot_format f, uint32_t a, uint32_t b, uint32_t acc)
{
    uint32_t step = 0x8000u - f.infinity, both = f.infinity | f.infinity << 16, carries = step | step << 16;
    uint32_t a_special = ((a & both) + carries) & 0x80008000u, b_special = ((b & both) + carries) & 0x80008000u;
    return a_special | b_special | ((acc & 0x7f800000u) == 0x7f800000u);
}

#endif
