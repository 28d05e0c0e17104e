/*
 * gfx950's conversions with a scale, all 49, from text: against numbers scaled in doubles and rounded once by definition
 * (small_truth.h) or by MPFR. A scale applied the wrong way round, elements in another order, a random number that is not
 * advanced or a byte put beside its place fails here.
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

#include "contract/base/random.h"
#include "tests/support/float_truth.h"
#include "tests/support/small_truth.h"
#include "tests/support/wave_runner.h"

enum { RESULT = 64, SOURCE = 0, SECOND = 32, SCALE = 110, RANDOM = 112, N_LANES = 64, N_ROUNDS = 6 };

/* A form, as its text says it. */
struct form {
    const char *text; /* operands: v[64…] = v[0…], v[32…] or v112, v110 */
    const struct small_truth *small;
    const struct truth_format *wide;
    unsigned n_elements;
    bool widens, stochastic, two_sources, interleaved;
    unsigned source_bit, result_bit; /* where op_sel says the elements are in a dword */
};

#define FP8 &small_truth_fp8
#define BF8 &small_truth_bf8
#define FP6 &small_truth_fp6
#define BF6 &small_truth_bf6
#define FP4 &small_truth_fp4
#define F32 &truth_f32
#define F16 &truth_f16
#define B16 &truth_bf16

static const struct form forms[] = {
    {"f32_fp8 v64, v0, v110 op_sel:[1,1,0]", FP8, F32, 1, true, false, false, false, 24, 0},
    {"f32_bf8 v64, v0, v110 op_sel:[0,1,0]", BF8, F32, 1, true, false, false, false, 16, 0},
    {"f16_fp8 v64, v0, v110 op_sel:[1,0,1]", FP8, F16, 1, true, false, false, false, 8, 16},
    {"f16_bf8 v64, v0, v110", BF8, F16, 1, true, false, false, false, 0, 0},
    {"pk_f32_fp8 v[64:65], v0, v110 op_sel:[1,0,0]", FP8, F32, 2, true, false, false, false, 16, 0},
    {"pk_f32_bf8 v[64:65], v0, v110", BF8, F32, 2, true, false, false, false, 0, 0},
    {"pk_f32_fp4 v[64:65], v0, v110 op_sel:[0,1,0]", FP4, F32, 2, true, false, false, false, 16, 0},
    {"pk_f16_fp8 v64, v0, v110 op_sel:[1,0,0]", FP8, F16, 2, true, false, false, false, 16, 0},
    {"pk_f16_bf8 v64, v0, v110", BF8, F16, 2, true, false, false, false, 0, 0},
    {"pk_f16_fp4 v64, v0, v110 op_sel:[1,1,0]", FP4, F16, 2, true, false, false, false, 24, 0},
    {"pk_bf16_fp8 v64, v0, v110", FP8, B16, 2, true, false, false, false, 0, 0},
    {"pk_bf16_bf8 v64, v0, v110 op_sel:[1,0,0]", BF8, B16, 2, true, false, false, false, 16, 0},
    {"pk_bf16_fp4 v64, v0, v110 op_sel:[1,0,0]", FP4, B16, 2, true, false, false, false, 8, 0},
    {"pk32_f32_fp6 v[64:95], v[0:5], v110", FP6, F32, 32, true, false, false, false, 0, 0},
    {"pk32_f32_bf6 v[64:95], v[0:5], v110", BF6, F32, 32, true, false, false, false, 0, 0},
    {"pk32_f16_fp6 v[64:79], v[0:5], v110", FP6, F16, 32, true, false, false, false, 0, 0},
    {"pk32_f16_bf6 v[64:79], v[0:5], v110", BF6, F16, 32, true, false, false, false, 0, 0},
    {"pk32_bf16_fp6 v[64:79], v[0:5], v110", FP6, B16, 32, true, false, false, false, 0, 0},
    {"pk32_bf16_bf6 v[64:79], v[0:5], v110", BF6, B16, 32, true, false, false, false, 0, 0},
    {"pk_fp8_f32 v64, v0, v32, v110 op_sel:[0,0,0,1]", FP8, F32, 2, false, false, true, false, 0, 16},
    {"pk_bf8_f32 v64, v0, v32, v110", BF8, F32, 2, false, false, true, false, 0, 0},
    {"pk_fp4_f32 v64, v0, v32, v110 op_sel:[0,0,1,1]", FP4, F32, 2, false, false, true, false, 0, 24},
    {"pk_fp8_f16 v64, v0, v110 op_sel:[0,0,1]", FP8, F16, 2, false, false, false, false, 0, 16},
    {"pk_bf8_f16 v64, v0, v110", BF8, F16, 2, false, false, false, false, 0, 0},
    {"pk_fp4_f16 v64, v0, v110 op_sel:[0,0,1,0]", FP4, F16, 2, false, false, false, false, 0, 8},
    {"pk_fp8_bf16 v64, v0, v110", FP8, B16, 2, false, false, false, false, 0, 0},
    {"pk_bf8_bf16 v64, v0, v110 op_sel:[0,0,1]", BF8, B16, 2, false, false, false, false, 0, 16},
    {"pk_fp4_bf16 v64, v0, v110 op_sel:[0,0,0,1]", FP4, B16, 2, false, false, false, false, 0, 16},
    {"sr_fp8_f32 v64, v0, v112, v110 op_sel:[0,0,1,1]", FP8, F32, 1, false, true, false, false, 0, 24},
    {"sr_bf8_f32 v64, v0, v112, v110", BF8, F32, 1, false, true, false, false, 0, 0},
    {"sr_fp8_f16 v64, v0, v112, v110 op_sel:[0,0,1,0]", FP8, F16, 1, false, true, false, false, 0, 8},
    {"sr_bf8_f16 v64, v0, v112, v110", BF8, F16, 1, false, true, false, false, 0, 0},
    {"sr_fp8_bf16 v64, v0, v112, v110", FP8, B16, 1, false, true, false, false, 0, 0},
    {"sr_bf8_bf16 v64, v0, v112, v110 op_sel:[0,0,0,1]", BF8, B16, 1, false, true, false, false, 0, 16},
    {"sr_pk_fp4_f32 v64, v[0:1], v112, v110 op_sel:[0,0,1,1]", FP4, F32, 2, false, true, false, false, 0, 24},
    {"sr_pk_fp4_f16 v64, v0, v112, v110", FP4, F16, 2, false, true, false, false, 0, 0},
    {"sr_pk_fp4_bf16 v64, v0, v112, v110 op_sel:[0,0,1,0]", FP4, B16, 2, false, true, false, false, 0, 8},
    {"2xpk16_fp6_f32 v[64:69], v[0:15], v[32:47], v110", FP6, F32, 32, false, false, false, true, 0, 0},
    {"2xpk16_bf6_f32 v[64:69], v[0:15], v[32:47], v110", BF6, F32, 32, false, false, false, true, 0, 0},
    {"pk32_fp6_f16 v[64:69], v[0:15], v110", FP6, F16, 32, false, false, false, false, 0, 0},
    {"pk32_bf6_f16 v[64:69], v[0:15], v110", BF6, F16, 32, false, false, false, false, 0, 0},
    {"pk32_fp6_bf16 v[64:69], v[0:15], v110", FP6, B16, 32, false, false, false, false, 0, 0},
    {"pk32_bf6_bf16 v[64:69], v[0:15], v110", BF6, B16, 32, false, false, false, false, 0, 0},
    {"sr_pk32_fp6_f32 v[64:69], v[0:31], v112, v110", FP6, F32, 32, false, true, false, false, 0, 0},
    {"sr_pk32_bf6_f32 v[64:69], v[0:31], v112, v110", BF6, F32, 32, false, true, false, false, 0, 0},
    {"sr_pk32_fp6_f16 v[64:69], v[0:15], v112, v110", FP6, F16, 32, false, true, false, false, 0, 0},
    {"sr_pk32_bf6_f16 v[64:69], v[0:15], v112, v110", BF6, F16, 32, false, true, false, false, 0, 0},
    {"sr_pk32_fp6_bf16 v[64:69], v[0:15], v112, v110", FP6, B16, 32, false, true, false, false, 0, 0},
    {"sr_pk32_bf6_bf16 v[64:69], v[0:15], v112, v110", BF6, B16, 32, false, true, false, false, 0, 0},
};
enum { N_FORMS = sizeof forms / sizeof *forms };

/* n bits of the registers from `first` on, from a bit on. */
static uint32_t take(struct wave_runner *runner, unsigned lane, unsigned first, unsigned bit, unsigned n)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < n; i++, bit++)
        value |= (wave_runner_vgpr(runner, first + bit / 32)[lane] >> bit % 32 & 1) << i;
    return value;
}

static double wide_number(const struct truth_format *format, uint64_t bits)
{
    if (truth_is_nan(format, bits))
        return bits >> (format->bits - 1) ? -NAN : NAN;
    mpfr_t value;
    mpfr_init2(value, 64);
    truth_load(format, bits, value);
    double number = mpfr_get_d(value, MPFR_RNDN);
    mpfr_clear(value);
    return number;
}

static uint32_t widened(const struct form *form, struct truth_mode mode, unsigned code, int scale)
{
    double number = small_truth_value(form->small, code);
    if (isnan(number) || scale == 255)
        return (uint32_t)truth_made_nan(form->wide);
    mpfr_t value;
    mpfr_init2(value, 64);
    mpfr_set_d(value, number, MPFR_RNDN);
    mpfr_mul_2si(value, value, scale - 127, MPFR_RNDN);
    uint32_t bits = (uint32_t)truth_round(form->wide, mode, value);
    mpfr_clear(value);
    return bits;
}

static uint32_t narrowed(const struct form *form, struct small_truth_rounding how, bool flush, uint64_t bits, int scale)
{
    if (flush && form->wide == F32 && !(bits & 0x7f800000))
        bits &= 0x80000000;
    double number = scale == 255 ? NAN : ldexp(wide_number(form->wide, bits), 127 - scale);
    return small_truth_code(form->small, how, number);
}

/* Source bits of element i. */
static uint32_t source_element(struct wave_runner *runner, const struct form *form, unsigned lane, unsigned i)
{
    unsigned n_bits = form->widens ? (unsigned)form->small->bits : (unsigned)form->wide->bits;
    if (form->two_sources || form->interleaved)
        return take(runner, lane, i % 2 ? SECOND : SOURCE, i / 2 * 32, 32);
    return take(runner, lane, SOURCE, form->source_bit + i * n_bits, n_bits);
}

/* Scales near 1 that keep numbers in range, sometimes any. */
static uint32_t draw_scale(struct random_key key, uint64_t n)
{
    uint64_t bits = random_bits(key, n);
    uint32_t field = bits & 7 ? 120 + (uint32_t)(bits >> 8) % 15 : (uint32_t)(bits >> 16) & 0xff;
    return field << 23 | ((uint32_t)(bits >> 40) & 0x807fffff);
}

static uint32_t draw_dword(const struct form *form, uint64_t bits)
{
    if (form->widens)
        return (uint32_t)bits;
    if (form->wide == F32)
        return bits & 7 ? (uint32_t)((bits >> 16 & 0x807fffff) | (118 + (bits >> 48) % 20) << 23)
                        : (uint32_t)truth_interesting(F32, bits, bits >> 24);
    if (bits & 7 && form->wide == B16)
        return (uint32_t)((bits >> 16 & 0x807f807f) | (118 + (bits >> 48) % 20) << 7 | (118 + (bits >> 56) % 20) << 23);
    return (uint32_t)(bits >> 16);
}

static void fill(struct wave_runner *runner, const struct form *form, struct random_key key, unsigned round)
{
    uint64_t n = (uint64_t)round * 1000000;
    for (unsigned lane = 0; lane < N_LANES; lane++) {
        for (unsigned r = 0; r < 64; r++)
            wave_runner_vgpr(runner, r)[lane] = draw_dword(form, random_bits(key, n++));
        for (unsigned r = RESULT; r < 100; r++)
            wave_runner_vgpr(runner, r)[lane] = 0xa5a5a5a5;
        wave_runner_vgpr(runner, SCALE)[lane] = draw_scale(key, n++);
        wave_runner_vgpr(runner, RANDOM)[lane] = (uint32_t)random_bits(key, n++);
    }
}

static void check_lane(struct wave_runner *runner, const struct form *form, unsigned lane, const uint32_t *expected)
{
    unsigned n_bits = form->widens ? (unsigned)form->wide->bits : (unsigned)form->small->bits;
    unsigned first = form->result_bit, end = first + form->n_elements * n_bits;
    for (unsigned i = 0; i < form->n_elements; i++) {
        uint32_t got = take(runner, lane, RESULT, first + i * n_bits, n_bits);
        if (got != expected[i])
            fail_msg("v_cvt_scalef32_%s element %u lane %u: %#x, not %#x (source %#x, scale %#x, random %#x)", form->text,
                     i, lane, got, expected[i], source_element(runner, form, lane, i),
                     wave_runner_vgpr(runner, SCALE)[lane], wave_runner_vgpr(runner, RANDOM)[lane]);
    }
    for (unsigned bit = 0; bit < (end + 63) / 32 * 32; bit++) /* everything beside is kept */
        if ((bit < first || bit >= end) && take(runner, lane, RESULT, bit, 1) != (0xa5a5a5a5 >> bit % 32 & 1))
            fail_msg("v_cvt_scalef32_%s changes bit %u", form->text, bit);
}

static void check_form(struct wave_runner *runner, const struct form *form, uint32_t mode)
{
    uint32_t denormals = form->wide == F16 ? mode >> 6 & 3 : mode >> 4 & 3;
    struct truth_mode to_wide = {.flush_out = !(denormals & 2)};
    for (unsigned lane = 0; lane < N_LANES; lane++) {
        int scale = (int)(wave_runner_vgpr(runner, SCALE)[lane] >> 23 & 0xff);
        uint32_t random = wave_runner_vgpr(runner, RANDOM)[lane], expected[32];
        for (unsigned i = 0; i < form->n_elements; i++) {
            struct small_truth_rounding how = {(mode & MODE_FP16_OVFL) != 0, true, form->stochastic, random};
            uint32_t element = source_element(runner, form, lane, i);
            expected[i] = form->widens ? widened(form, to_wide, element, scale)
                                       : narrowed(form, how, !(denormals & 1), element, scale);
            random = random << 1 ^ (random >> 31 ? 197 : 0);
        }
        check_lane(runner, form, lane, expected);
    }
}

static void scaled_conversions_round_once(void **state)
{
    (void)state;
    static char text[N_FORMS * 96];
    char *end = text;
    for (size_t f = 0; f < N_FORMS; f++)
        end += snprintf(end, (size_t)(text + sizeof text - end), "v_cvt_scalef32_%s\ns_endpgm\n", forms[f].text);
    struct wave_runner *runner = wave_runner_open("gfx950", 64);
    assert_non_null(runner);
    for (unsigned round = 0; round < N_ROUNDS; round++) {
        uint32_t mode = (round % 2 ? 0xf0u : 0u) | (round % 3 == 2 ? (uint32_t)MODE_FP16_OVFL : 0u);
        wave_runner_set_mode(runner, mode);
        assert_true(wave_runner_load(runner, text));
        for (size_t f = 0; f < N_FORMS; f++) {
            /* A saturated f16 result is not what this test derives. */
            bool skips = forms[f].widens && mode & MODE_FP16_OVFL;
            fill(runner, &forms[f], random_key_for(22, forms[f].text), round);
            assert_true(wave_runner_run_next(runner));
            if (!skips)
                check_form(runner, &forms[f], mode);
        }
    }
    wave_runner_close(runner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(scaled_conversions_round_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
