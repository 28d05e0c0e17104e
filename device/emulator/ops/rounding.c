/*
 * Output modifiers, rounding to integers, fract, ldexp and frexp, for f16, f32 and f64 (RDNA3.5 ISA, VOP1, VOP3, "Output
 * modifiers").
 *
 * omod scales the rounded result; clamp gives +0 for -0: measured on gfx1201 by AMD's rocjitsu project (conversion.h in
 * ROCm/rocm-systems), elsewhere modelled.
 */
#include "device/emulator/float_lanes.h"

/* Output modifiers. */

static bool clamps_nan(const struct wave *wave)
{
    return (wave->mode & MODE_DX10_CLAMP) || (wave->chip && wave->chip->family == CHIP_RDNA4);
}

/* A zero or denormal gives +0; what falls below the normal range afterwards is a zero of its sign. */
static uint64_t scale_output(const struct float_format *format, struct float_env env, uint64_t bits, unsigned omod)
{
    static const int8_t log2_factor[4] = {0, 1, 2, -1};
    if (!(bits & format_exponent_mask(format)))
        return 0;
    env.flush_in = env.flush_out = true;
    return soft_scale(format, env, bits, log2_factor[omod & 3]);
}

static uint64_t clamp_output(const struct float_format *format, bool nan_to_zero, uint64_t bits)
{
    uint64_t one = (uint64_t)format->bias << format->fraction_bits;
    if (format_is_nan(format, bits))
        return nan_to_zero ? 0 : bits;
    if (bits & format_sign(format))
        return 0;
    return bits > one ? one : bits;
}

static uint64_t modify(const struct wave *wave, const struct instruction *in, const struct float_format *format,
                       struct float_env env, uint64_t bits)
{
    if (in->omod && omod_counts(wave, env))
        bits = scale_output(format, env, bits, in->omod);
    if (in->flags & FLAG_CLAMP)
        bits = clamp_output(format, clamps_nan(wave), bits);
    return bits;
}

void VARIANT(modify_f32)(struct wave *wave, const struct instruction *in, uint32_t *result)
{
    struct float_env env = env_f32(wave);
    for (int lane = 0; lane < WAVE_LANES; lane++)
        result[lane] = (uint32_t)modify(wave, in, &format_f32, env, result[lane]);
}

void VARIANT(modify_f16)(struct wave *wave, const struct instruction *in, uint32_t *result)
{
    struct float_env env = env_f16(wave);
    for (int lane = 0; lane < WAVE_LANES; lane++)
        result[lane] = (uint32_t)modify(wave, in, &format_f16, env, result[lane] & 0xffffu);
}

void VARIANT(modify_f64)(struct wave *wave, const struct instruction *in, uint64_t *result)
{
    struct float_env env = env_f64(wave);
    for (int lane = 0; lane < WAVE_LANES; lane++)
        result[lane] = modify(wave, in, &format_f64, env, result[lane]);
}

/* Rounding to integers. */

static inline uint64_t flush_f64(bool flush, uint64_t bits)
{
    return flush && !(bits & UINT64_C(0x7ff0000000000000)) ? bits & UINT64_C(0x8000000000000000) : bits;
}

#define TO_INTEGER(name, function_f32, function_f64)                                                                       \
    HANDLER(name##_f32)                                                                                                    \
    {                                                                                                                      \
        LANES32(a, 0);                                                                                                     \
        LANE_ARRAY32(r);                                                                                                   \
        const bool flush = env_f32(wave).flush_in;                                                                         \
        uint32_t any_nan = 0;                                                                                              \
        EACH_LANE                                                                                                          \
        {                                                                                                                  \
            r[lane] = f32_bits(function_f32(bits_f32(f32_flush(flush, a[lane]))));                                         \
            any_nan |= f32_is_nan(r[lane]);                                                                                \
        }                                                                                                                  \
        if (any_nan)                                                                                                       \
            mend_nans_f32(r, a, NULL, NULL);                                                                               \
        finish_f32(wave, in, r);                                                                                           \
    }                                                                                                                      \
                                                                                                                           \
    HANDLER(name##_f16)                                                                                                    \
    {                                                                                                                      \
        LANES16(a, 0);                                                                                                     \
        LANE_ARRAY32(r);                                                                                                   \
        const bool flush = env_f16(wave).flush_in;                                                                         \
        EACH_LANE r[lane] = f32_to_f16_rne(f32_bits(function_f32(f16_to_f32(f16_flush(flush, a[lane])))));                 \
        mend_nans_f16(r, a, NULL, NULL);                                                                                   \
        finish_f16(wave, in, r);                                                                                           \
    }                                                                                                                      \
                                                                                                                           \
    HANDLER(name##_f64)                                                                                                    \
    {                                                                                                                      \
        LANES64(a, 0);                                                                                                     \
        LANE_ARRAY64(r);                                                                                                   \
        const bool flush = env_f64(wave).flush_in;                                                                         \
        EACH_LANE r[lane] = f64_bits(function_f64(bits_f64(flush_f64(flush, a[lane]))));                                   \
        mend_nans_f64(r, a, NULL, NULL);                                                                                   \
        finish_f64(wave, in, r);                                                                                           \
    }

TO_INTEGER(trunc, __builtin_truncf, __builtin_trunc)
TO_INTEGER(floor, __builtin_floorf, __builtin_floor)
TO_INTEGER(ceil, __builtin_ceilf, __builtin_ceil)
/* The host rounds to nearest even: nothing in the process changes its mode. */
TO_INTEGER(rndne, __builtin_rintf, __builtin_rint)

/* fract: x - floor(x), rounded as MODE says and kept below 1 (ISA: "result clamped to 0x3f7fffff"). */

static uint64_t fract(const struct float_format *format, struct float_env env, uint64_t bits)
{
    if (format_is_nan(format, bits))
        return format_quiet(format, bits);
    if (format_is_infinite(format, bits))
        return format_made_nan(format);
    bits = soft_flush(format, env.flush_in, bits);
    uint64_t below = soft_round_to_integer(format, ROUND_DOWN, bits);
    uint64_t result = soft_add(format, env, bits, below ^ format_sign(format));
    uint64_t one = (uint64_t)format->bias << format->fraction_bits;
    return result == one ? one - 1 : result;
}

HANDLER(fract_f32)
{
    LANES32(a, 0);
    LANE_ARRAY32(r);
    const struct float_env env = env_f32(wave);
    if (env.rounding == ROUND_NEAREST_EVEN) {
        EACH_LANE
        {
            float x = bits_f32(f32_flush(env.flush_in, a[lane]));
            uint32_t bits = f32_bits(x - __builtin_floorf(x));
            r[lane] = f32_flush(env.flush_out, bits == 0x3f800000u ? 0x3f7fffffu : bits);
        }
        if (any_nan_f32(r))
            mend_nans_f32(r, a, NULL, NULL);
    } else {
        for (int lane = 0; lane < WAVE_LANES; lane++)
            r[lane] = (uint32_t)fract(&format_f32, env, a[lane]);
    }
    finish_f32(wave, in, r);
}

HANDLER(fract_f16)
{
    LANES16(a, 0);
    LANE_ARRAY32(r);
    struct float_env env = env_f16(wave);
    for (int lane = 0; lane < WAVE_LANES; lane++)
        r[lane] = (uint32_t)fract(&format_f16, env, a[lane]);
    finish_f16(wave, in, r);
}

HANDLER(fract_f64)
{
    LANES64(a, 0);
    LANE_ARRAY64(r);
    struct float_env env = env_f64(wave);
    for (int lane = 0; lane < WAVE_LANES; lane++)
        r[lane] = fract(&format_f64, env, a[lane]);
    finish_f64(wave, in, r);
}

/* ldexp. */

static inline int32_t limit(int32_t n, int32_t most)
{
    return n > most ? most : n < -most ? -most : n;
}

/* Exact in f64, then rounded once. Whether a flushed result that is the least normal number was rounded up to it is not
 * told apart (f32_rows.h). */
static bool ldexp_f32_rows(struct float_env env, const uint32_t *a, const uint32_t *n, uint32_t *r)
{
    uint32_t unsure = env.rounding != ROUND_NEAREST_EVEN;
    EACH_LANE
    {
        uint64_t power = (uint64_t)(limit((int32_t)n[lane], 300) + 1023) << 52;
        double scaled = (double)bits_f32(f32_flush(env.flush_in, a[lane])) * bits_f64(power);
        uint32_t bits = f32_bits((float)scaled);
        unsure |= (uint32_t)((bits & 0x7fffffffu) == 0x00800000u) & env.flush_out;
        r[lane] = f32_flush(env.flush_out, bits);
    }
    return !unsure;
}

HANDLER(ldexp_f32)
{
    LANES32(a, 0);
    LANES32(n, 1);
    LANE_ARRAY32(r);
    const struct float_env env = env_f32(wave);
    if (__builtin_expect(ldexp_f32_rows(env, a, n, r), 1)) {
        mend_nans_f32(r, a, NULL, NULL);
    } else {
        for (int lane = 0; lane < WAVE_LANES; lane++)
            r[lane] = (uint32_t)soft_scale(&format_f32, env, a[lane], (int32_t)n[lane]);
    }
    finish_f32(wave, in, r);
}

HANDLER(ldexp_f16)
{
    LANES16(a, 0);
    LANES16(n, 1);
    LANE_ARRAY32(r);
    struct float_env env = env_f16(wave);
    for (int lane = 0; lane < WAVE_LANES; lane++)
        r[lane] = (uint32_t)soft_scale(&format_f16, env, a[lane] & 0xffffu, (int16_t)n[lane]);
    finish_f16(wave, in, r);
}

HANDLER(ldexp_f64)
{
    LANES64(a, 0);
    LANES32(n, 1);
    LANE_ARRAY64(r);
    struct float_env env = env_f64(wave);
    for (int lane = 0; lane < WAVE_LANES; lane++)
        r[lane] = soft_scale(&format_f64, env, a[lane], (int32_t)n[lane]);
    finish_f64(wave, in, r);
}

/* frexp: a = mantissa * 2^exponent with 0.5 <= |mantissa| < 1; zero, infinity and NaN give exponent 0 and themselves. */

static int frexp_exponent(const struct float_format *format, struct float_env env, uint64_t bits)
{
    uint64_t mask = format_exponent_mask(format);
    if ((bits & mask) == mask)
        return 0;
    struct exact value = soft_unpack(format, env, bits);
    uint64_t significand = (uint64_t)value.significand;
    return significand ? value.exponent + 64 - __builtin_clzll(significand) : 0;
}

static uint64_t frexp_mantissa(const struct float_format *format, struct float_env env, uint64_t bits)
{
    if (format_is_nan(format, bits))
        return format_quiet(format, bits);
    return soft_scale(format, env, bits, -frexp_exponent(format, env, bits));
}

#define FREXP(suffix, lanes, array, finish, bits_type, format, env_of, exponent_name, commit_exponent)                     \
    HANDLER(frexp_mant_##suffix)                                                                                           \
    {                                                                                                                      \
        lanes(a, 0);                                                                                                       \
        array(r);                                                                                                          \
        struct float_env env = env_of(wave);                                                                               \
        for (int lane = 0; lane < WAVE_LANES; lane++)                                                                      \
            r[lane] = (bits_type)frexp_mantissa(&format, env, a[lane]);                                                    \
        finish(wave, in, r);                                                                                               \
    }                                                                                                                      \
                                                                                                                           \
    HANDLER(exponent_name)                                                                                                 \
    {                                                                                                                      \
        lanes(a, 0);                                                                                                       \
        LANE_ARRAY32(r);                                                                                                   \
        struct float_env env = env_of(wave);                                                                               \
        for (int lane = 0; lane < WAVE_LANES; lane++)                                                                      \
            r[lane] = (uint32_t)frexp_exponent(&format, env, a[lane]);                                                     \
        commit_exponent(wave, in, r);                                                                                      \
    }

FREXP(f16, LANES16, LANE_ARRAY32, finish_f16, uint32_t, format_f16, env_f16, frexp_exp_i16_f16, commit_result16)
FREXP(f32, LANES32, LANE_ARRAY32, finish_f32, uint32_t, format_f32, env_f32, frexp_exp_i32_f32, commit_result32)
FREXP(f64, LANES64, LANE_ARRAY64, finish_f64, uint64_t, format_f64, env_f64, frexp_exp_i32_f64, commit_result32)
