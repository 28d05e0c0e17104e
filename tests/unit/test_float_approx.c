/*
 * The approximate functions: correctly rounded against MPFR (f16 exhaustively), the edge values that the ISA lists,
 * denormals flushed where it says so, and a seed that moves results within the documented bounds only.
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

typedef int mpfr_function(mpfr_t result, const mpfr_t x, mpfr_rnd_t rounding);

static int reciprocal(mpfr_t result, const mpfr_t x, mpfr_rnd_t rounding)
{
    return mpfr_ui_div(result, 1, x, rounding);
}

/* MPFR's rec_sqrt(-0) is +inf; the hardware's is -inf. */
static int reciprocal_root(mpfr_t result, const mpfr_t x, mpfr_rnd_t rounding)
{
    if (mpfr_zero_p(x)) {
        mpfr_set_inf(result, mpfr_signbit(x) ? -1 : 1);
        return 0;
    }
    return mpfr_rec_sqrt(result, x, rounding);
}

/* sin and cos of turns, zeros positive but for sin(-0). */
static int turns(mpfr_t result, const mpfr_t x, mpfr_rnd_t rounding, int (*function)(mpfr_t, const mpfr_t, mpfr_rnd_t))
{
    if (mpfr_zero_p(x) || !mpfr_number_p(x)) {
        return function(result, x, rounding);
    }
    mpfr_t angle, rest;
    mpfr_inits2(400, angle, rest, (mpfr_ptr)0);
    mpfr_frac(rest, x, MPFR_RNDN);
    mpfr_mul_ui(rest, rest, 4, MPFR_RNDN);
    if (mpfr_integer_p(rest)) { /* quarter turns are exact */
        long quarter = (mpfr_get_si(rest, MPFR_RNDN) % 4 + 4) % 4;
        long sine[] = {0, 1, 0, -1}, cosine[] = {1, 0, -1, 0};
        mpfr_set_si(result, function == mpfr_sin ? sine[quarter] : cosine[quarter], MPFR_RNDN);
        mpfr_clears(angle, rest, (mpfr_ptr)0);
        return 0;
    }
    mpfr_const_pi(angle, MPFR_RNDN);
    mpfr_div_ui(angle, angle, 2, MPFR_RNDN);
    mpfr_mul(angle, angle, rest, MPFR_RNDN);
    int ternary = function(result, angle, rounding);
    mpfr_clears(angle, rest, (mpfr_ptr)0);
    return ternary;
}

static int sine(mpfr_t result, const mpfr_t x, mpfr_rnd_t rounding)
{
    return turns(result, x, rounding, mpfr_sin);
}

static int cosine(mpfr_t result, const mpfr_t x, mpfr_rnd_t rounding)
{
    return turns(result, x, rounding, mpfr_cos);
}

struct function {
    const char *name; /* v_NAME_FORMAT */
    mpfr_function *truth;
    bool f32_flushes, has_f64;
};

static const struct function functions[] = {
    {"rcp", reciprocal, true, true}, {"rsq", reciprocal_root, true, true}, {"sqrt", mpfr_sqrt, true, true},
    {"exp", mpfr_exp2, true, false}, {"log", mpfr_log2, true, false},      {"sin", sine, false, false},
    {"cos", cosine, false, false},
};
enum { N_FUNCTIONS = sizeof functions / sizeof *functions };

static uint64_t truth_of(const struct truth_format *format, struct truth_mode mode, mpfr_function *function, uint64_t bits)
{
    if (truth_is_nan(format, bits))
        return bits | UINT64_C(1) << (format->fraction_bits - 1);
    mpfr_t x, value;
    mpfr_inits2(300, x, value, (mpfr_ptr)0);
    truth_load(format, truth_convert(format, format, (struct truth_mode){.flush_in = mode.flush_in}, bits), x);
    function(value, x, MPFR_RNDN);
    uint64_t result = truth_round(format, mode, value);
    mpfr_clears(x, value, (mpfr_ptr)0);
    return result;
}

static void check(const struct function *function, const char *suffix, const struct truth_format *format,
                  struct truth_mode mode, const uint64_t *input, uint64_t *result, size_t n)
{
    char mnemonic[32];
    snprintf(mnemonic, sizeof mnemonic, "v_%s_%s", function->name, suffix);
    struct lane_op *op = lane_op_open(mnemonic, 32, LANE_OP_PLAIN_MODE);
    assert_non_null(op);
    memset(result, 0, n * sizeof *result);
    lane_op_run(op, n, &input, result);
    for (size_t i = 0; i < n; i++) {
        uint64_t truth = truth_of(format, mode, function->truth, input[i]);
        if (result[i] != truth)
            fail_msg("%s(%#llx) is %#llx, not %#llx", mnemonic, (unsigned long long)input[i], (unsigned long long)result[i],
                     (unsigned long long)truth);
    }
    lane_op_close(op);
}

static void every_f16_is_correctly_rounded(void **state)
{
    (void)state;
    enum { N = 65536 };
    uint64_t *input = malloc(N * sizeof *input), *result = malloc(N * sizeof *result);
    for (size_t i = 0; i < N; i++)
        input[i] = i;
    for (size_t f = 0; f < N_FUNCTIONS; f++)
        check(&functions[f], "f16", &truth_f16, (struct truth_mode){0}, input, result, N);
    free(input);
    free(result);
}

static void f32_is_correctly_rounded(void **state)
{
    (void)state;
    enum { N = 8192 };
    static uint64_t input[N], result[N];
    for (size_t f = 0; f < N_FUNCTIONS; f++) {
        struct random_key key = random_key_for(4, functions[f].name);
        for (size_t i = 0; i < N; i++)
            input[i] = truth_interesting(&truth_f32, random_bits(key, 2 * i), random_bits(key, 2 * i + 1));
        struct truth_mode mode = {.flush_in = functions[f].f32_flushes, .flush_out = functions[f].f32_flushes};
        check(&functions[f], "f32", &truth_f32, mode, input, result, N);
    }
}

/* Whether the bits of an x87 number beyond an f64's are 100…0. */
static bool is_middle(long double value)
{
    uint64_t significand;
    memcpy(&significand, &value, 8);
    return (significand & 0x7ff) == 0x400;
}

/* The hard way for a root: inputs whose result lies almost in the middle of two f64. */
static void f64_is_correctly_rounded(void **state)
{
    (void)state;
    enum { N = 8192 };
    static uint64_t input[N], result[N];
    for (size_t f = 0; f < N_FUNCTIONS; f++) {
        struct random_key key = random_key_for(5, functions[f].name);
        for (size_t i = 0; i < N; i++)
            input[i] = truth_interesting(&truth_f64, random_bits(key, 2 * i), random_bits(key, 2 * i + 1));
        for (size_t i = 0, draws = 0; i < N;
             i += 128) { /* 1 / sqrt(x) so near a middle that x87's precision takes it for one */
            double x;
            do {
                x = 1 + 3 * random_unit(key, draws++);
            } while (!is_middle(1.0L / sqrtl(x)));
            memcpy(&input[i], &x, 8);
        }
        if (functions[f].has_f64)
            check(&functions[f], "f64", &truth_f64, (struct truth_mode){0}, input, result, N);
    }
}

struct example {
    const char *mnemonic;
    uint64_t input, result;
};

/* RDNA3.5 ISA, functional examples of VOP1. */
static const struct example examples[] = {
    {"v_exp_f32", 0xff800000, 0x00000000},  {"v_exp_f32", 0x80000000, 0x3f800000},
    {"v_exp_f32", 0x7f800000, 0x7f800000},  {"v_log_f32", 0xff800000, 0xffc00000},
    {"v_log_f32", 0xbf800000, 0xffc00000},  {"v_log_f32", 0x80000000, 0xff800000},
    {"v_log_f32", 0x00000000, 0xff800000},  {"v_log_f32", 0x3f800000, 0x00000000},
    {"v_log_f32", 0x7f800000, 0x7f800000},  {"v_rcp_f32", 0xff800000, 0x80000000},
    {"v_rcp_f32", 0xc0000000, 0xbf000000},  {"v_rcp_f32", 0x80000000, 0xff800000},
    {"v_rcp_f32", 0x00000000, 0x7f800000},  {"v_rcp_f32", 0x7f800000, 0x00000000},
    {"v_rsq_f32", 0xff800000, 0xffc00000},  {"v_rsq_f32", 0x80000000, 0xff800000},
    {"v_rsq_f32", 0x00000000, 0x7f800000},  {"v_rsq_f32", 0x40800000, 0x3f000000},
    {"v_rsq_f32", 0x7f800000, 0x00000000},  {"v_sqrt_f32", 0xff800000, 0xffc00000},
    {"v_sqrt_f32", 0x80000000, 0x80000000}, {"v_sqrt_f32", 0x40800000, 0x40000000},
    {"v_sin_f32", 0xff800000, 0xffc00000},  {"v_sin_f32", 0xff7fffff, 0x00000000},
    {"v_sin_f32", 0x80000000, 0x80000000},  {"v_sin_f32", 0x3e800000, 0x3f800000},
    {"v_cos_f32", 0xff7fffff, 0x3f800000},  {"v_cos_f32", 0x80000000, 0x3f800000},
    {"v_cos_f32", 0x3e800000, 0x00000000},  {"v_cos_f32", 0x7f800000, 0xffc00000},
    {"v_rcp_f16", 0xc000, 0xb800},          {"v_rcp_f16", 0x8000, 0xfc00},
    {"v_sqrt_f16", 0xfc00, 0xfe00},         {"v_rsq_f16", 0x4400, 0x3800},
    {"v_log_f16", 0xbc00, 0xfe00},          {"v_exp_f16", 0xfc00, 0x0000},
    {"v_sin_f16", 0xfbff, 0x0000},          {"v_sin_f16", 0x3400, 0x3c00},
    {"v_cos_f16", 0x3400, 0x0000},          {"v_rcp_iflag_f32", 0x40800000, 0x3e800000},
};

static void examples_of_the_isa_hold(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct lane_op *op = lane_op_open(examples[i].mnemonic, 64, LANE_OP_PLAIN_MODE);
        assert_non_null(op);
        uint64_t input = examples[i].input, result = 0;
        lane_op_run(op, 1, (const uint64_t *[]){&input}, &result);
        if (result != examples[i].result)
            fail_msg("%s(%#llx) is %#llx", examples[i].mnemonic, (unsigned long long)input, (unsigned long long)result);
        lane_op_close(op);
    }
}

/* Denormals: f32 roots and exponentials flush them even where MODE keeps them. */
static void f32_flushes_denormals_whatever_mode_says(void **state)
{
    (void)state;
    uint64_t tiny = 0x00400000, huge = 0x7f000001, below = 0xc2fd0000 /* -126.5 */, result = 0;
    struct lane_op *op = lane_op_open("v_rcp_f32", 32, LANE_OP_PLAIN_MODE);
    lane_op_run(op, 1, (const uint64_t *[]){&tiny}, &result);
    assert_int_equal(result, 0x7f800000);
    lane_op_run(op, 1, (const uint64_t *[]){&huge}, &result);
    assert_int_equal(result, 0);
    lane_op_close(op);
    op = lane_op_open("v_exp_f32", 32, LANE_OP_PLAIN_MODE);
    lane_op_run(op, 1, (const uint64_t *[]){&below}, &result);
    assert_int_equal(result, 0);
    lane_op_close(op);
}

/* |result - exact| in units of the last place of the correctly rounded result. */
static double error_ulp(const struct truth_format *format, mpfr_function *function, uint64_t input, uint64_t result)
{
    uint64_t nearest = truth_of(format, (struct truth_mode){0}, function, input);
    mpfr_t x, exact, value, ulp;
    mpfr_inits2(300, x, exact, value, ulp, (mpfr_ptr)0);
    truth_load(format, input, x);
    function(exact, x, MPFR_RNDN);
    truth_load(format, nearest, value);
    truth_load(format, nearest + 1, ulp);
    mpfr_sub(ulp, ulp, value, MPFR_RNDN);
    truth_load(format, result, value);
    mpfr_sub(value, value, exact, MPFR_RNDN);
    mpfr_div(value, value, ulp, MPFR_RNDN);
    double error = fabs(mpfr_get_d(value, MPFR_RNDN));
    mpfr_clears(x, exact, value, ulp, (mpfr_ptr)0);
    return error;
}

static void check_seed(const struct function *function, const char *suffix, const struct truth_format *format,
                       double bound_ulp, uint64_t least, uint64_t span)
{
    enum { N = 2048 };
    static uint64_t input[N], plain[N], moved[N], again[N];
    char mnemonic[32];
    snprintf(mnemonic, sizeof mnemonic, "v_%s_%s", function->name, suffix);
    struct random_key key = random_key_for(6, mnemonic);
    for (size_t i = 0; i < N; i++)
        input[i] = least + random_bits(key, i) % span;
    struct lane_op *op = lane_op_open(mnemonic, 32, LANE_OP_PLAIN_MODE);
    lane_op_run(op, N, (const uint64_t *[]){input}, plain);
    op->dispatch.approx_seed = 12345;
    lane_op_run(op, N, (const uint64_t *[]){input}, moved);
    lane_op_run(op, N, (const uint64_t *[]){input}, again);
    assert_memory_equal(moved, again, sizeof moved);
    size_t n_moved = 0;
    for (size_t i = 0; i < N; i++) {
        n_moved += moved[i] != plain[i];
        if (moved[i] != plain[i] && error_ulp(format, function->truth, input[i], moved[i]) > bound_ulp)
            fail_msg("%s(%#llx) moved to %#llx, too far", mnemonic, (unsigned long long)input[i],
                     (unsigned long long)moved[i]);
    }
    if (!n_moved || (n_moved == N && bound_ulp <= 2)) /* f64 moves nearly all */
        fail_msg("%s: the seed moved %zu of %d results", mnemonic, n_moved, N);
    lane_op_close(op);
}

static void seed_moves_within_the_documented_bound(void **state)
{
    (void)state;
    for (size_t f = 0; f < N_FUNCTIONS; f++) {
        check_seed(&functions[f], "f32", &truth_f32, 1.0 + 0x1p-20, 0x3e000000, 0x02000000);
        check_seed(&functions[f], "f16", &truth_f16, 0.51, 0x2c00, 0x1800);
        if (functions[f].has_f64)
            check_seed(&functions[f], "f64", &truth_f64, 0x1p29, UINT64_C(0x3fe0000000000000), UINT64_C(0x40000000000000));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_f16_is_correctly_rounded),
        cmocka_unit_test(f32_is_correctly_rounded),
        cmocka_unit_test(f64_is_correctly_rounded),
        cmocka_unit_test(examples_of_the_isa_hold),
        cmocka_unit_test(f32_flushes_denormals_whatever_mode_says),
        cmocka_unit_test(seed_moves_within_the_documented_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
