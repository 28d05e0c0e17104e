/*
 * Vector compares against the host's: every condition and type on edge values, NaNs, both zeros, infinities and denormals.
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

#include "contract/base/text.h"
#include "reference/format.h"
#include "tests/support/wave_runner.h"

enum { N_LANES = 32, KEEP_ALL_DENORMALS = 0xf0, FLUSH_ALL_DENORMALS = 0 };

/* A compare result goes to the SGPR of its condition's number plus 4. */
enum { FIRST_MASK = 4 };

static const char *const float_conditions[] = {"f", "lt",  "eq",  "le",  "gt",  "lg",  "ge",  "o",
                                               "u", "nge", "nlg", "ngt", "nle", "neq", "nlt", "t"};
static const char *const integer_conditions[] = {"lt", "eq", "le", "gt", "ne", "ge"};
enum { N_FLOAT = 16, N_INTEGER = 6 };

/* The ISA's definitions: negated conditions are true where an operand is NaN. */
static void expect_float(double a, double b, bool *expected)
{
    const bool values[N_FLOAT] = {false,
                                  a<b, a == b, a <= b, a>
                                      b,
                                  a < b || a > b,
                                  a >= b,
                                  !isnan(a) && !isnan(b),
                                  isnan(a) || isnan(b),
                                  !(a >= b),
                                  !(a < b || a > b),
                                  !(a > b),
                                  !(a <= b),
                                  !(a == b),
                                  !(a < b),
                                  true};
    memcpy(expected, values, sizeof values);
}

#define EXPECT_INTEGER(a, b)                                                                                               \
    {                                                                                                                      \
        (a)<(b), (a) == (b), (a) <= (b), (a)>(b), (a) != (b), (a) >= (b)                                                   \
    }

struct compared_type {
    const char *name;
    unsigned n_bits;
    bool is_float, is_signed;
    enum number_format format;
};

static const struct compared_type types[] = {
    {"f16", 16, true, true, FORMAT_F16},   {"f32", 32, true, true, FORMAT_F32},   {"f64", 64, true, true, FORMAT_F64},
    {"i16", 16, false, true, FORMAT_I16},  {"u16", 16, false, false, FORMAT_U16}, {"i32", 32, false, true, FORMAT_I32},
    {"u32", 32, false, false, FORMAT_U32}, {"i64", 64, false, true, FORMAT_I32},  {"u64", 64, false, false, FORMAT_U32},
};

/* Patterns of a float by width: zeros, denormals, normals, infinities, quiet and signalling NaNs, both signs. */
static const uint16_t patterns_16[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x83ff, 0x400,  0x8400, 0x3c00, 0xbc00,
                                       0x3c01, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7c01, 0xfd55};
enum { N_PATTERNS = sizeof patterns_16 / sizeof *patterns_16 };

/* The pattern of the same kind in a wider format: sign, exponent kind and fraction stretched. */
static uint64_t widen(uint16_t pattern, unsigned n_bits)
{
    unsigned fraction_bits = n_bits == 32 ? 23 : 52, exponent_bits = n_bits == 32 ? 8 : 11;
    uint64_t sign = (uint64_t)(pattern >> 15) << (n_bits - 1), fraction = pattern & 0x3ff, exponent = pattern >> 10 & 31;
    if (n_bits == 16)
        return pattern;
    if (exponent == 31)
        exponent = (UINT64_C(1) << exponent_bits) - 1;
    if (exponent > 1 && exponent < 31)
        exponent += (UINT64_C(1) << (exponent_bits - 1)) - 16;
    return sign | exponent << fraction_bits | (fraction >> 9) << (fraction_bits - 1) | (fraction & 0x1ff);
}

static const uint64_t integer_edges[] = {0,          1,
                                         2,          0x7f,
                                         0x7fff,     0x8000,
                                         0xffff,     0x10000,
                                         0x7fffffff, 0x80000000,
                                         0xffffffff, UINT64_C(0x100000000),
                                         INT64_MAX,  UINT64_C(1) << 63,
                                         UINT64_MAX, UINT64_C(0xffffffff00000001)};
enum { N_INTEGER_EDGES = sizeof integer_edges / sizeof *integer_edges };

static size_t n_values(const struct compared_type *type)
{
    return type->is_float ? N_PATTERNS : N_INTEGER_EDGES;
}

static uint64_t value_of(const struct compared_type *type, size_t index)
{
    uint64_t bits = type->is_float ? widen(patterns_16[index], type->n_bits) : integer_edges[index];
    return type->n_bits == 64 ? bits : bits & ((UINT64_C(1) << type->n_bits) - 1);
}

static double number(const struct compared_type *type, uint64_t bits, bool flush)
{
    double value = format_load(type->format, &bits, 0);
    bool denormal = value != 0 && fabs(value) < ldexp(1, format_facts(type->format)->exponent_min);
    return flush && denormal ? copysign(0, value) : value;
}

static void expect(const struct compared_type *type, uint64_t a, uint64_t b, bool flush, bool *expected)
{
    if (type->is_float) {
        expect_float(number(type, a, flush), number(type, b, flush), expected);
    } else if (type->is_signed) {
        int64_t x = (int64_t)(a << (64 - type->n_bits)), y = (int64_t)(b << (64 - type->n_bits));
        const bool values[N_INTEGER] = EXPECT_INTEGER(x, y);
        memcpy(expected, values, sizeof values);
    } else {
        const bool values[N_INTEGER] = EXPECT_INTEGER(a, b);
        memcpy(expected, values, sizeof values);
    }
}

static size_t conditions_of(const struct compared_type *type, const char *const **conditions)
{
    *conditions = type->is_float ? float_conditions : integer_conditions;
    return type->is_float ? N_FLOAT : N_INTEGER;
}

static char *compare_program(const struct compared_type *type)
{
    const char *const *conditions;
    size_t n = conditions_of(type, &conditions);
    const char *operands = type->n_bits == 64 ? "v[2:3], v[4:5]" : type->n_bits == 16 ? "v2.l, v4.h" : "v2, v4";
    struct text text = {0};
    for (size_t i = 0; i < n; i++)
        text_append(&text, "v_cmp_%s_%s s%zu, %s\n", conditions[i], type->name, FIRST_MASK + i, operands);
    return text.data;
}

static void set_values(struct wave_runner *runner, const struct compared_type *type, unsigned lane, uint64_t a, uint64_t b)
{
    wave_runner_vgpr(runner, 2)[lane] = (uint32_t)a | (type->n_bits == 16 ? 0xabcd0000 : 0);
    wave_runner_vgpr(runner, 3)[lane] = (uint32_t)(a >> 32);
    wave_runner_vgpr(runner, 4)[lane] = type->n_bits == 16 ? (uint32_t)b << 16 | 0x1234 : (uint32_t)b;
    wave_runner_vgpr(runner, 5)[lane] = (uint32_t)(b >> 32);
}

static void check_type(const struct compared_type *type, uint32_t mode)
{
    const char *const *conditions;
    size_t n_conditions = conditions_of(type, &conditions), n = n_values(type);
    bool flush = mode == FLUSH_ALL_DENORMALS;
    char *program = compare_program(type);
    struct wave_runner *runner = wave_runner_open("gfx1151", N_LANES);
    wave_runner_set_mode(runner, mode);
    for (size_t first = 0; first < n * n; first += N_LANES) {
        for (unsigned lane = 0; lane < N_LANES; lane++) {
            size_t pair = (first + lane) % (n * n);
            set_values(runner, type, lane, value_of(type, pair % n), value_of(type, pair / n));
        }
        assert_true(first ? wave_runner_repeat(runner) : wave_runner_run(runner, program));
        for (unsigned lane = 0; lane < N_LANES; lane++) {
            size_t pair = (first + lane) % (n * n);
            uint64_t a = value_of(type, pair % n), b = value_of(type, pair / n);
            bool expected[N_FLOAT];
            expect(type, a, b, flush, expected);
            for (size_t i = 0; i < n_conditions; i++)
                if ((runner->wave.sgpr[FIRST_MASK + i] >> lane & 1) != expected[i])
                    fail_msg("v_cmp_%s_%s of 0x%llx and 0x%llx, MODE 0x%x: expected %d", conditions[i], type->name,
                             (unsigned long long)a, (unsigned long long)b, mode, expected[i]);
        }
    }
    wave_runner_close(runner);
    free(program);
}

static void conditions_of_all_types_match_the_host(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        check_type(&types[i], KEEP_ALL_DENORMALS);
}

/* With denormals flushed on input, the smallest of them equals zero. */
static void float_compares_flush_denormal_inputs_as_mode_says(void **state)
{
    (void)state;
    for (size_t i = 0; types[i].is_float; i++)
        check_type(&types[i], FLUSH_ALL_DENORMALS);
}

static unsigned class_of(uint16_t pattern)
{
    static const unsigned positive[] = {6, 7, 8, 9};
    unsigned exponent = pattern >> 10 & 31, fraction = pattern & 0x3ff, kind;
    if (exponent == 31 && fraction)
        return fraction & 0x200 ? 1 : 0;
    kind = exponent == 31 ? 3 : exponent ? 2 : fraction ? 1 : 0;
    return pattern & 0x8000 ? 5 - kind : positive[kind];
}

/* Every pattern falls into one class of the ten, whatever the MODE. */
static void class_bits_are_those_of_the_isa(void **state)
{
    (void)state;
    for (size_t i = 0; types[i].is_float; i++) {
        const struct compared_type *type = &types[i];
        struct wave_runner *runner = wave_runner_open("gfx1151", N_LANES);
        wave_runner_set_mode(runner, FLUSH_ALL_DENORMALS);
        struct text text = {0};
        const char *operand = type->n_bits == 64 ? "v[2:3]" : type->n_bits == 16 ? "v2.l" : "v2";
        for (unsigned bit = 0; bit < 10; bit++)
            text_append(&text, "s_mov_b32 s%u, 0x%x\nv_cmp_class_%s s%u, %s, s%u\n", 40 + bit, 1u << bit, type->name,
                        FIRST_MASK + bit, operand, 40 + bit);
        for (unsigned lane = 0; lane < N_LANES; lane++)
            set_values(runner, type, lane, value_of(type, lane % N_PATTERNS), 0);
        assert_true(wave_runner_run(runner, text.data));
        for (unsigned lane = 0; lane < N_LANES; lane++)
            for (unsigned bit = 0; bit < 10; bit++)
                assert_int_equal(runner->wave.sgpr[FIRST_MASK + bit] >> lane & 1,
                                 class_of(patterns_16[lane % N_PATTERNS]) == bit);
        text_free(&text);
        wave_runner_close(runner);
    }
}

static void lanes_that_are_off_give_0_and_cmpx_never_turns_one_on(void **state)
{
    (void)state;
    struct wave_runner *runner = wave_runner_open("gfx1151", N_LANES);
    for (unsigned lane = 0; lane < N_LANES; lane++)
        wave_runner_vgpr(runner, 0)[lane] = lane;
    runner->wave.exec = 0x00ffff00;
    runner->wave.vcc = UINT32_MAX;
    assert_true(wave_runner_run(runner, "v_cmp_gt_u32 vcc_lo, 20, v0\nv_cmpx_gt_u32 12, v0"));
    assert_int_equal(runner->wave.vcc, 0x000fff00);
    assert_int_equal(runner->wave.exec, 0x00000f00);
    wave_runner_close(runner);
}

/* Masks of a wave64 take two registers. */
static void a_compare_on_wave64_writes_64_lanes(void **state)
{
    (void)state;
    struct wave_runner *runner = wave_runner_open("gfx1151", 64);
    for (unsigned lane = 0; lane < 64; lane++)
        wave_runner_vgpr(runner, 0)[lane] = lane;
    runner->wave.exec = ~UINT64_C(1);
    assert_true(
        wave_runner_run(runner, "v_cmp_gt_u32 s[4:5], 40, v0\nv_cmp_le_u32 vcc, 40, v0\nv_cndmask_b32 v1, 7, v0, s[4:5]"));
    assert_int_equal(runner->wave.sgpr[4], 0xfffffffe);
    assert_int_equal(runner->wave.sgpr[5], 0x000000ff);
    assert_true(runner->wave.vcc == UINT64_C(0xffffff0000000000));
    assert_int_equal(wave_runner_vgpr(runner, 1)[39], 39);
    assert_int_equal(wave_runner_vgpr(runner, 1)[40], 7);
    wave_runner_close(runner);
}

/* gfx9 writes the mask as well as exec. */
static void cmpx_on_gfx9_writes_its_mask_too(void **state)
{
    (void)state;
    struct wave_runner *runner = wave_runner_open("gfx90a", 64);
    for (unsigned lane = 0; lane < 64; lane++)
        wave_runner_vgpr(runner, 0)[lane] = lane;
    assert_true(wave_runner_run(runner, "v_cmpx_gt_u32_e64 s[4:5], 40, v0"));
    assert_true(runner->wave.exec == UINT64_C(0x000000ffffffffff));
    assert_int_equal(runner->wave.sgpr[4], 0xffffffff);
    assert_int_equal(runner->wave.sgpr[5], 0x000000ff);
    wave_runner_close(runner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_of_all_types_match_the_host),
        cmocka_unit_test(float_compares_flush_denormal_inputs_as_mode_says),
        cmocka_unit_test(class_bits_are_those_of_the_isa),
        cmocka_unit_test(lanes_that_are_off_give_0_and_cmpx_never_turns_one_on),
        cmocka_unit_test(a_compare_on_wave64_writes_64_lanes),
        cmocka_unit_test(cmpx_on_gfx9_writes_its_mask_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
