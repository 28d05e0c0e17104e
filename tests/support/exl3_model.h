/*
 * The EXL3 kernels once more, step by step in the formats and the order that they have on the chip: a second writing to
 * hold the reference's bounds and the emulated kernels against. The trellis is read bit by bit.
 */
#ifndef TESTS_EXL3_MODEL_H
#define TESTS_EXL3_MODEL_H

#include <math.h>
#include <stdint.h>

#include "reference/exl3.h"
#include "tests/support/dot_model.h"

/* Bit i of a tile's stream: most significant first in its little-endian 32-bit words. */
static inline unsigned exl3_stream_bit(const uint16_t *tile, int bits, int i)
{
    i = (i + 256 * bits) % (256 * bits);
    int word = i / 32, from_top = i % 32;
    return tile[2 * word + (from_top < 16)] >> (15 - from_top % 16) & 1;
}

static inline uint16_t exl3_window_by_bits(const uint16_t *tile, int bits, int t)
{
    unsigned window = 0;
    for (int i = (t + 1) * bits - 16; i < (t + 1) * bits; i++)
        window = window << 1 | exl3_stream_bit(tile, bits, i);
    return (uint16_t)window;
}

/* As butterflies of f32 additions. */
static inline void exl3_hadamard_f32(float v[128])
{
    for (int h = 1; h < 128; h *= 2)
        for (int i = 0; i < 128; i++)
            if (!(i & h)) {
                float low = v[i], high = v[i + h];
                v[i] = low + high;
                v[i + h] = low - high;
            }
}

static inline float exl3_f16_of(float value)
{
    return (float)format_round(FORMAT_F16, value);
}

/* One group of rot_in: out holds values of f16. */
static inline void exl3_rot_in_group(const float x[128], const float suh[128], float out[128])
{
    for (int i = 0; i < 128; i++)
        out[i] = x[i] * suh[i];
    exl3_hadamard_f32(out);
    for (int i = 0; i < 128; i++)
        out[i] = exl3_f16_of(out[i] * EXL3_SCALE);
}

typedef float exl3_dot2(enum number_format format, float sum, const double a[2], const double b[2]);

/* The sum over K of one row and column: each wave chains its tile rows, k pairs 2m and 2m+8 for m = 0 … 3 in each. */
static inline float exl3_column_sum(const struct exl3_linear *p, exl3_dot2 *dot2, int64_t row, const double *weights)
{
    int64_t tile_rows = p->k / 16 / p->n_waves;
    float sum = 0;
    for (int wave = 0; wave < p->n_waves; wave++) {
        float chain = 0;
        for (int64_t k = wave * tile_rows * 16; k < (wave + 1) * tile_rows * 16; k += 16)
            for (int place = 0; place < 8; place++) {
                int64_t at = k + place / 2 * 2 + place % 2 * 8;
                double x[2] = {format_load(FORMAT_F16, p->x, row * p->k + at),
                               format_load(FORMAT_F16, p->x, row * p->k + at + 1)};
                chain = dot2(FORMAT_F16, chain, weights + at, x);
            }
        sum = wave == 0 ? chain : sum + chain;
    }
    return sum;
}

/* W[0 … k)[column], by bits. */
static inline void exl3_column_of(const struct exl3_linear *p, int64_t column, double *weights)
{
    for (int64_t k = 0; k < p->k; k++) {
        int64_t tiles_before = p->strips ? column / 128 * (p->k / 16) * 8 + k / 16 * 8 + column % 128 / 16
                                         : k / 16 * (p->n / 16) + column / 16;
        const uint16_t *tile = p->w + tiles_before * 16 * p->bits;
        int row = (int)(k % 16), c = (int)(column % 16);
        int t = 8 * (c % 8 * 4 + row % 8 / 2) + row % 2 + 2 * (row / 8) + 4 * (c / 8);
        uint32_t x = exl3_window_by_bits(tile, p->bits, t) * UINT32_C(0x83DCD12D);
        int sum = (int)((x & 255) + (x >> 8 & 255) + (x >> 16 & 255) + (x >> 24));
        weights[k] = exl3_f16_of((float)((1024 + sum) * 0x1.bb8p-8 - 0x1.4c4p3));
    }
}

/* One group of 128 columns of one row, in f32 before it is stored. weights: 128 columns of k. */
static inline void exl3_linear_group(const struct exl3_linear *p, exl3_dot2 *dot2, int64_t row, int64_t group,
                                     const double *weights, float out[128])
{
    for (int c = 0; c < 128; c++)
        out[c] = exl3_column_sum(p, dot2, row, weights + c * p->k);
    exl3_hadamard_f32(out);
    for (int c = 0; c < 128; c++)
        out[c] = out[c] * p->scale * (float)format_load(FORMAT_F16, p->svh, group * 128 + c);
}

#endif
