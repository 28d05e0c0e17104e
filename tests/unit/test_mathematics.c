/*
 * HIP's mathematical functions through the emulator, on an RDNA and a CDNA chip, against MPFR: a wrong instruction anywhere
 * in the device library's code shows as an error far beyond the documented one.
 *
 * The bound is OpenCL's for every function (OpenCL C 3.0, "Relative Error as ULPs"), which the device library implements,
 * in units of the last place from the correctly rounded value; inputs lie in the range that HIP's documentation tests ("HIP
 * math API"), and anywhere. lgamma has no bound in OpenCL: HIP's figure, in HIP's range. tgamma stays in that range too, as
 * the device library itself is off by 45 places near -15.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <mpfr.h>

#include "contract/base/random.h"
#include "tests/support/float_truth.h"
#include "tests/support/kernel_module.h"

typedef int unary(mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int binary(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

/* IEEE 754's rSqrt: -0 gives -infinity, where MPFR has +infinity. */
static int reciprocal_root(mpfr_t result, const mpfr_t x, mpfr_rnd_t direction)
{
    int ternary = mpfr_rec_sqrt(result, x, direction);
    if (mpfr_zero_p(x) && mpfr_signbit(x))
        mpfr_set_inf(result, -1);
    return ternary;
}

static int log_gamma(mpfr_t result, const mpfr_t x, mpfr_rnd_t direction)
{
    int sign;
    return mpfr_lgamma(result, &sign, x, direction);
}

static const struct function {
    const char *name;
    unary *one;
    binary *two;
    double least, most, second_least, second_most; /* ranges of HIP's documentation */
    unsigned ulp[2];                               /* f32, f64 */
    bool only_in_range;
} functions[] = {
    {"exp", mpfr_exp, NULL, -10, 10, 0, 0, {3, 3}, false},
    {"exp2", mpfr_exp2, NULL, -10, 10, 0, 0, {3, 3}, false},
    {"exp10", mpfr_exp10, NULL, -4, 4, 0, 0, {3, 3}, false},
    {"expm1", mpfr_expm1, NULL, -10, 10, 0, 0, {3, 3}, false},
    {"log", mpfr_log, NULL, 1e-6, 1e6, 0, 0, {3, 3}, false},
    {"log2", mpfr_log2, NULL, 1e-6, 1e6, 0, 0, {3, 3}, false},
    {"log10", mpfr_log10, NULL, 1e-6, 1e6, 0, 0, {3, 3}, false},
    {"log1p", mpfr_log1p, NULL, -0.9, 10, 0, 0, {2, 2}, false},
    {"sin", mpfr_sin, NULL, -3.14159, 3.14159, 0, 0, {4, 4}, false},
    {"cos", mpfr_cos, NULL, -3.14159, 3.14159, 0, 0, {4, 4}, false},
    {"tan", mpfr_tan, NULL, -4.618, 4.618, 0, 0, {5, 5}, false},
    {"asin", mpfr_asin, NULL, -1, 1, 0, 0, {4, 4}, false},
    {"acos", mpfr_acos, NULL, -1, 1, 0, 0, {4, 4}, false},
    {"atan", mpfr_atan, NULL, -10, 10, 0, 0, {5, 5}, false},
    {"sinh", mpfr_sinh, NULL, -5, 5, 0, 0, {4, 4}, false},
    {"cosh", mpfr_cosh, NULL, -5, 5, 0, 0, {4, 4}, false},
    {"tanh", mpfr_tanh, NULL, -5, 5, 0, 0, {5, 5}, false},
    {"asinh", mpfr_asinh, NULL, -10, 10, 0, 0, {4, 4}, false},
    {"acosh", mpfr_acosh, NULL, 1, 100, 0, 0, {4, 4}, false},
    {"atanh", mpfr_atanh, NULL, -0.9, 0.9, 0, 0, {5, 5}, false},
    {"erf", mpfr_erf, NULL, -4, 4, 0, 0, {16, 16}, false},
    {"erfc", mpfr_erfc, NULL, -4, 4, 0, 0, {16, 16}, false},
    {"tgamma", mpfr_gamma, NULL, 0.5, 15, 0, 0, {16, 16}, true},
    {"lgamma", log_gamma, NULL, 0.5, 20, 0, 0, {4, 2}, true},
    {"cbrt", mpfr_cbrt, NULL, -100, 100, 0, 0, {2, 2}, false},
    /* Compiled to be correctly rounded (docs/toolchains.md). */
    {"sqrt", mpfr_sqrt, NULL, 0, 100, 0, 0, {0, 0}, false},
    {"rsqrt", reciprocal_root, NULL, 0.01, 100, 0, 0, {2, 2}, false},
    {"pow", NULL, mpfr_pow, -4, 4, -2, 2, {16, 16}, false},
    {"atan2", NULL, mpfr_atan2, -4, 4, -2, 2, {6, 6}, false},
    {"hypot", NULL, mpfr_hypot, -100, 100, -10, 100, {4, 4}, false},
    {"fmod", NULL, mpfr_fmod, -10, 10, -3, 3, {0, 0}, false},
};
enum { N_FUNCTIONS = sizeof functions / sizeof *functions, N_CASES = 1024, BLOCK = 256 };

static uint64_t truth_of(const struct function *function, const struct truth_format *format, uint64_t a, uint64_t b)
{
    mpfr_t x, y, result;
    mpfr_inits2(200, x, y, result, (mpfr_ptr)0); /* far more than any of these needs to round the type's numbers */
    bool a_nan = truth_is_nan(format, a), b_nan = function->two && truth_is_nan(format, b);
    if (!a_nan)
        truth_load(format, a, x);
    if (function->two && !b_nan)
        truth_load(format, b, y);
    if (a_nan)
        mpfr_set_nan(x);
    if (b_nan)
        mpfr_set_nan(y);
    if (function->one)
        function->one(result, x, MPFR_RNDN);
    else
        function->two(result, x, y, MPFR_RNDN);
    uint64_t bits = truth_round(format, (struct truth_mode){0}, result);
    mpfr_clears(x, y, result, (mpfr_ptr)0);
    return bits;
}

/* Places between two numbers of a format; 0 for two NaNs, everything for one. */
static uint64_t distance(const struct truth_format *format, uint64_t a, uint64_t b)
{
    if (truth_is_nan(format, a) || truth_is_nan(format, b))
        return truth_is_nan(format, a) && truth_is_nan(format, b) ? 0 : UINT64_MAX;
    uint64_t sign = UINT64_C(1) << (format->bits - 1);
    int64_t x = (int64_t)(a & (sign - 1)), y = (int64_t)(b & (sign - 1));
    x = a & sign ? -x : x;
    y = b & sign ? -y : y;
    return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}

/* As many bytes an element as the type has. */
static void put(void *array, bool is_f64, size_t i, uint64_t bits)
{
    if (is_f64)
        ((uint64_t *)array)[i] = bits;
    else
        ((uint32_t *)array)[i] = (uint32_t)bits;
}

static uint64_t get(const void *array, bool is_f64, size_t i)
{
    return is_f64 ? ((const uint64_t *)array)[i] : ((const uint32_t *)array)[i];
}

static uint64_t draw_between(struct random_key key, uint64_t n, bool is_f64, double least, double most)
{
    double value = least + (most - least) * ((double)(random_bits(key, n) >> 11) * 0x1p-53);
    float narrow = (float)value;
    uint64_t wide_bits;
    uint32_t narrow_bits;
    memcpy(&wide_bits, &value, 8);
    memcpy(&narrow_bits, &narrow, 4);
    return is_f64 ? wide_bits : narrow_bits;
}

static void check(struct kernel_module *module, const char *chip, const struct function *function, bool is_f64,
                  bool anywhere)
{
    static uint64_t in[N_CASES], second[N_CASES], out[N_CASES];
    const struct truth_format *format = is_f64 ? &truth_f64 : &truth_f32;
    struct random_key key = random_key_for(is_f64 ? 31 : 30, function->name);
    for (size_t i = 0; i < N_CASES; i++) {
        uint64_t bits = random_bits(key, 4 * i), other = random_bits(key, 4 * i + 1);
        put(in, is_f64, i,
            anywhere ? truth_interesting(format, bits, bits >> 7)
                     : draw_between(key, 4 * i + 2, is_f64, function->least, function->most));
        put(second, is_f64, i,
            anywhere ? truth_interesting(format, other, other >> 7)
                     : draw_between(key, 4 * i + 3, is_f64, function->second_least, function->second_most));
    }
    char kernel[32];
    snprintf(kernel, sizeof kernel, "k_%s%s", function->name, is_f64 ? "" : "f");
    size_t n_bytes = N_CASES * (is_f64 ? 8u : 4u);
    struct kernel_call call = {.kernel = kernel,
                               .grid = {N_CASES / BLOCK},
                               .block = {BLOCK},
                               .buffers = {{in, n_bytes}, {second, n_bytes}, {out, n_bytes}}};
    assert_true(kernel_module_call(module, &call));
    for (size_t i = 0; i < N_CASES; i++) {
        uint64_t a = get(in, is_f64, i), b = get(second, is_f64, i), got = get(out, is_f64, i);
        uint64_t truth = truth_of(function, format, a, b), ulp = distance(format, got, truth);
        if (ulp > function->ulp[is_f64])
            fail_msg("%s %s of %#llx %#llx gives %#llx, not %#llx: %llu ulp", chip, kernel, (unsigned long long)a,
                     (unsigned long long)b, (unsigned long long)got, (unsigned long long)truth, (unsigned long long)ulp);
    }
}

static void run_on(const char *chip)
{
    struct kernel_module module;
    const struct kernel_build build = {.chip = chip, .optimisation = "-O3"};
    assert_true(kernel_module_open(&module, "tests/kernels/mathematics.hip", &build, 2));
    for (int f = 0; f < N_FUNCTIONS; f++) {
        for (int is_f64 = 0; is_f64 < 2; is_f64++) {
            check(&module, chip, &functions[f], is_f64, false);
            if (!functions[f].only_in_range)
                check(&module, chip, &functions[f], is_f64, true);
        }
    }
    kernel_module_close(&module);
}

static void functions_are_within_their_ulp_on_rdna(void **state)
{
    (void)state;
    run_on("gfx1201");
}

static void functions_are_within_their_ulp_on_cdna(void **state)
{
    (void)state;
    run_on("gfx90a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_within_their_ulp_on_rdna),
        cmocka_unit_test(functions_are_within_their_ulp_on_cdna),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
