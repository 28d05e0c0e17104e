/* f64 add, multiply and fused multiply-add (RDNA3.5 ISA, VOP3). */
#include "device/emulator/float_lanes.h"

typedef uint64_t slow_f64(struct float_env env, uint64_t a, uint64_t b, uint64_t c);

static uint64_t slow_add(struct float_env env, uint64_t a, uint64_t b, uint64_t c)
{
    (void)c;
    return soft_add(&format_f64, env, a, b);
}

static uint64_t slow_multiply(struct float_env env, uint64_t a, uint64_t b, uint64_t c)
{
    (void)c;
    return soft_multiply(&format_f64, env, a, b);
}

static uint64_t slow_fma(struct float_env env, uint64_t a, uint64_t b, uint64_t c)
{
    return soft_fma(&format_f64, env, a, b, c, 0);
}

static __attribute__((noinline)) void run_slow(struct wave *wave, slow_f64 *operation, uint64_t *r, const uint64_t *a,
                                               const uint64_t *b, const uint64_t *c)
{
    struct float_env env = env_f64(wave);
    for (int lane = 0; lane < WAVE_LANES; lane++)
        r[lane] = operation(env, a[lane], b[lane], c ? c[lane] : 0);
}

#define BINARY_F64(name, expression, slow)                                                                                 \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        LANES64(a, 0);                                                                                                     \
        LANES64(b, 1);                                                                                                     \
        LANE_ARRAY64(r);                                                                                                   \
        if (__builtin_expect(wave->plain_f16_f64, 1)) {                                                                    \
            uint64_t any_nan = 0;                                                                                          \
            EACH_LANE                                                                                                      \
            {                                                                                                              \
                double x = bits_f64(a[lane]), y = bits_f64(b[lane]);                                                       \
                r[lane] = f64_bits(expression);                                                                            \
                any_nan |= f64_is_nan(r[lane]);                                                                            \
            }                                                                                                              \
            if (__builtin_expect(any_nan != 0, 0))                                                                         \
                mend_nans_f64(r, a, b, NULL);                                                                              \
        } else {                                                                                                           \
            run_slow(wave, slow, r, a, b, NULL);                                                                           \
        }                                                                                                                  \
        finish_f64(wave, in, r);                                                                                           \
    }

BINARY_F64(add_f64, x + y, slow_add)
BINARY_F64(mul_f64, x *y, slow_multiply)

static void fma_rows(struct wave *wave, const struct instruction *in, const uint64_t *a, const uint64_t *b,
                     const uint64_t *c)
{
    LANE_ARRAY64(r);
    if (__builtin_expect(wave->plain_f16_f64, 1)) {
        uint64_t any_nan = 0;
        EACH_LANE
        {
            r[lane] = f64_bits(__builtin_fma(bits_f64(a[lane]), bits_f64(b[lane]), bits_f64(c[lane])));
            any_nan |= f64_is_nan(r[lane]);
        }
        if (__builtin_expect(any_nan != 0, 0))
            mend_nans_f64(r, a, b, c);
    } else {
        run_slow(wave, slow_fma, r, a, b, c);
    }
    finish_f64(wave, in, r);
}

HANDLER(fma_f64)
{
    LANES64(a, 0);
    LANES64(b, 1);
    LANES64(c, 2);
    fma_rows(wave, in, a, b, c);
}

/* v_fmac_f64 of gfx90a and later CDNA. */
HANDLER(fmac_f64)
{
    LANES64(a, 0);
    LANES64(b, 1);
    LANE_ARRAY64(c);
    unsigned row = operand_row(&in->dst[0]);
    const uint32_t *low = vgpr_row(wave, row), *high = vgpr_row(wave, row + 1);
    EACH_LANE c[lane] = low[lane] | (uint64_t)high[lane] << 32;
    fma_rows(wave, in, a, b, c);
}
