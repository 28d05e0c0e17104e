/*
 * Selection, rounding to integers, ldexp, frexp, fract and conversions with integers, against MPFR, the ISA's pseudocode
 * written again in comparisons, and integers. A wrong tie, a lost -0, a NaN that wins where it should lose, a conversion
 * that wraps instead of saturating fails here.
 */
#include <math.h>
#include <mpfr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/base/random.h"
#include "tests/support/float_truth.h"
#include "tests/support/lane_op.h"

enum { N_CASES = 4096 };

static const struct truth_format *const formats[] = {&truth_f16, &truth_f32, &truth_f64};
static const char *const suffixes[] = {"f16", "f32", "f64"};
enum { N_FORMATS = 3 };

static uint64_t field_mask(const struct truth_format *format)
{
    return UINT64_MAX >> (64 - format->bits);
}

static void draw(const struct truth_format *format, const char *name, uint64_t *bits)
{
    struct random_key key = random_key_for(7, name);
    for (size_t i = 0; i < N_CASES; i++)
        bits[i] = truth_interesting(format, random_bits(key, 2 * i), random_bits(key, 2 * i + 1));
}

static void expect(const char *mnemonic, const uint64_t *const *source, size_t i, uint64_t got, uint64_t truth)
{
    if (got != truth)
        fail_msg("%s case %zu: %#llx %#llx gives %#llx, not %#llx", mnemonic, i, (unsigned long long)source[0][i],
                 (unsigned long long)source[1][i], (unsigned long long)got, (unsigned long long)truth);
}

static void run(const char *mnemonic, uint32_t mode, const uint64_t *const *source, uint64_t *result)
{
    struct lane_op *op = lane_op_open(mnemonic, 64, mode);
    assert_non_null(op);
    memset(result, 0, N_CASES * sizeof *result);
    lane_op_run(op, N_CASES, source, result);
    lane_op_close(op);
}

/* ---- min, max, med3 ---- */

static double number(const struct truth_format *format, uint64_t bits)
{
    mpfr_t value;
    mpfr_init2(value, 64);
    truth_load(format, bits, value);
    double result = mpfr_get_d(value, MPFR_RNDN); /* exact for all three formats */
    mpfr_clear(value);
    return result;
}

/* V_MIN_F32's pseudocode: -0 < +0; with IEEE, signalling NaNs come out quieted; else the other operand. */
static uint64_t pick(const struct truth_format *format, bool ieee, bool want_max, uint64_t a, uint64_t b)
{
    uint64_t quiet = UINT64_C(1) << (format->fraction_bits - 1);
    bool a_nan = truth_is_nan(format, a), b_nan = truth_is_nan(format, b);
    if (ieee && a_nan && !(a & quiet))
        return a | quiet;
    if (ieee && b_nan && !(b & quiet))
        return b | quiet;
    if (b_nan)
        return a;
    if (a_nan)
        return b;
    double x = number(format, a), y = number(format, b);
    bool both_zero = x == 0 && y == 0;
    bool first =
        want_max ? x > y || (both_zero && !signbit(x) && signbit(y)) : x < y || (both_zero && signbit(x) && !signbit(y));
    return first ? a : b;
}

static uint64_t median(const struct truth_format *format, bool ieee, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t least = pick(format, ieee, false, pick(format, ieee, false, a, b), c);
    if (truth_is_nan(format, a) || truth_is_nan(format, b) || truth_is_nan(format, c))
        return least;
    double largest = number(format, pick(format, ieee, true, pick(format, ieee, true, a, b), c));
    if (largest == number(format, a))
        return pick(format, ieee, true, b, c);
    if (largest == number(format, b))
        return pick(format, ieee, true, a, c);
    return pick(format, ieee, true, a, b);
}

static void selections_follow_the_pseudocode(void **state)
{
    (void)state;
    static uint64_t a[N_CASES], b[N_CASES], c[N_CASES], result[N_CASES];
    const uint64_t *const source[] = {a, b, c};
    for (int f = 0; f < N_FORMATS; f++) {
        const struct truth_format *format = formats[f];
        draw(format, "select a", a);
        draw(format, "select b", b);
        draw(format, "select c", c);
        for (size_t i = 0; i < N_CASES; i += 5)
            b[i] = a[i] ^ (i % 2 ? UINT64_C(1) << (format->bits - 1) : 0); /* equal, or equal but for the sign */
        for (int ieee = 0; ieee < 2; ieee++) {
            uint32_t mode = LANE_OP_PLAIN_MODE & ~(uint32_t)(ieee ? 0 : MODE_IEEE);
            for (int kind = 0; kind < (f == 2 ? 2 : 7); kind++) {
                static const char *const names[] = {"min", "max", "min3", "max3", "maxmin", "minmax", "med3"};
                char mnemonic[32];
                snprintf(mnemonic, sizeof mnemonic, "v_%s_%s", names[kind], suffixes[f]);
                run(mnemonic, mode, source, result);
                for (size_t i = 0; i < N_CASES; i++) {
                    bool max1 = kind == 1 || kind == 3 || kind == 4, max2 = kind == 3 || kind == 5;
                    uint64_t truth = pick(format, ieee, max1, a[i], b[i]);
                    if (kind == 6)
                        truth = median(format, ieee, a[i], b[i], c[i]);
                    else if (kind > 1)
                        truth = pick(format, ieee, max2, truth, c[i]);
                    expect(mnemonic, source, i, result[i] & field_mask(format), truth);
                }
            }
        }
    }
}

/* min and max flush denormals where MODE does. */
static void selections_flush_denormals(void **state)
{
    (void)state;
    static uint64_t a[N_CASES], b[N_CASES], result[N_CASES];
    a[0] = 0x80000001, b[0] = 0x3f800000;
    run("v_min_f32", MODE_IEEE, (const uint64_t *[]){a, b}, result);
    assert_int_equal(result[0], 0x80000000);
    run("v_min_f32", LANE_OP_PLAIN_MODE, (const uint64_t *[]){a, b}, result);
    assert_int_equal(result[0], 0x80000001);
}

/* ---- rounding to integers, fract, ldexp, frexp ---- */

static uint64_t round_truth(const struct truth_format *format, int kind, uint64_t bits)
{
    if (truth_is_nan(format, bits))
        return bits | UINT64_C(1) << (format->fraction_bits - 1);
    mpfr_t value;
    mpfr_init2(value, 64);
    truth_load(format, bits, value);
    static const mpfr_rnd_t directions[] = {MPFR_RNDZ, MPFR_RNDD, MPFR_RNDU, MPFR_RNDN};
    mpfr_rint(value, value, directions[kind]);
    mpfr_setsign(value, value, (int)(bits >> (format->bits - 1) & 1), MPFR_RNDN); /* zero keeps the sign */
    uint64_t result = truth_round(format, (struct truth_mode){0}, value);
    mpfr_clear(value);
    return result;
}

static void roundings_to_integers_match_mpfr(void **state)
{
    (void)state;
    static uint64_t a[N_CASES], result[N_CASES];
    const uint64_t *const source[] = {a, a};
    static const char *const names[] = {"trunc", "floor", "ceil", "rndne"};
    for (int f = 0; f < N_FORMATS; f++) {
        draw(formats[f], "round", a);
        struct random_key key = random_key_for(8, suffixes[f]);
        for (size_t i = 0; i < N_CASES; i += 3) { /* halves and their neighbours */
            mpfr_t half;
            mpfr_init2(half, 64);
            mpfr_set_si_2exp(half, (long)random_below(key, i, 2000) - 1000, -1, MPFR_RNDN);
            a[i] = (truth_round(formats[f], (struct truth_mode){0}, half) + random_below(key, i + 1, 3) - 1) &
                   field_mask(formats[f]);
            mpfr_clear(half);
        }
        for (int kind = 0; kind < 4; kind++) {
            char mnemonic[32];
            snprintf(mnemonic, sizeof mnemonic, "v_%s_%s", names[kind], suffixes[f]);
            run(mnemonic, LANE_OP_PLAIN_MODE, source, result);
            for (size_t i = 0; i < N_CASES; i++)
                expect(mnemonic, source, i, result[i], round_truth(formats[f], kind, a[i]));
        }
    }
}

static uint64_t fract_truth(const struct truth_format *format, uint64_t bits)
{
    if (truth_is_nan(format, bits))
        return bits | UINT64_C(1) << (format->fraction_bits - 1);
    mpfr_t value, below;
    mpfr_inits2(4400, value, below, (mpfr_ptr)0);
    truth_load(format, bits, value);
    mpfr_floor(below, value);
    mpfr_sub(value, value, below, MPFR_RNDN); /* inf - inf is NaN */
    uint64_t one = (uint64_t)format->bias << format->fraction_bits;
    uint64_t result = truth_round(format, (struct truth_mode){0}, value);
    mpfr_clears(value, below, (mpfr_ptr)0);
    return result == one ? one - 1 : result;
}

static void fract_stays_below_one(void **state)
{
    (void)state;
    static uint64_t a[N_CASES], result[N_CASES];
    const uint64_t *const source[] = {a, a};
    for (int f = 0; f < N_FORMATS; f++) {
        char mnemonic[32];
        snprintf(mnemonic, sizeof mnemonic, "v_fract_%s", suffixes[f]);
        draw(formats[f], mnemonic, a);
        run(mnemonic, LANE_OP_PLAIN_MODE, source, result);
        for (size_t i = 0; i < N_CASES; i++)
            expect(mnemonic, source, i, result[i], fract_truth(formats[f], a[i]));
    }
}

static uint64_t scale_truth(const struct truth_format *format, struct truth_mode mode, uint64_t bits, long n)
{
    if (truth_is_nan(format, bits))
        return bits | UINT64_C(1) << (format->fraction_bits - 1);
    mpfr_t value;
    mpfr_init2(value, 64);
    truth_load(format, bits, value);
    if (mode.flush_in && fabs(mpfr_get_d(value, MPFR_RNDN)) < ldexp(1, 1 - format->bias))
        mpfr_set_zero(value, mpfr_signbit(value) ? -1 : 1);
    mpfr_mul_2si(value, value, n > 100000 ? 100000 : n < -100000 ? -100000 : n, MPFR_RNDN); /* far out is far out */
    uint64_t result = truth_round(format, mode, value);
    mpfr_clear(value);
    return result;
}

static void ldexp_rounds_once_in_every_mode(void **state)
{
    (void)state;
    static uint64_t a[N_CASES], n[N_CASES], result[N_CASES];
    const uint64_t *const source[] = {a, n};
    for (int f = 0; f < N_FORMATS; f++) {
        char mnemonic[32];
        snprintf(mnemonic, sizeof mnemonic, "v_ldexp_%s", suffixes[f]);
        draw(formats[f], mnemonic, a);
        struct random_key key = random_key_for(9, mnemonic);
        for (size_t i = 0; i < N_CASES; i++) {
            int64_t span = 3 * formats[f]->bias;
            n[i] = (uint64_t)((int64_t)random_below(key, i, (uint32_t)(2 * span)) - span) & (f == 0 ? 0xffff : 0xffffffff);
        }
        n[0] = f == 0 ? 0x7fff : 0x7fffffff;
        n[1] = f == 0 ? 0x8000 : 0x80000000;
        for (unsigned m = 0; m < 16; m++) {
            run(mnemonic, (m & 3) * 5 | (m >> 2) * 0x50, source, result);
            struct truth_mode mode = {.rounding = m & 3, .flush_in = !(m & 4), .flush_out = !(m & 8)};
            for (size_t i = 0; i < N_CASES; i++) {
                long exponent = f == 0 ? (int16_t)n[i] : (int32_t)n[i];
                expect(mnemonic, source, i, result[i], scale_truth(formats[f], mode, a[i], exponent));
            }
        }
    }
}

/* mantissa * 2^exponent is the number again, and the mantissa lies in [0.5, 1). */
static void frexp_parts_make_the_number(void **state)
{
    (void)state;
    static uint64_t a[N_CASES], mantissa[N_CASES], exponent[N_CASES];
    const uint64_t *const source[] = {a, a};
    static const char *const exponents[] = {"v_frexp_exp_i16_f16", "v_frexp_exp_i32_f32", "v_frexp_exp_i32_f64"};
    for (int f = 0; f < N_FORMATS; f++) {
        char mnemonic[32];
        snprintf(mnemonic, sizeof mnemonic, "v_frexp_mant_%s", suffixes[f]);
        draw(formats[f], mnemonic, a);
        run(mnemonic, LANE_OP_PLAIN_MODE, source, mantissa);
        run(exponents[f], LANE_OP_PLAIN_MODE, source, exponent);
        for (size_t i = 0; i < N_CASES; i++) {
            long e = f == 0 ? (int16_t)exponent[i] : (int32_t)exponent[i];
            double m = truth_is_nan(formats[f], mantissa[i]) ? 0 : fabs(number(formats[f], mantissa[i]));
            assert_true(m == 0 || isinf(m) || (m >= 0.5 && m < 1));
            assert_true(e == 0 || m != 0);
            expect(mnemonic, source, i, scale_truth(formats[f], (struct truth_mode){0}, mantissa[i], e),
                   scale_truth(formats[f], (struct truth_mode){0}, a[i], 0));
        }
    }
}

/* ---- to and from integers ---- */

struct to_integer {
    const char *mnemonic;
    const struct truth_format *from;
    mpfr_rnd_t direction; /* MPFR_RNDA: floor(x + 0.5) */
    double scale, least, most;
    uint64_t mask;
    bool nan_by_sign; /* a NaN saturates as its sign says, as measured on gfx1201; else it gives 0 */
};

static const struct to_integer to_integers[] = {
    {"v_cvt_i32_f32", &truth_f32, MPFR_RNDZ, 1, -0x1p31, 0x1p31 - 1, 0xffffffff, false},
    {"v_cvt_u32_f32", &truth_f32, MPFR_RNDZ, 1, 0, 0x1p32 - 1, 0xffffffff, false},
    {"v_cvt_i32_f64", &truth_f64, MPFR_RNDZ, 1, -0x1p31, 0x1p31 - 1, 0xffffffff, false},
    {"v_cvt_u32_f64", &truth_f64, MPFR_RNDZ, 1, 0, 0x1p32 - 1, 0xffffffff, false},
    {"v_cvt_floor_i32_f32", &truth_f32, MPFR_RNDD, 1, -0x1p31, 0x1p31 - 1, 0xffffffff, true},
    {"v_cvt_nearest_i32_f32", &truth_f32, MPFR_RNDA, 1, -0x1p31, 0x1p31 - 1, 0xffffffff, true},
    {"v_cvt_i16_f16", &truth_f16, MPFR_RNDZ, 1, -32768, 32767, 0xffff, false},
    {"v_cvt_u16_f16", &truth_f16, MPFR_RNDZ, 1, 0, 65535, 0xffff, false},
    {"v_cvt_norm_i16_f16", &truth_f16, MPFR_RNDN, 32767, -32767, 32767, 0xffff, false},
    {"v_cvt_norm_u16_f16", &truth_f16, MPFR_RNDN, 65535, 0, 65535, 0xffff, false},
    {"v_cvt_pk_i16_f32", &truth_f32, MPFR_RNDZ, 1, -32768, 32767, 0xffff, false},
    {"v_cvt_pk_u16_f32", &truth_f32, MPFR_RNDZ, 1, 0, 65535, 0xffff, false},
    {"v_cvt_pk_norm_i16_f32", &truth_f32, MPFR_RNDN, 32767, -32767, 32767, 0xffff, false},
    {"v_cvt_pk_norm_u16_f32", &truth_f32, MPFR_RNDN, 65535, 0, 65535, 0xffff, false},
    {"v_cvt_pk_norm_i16_f16", &truth_f16, MPFR_RNDN, 32767, -32767, 32767, 0xffff, false},
};

static uint64_t integer_truth(const struct to_integer *c, uint64_t bits)
{
    if (truth_is_nan(c->from, bits) && !c->nan_by_sign)
        return 0;
    if (truth_is_nan(c->from, bits))
        return (uint64_t)(int64_t)(bits >> (c->from->bits - 1) ? c->least : c->most) & c->mask;
    mpfr_t value;
    mpfr_init2(value, 4400);
    truth_load(c->from, bits, value);
    mpfr_mul_d(value, value, c->scale, MPFR_RNDN);
    if (c->direction == MPFR_RNDA) {
        mpfr_add_d(value, value, 0.5, MPFR_RNDN);
        mpfr_floor(value, value);
    } else {
        mpfr_rint(value, value, c->direction);
    }
    double clamped = mpfr_cmp_d(value, c->least) < 0  ? c->least
                     : mpfr_cmp_d(value, c->most) > 0 ? c->most
                                                      : mpfr_get_d(value, MPFR_RNDN);
    mpfr_clear(value);
    return (uint64_t)(int64_t)clamped & c->mask;
}

static void conversions_to_integers_saturate(void **state)
{
    (void)state;
    static uint64_t a[N_CASES], b[N_CASES], result[N_CASES];
    const uint64_t *const source[] = {a, b};
    for (size_t n = 0; n < sizeof to_integers / sizeof *to_integers; n++) {
        const struct to_integer *c = &to_integers[n];
        draw(c->from, c->mnemonic, a);
        struct random_key key = random_key_for(10, c->mnemonic);
        for (size_t i = 0; i < N_CASES; i += 2) { /* near the integers' ends and near halves */
            mpfr_t value;
            mpfr_init2(value, 64);
            double end = random_below(key, i, 2) ? c->least : c->most;
            mpfr_set_d(value, random_below(key, i, 5) ? ((double)random_below(key, i, 999) - 500) / 2 : end, MPFR_RNDN);
            mpfr_div_d(value, value, c->scale == 1 ? 1 : 500, MPFR_RNDN);
            a[i] = truth_round(c->from, (struct truth_mode){0}, value) + random_below(key, i + 1, 3);
            mpfr_clear(value);
        }
        for (size_t i = 0; i < N_CASES; i++)
            b[i] = a[N_CASES - 1 - i];
        run(c->mnemonic, LANE_OP_PLAIN_MODE, source, result);
        bool packed = strstr(c->mnemonic, "_pk_") != NULL;
        for (size_t i = 0; i < N_CASES; i++) {
            expect(c->mnemonic, source, i, result[i] & c->mask, integer_truth(c, a[i]));
            if (packed)
                expect(c->mnemonic, source, i, result[i] >> 16, integer_truth(c, b[i]));
        }
    }
}

struct from_integer {
    const char *mnemonic;
    const struct truth_format *to;
    int bits, shift;
    bool is_signed;
};

static const struct from_integer from_integers[] = {
    {"v_cvt_f32_i32", &truth_f32, 32, 0, true},     {"v_cvt_f32_u32", &truth_f32, 32, 0, false},
    {"v_cvt_f64_i32", &truth_f64, 32, 0, true},     {"v_cvt_f64_u32", &truth_f64, 32, 0, false},
    {"v_cvt_f16_i16", &truth_f16, 16, 0, true},     {"v_cvt_f16_u16", &truth_f16, 16, 0, false},
    {"v_cvt_f32_ubyte0", &truth_f32, 8, 0, false},  {"v_cvt_f32_ubyte1", &truth_f32, 8, 8, false},
    {"v_cvt_f32_ubyte2", &truth_f32, 8, 16, false}, {"v_cvt_f32_ubyte3", &truth_f32, 8, 24, false},
};

static void conversions_from_integers_round_as_mode_says(void **state)
{
    (void)state;
    static uint64_t a[N_CASES], result[N_CASES];
    const uint64_t *const source[] = {a, a};
    for (size_t n = 0; n < sizeof from_integers / sizeof *from_integers; n++) {
        const struct from_integer *c = &from_integers[n];
        struct random_key key = random_key_for(11, c->mnemonic);
        uint64_t width = c->bits == 16 ? 0xffff : 0xffffffff;
        for (size_t i = 0; i < N_CASES; i++)
            a[i] = (i % 2 ? random_bits(key, i) : UINT64_MAX << random_below(key, i, 32)) + random_below(key, i, 3) - 1;
        for (size_t i = 0; i < N_CASES; i++)
            a[i] &= width;
        for (unsigned rounding = 0; rounding < 4; rounding++) {
            run(c->mnemonic, LANE_OP_PLAIN_MODE | rounding * 5, source, result);
            for (size_t i = 0; i < N_CASES; i++) {
                uint64_t field = a[i] >> c->shift & (UINT64_MAX >> (64 - c->bits));
                int64_t integer = c->is_signed ? (int64_t)(field << (64 - c->bits)) >> (64 - c->bits) : (int64_t)field;
                mpfr_t value;
                mpfr_init2(value, 64);
                mpfr_set_sj(value, integer, MPFR_RNDN);
                expect(c->mnemonic, source, i, result[i],
                       truth_round(c->to, (struct truth_mode){.rounding = rounding}, value));
                mpfr_clear(value);
            }
        }
    }
}

static uint64_t once(const char *mnemonic, uint64_t x, uint64_t y, uint64_t z)
{
    struct lane_op *op = lane_op_open(mnemonic, 32, LANE_OP_PLAIN_MODE);
    assert_non_null(op);
    uint64_t result = 0;
    lane_op_run(op, 1, (const uint64_t *[]){&x, &y, &z}, &result);
    lane_op_close(op);
    return result;
}

static void packed_and_odd_conversions_follow_the_isa(void **state)
{
    (void)state;
    assert_int_equal(once("v_cvt_pk_rtz_f16_f32", 0x3f801fff, 0xbf801fff, 0), 0xbc003c00); /* cut toward zero */
    assert_int_equal(once("v_cvt_pk_rtz_f16_f32", 0x477fffff, 0x7f800000, 0), 0x7c007bff); /* no overflow by rounding */
    assert_int_equal(once("v_cvt_pk_i16_i32", 70000, (uint32_t)-70000, 0), 0x80007fff);
    assert_int_equal(once("v_cvt_pk_u16_u32", 70000, 5, 0), 0x0005ffff);
    assert_int_equal(once("v_cvt_pk_u8_f32", 0x43028000 /* 130.5 */, 1, 0x11223344), 0x11228244);
    assert_int_equal(once("v_cvt_pk_u8_f32", 0x447a0000 /* 1000 */, 3, 0x11223344), 0xff223344);
    assert_int_equal(once("v_cvt_off_f32_i4", 0x8, 0, 0), 0xbf000000);
    assert_int_equal(once("v_cvt_off_f32_i4", 0xf7, 0, 0), 0x3ee00000);
    assert_int_equal(once("v_sat_pk_u8_i16", 0xfff00123, 0, 0), 0x00ff);
    assert_int_equal(once("v_cvt_i32_i16", 0x8000, 0, 0), 0xffff8000);
    assert_int_equal(once("v_cvt_u32_u16", 0x8000, 0, 0), 0x8000);
    assert_int_equal(once("v_pack_b32_f16", 0x3c00, 0xc000, 0), 0xc0003c00);
}

/* DirectX 9's zero swallows infinities; mullit guards with -MAX_FLOAT; cube coordinates by the largest axis. */
static void rare_f32_operations_follow_the_isa(void **state)
{
    (void)state;
    const uint64_t infinity = 0x7f800000, two = 0x40000000, minus_three = 0xc0400000, one = 0x3f800000;
    assert_int_equal(once("v_mul_dx9_zero_f32", 0x80000000, infinity, 0), 0);
    assert_int_equal(once("v_mul_dx9_zero_f32", two, minus_three, 0), 0xc0c00000);
    assert_int_equal(once("v_fma_dx9_zero_f32", 0, infinity, minus_three), minus_three);
    assert_int_equal(once("v_fma_dx9_zero_f32", two, two, one), 0x40a00000);
    assert_int_equal(once("v_mullit_f32", two, two, one), 0x40800000);
    assert_int_equal(once("v_mullit_f32", two, two, 0), 0xff7fffff);
    assert_int_equal(once("v_mullit_f32", two, 0xff7fffff, one), 0xff7fffff);
    assert_int_equal(once("v_cubeid_f32", one, two, minus_three), 0x40a00000); /* face 5: -z */
    assert_int_equal(once("v_cubesc_f32", one, two, minus_three), 0xbf800000);
    assert_int_equal(once("v_cubetc_f32", one, two, minus_three), 0xc0000000);
    assert_int_equal(once("v_cubema_f32", one, two, minus_three), 0xc0c00000);
    assert_int_equal(once("v_cubeid_f32", minus_three, two, one), 0x3f800000); /* face 1: -x */
    assert_int_equal(once("v_cubesc_f32", minus_three, two, one), 0x3f800000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selections_follow_the_pseudocode),
        cmocka_unit_test(selections_flush_denormals),
        cmocka_unit_test(roundings_to_integers_match_mpfr),
        cmocka_unit_test(fract_stays_below_one),
        cmocka_unit_test(ldexp_rounds_once_in_every_mode),
        cmocka_unit_test(frexp_parts_make_the_number),
        cmocka_unit_test(conversions_to_integers_saturate),
        cmocka_unit_test(conversions_from_integers_round_as_mode_says),
        cmocka_unit_test(packed_and_odd_conversions_follow_the_isa),
        cmocka_unit_test(rare_f32_operations_follow_the_isa),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
