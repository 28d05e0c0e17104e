/*
 * f16, f32 and f64 add, multiply and fma in every rounding and denormal mode, and the conversions between formats, against
 * MPFR. A wrong rounding, a double rounding, a lost sign of zero or a NaN that depends on the host fails here.
 */
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

/* MODE for a rounding and a denormal field (bit 0 keeps inputs, bit 1 results), alike for all formats. */
static uint32_t mode_of(unsigned rounding, unsigned denormals)
{
    return rounding * 5 | denormals * 0x50 | MODE_DX10_CLAMP | MODE_IEEE;
}

static struct truth_mode truth_of(unsigned rounding, unsigned denormals)
{
    return (struct truth_mode){.rounding = rounding, .flush_in = !(denormals & 1), .flush_out = !(denormals & 2)};
}

static void fill(const struct truth_format *format, const char *name, uint64_t *bits)
{
    struct random_key key = random_key_for(1, name);
    for (size_t i = 0; i < N_CASES; i++)
        bits[i] = truth_interesting(format, random_bits(key, 2 * i), random_bits(key, 2 * i + 1));
}

/* The third operand is often close to minus the product, where sums cancel. */
static void fill_cancelling(const struct truth_format *format, const uint64_t *a, const uint64_t *b, uint64_t *c)
{
    struct random_key key = random_key_for(2, "cancel");
    for (size_t i = 0; i < N_CASES; i += 2) {
        struct truth_mode mode = {.rounding = (unsigned)random_below(key, i, 4)};
        uint64_t product = truth_operation(format, mode, TRUTH_MULTIPLY, a[i], b[i], 0);
        uint64_t mask = UINT64_MAX >> (64 - format->bits);
        c[i] = ((product ^ UINT64_C(1) << (format->bits - 1)) + random_below(key, i + 1, 3) - 1) & mask;
    }
}

static void check(const char *mnemonic, const struct truth_format *format, enum truth_operation operation, int n_sources,
                  uint32_t n_lanes)
{
    static uint64_t a[N_CASES], b[N_CASES], c[N_CASES], result[N_CASES];
    fill(format, "a", a);
    fill(format, "b", b);
    fill(format, "c", c);
    if (n_sources == 3)
        fill_cancelling(format, a, b, c);
    struct lane_op *op = lane_op_open(mnemonic, n_lanes, 0);
    assert_non_null(op);
    uint64_t mask = UINT64_MAX >> (64 - format->bits);
    for (unsigned mode = 0; mode < 16; mode++) {
        lane_op_set_mode(op, mode_of(mode & 3, mode >> 2));
        for (size_t i = 0; i < N_CASES; i++)
            result[i] = 0;
        lane_op_run(op, N_CASES, (const uint64_t *[]){a, b, c}, result);
        for (size_t i = 0; i < N_CASES; i++) {
            uint64_t truth = truth_operation(format, truth_of(mode & 3, mode >> 2), operation, a[i], b[i], c[i]);
            if ((result[i] & mask) != truth)
                fail_msg("%s mode %u: %#llx %#llx %#llx gives %#llx, not %#llx", mnemonic, mode, (unsigned long long)a[i],
                         (unsigned long long)b[i], (unsigned long long)c[i], (unsigned long long)(result[i] & mask),
                         (unsigned long long)truth);
        }
    }
    lane_op_close(op);
}

static void f32_matches_mpfr(void **state)
{
    (void)state;
    check("v_add_f32", &truth_f32, TRUTH_ADD, 2, 32);
    check("v_sub_f32", &truth_f32, TRUTH_SUBTRACT, 2, 32);
    check("v_mul_f32", &truth_f32, TRUTH_MULTIPLY, 2, 64);
    check("v_fma_f32", &truth_f32, TRUTH_FMA, 3, 32);
}

static void f16_matches_mpfr(void **state)
{
    (void)state;
    check("v_add_f16", &truth_f16, TRUTH_ADD, 2, 32);
    check("v_sub_f16", &truth_f16, TRUTH_SUBTRACT, 2, 64);
    check("v_mul_f16", &truth_f16, TRUTH_MULTIPLY, 2, 32);
    check("v_fma_f16", &truth_f16, TRUTH_FMA, 3, 32);
}

static void f64_matches_mpfr(void **state)
{
    (void)state;
    check("v_add_f64", &truth_f64, TRUTH_ADD, 2, 32);
    check("v_mul_f64", &truth_f64, TRUTH_MULTIPLY, 2, 64);
    check("v_fma_f64", &truth_f64, TRUTH_FMA, 3, 32);
}

/* Every f16 to f32; f32 to f16 around every f16 and every middle; f64 to f32 drawn. */
static void check_conversion(const char *mnemonic, const struct truth_format *from, const struct truth_format *to,
                             const uint64_t *input, uint64_t *result, size_t n)
{
    struct lane_op *op = lane_op_open(mnemonic, 32, 0);
    assert_non_null(op);
    for (unsigned mode = 0; mode < 16; mode++) {
        lane_op_set_mode(op, mode_of(mode & 3, mode >> 2));
        memset(result, 0, n * sizeof *result);
        lane_op_run(op, n, &input, result);
        for (size_t i = 0; i < n; i++) {
            uint64_t truth = truth_convert(from, to, truth_of(mode & 3, mode >> 2), input[i]);
            if (result[i] != truth)
                fail_msg("%s mode %u: %#llx gives %#llx, not %#llx", mnemonic, mode, (unsigned long long)input[i],
                         (unsigned long long)result[i], (unsigned long long)truth);
        }
    }
    lane_op_close(op);
}

static void conversions_match_mpfr(void **state)
{
    (void)state;
    enum { N = 65536 };
    uint64_t *input = malloc(N * sizeof *input), *result = malloc(N * sizeof *result);
    for (size_t i = 0; i < N; i++)
        input[i] = i;
    check_conversion("v_cvt_f32_f16", &truth_f16, &truth_f32, input, result, N);
    struct random_key key = random_key_for(3, "convert");
    for (size_t i = 0; i < N; i++) { /* every f16, moved by up to one and a half of its units */
        uint32_t wide = (uint32_t)truth_convert(&truth_f16, &truth_f32, (struct truth_mode){0}, i);
        static const uint32_t offsets[] = {0, 0x0fff, 0x1000, 0x1001, 0x1fff, 1, 0x2fff, 0x3000};
        input[i] = (wide & 0x7f800000u) == 0x7f800000u ? wide : wide + offsets[random_below(key, i, 8)];
    }
    check_conversion("v_cvt_f16_f32", &truth_f32, &truth_f16, input, result, N);
    for (size_t i = 0; i < N_CASES; i++)
        input[i] = truth_interesting(&truth_f64, random_bits(key, 2 * i), random_bits(key, 2 * i + 1));
    for (size_t i = 0; i < N_CASES; i += 2) { /* near f32's numbers and middles */
        uint64_t exponent = 1023 - 160 + random_below(key, i, 300), sign = random_bits(key, i) << 63;
        input[i] = sign | exponent << 52 | (random_bits(key, i + 1) & UINT64_C(0xffffff0000003));
    }
    check_conversion("v_cvt_f32_f64", &truth_f64, &truth_f32, input, result, N_CASES);
    fill(&truth_f32, "f32 to f64", input);
    check_conversion("v_cvt_f64_f32", &truth_f32, &truth_f64, input, result, N_CASES);
    free(input);
    free(result);
}

/* Payload and sign of the first NaN operand, whichever operand order the host's instruction has. */
static void nan_of_first_operand_comes_out_quiet(void **state)
{
    (void)state;
    struct lane_op *op = lane_op_open("v_fma_f32", 32, LANE_OP_PLAIN_MODE);
    uint64_t a[] = {0x3f800000, 0x3f800000, 0x7f801234, 0x7f800000, 0x7f800000};
    uint64_t b[] = {0xff812345, 0x3f800000, 0x7fc00001, 0x00000000, 0x3f800000};
    uint64_t c[] = {0x7fc00007, 0xffc00009, 0x7fc00002, 0x3f800000, 0xff800000};
    uint64_t expected[] = {0xffc12345, 0xffc00009, 0x7fc01234, 0xffc00000, 0xffc00000};
    uint64_t result[5] = {0};
    lane_op_run(op, 5, (const uint64_t *[]){a, b, c}, result);
    for (int i = 0; i < 5; i++)
        assert_int_equal(result[i], expected[i]);
    lane_op_close(op);
}

/* An accumulator that is also the destination must be read before it is overwritten, NaN mending included. */
static void fmac_keeps_its_accumulators_nan(void **state)
{
    (void)state;
    struct lane_op *op = lane_op_open("v_fmac_f32", 32, LANE_OP_PLAIN_MODE);
    uint64_t a[] = {0x40000000, 0x7f800000}, b[] = {0x40400000, 0}, result[] = {0x7fc00123, 0xffc00456};
    lane_op_run(op, 2, (const uint64_t *[]){a, b}, result);
    assert_int_equal(result[0], 0x7fc00123);
    assert_int_equal(result[1], 0xffc00456);
    lane_op_close(op);
}

/* The same when the destination is a source: every pair of NaNs, whole rows, so that results could have gone straight
 * there. */
static void nan_rule_holds_in_place(void **state)
{
    (void)state;
    static const char *const mnemonics[] = {"v_add_f32", "v_sub_f32", "v_subrev_f32", "v_mul_f32", "v_fma_f32"};
    for (int m = 0; m < 5; m++) {
        for (int k = 0; k < 2; k++) {
            struct lane_op *op = lane_op_open(mnemonics[m], 32, LANE_OP_PLAIN_MODE);
            op->instruction.dst[0].index = op->instruction.src[k].index;
            lane_op_prepare(op);
            for (unsigned lane = 0; lane < 32; lane++) {
                lane_op_row(op, op->instruction.src[0].index)[lane] = 0x7fc00100 + lane;
                lane_op_row(op, op->instruction.src[1].index)[lane] = 0xff800200 + lane;
            }
            op->instruction.run(&op->wave, &op->instruction);
            for (unsigned lane = 0; lane < 32; lane++)
                assert_int_equal(lane_op_row(op, op->instruction.dst[0].index)[lane], 0x7fc00100 + lane);
            lane_op_close(op);
        }
    }
}

/* Lanes that exec turns off keep their value. */
static void inactive_lanes_stay(void **state)
{
    (void)state;
    struct lane_op *op = lane_op_open("v_add_f32", 32, LANE_OP_PLAIN_MODE);
    op->wave.exec = 0x5;
    uint64_t one[4] = {0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000}, result[4] = {7, 7, 7, 7};
    lane_op_run(op, 4, (const uint64_t *[]){one, one}, result);
    uint64_t expected[4] = {0x40000000, 7, 0x40000000, 7};
    for (int i = 0; i < 4; i++)
        assert_int_equal(result[i], expected[i]);
    lane_op_close(op);
}

static uint32_t one_lane(const char *mnemonic, uint32_t mode, unsigned flags, unsigned omod, uint32_t x, uint32_t y)
{
    struct lane_op *op = lane_op_open(mnemonic, 32, mode);
    op->instruction.flags = flags;
    op->instruction.omod = (uint8_t)omod;
    uint64_t a = x, b = y, result = 0;
    lane_op_run(op, 1, (const uint64_t *[]){&a, &b}, &result);
    lane_op_close(op);
    return (uint32_t)result;
}

static void clamp_and_omod_follow_mode(void **state)
{
    (void)state;
    const uint32_t one = 0x3f800000, two = 0x40000000, nan = 0x7fc00000;
    const uint32_t flush = MODE_DX10_CLAMP; /* IEEE 0, denormals flushed: omod counts */
    assert_int_equal(one_lane("v_add_f32", LANE_OP_PLAIN_MODE, FLAG_CLAMP, 0, one, one), one);
    assert_int_equal(one_lane("v_add_f32", LANE_OP_PLAIN_MODE, FLAG_CLAMP, 0, nan, one), 0);
    assert_int_equal(one_lane("v_add_f32", LANE_OP_PLAIN_MODE & ~(uint32_t)MODE_DX10_CLAMP, FLAG_CLAMP, 0, nan, one), nan);
    assert_int_equal(one_lane("v_add_f32", LANE_OP_PLAIN_MODE, FLAG_CLAMP, 0, one ^ 0x80000000u, 0), 0);
    assert_int_equal(one_lane("v_add_f32", flush, 0, 1, one, one), 0x40800000);
    assert_int_equal(one_lane("v_add_f32", flush, 0, 3, one, one), one);
    assert_int_equal(one_lane("v_add_f32", flush | MODE_IEEE, 0, 1, one, one), two);
    assert_int_equal(one_lane("v_add_f32", flush | MODE_DENORM_F32, 0, 1, one, one), two);
    assert_int_equal(one_lane("v_mul_f16", LANE_OP_PLAIN_MODE, FLAG_CLAMP, 0, 0x4000, 0x4000), 0x3c00);
}

/* MODE.FP16_OVFL: 60000 + 60000 is the largest f16 instead of infinity. */
static void fp16_ovfl_saturates(void **state)
{
    (void)state;
    assert_int_equal(one_lane("v_add_f16", LANE_OP_PLAIN_MODE, 0, 0, 0x7b53, 0x7b53), 0x7c00);
    assert_int_equal(one_lane("v_add_f16", LANE_OP_PLAIN_MODE | MODE_FP16_OVFL, 0, 0, 0x7b53, 0x7b53), 0x7bff);
    assert_int_equal(one_lane("v_add_f16", LANE_OP_PLAIN_MODE | MODE_FP16_OVFL, 0, 0, 0x7c00, 0x3c00), 0x7c00);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f32_matches_mpfr),
        cmocka_unit_test(f16_matches_mpfr),
        cmocka_unit_test(f64_matches_mpfr),
        cmocka_unit_test(conversions_match_mpfr),
        cmocka_unit_test(nan_of_first_operand_comes_out_quiet),
        cmocka_unit_test(fmac_keeps_its_accumulators_nan),
        cmocka_unit_test(nan_rule_holds_in_place),
        cmocka_unit_test(inactive_lanes_stay),
        cmocka_unit_test(clamp_and_omod_follow_mode),
        cmocka_unit_test(fp16_ovfl_saturates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
