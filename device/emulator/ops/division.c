/*
 * The helpers of division: div_scale, div_fmas, div_fixup (RDNA3.5 ISA, VOP3 and VOP3SD), and trig_preop.
 *
 * Where the ISA's pseudocode and public tests on cards differ, the card counts: div_scale sets the VCC bit with its NaN for
 * a zero operand; div_fmas scales by 2^64 or, where the addend is below 2, by 2^-64 (f64: 2^128), rounded once; div_fixup
 * turns a NaN estimate of ordinary operands into an infinity. Modelled: "the quotient would be denormal" is read off the
 * exponents, as the card's VCC for 2^-126 / 1 shows; where the reciprocal would be denormal too the denominator is scaled
 * down, which the pseudocode writes as up. tests/unit/test_float_division.c holds the whole sequence against exact
 * quotients.
 */
#include "device/emulator/f32_rows.h"

/* What differs between f32 and f64. */
struct division {
    const struct float_format *format;
    int far_apart;      /* numerator's exponent this much above: the quotient nears overflow */
    int tiny_numerator; /* exponent field at or below: the remainder would lose bits */
    int scale;          /* log2 of the factor */
    int underflow;      /* exponents further apart: the quotient is below half the least denormal */
};

static const struct division division_f32 = {&format_f32, 96, 23, 64, -150};
static const struct division division_f64 = {&format_f64, 768, 53, 128, -1075};

static int exponent_field(const struct float_format *format, uint64_t bits)
{
    return (int)((bits & format_exponent_mask(format)) >> format->fraction_bits);
}

/* The exponent of the leading bit, biased; a denormal's goes below 1. */
static int leading_exponent(const struct float_format *format, uint64_t bits)
{
    int field = exponent_field(format, bits);
    uint64_t fraction = bits & ((UINT64_C(1) << format->fraction_bits) - 1);
    return field || !fraction ? field : 1 - (__builtin_clzll(fraction) - (63 - format->fraction_bits));
}

static bool is_zero(const struct float_format *format, uint64_t bits)
{
    return (bits & (format_sign(format) - 1)) == 0;
}

/* How far to scale source 0, and the lane's VCC bit. */
static int choose_scale(const struct division *d, uint64_t source, uint64_t denominator, uint64_t numerator, bool *vcc)
{
    const struct float_format *format = d->format;
    int numerator_field = exponent_field(format, numerator), denominator_field = exponent_field(format, denominator);
    int apart = leading_exponent(format, numerator) - leading_exponent(format, denominator);
    bool quotient_denormal = apart <= 1 - format->bias;
    bool reciprocal_denormal = denominator_field >= 2 * format->bias - 1;
    *vcc = numerator_field - denominator_field >= d->far_apart;
    if (*vcc)
        return source == denominator ? d->scale : 0;
    if (denominator_field == 0)
        return d->scale;
    *vcc = quotient_denormal;
    if (reciprocal_denormal)
        return !quotient_denormal || source == denominator ? -d->scale : 0;
    if (quotient_denormal)
        return source == numerator ? d->scale : 0;
    return numerator_field <= d->tiny_numerator ? d->scale : 0;
}

static uint64_t div_scale(const struct division *d, struct float_env env, const uint64_t operand[3], bool *vcc)
{
    uint64_t source = soft_flush(d->format, env.flush_in, operand[0]);
    uint64_t denominator = soft_flush(d->format, env.flush_in, operand[1]);
    uint64_t numerator = soft_flush(d->format, env.flush_in, operand[2]);
    if (is_zero(d->format, denominator) || is_zero(d->format, numerator)) {
        *vcc = true;
        return format_made_nan(d->format);
    }
    int scale = choose_scale(d, source, denominator, numerator, vcc);
    return scale ? soft_scale(d->format, env, source, scale) : source;
}

static uint64_t div_fmas(const struct division *d, struct float_env env, const uint64_t operand[3], bool vcc)
{
    int scale = exponent_field(d->format, operand[2]) > d->format->bias ? d->scale : -d->scale;
    return soft_fma(d->format, env, operand[0], operand[1], operand[2], vcc ? scale : 0);
}

static uint64_t div_fixup(const struct float_format *format, int underflow, struct float_env env, const uint64_t operand[3])
{
    uint64_t estimate = soft_flush(format, env.flush_in, operand[0]);
    uint64_t denominator = soft_flush(format, env.flush_in, operand[1]);
    uint64_t numerator = soft_flush(format, env.flush_in, operand[2]);
    uint64_t sign = (denominator ^ numerator) & format_sign(format);
    bool zero_denominator = is_zero(format, denominator), zero_numerator = is_zero(format, numerator);
    bool infinite_denominator = format_is_infinite(format, denominator);
    bool infinite_numerator = format_is_infinite(format, numerator);
    if (format_is_nan(format, numerator))
        return format_quiet(format, numerator);
    if (format_is_nan(format, denominator))
        return format_quiet(format, denominator);
    if ((zero_denominator && zero_numerator) || (infinite_denominator && infinite_numerator))
        return format_made_nan(format);
    if (zero_denominator || infinite_numerator)
        return sign | format_exponent_mask(format);
    if (infinite_denominator || zero_numerator)
        return sign;
    if (underflow && exponent_field(format, numerator) - exponent_field(format, denominator) < underflow) {
        struct exact least = {.negative = sign != 0, .exponent = -2 * format->bias, .significand = 1};
        return soft_round(format, env, least);
    }
    if (format_is_nan(format, estimate))
        return underflow ? sign | format_exponent_mask(format) : estimate;
    return sign | (estimate & (format_sign(format) - 1));
}

/* Whole rows at once where every lane that is on has ordinary operands: numbers whose quotient and remainder stay clear of
 * both ends of the range, so that nothing is scaled. b and c: denominators and numerators. */
#define DEFINE_ORDINARY(bits, uint, sint, fraction_bits, most_denominator, division)                                       \
    static bool all_ordinary##bits(struct wave *wave, const uint *b, const uint *c)                                        \
    {                                                                                                                      \
        const uint32_t *on = exec_lanes(wave);                                                                             \
        uint strange = 0;                                                                                                  \
        EACH_LANE                                                                                                          \
        {                                                                                                                  \
            sint d = (sint)(b[lane] << 1 >> (fraction_bits + 1)), n = (sint)(c[lane] << 1 >> (fraction_bits + 1));         \
            uint ordinary = (d > 0) & (d <= most_denominator) & (n > (division).tiny_numerator) &                          \
                            (n <= most_denominator + 2) & (n - d > 1 - (division).format->bias) &                          \
                            (n - d < (division).far_apart);                                                                \
            strange |= on[lane] ? !ordinary : 0;                                                                           \
        }                                                                                                                  \
        return !strange;                                                                                                   \
    }
DEFINE_ORDINARY(32, uint32_t, int32_t, 23, 252, division_f32)
DEFINE_ORDINARY(64, uint64_t, int64_t, 52, 2044, division_f64)

static bool any_nan_f64(const uint64_t *row)
{
    uint64_t any_nan = 0;
    EACH_LANE any_nan |= f64_is_nan(row[lane]);
    return any_nan;
}

HANDLER(div_scale_f32)
{
    LANES32(a, 0);
    LANES32(b, 1);
    LANES32(c, 2);
    LANE_ARRAY32(r);
    struct float_env env = env_f32(wave);
    uint64_t mask = 0;
    if (all_ordinary32(wave, b, c)) {
        EACH_LANE r[lane] = f32_flush(env.flush_in, a[lane]);
    } else {
        for (int lane = 0; lane < WAVE_LANES; lane++) {
            bool vcc;
            r[lane] = (uint32_t)div_scale(&division_f32, env, (uint64_t[]){a[lane], b[lane], c[lane]}, &vcc);
            mask |= (uint64_t)vcc << lane;
        }
    }
    finish_f32(wave, in, r);
    mask_write(wave, &in->dst[1], mask & exec_read(wave));
}

HANDLER(div_scale_f64)
{
    LANES64(a, 0);
    LANES64(b, 1);
    LANES64(c, 2);
    LANE_ARRAY64(r);
    struct float_env env = env_f64(wave);
    uint64_t mask = 0;
    if (wave->plain_f16_f64 && all_ordinary64(wave, b, c)) {
        EACH_LANE r[lane] = a[lane];
    } else {
        for (int lane = 0; lane < WAVE_LANES; lane++) {
            bool vcc;
            r[lane] = div_scale(&division_f64, env, (uint64_t[]){a[lane], b[lane], c[lane]}, &vcc);
            mask |= (uint64_t)vcc << lane;
        }
    }
    finish_f64(wave, in, r);
    mask_write(wave, &in->dst[1], mask & exec_read(wave));
}

HANDLER(div_fmas_f32)
{
    LANES32(a, 0);
    LANES32(b, 1);
    LANES32(c, 2);
    LANE_ARRAY32(r);
    struct float_env env = env_f32(wave);
    uint64_t vcc = vcc_read(wave);
    if (!(vcc & exec_read(wave))) {
        fma_f32_rows(env, r, a, b, c);
    } else {
        for (int lane = 0; lane < WAVE_LANES; lane++)
            r[lane] = (uint32_t)div_fmas(&division_f32, env, (uint64_t[]){a[lane], b[lane], c[lane]}, vcc >> lane & 1);
    }
    finish_f32(wave, in, r);
}

HANDLER(div_fmas_f64)
{
    LANES64(a, 0);
    LANES64(b, 1);
    LANES64(c, 2);
    LANE_ARRAY64(r);
    struct float_env env = env_f64(wave);
    uint64_t vcc = vcc_read(wave);
    if (wave->plain_f16_f64 && !(vcc & exec_read(wave))) {
        EACH_LANE r[lane] = f64_bits(__builtin_fma(bits_f64(a[lane]), bits_f64(b[lane]), bits_f64(c[lane])));
        if (any_nan_f64(r))
            mend_nans_f64(r, a, b, c);
    } else {
        for (int lane = 0; lane < WAVE_LANES; lane++)
            r[lane] = div_fmas(&division_f64, env, (uint64_t[]){a[lane], b[lane], c[lane]}, vcc >> lane & 1);
    }
    finish_f64(wave, in, r);
}

HANDLER(div_fixup_f32)
{
    LANES32(a, 0);
    LANES32(b, 1);
    LANES32(c, 2);
    LANE_ARRAY32(r);
    struct float_env env = env_f32(wave);
    if (all_ordinary32(wave, b, c) && !any_nan_f32(a)) {
        EACH_LANE r[lane] = ((b[lane] ^ c[lane]) & 0x80000000u) | (f32_flush(env.flush_in, a[lane]) & ~0x80000000u);
    } else {
        for (int lane = 0; lane < WAVE_LANES; lane++)
            r[lane] =
                (uint32_t)div_fixup(&format_f32, division_f32.underflow, env, (uint64_t[]){a[lane], b[lane], c[lane]});
    }
    finish_f32(wave, in, r);
}

HANDLER(div_fixup_f64)
{
    LANES64(a, 0);
    LANES64(b, 1);
    LANES64(c, 2);
    LANE_ARRAY64(r);
    struct float_env env = env_f64(wave);
    const uint64_t sign = UINT64_C(1) << 63;
    if (wave->plain_f16_f64 && all_ordinary64(wave, b, c) && !any_nan_f64(a)) {
        EACH_LANE r[lane] = ((b[lane] ^ c[lane]) & sign) | (a[lane] & ~sign);
    } else {
        for (int lane = 0; lane < WAVE_LANES; lane++)
            r[lane] = div_fixup(&format_f64, division_f64.underflow, env, (uint64_t[]){a[lane], b[lane], c[lane]});
    }
    finish_f64(wave, in, r);
}

HANDLER(div_fixup_f16)
{
    LANES16(a, 0);
    LANES16(b, 1);
    LANES16(c, 2);
    LANE_ARRAY32(r);
    struct float_env env = env_f16(wave);
    for (int lane = 0; lane < WAVE_LANES; lane++)
        r[lane] = (uint32_t)div_fixup(&format_f16, 0, env, (uint64_t[]){a[lane], b[lane], c[lane]});
    finish_f16(wave, in, r);
}

/* 2/pi after the binary point, most significant word first: 1201 bits count. */
static const uint64_t two_over_pi[19] = {
    UINT64_C(0xa2f9836e4e441529), UINT64_C(0xfc2757d1f534ddc0), UINT64_C(0xdb6295993c439041), UINT64_C(0xfe5163abdebbc561),
    UINT64_C(0xb7246e3a424dd2e0), UINT64_C(0x06492eea09d1921c), UINT64_C(0xfe1deb1cb129a73e), UINT64_C(0xe88235f52ebb4484),
    UINT64_C(0xe99c7026b45f7e41), UINT64_C(0x3991d639835339f4), UINT64_C(0x9c845f8bbdf9283b), UINT64_C(0x1ff897ffde05980f),
    UINT64_C(0xef2f118b5a0a6d1f), UINT64_C(0x6d367ecf27cb09b7), UINT64_C(0x4f463f669e5fea2d), UINT64_C(0x7527bac7ebe5f17b),
    UINT64_C(0x3d0739f78a5292ea), UINT64_C(0x6bfb5fb11f8d5d08), UINT64_C(0x56033046fc7b6bab),
};

/* 53 bits of 2/pi from bit `first` after the binary point. */
static uint64_t two_over_pi_bits(unsigned first)
{
    enum { BITS = 1201 };
    uint64_t bits = 0;
    for (unsigned k = first; k < first + 53; k++)
        bits = bits << 1 | (k < BITS ? two_over_pi[k / 64] >> (63 - k % 64) & 1 : 0);
    return bits;
}

/* A chunk of 2/pi for argument reduction of sin and cos: chunk source 1, further along for a large source 0. */
HANDLER(trig_preop_f64)
{
    LANES64(a, 0);
    LANES32(index, 1);
    LANE_ARRAY64(r);
    for (int lane = 0; lane < WAVE_LANES; lane++) {
        int exponent = exponent_field(&format_f64, a[lane]);
        int shift = (int)(index[lane] & 31) * 53 + (exponent > 1077 ? exponent - 1077 : 0);
        struct exact chunk = {.exponent = -53 - shift + (exponent >= 1968 ? 128 : 0),
                              .significand = two_over_pi_bits((unsigned)shift)};
        r[lane] = soft_round(&format_f64, (struct float_env){0}, chunk);
    }
    finish_f64(wave, in, r);
}
