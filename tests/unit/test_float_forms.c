/*
 * Float instructions that single generations have: gfx9's multiply-add of two roundings, gfx950's packed minimum of three,
 * gfx12's functions of scalars; accumulating forms, CMPX. And products at the edge of what MODE flushes, where rounding
 * decides.
 */
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
#include "tests/support/lane_op.h"
#include "tests/support/wave_runner.h"

enum { N = 4096 };

static uint64_t a[N], b[N], c[N], result[N];

static void fill(const struct truth_format *format)
{
    struct random_key key = random_key_for(41, "forms");
    for (size_t i = 0; i < N; i++) {
        a[i] = truth_interesting(format, random_bits(key, 6 * i), random_bits(key, 6 * i + 1));
        b[i] = truth_interesting(format, random_bits(key, 6 * i + 2), random_bits(key, 6 * i + 3));
        c[i] = truth_interesting(format, random_bits(key, 6 * i + 4), random_bits(key, 6 * i + 5));
    }
}

static void expect(const char *mnemonic, size_t i, uint64_t truth)
{
    if (result[i] != truth)
        fail_msg("%s of %#llx %#llx %#llx gives %#llx, not %#llx", mnemonic, (unsigned long long)a[i],
                 (unsigned long long)b[i], (unsigned long long)c[i], (unsigned long long)result[i],
                 (unsigned long long)truth);
}

/* A product, rounded, and a sum, rounded; denormals flushed each time. */
static uint64_t two_roundings(const struct truth_format *format, unsigned rounding, uint64_t x, uint64_t y, uint64_t z)
{
    struct truth_mode mode = {.rounding = rounding, .flush_in = true, .flush_out = true};
    uint64_t product = truth_operation(format, mode, TRUTH_MULTIPLY, x, y, 0);
    bool made_nan = truth_is_nan(format, product) && !truth_is_nan(format, x) && !truth_is_nan(format, y);
    if (made_nan && truth_is_nan(format, z)) /* an operand's NaN comes before a made one */
        return z | UINT64_C(1) << (format->fraction_bits - 1);
    return truth_operation(format, mode, TRUTH_ADD, product, z, 0);
}

static void check_mad(const char *chip, const char *mnemonic, const struct truth_format *format, bool zero_wins)
{
    fill(format);
    uint64_t mask = UINT64_MAX >> (64 - format->bits), magnitude = mask >> 1;
    for (unsigned m = 0; m < 16; m++) {
        struct lane_op *op = lane_op_open_on(chip, mnemonic, 64, (m & 3) * 5 | (m >> 2) * 0x50);
        assert_non_null(op);
        memcpy(result, c, sizeof result);
        lane_op_run(op, N, (const uint64_t *[]){a, b, c}, result);
        lane_op_close(op);
        for (size_t i = 0; i < N; i++) {
            struct truth_mode flush = {.flush_in = true, .flush_out = true, .rounding = m & 3};
            uint64_t least = UINT64_C(1) << format->fraction_bits;
            bool zero = zero_wins && ((a[i] & magnitude) < least || (b[i] & magnitude) < least);
            uint64_t truth = zero ? truth_operation(format, flush, TRUTH_ADD, 0, c[i], 0)
                                  : two_roundings(format, m & 3, a[i], b[i], c[i]);
            result[i] &= mask;
            expect(mnemonic, i, truth);
        }
    }
}

static void multiply_add_of_gfx9_rounds_twice(void **state)
{
    (void)state;
    check_mad("gfx908", "v_mad_f32", &truth_f32, false);
    check_mad("gfx908", "v_mac_f32", &truth_f32, false);
    check_mad("gfx908", "v_mad_legacy_f32", &truth_f32, true);
    check_mad("gfx90a", "v_mad_f16", &truth_f16, false);
    check_mad("gfx90a", "v_mac_f16", &truth_f16, false);
}

/* Products within two places of the least normal number: they round up to it or are flushed. */
static void flushing_judges_the_rounded_product(void **state)
{
    (void)state;
    struct random_key key = random_key_for(42, "edge");
    for (size_t i = 0; i < N; i++) {
        a[i] = (127 - 63u) << 23 | (random_bits(key, 2 * i) & 0x7fffff);
        struct truth_mode nearest = {0};
        mpfr_t x, y;
        mpfr_inits2(64, x, y, (mpfr_ptr)0);
        truth_load(&truth_f32, a[i], x);
        mpfr_set_ui_2exp(y, 1, -126, MPFR_RNDN);
        mpfr_div(y, y, x, MPFR_RNDN);
        b[i] = truth_round(&truth_f32, nearest, y) + random_below(key, 2 * i + 1, 5) - 2;
        mpfr_clears(x, y, (mpfr_ptr)0);
        c[i] = i & 1 ? 0x80000000 : 0;
    }
    static const struct {
        const char *mnemonic;
        enum truth_operation operation;
    } products[] = {{"v_mul_f32", TRUTH_MULTIPLY}, {"v_fma_f32", TRUTH_FMA}};
    size_t n_flushed = 0;
    for (size_t k = 0; k < 2; k++) {
        struct lane_op *op = lane_op_open(products[k].mnemonic, 32, MODE_IEEE);
        lane_op_run(op, N, (const uint64_t *[]){a, b, c}, result);
        lane_op_close(op);
        for (size_t i = 0; i < N; i++) {
            struct truth_mode mode = {.flush_in = true, .flush_out = true};
            expect(products[k].mnemonic, i, truth_operation(&truth_f32, mode, products[k].operation, a[i], b[i], c[i]));
            n_flushed += result[i] == 0;
        }
    }
    assert_true(n_flushed > N / 4 && n_flushed < 2 * N);
}

/* A NaN wins, a signalling one first; else the least or largest of three, -0 below +0. */
static void packed_minimum_of_three(void **state)
{
    (void)state;
    static const struct {
        const char *mnemonic;
        uint32_t x, y, z, result;
    } cases[] = {
        {"v_pk_minimum3_f16", 0x3c004000, 0x40003c00, 0x42004200, 0x3c003c00},
        {"v_pk_maximum3_f16", 0x3c004000, 0x40003c00, 0x42003800, 0x42004000},
        {"v_pk_minimum3_f16", 0x00008000, 0x80000000, 0x3c003c00, 0x80008000},
        {"v_pk_maximum3_f16", 0x80008000, 0x80000000, 0xbc00bc00, 0x80000000},
        {"v_pk_minimum3_f16", 0x3c007e01, 0x7d003c00, 0x3c003c00, 0x7f007e01},
        {"v_pk_maximum3_f16", 0x7e013c00, 0x7d013c00, 0x3c007e05, 0x7f017e05},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lane_op *op = lane_op_open_on("gfx950", cases[i].mnemonic, 64, LANE_OP_PLAIN_MODE);
        assert_non_null(op);
        uint64_t x = cases[i].x, y = cases[i].y, z = cases[i].z, got = 0;
        lane_op_run(op, 1, (const uint64_t *[]){&x, &y, &z}, &got);
        lane_op_close(op);
        assert_int_equal(got, cases[i].result);
    }
}

/* One value, whatever EXEC is; source modifiers, omod and clamp count, and an f16 result has zeros above it. */
static void functions_of_scalars(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t source, result;
    } cases[] = {
        {"v_s_exp_f32 s0, s2", 0x40400000, 0x41000000},        /* 2^3 */
        {"v_s_exp_f32 s0, -s2", 0x40400000, 0x3e000000},       /* 2^-3 */
        {"v_s_log_f32 s0, |s2|", 0xc1000000, 0x40400000},      /* log2 8 */
        {"v_s_rcp_f32 s0, s2", 0x40800000, 0x3e800000},        /* 1 / 4 */
        {"v_s_rcp_f32 s0, s2 mul:2", 0x40800000, 0x3f000000},  /* twice that */
        {"v_s_rsq_f32 s0, s2", 0x41800000, 0x3e800000},        /* 1 / sqrt 16 */
        {"v_s_sqrt_f32 s0, s2", 0x41800000, 0x40800000},       /* sqrt 16 */
        {"v_s_sqrt_f32 s0, s2 clamp", 0x41800000, 0x3f800000}, /* at most 1 */
        {"v_s_sqrt_f32 s0, s2", 0x00000001, 0x00000000},       /* denormals are flushed */
        {"v_s_exp_f16 s0, s2", 0xabcd4200, 0x00004800},        /* 2^3 */
        {"v_s_log_f16 s0, s2", 0xabcd4800, 0x00004200},        /* log2 8 */
        {"v_s_rcp_f16 s0, s2", 0xabcd4400, 0x00003400},        /* 1 / 4 */
        {"v_s_rsq_f16 s0, s2", 0xabcd4c00, 0x00003400},        /* 1 / sqrt 16 */
        {"v_s_sqrt_f16 s0, s2", 0xabcd4c00, 0x00004400},       /* sqrt 16 */
    };
    struct wave_runner *runner = wave_runner_open("gfx1201", 32);
    assert_non_null(runner);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        runner->wave.sgpr[0] = 0xffffffff;
        runner->wave.sgpr[2] = cases[i].source;
        runner->wave.exec = 0;
        assert_true(wave_runner_run(runner, cases[i].text));
        if (runner->wave.sgpr[0] != cases[i].result)
            fail_msg("%s of %#x gives %#x, not %#x", cases[i].text, cases[i].source, runner->wave.sgpr[0], cases[i].result);
    }
    wave_runner_close(runner);
}

/* The destination is the addend. */
static void accumulating_forms_are_fma(void **state)
{
    (void)state;
    static const struct {
        const char *chip, *mnemonic;
        const struct truth_format *format;
        bool zero_wins; /* 0 * x is 0 whatever x is: the addend comes through */
    } forms[] = {{"gfx1151", "v_fmac_f32", &truth_f32, false},
                 {"gfx1151", "v_fmac_f16", &truth_f16, false},
                 {"gfx90a", "v_fmac_f64", &truth_f64, false},
                 {"gfx1030", "v_fmac_legacy_f32", &truth_f32, true},
                 {"gfx1151", "v_fmac_dx9_zero_f32", &truth_f32, true}};
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        const struct truth_format *format = forms[k].format;
        uint64_t mask = UINT64_MAX >> (64 - format->bits), quiet = UINT64_C(1) << (format->fraction_bits - 1);
        fill(format);
        struct lane_op *op = lane_op_open_on(forms[k].chip, forms[k].mnemonic, 64, LANE_OP_PLAIN_MODE);
        assert_non_null(op);
        memcpy(result, c, sizeof result);
        lane_op_run(op, N, (const uint64_t *[]){a, b}, result);
        lane_op_close(op);
        for (size_t i = 0; i < N; i++) {
            bool zero = forms[k].zero_wins && (!(a[i] & mask >> 1) || !(b[i] & mask >> 1));
            uint64_t truth = zero ? (truth_is_nan(format, c[i]) ? c[i] | quiet : c[i])
                                  : truth_operation(format, (struct truth_mode){0}, TRUTH_FMA, a[i], b[i], c[i]);
            result[i] &= mask;
            expect(forms[k].mnemonic, i, truth);
        }
    }
}

enum relation { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

static enum relation relation_of(const struct truth_format *format, uint64_t x, uint64_t y)
{
    if (truth_is_nan(format, x) || truth_is_nan(format, y))
        return UNORDERED;
    mpfr_t p, q;
    mpfr_inits2(64, p, q, (mpfr_ptr)0);
    truth_load(format, x, p);
    truth_load(format, y, q);
    int order = mpfr_cmp(p, q);
    mpfr_clears(p, q, (mpfr_ptr)0);
    return order < 0 ? LESS : order > 0 ? GREATER : EQUAL;
}

static const struct {
    const char *name;
    unsigned wanted;
} conditions[] = {{"f", 0},
                  {"lt", LESS},
                  {"eq", EQUAL},
                  {"le", LESS | EQUAL},
                  {"gt", GREATER},
                  {"lg", LESS | GREATER},
                  {"ge", GREATER | EQUAL},
                  {"o", LESS | EQUAL | GREATER},
                  {"u", UNORDERED},
                  {"nge", LESS | UNORDERED},
                  {"nlg", EQUAL | UNORDERED},
                  {"ngt", LESS | EQUAL | UNORDERED},
                  {"nle", GREATER | UNORDERED},
                  {"neq", LESS | GREATER | UNORDERED},
                  {"nlt", GREATER | EQUAL | UNORDERED},
                  {"tru", LESS | EQUAL | GREATER | UNORDERED}};
enum { N_CONDITIONS = sizeof conditions / sizeof *conditions };

static void put_source(struct wave_runner *runner, unsigned vgpr, unsigned lane, uint64_t bits)
{
    wave_runner_vgpr(runner, vgpr)[lane] = (uint32_t)bits;
    wave_runner_vgpr(runner, vgpr + 1)[lane] = (uint32_t)(bits >> 32);
}

/* CMPX leaves EXEC only the lanes that were on and fulfil the condition; gfx9 writes VCC too, gfx10 leaves it. */
static void check_cmpx(const char *chip, const struct truth_format *format, const char *type)
{
    struct wave_runner *runner = wave_runner_open(chip, 64);
    assert_non_null(runner);
    wave_runner_set_mode(runner, LANE_OP_PLAIN_MODE);
    fill(format);
    char text[N_CONDITIONS * 64], *end = text;
    bool writes_vcc = strcmp(chip, "gfx90a") == 0;
    const char *const sources = format->bits == 64 ? "v[0:1], v[2:3]" : "v0, v2";
    for (size_t k = 0; k < N_CONDITIONS; k++)
        end += snprintf(end, (size_t)(text + sizeof text - end), "v_cmpx_%s_%s %s%s\ns_endpgm\n", conditions[k].name, type,
                        writes_vcc ? "vcc, " : "", sources);
    assert_true(wave_runner_load(runner, text));
    const uint64_t on = UINT64_C(0xfffffffffffffff7);
    for (size_t k = 0; k < N_CONDITIONS; k++) {
        uint64_t expected = 0;
        for (unsigned lane = 0; lane < 64; lane++) {
            uint64_t x = a[lane + k * 64], y = lane % 4 == 1 ? x : b[lane + k * 64];
            put_source(runner, 0, lane, x);
            put_source(runner, 2, lane, y);
            bool holds = (relation_of(format, x, y) & conditions[k].wanted) != 0;
            expected |= (uint64_t)holds << lane & on;
        }
        runner->wave.exec = on;
        const uint64_t vcc_before = UINT64_C(0x5a5a123489abcdef);
        uint64_t vcc;
        memcpy(&runner->wave.sgpr[SREG_VCC_LO], &vcc_before, sizeof vcc_before);
        assert_true(wave_runner_run_next(runner));
        if (runner->wave.exec != expected)
            fail_msg("%s v_cmpx_%s_%s: %#llx, not %#llx", chip, conditions[k].name, type,
                     (unsigned long long)runner->wave.exec, (unsigned long long)expected);
        memcpy(&vcc, &runner->wave.sgpr[SREG_VCC_LO], sizeof vcc);
        if (vcc != (writes_vcc ? expected : vcc_before))
            fail_msg("%s v_cmpx_%s_%s leaves VCC %#llx", chip, conditions[k].name, type, (unsigned long long)vcc);
    }
    wave_runner_close(runner);
}

static void cmpx_keeps_the_lanes_that_fulfil(void **state)
{
    (void)state;
    static const char *const chips[] = {"gfx1030", "gfx90a"};
    for (size_t i = 0; i < 2; i++) {
        check_cmpx(chips[i], &truth_f16, "f16");
        check_cmpx(chips[i], &truth_f32, "f32");
        check_cmpx(chips[i], &truth_f64, "f64");
    }
}

/* Byte src1[1:0] of the destination becomes the number, the others stay. */
static void a_byte_is_accumulated(void **state)
{
    (void)state;
    struct lane_op *op = lane_op_open_on("gfx90a", "v_cvt_pkaccum_u8_f32", 64, LANE_OP_PLAIN_MODE);
    uint64_t number = 0x43020000 /* 130 */, byte = 2, got = 0x11223344;
    lane_op_run(op, 1, (const uint64_t *[]){&number, &byte}, &got);
    lane_op_close(op);
    assert_int_equal(got, 0x11823344);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multiply_add_of_gfx9_rounds_twice),
        cmocka_unit_test(flushing_judges_the_rounded_product),
        cmocka_unit_test(packed_minimum_of_three),
        cmocka_unit_test(functions_of_scalars),
        cmocka_unit_test(accumulating_forms_are_fma),
        cmocka_unit_test(cmpx_keeps_the_lanes_that_fulfil),
        cmocka_unit_test(a_byte_is_accumulated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
