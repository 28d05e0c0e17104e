/*
 * One step of gfx12's dot hardware: acc plus two or four products with f16 or bf16 factors, in integers. V_DOT2_F32_F16 and
 * V_DOT2_F32_BF16 are a step of two products, each four of k of a WMMA a step of four.
 *
 * The rule was fitted to gfx1201 by AMD's rocjitsu project (gfx12_dot.h):
 * - products are taken in pairs; both of a pair are floored to a grid that lies 24 below the larger sum of the factors'
 * exponents (zero products have none) and added;
 * - a grid G: the larger of the highest pair's grid and (exponent of acc's leading bit, at least `least` - 26);
 * - each pair's sum and acc are floored to multiples of 2^G and added. But an acc of which no bit survives adds nothing,
 * unless G is `least` or lower;
 * - the sum is rounded once, to nearest even; a sum of 0 is +0. Denormals are kept everywhere. MODE has no say.
 */
#ifndef EMULATOR_DOT_STEP_GFX12_H
#define EMULATOR_DOT_STEP_GFX12_H

#include "device/emulator/dot_step.h"

/* acc's exponent counts as at least this: results of f32 (and bf16, which are cut from f32), and of f16. */
enum { DOT12_LEAST_F32 = -126, DOT12_LEAST_F16 = -14 };

static const struct dot_format dot12_bf16 = {7, 127, 0x7f80, 0};

/* value = units * 2^(exponent - 2 * bias - 24) */
struct dot12_pair {
    int32_t units;    /* magnitude below 2^27 */
    int32_t exponent; /* biased twice; DOT_NONE for two zero products */
};

struct dot12_sum {
    int32_t units; /* magnitude below 2^30 */
    int32_t grid;  /* value = units * 2^grid */
};

/* Arithmetic, so toward minus infinity. */
static inline int32_t shift_floor(int32_t value, int32_t count)
{
    return value >> (count > 31 ? 31 : count);
}

static inline int32_t dot12_signed(struct dot_product p, int up)
{
    int32_t magnitude = (int32_t)(p.significand << up);
    return p.negative ? -magnitude : magnitude;
}

/* a and b: two factors each. */
static inline struct dot12_pair dot12_multiply(struct dot_format f, uint32_t a, uint32_t b)
{
    struct dot_product p = dot_multiply(f, a, b), q = dot_multiply(f, a >> 16, b >> 16);
    const int up = 24 - 2 * f.fraction_bits;
    int32_t exponent = p.exponent > q.exponent ? p.exponent : q.exponent;
    int32_t units =
        shift_floor(dot12_signed(p, up), exponent - p.exponent) + shift_floor(dot12_signed(q, up), exponent - q.exponent);
    return (struct dot12_pair){units, exponent};
}

/* No operand may be infinite or NaN. */
static inline struct dot12_sum dot12_add(struct dot_format f, struct dot12_pair p, struct dot12_pair q, uint32_t acc,
                                         int32_t least)
{
    int32_t acc_field = (int32_t)(acc >> 23 & 0xff), acc_normal = acc_field != 0;
    int32_t acc_sig = (int32_t)((acc & 0x7fffffu) | (uint32_t)acc_normal << 23) << 3;
    /* Everything relative to a product's exponent: G = unit - 2 * bias - 24. */
    const int32_t offset = 2 * f.bias + 24;
    int32_t acc_unit = acc_field + !acc_normal - 127 - 26 + offset;
    int32_t unit = p.exponent > q.exponent ? p.exponent : q.exponent, floor_unit = least - 26 + offset;
    unit = unit > acc_unit ? unit : acc_unit;
    unit = unit > floor_unit ? unit : floor_unit;
    int32_t kept = shift_floor(acc_sig, unit - acc_unit);
    int32_t acc_term = shift_floor(acc >> 31 ? -acc_sig : acc_sig, unit - acc_unit);
    acc_term = kept == 0 && unit - offset > least ? 0 : acc_term;
    int32_t sum = acc_term + shift_floor(p.units, unit - p.exponent) + shift_floor(q.units, unit - q.exponent);
    return (struct dot12_sum){sum, unit - offset};
}

/* 2^exponent, -1022 to 1023. */
static inline double dot_power(int32_t exponent)
{
    return bits_f64((uint64_t)(exponent + 1023) << 52);
}

/* What rounds to zero is +0. */
static inline uint32_t dot12_round_f32(struct dot12_sum sum)
{
    uint32_t bits = f32_bits((float)((double)sum.units * dot_power(sum.grid)));
    return bits << 1 ? bits : 0;
}

/* saturate: MODE.FP16_OVFL */
static inline uint32_t dot12_round_f16(struct dot12_sum sum, uint32_t saturate)
{
    uint32_t sign = (uint32_t)sum.units & 0x80000000u;
    uint32_t magnitude = (uint32_t)(sum.units < 0 ? -sum.units : sum.units);
    return dot_round_f16((struct dot_sum){magnitude, sum.grid, sign}, saturate);
}

/* The second pair of a step of two products. */
static const struct dot12_pair dot12_no_pair = {0, DOT_NONE};

#endif
