/*
 * The dot instructions against a second model of the published rule, and the values that its sources give. A step that
 * rounds like a plain fused chain, drops the one's complement, or keeps denormals it should not, fails here: the production
 * kernels' sums hang on it.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/base/random.h"
#include "tests/support/dot12_truth.h"
#include "tests/support/float_truth.h"
#include "tests/support/lane_op.h"

enum { N_CASES = 1 << 16 };

typedef uint32_t truth_step(bool is_bf16, enum dot_truth_result result, const uint16_t a[2], const uint16_t b[2],
                            uint32_t acc);

static uint32_t gfx12_step(bool is_bf16, enum dot_truth_result result, const uint16_t a[2], const uint16_t b[2],
                           uint32_t acc)
{
    return dot12_truth_step(is_bf16, result, 2, a, b, acc);
}

static float widen(bool is_bf16, uint16_t bits)
{
    uint32_t word = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &word, 4);
    if (is_bf16)
        return value;
    int field = bits >> 10 & 31, fraction = bits & 1023;
    double magnitude =
        field == 31 ? (fraction ? NAN : INFINITY) : ldexp(fraction + (field ? 1024 : 0), (field ? field : 1) - 25);
    return (float)(bits >> 15 ? -magnitude : magnitude);
}

static float flushed(float value)
{
    return fabsf(value) < 0x1p-126f ? copysignf(0, value) : value;
}

static uint32_t word_of(float value)
{
    uint32_t word;
    memcpy(&word, &value, 4);
    return word;
}

/* gfx9 and gfx10: a chain of two fused multiply-adds, flushed. */
static uint32_t fma_step(bool is_bf16, enum dot_truth_result result, const uint16_t a[2], const uint16_t b[2], uint32_t acc)
{
    (void)result;
    float start;
    memcpy(&start, &acc, 4);
    float sum = flushed(fmaf(widen(is_bf16, a[0]), widen(is_bf16, b[0]), flushed(start)));
    sum = flushed(fmaf(widen(is_bf16, a[1]), widen(is_bf16, b[1]), sum));
    if (!isnan(sum))
        return word_of(sum);
    return isnan(start) ? acc | 0x400000 : 0xffc00000;
}

struct dot_form {
    const char *chip, *mnemonic;
    truth_step *step;
    const struct truth_format *factor, *result;
    enum dot_truth_result kind;
};

static const struct dot_form forms[] = {
    {"gfx1151", "v_dot2_f32_f16", dot_truth_step, &truth_f16, &truth_f32, DOT_TRUTH_F32},
    {"gfx1151", "v_dot2acc_f32_f16", dot_truth_step, &truth_f16, &truth_f32, DOT_TRUTH_F32},
    {"gfx1100", "v_dot2_f32_bf16", dot_truth_step, &truth_bf16, &truth_f32, DOT_TRUTH_F32},
    {"gfx1151", "v_dot2_f16_f16", dot_truth_step, &truth_f16, &truth_f16, DOT_TRUTH_F16},
    {"gfx1151", "v_dot2_bf16_bf16", dot_truth_step, &truth_bf16, &truth_bf16, DOT_TRUTH_BF16},
    {"gfx1201", "v_dot2_f32_f16", gfx12_step, &truth_f16, &truth_f32, DOT_TRUTH_F32},
    {"gfx1201", "v_dual_dot2acc_f32_f16", gfx12_step, &truth_f16, &truth_f32, DOT_TRUTH_F32},
    {"gfx1200", "v_dot2_f32_bf16", gfx12_step, &truth_bf16, &truth_f32, DOT_TRUTH_F32},
    {"gfx1201", "v_dot2_f16_f16", gfx12_step, &truth_f16, &truth_f16, DOT_TRUTH_F16},
    {"gfx1201", "v_dot2_bf16_bf16", gfx12_step, &truth_bf16, &truth_bf16, DOT_TRUTH_BF16},
    {"gfx1030", "v_dot2_f32_f16", fma_step, &truth_f16, &truth_f32, DOT_TRUTH_F32},
    {"gfx1030", "v_dot2c_f32_f16", fma_step, &truth_f16, &truth_f32, DOT_TRUTH_F32},
    {"gfx90a", "v_dot2_f32_f16", fma_step, &truth_f16, &truth_f32, DOT_TRUTH_F32},
    {"gfx942", "v_dot2c_f32_f16", fma_step, &truth_f16, &truth_f32, DOT_TRUTH_F32},
    {"gfx950", "v_dot2_f32_bf16", fma_step, &truth_bf16, &truth_f32, DOT_TRUTH_F32},
    {"gfx950", "v_dot2c_f32_bf16", fma_step, &truth_bf16, &truth_f32, DOT_TRUTH_F32},
};

static uint64_t draw(const struct truth_format *format, struct random_key key, uint64_t *next)
{
    uint64_t random = random_bits(key, *next), choice = random_bits(key, *next + 1);
    *next += 2;
    /* Mostly finite numbers of like size, where terms meet. */
    return truth_interesting(format, random, choice % 3 ? (choice & ~UINT64_C(15)) | 7 : choice);
}

static void dot_steps_follow_the_rule(void **state)
{
    (void)state;
    uint64_t *a = malloc(N_CASES * 8), *b = malloc(N_CASES * 8), *acc = malloc(N_CASES * 8), *result = malloc(N_CASES * 8);
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        struct random_key key = random_key_for(f, "dot");
        uint64_t next = 0;
        for (size_t i = 0; i < N_CASES; i++) {
            a[i] = draw(forms[f].factor, key, &next) | draw(forms[f].factor, key, &next) << 16;
            b[i] = draw(forms[f].factor, key, &next) | draw(forms[f].factor, key, &next) << 16;
            acc[i] = result[i] = draw(forms[f].result, key, &next);
        }
        struct lane_op *op = lane_op_open_on(forms[f].chip, forms[f].mnemonic, f & 1 ? 64 : 32, LANE_OP_PLAIN_MODE);
        assert_non_null(op);
        lane_op_run(op, N_CASES, (const uint64_t *[]){a, b, acc}, result);
        for (size_t i = 0; i < N_CASES; i++) {
            uint16_t x[2] = {(uint16_t)a[i], (uint16_t)(a[i] >> 16)}, y[2] = {(uint16_t)b[i], (uint16_t)(b[i] >> 16)};
            uint32_t truth = forms[f].step(forms[f].factor == &truth_bf16, forms[f].kind, x, y, (uint32_t)acc[i]);
            uint32_t got = (uint32_t)result[i] & (forms[f].kind == DOT_TRUTH_F32 ? UINT32_MAX : 0xffffu);
            if (got != truth)
                fail_msg("%s %s case %zu: a %08llx b %08llx acc %08llx gives %08x, not %08x", forms[f].chip,
                         forms[f].mnemonic, i, (unsigned long long)a[i], (unsigned long long)b[i],
                         (unsigned long long)acc[i], got, truth);
        }
        lane_op_close(op);
    }
    free(a);
    free(b);
    free(acc);
    free(result);
}

static uint32_t dot2_f32_f16(uint32_t a, uint32_t b, uint32_t acc)
{
    struct lane_op *op = lane_op_open("v_dot2_f32_f16", 32, LANE_OP_PLAIN_MODE);
    uint64_t x = a, y = b, z = acc, result = 0;
    lane_op_run(op, 1, (const uint64_t *[]){&x, &y, &z}, &result);
    lane_op_close(op);
    return (uint32_t)result;
}

/* The first value is in ROCm/rocm-systems issue 12056, the second in another emulator's tests; the others follow from the
 * rule. */
static void published_values_hold(void **state)
{
    (void)state;
    assert_int_equal(dot2_f32_f16(0x48004200, 0x44004800, 0x3f800000), 0x42640000); /* 1 + 3*8 + 8*4 */
    assert_int_equal(dot2_f32_f16(0x48004200, 0x44004800, 0xbf800000), 0x425c0001); /* -1 + 3*8 + 8*4 */
    assert_int_equal(dot2_f32_f16(0x4800c200, 0x44004800, 0x3f800000), 0x410ffffe); /* 1 + -3*8 + 8*4 */
    assert_int_equal(dot2_f32_f16(0xbc003c00, 0x3c003c00, 0x00000000), 0xb3800000); /* 0 + 1*1 + -1*1 */
    assert_int_equal(dot2_f32_f16(0x3c003c00, 0x38003800, 0xcb800000), 0xcb7ffffe); /* -2^24 + 1/2 + 1/2 */
}

struct measured {
    const char *mnemonic;
    uint32_t a, b, acc, result;
};

static const struct measured measured[] = {
#define MEASURED(...) {__VA_ARGS__},
#include "tests/support/dot12_measured.def"
#undef MEASURED
};

/* What a gfx1201 card computes, bit for bit; the second model of the rule too. */
static void gfx12_steps_give_what_was_measured(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        const struct measured *m = &measured[i];
        struct lane_op *op = lane_op_open_on("gfx1201", m->mnemonic, 32, LANE_OP_PLAIN_MODE);
        uint64_t x = m->a, y = m->b, z = m->acc, result = 0;
        lane_op_run(op, 1, (const uint64_t *[]){&x, &y, &z}, &result);
        lane_op_close(op);
        uint16_t a[2] = {(uint16_t)m->a, (uint16_t)(m->a >> 16)}, b[2] = {(uint16_t)m->b, (uint16_t)(m->b >> 16)};
        uint32_t truth = dot12_truth_step(strstr(m->mnemonic, "bf16"), DOT_TRUTH_F32, 2, a, b, m->acc);
        if (result != m->result || truth != m->result)
            fail_msg("%s %08x %08x %08x: measured %08x, got %08x, the model %08x", m->mnemonic, m->a, m->b, m->acc,
                     m->result, (uint32_t)result, truth);
    }
}

/* Products that cancel leave only what gfx12 makes of a small negative acc: nothing where its grid is above 2^-14, one unit
 * of the grid below zero else. */
static void gfx12_drops_a_small_addend_above_its_least_grid(void **state)
{
    (void)state;
    struct lane_op *op = lane_op_open_on("gfx1201", "v_dot2_f16_f16", 32, LANE_OP_PLAIN_MODE);
    uint64_t a = 0xe8006800 /* 2^11, -2^11 */, b = 0x3c003c00, acc = 0x8200 /* -2^-15 */, result = 0;
    lane_op_run(op, 1, (const uint64_t *[]){&a, &b, &acc}, &result);
    assert_int_equal(result & 0xffff, 0); /* grid 2^(11-24) */
    a = 0xe4006400;
    lane_op_run(op, 1, (const uint64_t *[]){&a, &b, &acc}, &result);
    assert_int_equal(result & 0xffff, 0x8400); /* grid 2^(10-24): -2^-14 */
    lane_op_close(op);
}

static uint32_t dot4(const char *mnemonic, unsigned neg_lo, unsigned neg_hi, uint32_t a, uint32_t b, uint32_t acc)
{
    struct lane_op *op = lane_op_open_on("gfx1201", mnemonic, 64, LANE_OP_PLAIN_MODE);
    op->instruction.neg_lo = (uint8_t)neg_lo;
    op->instruction.neg_hi = (uint8_t)neg_hi;
    uint64_t x = a, y = b, z = acc, result = 0;
    lane_op_run(op, 1, (const uint64_t *[]){&x, &y, &z}, &result);
    lane_op_close(op);
    return (uint32_t)result;
}

/* E4M3: 0x38 is 1, 0x40 2, 0x48 4, 0x01 2^-9, 0x7e 448, 0x7f NaN. E5M2: 0x3c is 1, 0x40 2, 0x01 2^-16, 0x7c infinity. */
static void dots_of_bytes_read_their_formats(void **state)
{
    (void)state;
    assert_int_equal(dot4("v_dot4_f32_fp8_fp8", 0, 0, 0x48404038, 0x38384038, 0x3f800000), 0x41400000); /* 1+1+4+2+4 = 12 */
    assert_int_equal(dot4("v_dot4_f32_fp8_fp8", 4, 0, 0x00000038, 0x000000b8, 0x3f800000), 0xc0000000); /* -1 - 1 */
    assert_int_equal(dot4("v_dot4_f32_fp8_fp8", 4, 4, 0x00000038, 0x00000038, 0xc0400000), 0xc0000000); /* -|-3| + 1 */
    assert_int_equal(dot4("v_dot4_f32_fp8_fp8", 0, 0, 0x00000001, 0x00000001, 0), 0x36800000);          /* 2^-18 */
    assert_int_equal(dot4("v_dot4_f32_fp8_fp8", 0, 0, 0x7e000000, 0x7e000000, 0), 0x48440000);          /* 448^2 */
    assert_int_equal(dot4("v_dot4_f32_fp8_fp8", 0, 0, 0x00007f00, 0x00003800, 0), 0xffc00000);
    assert_int_equal(dot4("v_dot4_f32_bf8_bf8", 0, 0, 0x00000001, 0x00000001, 0), 0x2f800000); /* 2^-32 */
    assert_int_equal(dot4("v_dot4_f32_bf8_bf8", 0, 0, 0x0000007c, 0x000000bc, 0), 0xff800000);
    assert_int_equal(dot4("v_dot4_f32_bf8_fp8", 0, 0, 0x00000040, 0x00000038, 0), 0x40000000); /* 2 * 1 */
    assert_int_equal(dot4("v_dot4_f32_fp8_bf8", 0, 0, 0x00000038, 0x00000040, 0), 0x40000000);
}

/* Two steps whose chain rounds otherwise than the hardware's adder: with the IEEE model the chain's value comes out. */
static void the_ieee_model_is_a_fused_chain(void **state)
{
    (void)state;
    struct lane_op *op = lane_op_open("v_dot2_f32_f16", 32, LANE_OP_PLAIN_MODE);
    op->dispatch.matrix_model = MATRIX_MODEL_IEEE;
    uint64_t a = 0x48004200, b = 0x44004800, acc = 0xbf800000, result = 0;
    lane_op_run(op, 1, (const uint64_t *[]){&a, &b, &acc}, &result);
    assert_int_equal(result, 0x425c0000); /* -1 + 3*8 + 8*4 = 55; gfx11 gives 425c0001 */
    lane_op_close(op);
}

static uint32_t integer_dot(const char *chip, const char *mnemonic, unsigned neg_lo, unsigned flags, uint32_t a, uint32_t b,
                            uint32_t acc)
{
    struct lane_op *op = lane_op_open_on(chip, mnemonic, 32, LANE_OP_PLAIN_MODE);
    op->instruction.neg_lo = (uint8_t)neg_lo;
    op->instruction.flags = flags;
    uint64_t x = a, y = b, z = acc, result = 0;
    lane_op_run(op, 1, (const uint64_t *[]){&x, &y, &z}, &result);
    lane_op_close(op);
    return (uint32_t)result;
}

static void integer_dots_choose_signs_and_saturate(void **state)
{
    (void)state;
    /* bytes ff,2,3,4 and 1,1,1,1: -1+2+3+4 signed, 255+9 unsigned */
    assert_int_equal(integer_dot("gfx1151", "v_dot4_i32_iu8", 3, 0, 0x040302ff, 0x01010101, 100), 108);
    assert_int_equal(integer_dot("gfx1151", "v_dot4_i32_iu8", 0, 0, 0x040302ff, 0x01010101, 100), 364);
    assert_int_equal(integer_dot("gfx1151", "v_dot4_i32_iu8", 1, 0, 0x000000ff, 0x000000ff, 0), (uint32_t)-255);
    assert_int_equal(integer_dot("gfx1151", "v_dot4_i32_iu8", 2, 0, 0x000000ff, 0x000000ff, 0), (uint32_t)-255);
    assert_int_equal(integer_dot("gfx1151", "v_dot4_i32_iu8", 3, FLAG_CLAMP, 0x7f, 0x7f, 0x7fffffff), 0x7fffffff);
    assert_int_equal(integer_dot("gfx1151", "v_dot4_i32_iu8", 3, 0, 0x7f, 0x7f, 0x7fffffff), 0x7fffffffu + 127 * 127);
    assert_int_equal(integer_dot("gfx1151", "v_dot4_u32_u8", 0, FLAG_CLAMP, 0xff, 0xff, 0xffffffff), 0xffffffff);
    assert_int_equal(integer_dot("gfx1151", "v_dot8_i32_iu4", 3, 0, 0x8fffffff, 0x11111111, 0), (uint32_t)-15);
    assert_int_equal(integer_dot("gfx1151", "v_dot8_u32_u4", 0, 0, 0xffffffff, 0xffffffff, 1), 8 * 225 + 1);
    assert_int_equal(integer_dot("gfx1030", "v_dot2_i32_i16", 0, 0, 0x8000ffff, 0x80000001, 0), 0x40000000u - 1);
}

static void halves_of_integers_are_chosen(void **state)
{
    (void)state;
    struct lane_op *op = lane_op_open_on("gfx90a", "v_dot2_i32_i16", 64, LANE_OP_PLAIN_MODE);
    uint64_t a = 0x00020003, b = 0x0005ffff, acc = 100, result = 0;
    const uint64_t *source[] = {&a, &b, &acc};
    lane_op_run(op, 1, source, &result);
    assert_int_equal(result, 107); /* 3 * -1 + 2 * 5 */
    op->instruction.op_sel = 1;
    op->instruction.op_sel_hi &= (uint8_t)~1;
    lane_op_run(op, 1, source, &result);
    assert_int_equal(result, 113); /* 2 * -1 + 3 * 5 */
    lane_op_close(op);
}

/* op_sel and op_sel_hi choose halves, neg_lo and neg_hi flip signs, neg_lo[2] the addend's. */
static void halves_and_signs_are_chosen(void **state)
{
    (void)state;
    struct lane_op *op = lane_op_open("v_dot2_f32_f16", 32, LANE_OP_PLAIN_MODE);
    uint64_t a = 0x40003c00 /* 1, 2 */, b = 0x42003c00 /* 1, 3 */, acc = 0x3f800000, result = 0;
    const uint64_t *source[] = {&a, &b, &acc};
    lane_op_run(op, 1, source, &result);
    assert_int_equal(result, 0x41000000); /* 1 + 1*1 + 2*3 = 8 */
    op->instruction.op_sel = 1;
    op->instruction.op_sel_hi &= (uint8_t)~1;
    lane_op_run(op, 1, source, &result);
    assert_int_equal(result, 0x40c00000); /* 1 + 2*1 + 1*3 = 6 */
    op->instruction.neg_lo = 4;
    lane_op_run(op, 1, source, &result);
    assert_int_equal(result, 0x40800000); /* -1 + 2 + 3: 2 * 2^-23 too large, which ties to even */
    lane_op_close(op);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dot_steps_follow_the_rule),
        cmocka_unit_test(published_values_hold),
        cmocka_unit_test(gfx12_steps_give_what_was_measured),
        cmocka_unit_test(gfx12_drops_a_small_addend_above_its_least_grid),
        cmocka_unit_test(dots_of_bytes_read_their_formats),
        cmocka_unit_test(the_ieee_model_is_a_fused_chain),
        cmocka_unit_test(integer_dots_choose_signs_and_saturate),
        cmocka_unit_test(halves_and_signs_are_chosen),
        cmocka_unit_test(halves_of_integers_are_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
