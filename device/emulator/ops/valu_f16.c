/* f16 add, multiply and fused multiply-add, one rounding each (RDNA3.5 ISA, VOP2 and VOP3). */
#include "device/emulator/float_lanes.h"

typedef uint32_t slow_f16(struct float_env env, uint32_t a, uint32_t b, uint32_t c);

static uint32_t slow_add(struct float_env env, uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return (uint32_t)soft_add(&format_f16, env, a, b);
}

static uint32_t slow_subtract(struct float_env env, uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return slow_add(env, a, f16_is_nan(b) ? b : b ^ 0x8000u, 0);
}

static uint32_t slow_subtract_reversed(struct float_env env, uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return f16_is_nan(a) ? f16_quiet(a) : slow_add(env, b, a ^ 0x8000u, 0);
}

static uint32_t slow_multiply(struct float_env env, uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return (uint32_t)soft_multiply(&format_f16, env, a, b);
}

static uint32_t slow_fma(struct float_env env, uint32_t a, uint32_t b, uint32_t c)
{
    return (uint32_t)soft_fma(&format_f16, env, a, b, c, 0);
}

static __attribute__((noinline)) void run_slow(struct wave *wave, slow_f16 *operation, uint32_t *r, const uint32_t *a,
                                               const uint32_t *b, const uint32_t *c)
{
    struct float_env env = env_f16(wave);
    for (int lane = 0; lane < WAVE_LANES; lane++)
        r[lane] = operation(env, a[lane], b[lane], c ? c[lane] : 0);
}

/* expression: the f32 bits of x op y, rounded to odd or exact. */
#define BINARY_F16(name, expression, slow)                                                                                 \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        LANES16(a, 0);                                                                                                     \
        LANES16(b, 1);                                                                                                     \
        LANE_ARRAY32(r);                                                                                                   \
        if (__builtin_expect(plain_f16(wave), 1)) {                                                                        \
            uint32_t any_nan = 0;                                                                                          \
            EACH_LANE                                                                                                      \
            {                                                                                                              \
                float x = f16_to_f32(a[lane]), y = f16_to_f32(b[lane]);                                                    \
                r[lane] = f32_to_f16_rne(expression);                                                                      \
                any_nan |= f16_is_nan(r[lane]);                                                                            \
            }                                                                                                              \
            if (__builtin_expect(any_nan, 0))                                                                              \
                mend_nans_f16(r, a, b, NULL);                                                                              \
        } else {                                                                                                           \
            run_slow(wave, slow, r, a, b, NULL);                                                                           \
        }                                                                                                                  \
        finish_f16(wave, in, r);                                                                                           \
    }

/* The sum of two f16 rounded to f32 (24 bits, at least 2 * 11 + 2) and then to f16 is the sum rounded once. */
BINARY_F16(add_f16, f32_bits(x + y), slow_add)
BINARY_F16(sub_f16, f32_bits(x - y), slow_subtract)
BINARY_F16(subrev_f16, f32_bits(y - x), slow_subtract_reversed)
BINARY_F16(mul_f16, f32_bits(x *y), slow_multiply)

static void fma_rows(struct wave *wave, const struct instruction *in, const uint32_t *a, const uint32_t *b,
                     const uint32_t *c)
{
    LANE_ARRAY32(r);
    if (__builtin_expect(plain_f16(wave), 1)) {
        uint32_t any_nan = 0;
        EACH_LANE
        {
            r[lane] = fma_f16_rne(a[lane], b[lane], c[lane]);
            any_nan |= f16_is_nan(r[lane]);
        }
        if (__builtin_expect(any_nan, 0))
            mend_nans_f16(r, a, b, c);
    } else {
        run_slow(wave, slow_fma, r, a, b, c);
    }
    finish_f16(wave, in, r);
}

HANDLER(fma_f16)
{
    LANES16(a, 0);
    LANES16(b, 1);
    LANES16(c, 2);
    fma_rows(wave, in, a, b, c);
}

HANDLER(fmac_f16)
{
    LANES16(a, 0);
    LANES16(b, 1);
    LANE_ARRAY32(c);
    accumulator16(wave, in, c);
    fma_rows(wave, in, a, b, c);
}

/* ---- gfx9's multiply-add: two roundings, denormals flushed whatever MODE says, as v_mad_f32 (modelled: LLVM takes it for
 * a multiplication and an addition only where f16 denormals are flushed) ---- */

static uint32_t slow_mad(struct float_env env, uint32_t a, uint32_t b, uint32_t c)
{
    env.flush_in = env.flush_out = true;
    uint32_t product = slow_multiply(env, a, b, 0);
    return f16_is_nan(product) && f16_is_nan(c) && !f16_is_nan(a) && !f16_is_nan(b) ? f16_quiet(c)
                                                                                    : slow_add(env, product, c, 0);
}

HANDLER(mad_f16)
{
    LANES16(a, 0);
    LANES16(b, 1);
    LANES16(c, 2);
    LANE_ARRAY32(r);
    run_slow(wave, slow_mad, r, a, b, c);
    finish_f16(wave, in, r);
}

HANDLER(mac_f16)
{
    LANES16(a, 0);
    LANES16(b, 1);
    LANE_ARRAY32(c);
    LANE_ARRAY32(r);
    accumulator16(wave, in, c);
    run_slow(wave, slow_mad, r, a, b, c);
    finish_f16(wave, in, r);
}
