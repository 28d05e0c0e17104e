/*
 * Rows of f32 add, multiply and fused multiply-add in any MODE. With rounding to nearest the host computes them, denormals
 * flushed before and after where MODE says so; the other rounding modes run in integers.
 *
 * Where results are flushed, a host's result that is the least normal number may have been rounded up to it from a value
 * that is tiny when rounded as if exponents had no end (softfloat.h); such a row is computed again in integers.
 *
 * r must not be one of the sources' rows.
 */
#ifndef EMULATOR_F32_ROWS_H
#define EMULATOR_F32_ROWS_H

#include "device/emulator/float_lanes.h"

static inline uint32_t soft_add_f32(struct float_env env, uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return (uint32_t)soft_add(&format_f32, env, a, b);
}

/* A NaN keeps its own sign; only the number is negated. */
static inline uint32_t soft_subtract_f32(struct float_env env, uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return (uint32_t)soft_add(&format_f32, env, a, f32_is_nan(b) ? b : b ^ 0x80000000u);
}

static inline uint32_t soft_multiply_f32(struct float_env env, uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return (uint32_t)soft_multiply(&format_f32, env, a, b);
}

static inline uint32_t soft_fma_f32(struct float_env env, uint32_t a, uint32_t b, uint32_t c)
{
    return (uint32_t)soft_fma(&format_f32, env, a, b, c, 0);
}

#define LEAST_NORMAL_F32 0x00800000u

/* expression: of the floats x, y and z. c may be NULL. Inlined, so that a constant env costs nothing. */
#define DEFINE_F32_ROW(name, expression, soft)                                                                             \
    static inline __attribute__((always_inline, unused)) void name(struct float_env env, uint32_t *r, const uint32_t *a,   \
                                                                   const uint32_t *b, const uint32_t *c)                   \
    {                                                                                                                      \
        uint32_t unsure = env.rounding != ROUND_NEAREST_EVEN;                                                              \
        EACH_LANE                                                                                                          \
        {                                                                                                                  \
            float x = bits_f32(f32_flush(env.flush_in, a[lane])), y = bits_f32(f32_flush(env.flush_in, b[lane]));          \
            float z = c ? bits_f32(f32_flush(env.flush_in, c[lane])) : 0.0f;                                               \
            (void)z;                                                                                                       \
            uint32_t bits = f32_bits(expression);                                                                          \
            unsure |= (uint32_t)((bits & 0x7fffffffu) == LEAST_NORMAL_F32) & env.flush_out;                                \
            r[lane] = f32_flush(env.flush_out, bits);                                                                      \
        }                                                                                                                  \
        if (__builtin_expect(unsure, 0)) {                                                                                 \
            for (int lane = 0; lane < WAVE_LANES; lane++)                                                                  \
                r[lane] = soft(env, a[lane], b[lane], c ? c[lane] : 0);                                                    \
        } else if (__builtin_expect(any_nan_f32(r), 0)) {                                                                  \
            mend_nans_f32(r, a, b, c);                                                                                     \
        }                                                                                                                  \
    }

DEFINE_F32_ROW(add_f32_rows, x + y, soft_add_f32)
DEFINE_F32_ROW(subtract_f32_rows, x - y, soft_subtract_f32)
DEFINE_F32_ROW(multiply_f32_rows, x *y, soft_multiply_f32)
DEFINE_F32_ROW(fma_f32_rows, fma_f32(x, y, z), soft_fma_f32)

#endif
