/*
 * One dot2 step as the adders of gfx11 and gfx12 do it, in integers: an independent second writing of the rules in
 * docs/numerics.md ("Steps"), to hold bounds and the emulator against. Finite inputs only.
 */
#ifndef TESTS_DOT_MODEL_H
#define TESTS_DOT_MODEL_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "reference/format.h"

/* (-1)^negative significand 2^exponent; a zero has significand 0 and keeps its sign. */
struct dot_term {
    bool negative;
    __int128 significand;
    int exponent, alignment; /* alignment: sum of the factors' exponents (products); unused else */
};

static inline int dot_lead(struct dot_term t)
{
    int lead = t.exponent - 1;
    for (__int128 s = t.significand; s; s >>= 1)
        lead++;
    return lead;
}

/* A float's fields: significand with the hidden bit as an integer, and the exponent of the hidden bit's place. */
static inline struct dot_term dot_decode(enum number_format format, double value)
{
    const struct format_facts *f = format_facts(format);
    int exponent = f->exponent_min;
    if (value != 0 && ilogb(value) > exponent)
        exponent = ilogb(value);
    double significand = ldexp(fabs(value), f->precision_bits - 1 - exponent);
    return (struct dot_term){signbit(value) != 0, (__int128)significand, exponent - (f->precision_bits - 1), exponent};
}

static inline struct dot_term dot_product(enum number_format format, double a, double b, bool flush)
{
    struct dot_term x = dot_decode(format, a), y = dot_decode(format, b);
    double smallest = ldexp(1, format_facts(format)->exponent_min);
    bool dropped = flush && (fabs(a) < smallest || fabs(b) < smallest);
    return (struct dot_term){x.negative != y.negative, dropped ? 0 : x.significand * y.significand, x.exponent + y.exponent,
                             x.alignment + y.alignment};
}

/* Significand in units of 2^grid, cut toward zero. */
static inline __int128 dot_cut(struct dot_term t, int grid)
{
    int shift = grid - t.exponent;
    return shift >= 100 ? 0 : shift >= 0 ? t.significand >> shift : t.significand << -shift;
}

/* The signed value in units of 2^grid, cut toward minus infinity. */
static inline __int128 dot_floor(struct dot_term t, int grid)
{
    __int128 magnitude = dot_cut(t, grid);
    int shift = grid - t.exponent;
    bool exact = t.significand == 0 || (shift < 100 && (shift < 0 ? true : magnitude << shift == t.significand));
    return t.negative ? -magnitude - !exact : magnitude;
}

/* units * 2^grid; at most 53 bits are set here, so the double is exact. */
static inline double dot_value(__int128 units, int grid)
{
    return ldexp((double)(int64_t)units, grid);
}

static inline int dot_larger(int a, int b)
{
    return a > b ? a : b;
}

enum { DOT_NO_GRID = -100000 };

/* acc + a0 b0 + a1 b1 as gfx11 rounds it. */
static inline float dot2_gfx11(enum number_format format, float acc, const double a[2], const double b[2])
{
    bool flush = format == FORMAT_BF16;
    struct dot_term term[3] = {dot_decode(FORMAT_F32, fabsf(acc) < 0x1p-126f ? copysign(0, acc) : acc),
                               dot_product(format, a[0], b[0], flush), dot_product(format, a[1], b[1], flush)};
    int grid = DOT_NO_GRID;
    for (int i = 0; i < 3; i++) {
        if (term[i].significand == 0)
            continue;
        grid = dot_larger(grid, dot_lead(term[i]) - 26);
        if (i > 0)
            grid = dot_larger(grid, term[i].alignment - 24);
    }
    if (grid == DOT_NO_GRID)
        return 0;
    __int128 sum = 0;
    for (int i = 0; i < 3; i++) {
        __int128 m = dot_cut(term[i], grid);
        sum += term[i].negative == term[0].negative ? m : -m - 1;
    }
    double value = dot_value(term[0].negative ? -sum : sum, grid);
    double rounded =
        sum == 0 ? 0 : ldexp((double)(float)frexp(value, &(int){0}), ilogb(value) + 1); /* 24 bits, no subnormals */
    return sum == 0 || fabs(rounded) < 0x1p-126 ? 0 : (float)rounded;
}

/* acc + a0 b0 + a1 b1 as gfx12 rounds it. */
static inline float dot2_gfx12(enum number_format format, float acc, const double a[2], const double b[2])
{
    enum { LOWEST = -126 };
    struct dot_term c = dot_decode(FORMAT_F32, acc), product[2];
    int product_grid = DOT_NO_GRID, lead = c.significand ? dot_larger(dot_lead(c), LOWEST) : LOWEST;
    for (int i = 0; i < 2; i++) {
        product[i] = dot_product(format, a[i], b[i], false);
        if (product[i].significand)
            product_grid = dot_larger(product_grid, product[i].alignment - 24);
    }
    int grid = dot_larger(product_grid, lead - 26);
    __int128 total = grid > LOWEST && dot_cut(c, grid) == 0 ? 0 : dot_floor(c, grid);
    if (product_grid != DOT_NO_GRID) {
        __int128 pair = dot_floor(product[0], product_grid) + dot_floor(product[1], product_grid);
        int shift = grid - product_grid;
        total += shift >= 100 ? (pair < 0 ? -1 : 0) : pair >> shift;
    }
    return total == 0 ? 0 : (float)dot_value(total, grid);
}

#endif
