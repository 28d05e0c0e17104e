/*
 * Division as the compiler writes it (LLVM, LowerFDIV32 and LowerFDIV64): div_scale, rcp, Newton steps, div_fmas,
 * div_fixup. The whole gives the correctly rounded quotient, denormals included, whatever the approximate rcp does within
 * its bound; a wrong helper shows as a wrong quotient. Then what tests on cards saw of each helper.
 */
#include <mpfr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/base/random.h"
#include "tests/support/float_truth.h"
#include "tests/support/lane_op.h"

enum { LANES = 32, N_BATCHES = 1024 };

/* One precision: its instructions. */
struct divider {
    const struct truth_format *format;
    struct lane_op *scale, *rcp, *fma, *fmas, *fixup;
    uint64_t one, sign;
};

static struct divider divider_open(const struct truth_format *format, uint32_t mode)
{
    bool f32 = format->bits == 32;
    return (struct divider){
        .format = format,
        .scale = lane_op_open(f32 ? "v_div_scale_f32" : "v_div_scale_f64", LANES, mode),
        .rcp = lane_op_open(f32 ? "v_rcp_f32" : "v_rcp_f64", LANES, mode),
        .fma = lane_op_open(f32 ? "v_fma_f32" : "v_fma_f64", LANES, mode),
        .fmas = lane_op_open(f32 ? "v_div_fmas_f32" : "v_div_fmas_f64", LANES, mode),
        .fixup = lane_op_open(f32 ? "v_div_fixup_f32" : "v_div_fixup_f64", LANES, mode),
        .one = (uint64_t)format->bias << format->fraction_bits,
        .sign = UINT64_C(1) << (format->bits - 1),
    };
}

static void divider_close(struct divider *d)
{
    struct lane_op *ops[] = {d->scale, d->rcp, d->fma, d->fmas, d->fixup};
    for (int i = 0; i < 5; i++)
        lane_op_close(ops[i]);
}

typedef uint64_t lanes[LANES];

static void negate(const struct divider *d, const uint64_t *x, uint64_t *result)
{
    for (int i = 0; i < LANES; i++)
        result[i] = x[i] ^ d->sign;
}

static void fma_lanes(const struct divider *d, const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *result)
{
    lanes r = {0};
    lane_op_run(d->fma, LANES, (const uint64_t *[]){a, b, c}, r);
    memcpy(result, r, sizeof r);
}

/* f32: one refinement of the reciprocal and two of the quotient; f64: two of the reciprocal and one of the quotient. */
static void divide(const struct divider *d, const uint64_t *numerator, const uint64_t *denominator, uint64_t *quotient)
{
    lanes one, scaled_denominator = {0}, scaled_numerator = {0}, minus, y = {0}, error, q = {0}, remainder;
    for (int i = 0; i < LANES; i++)
        one[i] = d->one;
    lane_op_run(d->scale, LANES, (const uint64_t *[]){denominator, denominator, numerator}, scaled_denominator);
    lane_op_run(d->scale, LANES, (const uint64_t *[]){numerator, denominator, numerator}, scaled_numerator);
    d->fmas->wave.vcc = d->scale->wave.vcc;
    negate(d, scaled_denominator, minus);
    lane_op_run(d->rcp, LANES, (const uint64_t *[]){scaled_denominator}, y);
    for (int step = 0; step < (d->format->bits == 32 ? 1 : 2); step++) {
        fma_lanes(d, minus, y, one, error);
        fma_lanes(d, error, y, y, y);
    }
    lanes zero;
    for (int i = 0; i < LANES; i++)
        zero[i] = d->sign; /* x * y + -0 is the product */
    fma_lanes(d, scaled_numerator, y, zero, q);
    fma_lanes(d, minus, q, scaled_numerator, remainder);
    if (d->format->bits == 32) {
        fma_lanes(d, remainder, y, q, q);
        fma_lanes(d, minus, q, scaled_numerator, remainder);
    }
    lanes estimate = {0};
    lane_op_run(d->fmas, LANES, (const uint64_t *[]){remainder, y, q}, estimate);
    memset(quotient, 0, sizeof(lanes));
    lane_op_run(d->fixup, LANES, (const uint64_t *[]){estimate, denominator, numerator}, quotient);
}

static uint64_t true_quotient(const struct truth_format *format, uint64_t a, uint64_t b)
{
    uint64_t quiet = UINT64_C(1) << (format->fraction_bits - 1);
    if (truth_is_nan(format, a) || truth_is_nan(format, b))
        return (truth_is_nan(format, a) ? a : b) | quiet;
    mpfr_t x, y;
    mpfr_inits2(4400, x, y, (mpfr_ptr)0);
    truth_load(format, a, x);
    truth_load(format, b, y);
    mpfr_div(x, x, y, MPFR_RNDN);
    uint64_t bits = truth_round(format, (struct truth_mode){0}, x);
    mpfr_clears(x, y, (mpfr_ptr)0);
    return bits;
}

static void check_quotients(const struct truth_format *format, uint64_t approx_seed)
{
    struct divider d = divider_open(format, LANE_OP_PLAIN_MODE);
    d.rcp->dispatch.approx_seed = approx_seed;
    struct random_key key = random_key_for(approx_seed, "quotients");
    for (uint64_t batch = 0, next = 0; batch < N_BATCHES; batch++) {
        lanes a, b, quotient;
        for (int i = 0; i < LANES; i++, next += 4) {
            a[i] = truth_interesting(format, random_bits(key, next), random_bits(key, next + 1));
            b[i] = truth_interesting(format, random_bits(key, next + 2), random_bits(key, next + 3));
        }
        divide(&d, a, b, quotient);
        for (int i = 0; i < LANES; i++) {
            uint64_t truth = true_quotient(format, a[i], b[i]), ones = (UINT64_C(1) << format->fraction_bits) - 1;
            /* A reciprocal that is off by a place may spoil denominators whose fraction is all ones (Markstein, 1990). */
            bool exempt = approx_seed && (b[i] & ones) == ones;
            if (quotient[i] != truth && !exempt)
                fail_msg("%d bits: %#llx / %#llx is %#llx, not %#llx", format->bits, (unsigned long long)a[i],
                         (unsigned long long)b[i], (unsigned long long)quotient[i], (unsigned long long)truth);
        }
    }
    divider_close(&d);
}

static void f32_quotients_are_correctly_rounded(void **state)
{
    (void)state;
    check_quotients(&truth_f32, 0);
    check_quotients(&truth_f32, 99);
}

static void f64_quotients_are_correctly_rounded(void **state)
{
    (void)state;
    check_quotients(&truth_f64, 0);
    check_quotients(&truth_f64, 99);
}

struct scale_case {
    uint32_t source, denominator, numerator, result;
    bool vcc;
};

/* f32 in the HSA mode, which flushes f32 denormals, as the card tests ran. */
static void div_scale_does_what_cards_do(void **state)
{
    (void)state;
    static const struct scale_case cases[] = {
        {0x3f800000, 0x40800000, 0x3f800000, 0x3f800000, false}, /* nothing to scale */
        {0x3f800000, 0x00000000, 0x3f800000, 0xffc00000, true},  /* 1 / 0 */
        {0x00000000, 0x3f800000, 0x00000000, 0xffc00000, true},  /* 0 / 1 */
        {0x00000001, 0x00000001, 0x3f800000, 0xffc00000, true},  /* a flushed denominator */
        {0x3f800000, 0x3f800000, 0x7f7fffff, 0x5f800000, true},  /* far apart: the denominator times 2^64 */
        {0x00800000, 0x3f800000, 0x00800000, 0x20800000, true},  /* a tiny numerator times 2^64 */
        {0x3f800000, 0x7f000000, 0x3f800000, 0x3f800000, true},  /* a denormal quotient: the numerator stays */
    };
    struct lane_op *op = lane_op_open("v_div_scale_f32", LANES, 0xc0 | MODE_DX10_CLAMP | MODE_IEEE);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t source = cases[i].source, denominator = cases[i].denominator, numerator = cases[i].numerator, result = 0;
        lane_op_run(op, 1, (const uint64_t *[]){&source, &denominator, &numerator}, &result);
        assert_int_equal(result, cases[i].result);
        assert_int_equal(op->wave.vcc & 1, cases[i].vcc);
    }
    lane_op_close(op);
}

/* Each active lane sets or clears its bit; bits of lanes that are off become 0. */
static void div_scale_writes_a_bit_a_lane(void **state)
{
    (void)state;
    struct lane_op *op = lane_op_open("v_div_scale_f32", LANES, LANE_OP_PLAIN_MODE);
    uint64_t one[3] = {0x3f800000, 0x3f800000, 0x3f800000}, denominator[3] = {0, 0x3f800000, 0}, result[3] = {0};
    op->wave.exec = 3;
    op->wave.vcc = 0xffffffff;
    lane_op_run(op, 3, (const uint64_t *[]){one, denominator, one}, result);
    assert_int_equal(op->wave.vcc, 1);
    lane_op_close(op);
}

static uint64_t helper(const char *mnemonic, uint64_t vcc, uint64_t a, uint64_t b, uint64_t c)
{
    struct lane_op *op = lane_op_open(mnemonic, LANES, LANE_OP_PLAIN_MODE);
    uint64_t result = 0;
    op->wave.vcc = vcc;
    lane_op_run(op, 1, (const uint64_t *[]){&a, &b, &c}, &result);
    lane_op_close(op);
    return result;
}

static void div_fmas_scales_by_the_addends_size(void **state)
{
    (void)state;
    const uint64_t one = 0x3f800000, two = 0x40000000, three = 0x40400000;
    assert_int_equal(helper("v_div_fmas_f32", 0, two, three, one), 0x40e00000); /* 7 */
    assert_int_equal(helper("v_div_fmas_f32", 1, one, one, two), 0x60400000);   /* 3 * 2^64 */
    assert_int_equal(helper("v_div_fmas_f32", 1, two, three, one), 0x20e00000); /* 7 * 2^-64 */
    const uint64_t one64 = UINT64_C(0x3ff0000000000000), two64 = UINT64_C(0x4000000000000000);
    assert_true(helper("v_div_fmas_f64", 1, one64, one64, two64) == UINT64_C(0x4808000000000000)); /* 3 * 2^128 */
    assert_true(helper("v_div_fmas_f64", 1, one64, one64, one64) == UINT64_C(0x3800000000000000)); /* 2 * 2^-128 */
}

static void div_fixup_handles_special_quotients(void **state)
{
    (void)state;
    const uint64_t one = 0x3f800000, minus_one = 0xbf800000, infinity = 0x7f800000, nan = 0x7fc00000, estimate = 0x40400000;
    assert_int_equal(helper("v_div_fixup_f32", 0, estimate, minus_one, one), 0xc0400000);
    assert_int_equal(helper("v_div_fixup_f32", 0, one, 0, 0), 0xffc00000);
    assert_int_equal(helper("v_div_fixup_f32", 0, one, infinity, infinity), 0xffc00000);
    assert_int_equal(helper("v_div_fixup_f32", 0, one, 0, minus_one), 0xff800000);
    assert_int_equal(helper("v_div_fixup_f32", 0, one, infinity, minus_one), 0x80000000);
    assert_int_equal(helper("v_div_fixup_f32", 0, one, 0x7f800001, one), 0x7fc00001);
    assert_int_equal(helper("v_div_fixup_f32", 0, nan, one, one), 0x7f800000);
    assert_int_equal(helper("v_div_fixup_f32", 0, nan, minus_one, one), 0xff800000);
    assert_int_equal(helper("v_div_fixup_f16", 0, 0x4200, 0xbc00, 0x3c00), 0xc200);
    assert_int_equal(helper("v_div_fixup_f16", 0, 0x4200, 0, 0), 0xfe00);
}

/* Chunks 0, 1, 2 are 2/pi to 159 bits; a large argument skips bits that only count whole turns. */
static void trig_preop_gives_chunks_of_two_over_pi(void **state)
{
    (void)state;
    mpfr_t rest, chunk;
    mpfr_inits2(1400, rest, chunk, (mpfr_ptr)0);
    mpfr_const_pi(rest, MPFR_RNDN);
    mpfr_ui_div(rest, 2, rest, MPFR_RNDN);
    for (uint64_t index = 0; index < 20; index++) {
        truth_load(&truth_f64, helper("v_trig_preop_f64", 0, UINT64_C(0x3ff0000000000000), index, 0), chunk);
        mpfr_sub(rest, rest, chunk, MPFR_RNDN);
        assert_true(mpfr_sgn(rest) > 0 && mpfr_get_exp(rest) <= -53 * (long)(index + 1));
    }
    mpfr_clears(rest, chunk, (mpfr_ptr)0);
    /* exponent field 1080: three bits on, so bits 3 to 55 after the point */
    uint64_t far = helper("v_trig_preop_f64", 0, UINT64_C(1080) << 52, 0, 0);
    assert_true(far == UINT64_C(0x3f87cc1b727220a8)); /* 0x2f9836e4e4415 * 2^-56 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f32_quotients_are_correctly_rounded),    cmocka_unit_test(f64_quotients_are_correctly_rounded),
        cmocka_unit_test(div_scale_does_what_cards_do),           cmocka_unit_test(div_scale_writes_a_bit_a_lane),
        cmocka_unit_test(div_fmas_scales_by_the_addends_size),    cmocka_unit_test(div_fixup_handles_special_quotients),
        cmocka_unit_test(trig_preop_gives_chunks_of_two_over_pi),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
