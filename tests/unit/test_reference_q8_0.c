/*
 * Q8_0 blocks from their bytes, and the reference of the batch matmuls: values worked out by hand, halves where the variant
 * has them, bounds that hold the kernels' steps and are not far above them, and what gates 2 and 4 take from it.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "contract/base/random.h"
#include "reference/blocks.h"
#include "reference/ds4_matmul.h"

enum { ONE = 0x3c00, HALF = 0x3800, TWO = 0x4000, F16_NAN = 0x7e00, F16_INFINITY = 0x7c00 }; /* f16 bits */

/* ggml's layout: the scale's two bytes, low one first, then 32 signed bytes. */
static void a_block_is_a_scale_and_32_signed_bytes(void **state)
{
    (void)state;
    unsigned char bytes[2 * sizeof(struct block_q8_0)] = {0x00, 0x38, 3};
    struct block_q8_0 row[2];
    bytes[2 + 31] = 0x80;
    bytes[34] = 0x00;
    bytes[35] = 0xc0;
    bytes[34 + 2 + 1] = 0x7f;
    memcpy(row, bytes, sizeof row);
    assert_true(q8_0_weight(row, 0) == 0.5 * 3);
    assert_true(q8_0_weight(row, 1) == 0);
    assert_true(q8_0_weight(row, 31) == 0.5 * -128);
    assert_true(q8_0_weight(row, 33) == -2.0 * 127);
    assert_int_equal(q8_0_blocks(1), 1);
    assert_int_equal(q8_0_blocks(64), 2);
    assert_int_equal(q8_0_blocks(65), 3);
}

static struct bound one_output(const struct ds4_matmul *problem)
{
    struct bound out = {NAN, NAN};
    ds4_matmul_reference(problem, &out);
    return out;
}

static struct ds4_matmul problem_of(int64_t k, enum number_format x_format, const float *x, const struct block_q8_0 *w)
{
    return (struct ds4_matmul){.rows = 1,
                               .k = k,
                               .n = 1,
                               .x = x,
                               .weights = DS4_Q8_0,
                               .w = w,
                               .x_format = x_format,
                               .run = Q8_0_WEIGHTS,
                               .n_groups = q8_0_blocks(k),
                               .step = x_format == FORMAT_F32 ? STEP_FMA_F32 : STEP_MFMA_ANY,
                               .roundings_in_group = Q8_0_WEIGHTS,
                               .roundings = q8_0_blocks(k),
                               .exponent = -6,
                               .n_threads = 1};
}

/* 0.5 (3 * 2 - 128) + 2 (4 - 1) = -55; the 99s lie past k. */
static void each_block_has_its_scale_and_its_tail_is_nothing(void **state)
{
    (void)state;
    float x[34] = {[0] = 2, [31] = 1, [32] = 4, [33] = 1};
    struct block_q8_0 w[2] = {{.scale = HALF, .q = {[0] = 3, [31] = -128}}, {.scale = TWO, .q = {1, -1, 99, 99}}};
    struct ds4_matmul p = problem_of(34, FORMAT_F32, x, w);
    assert_true(one_output(&p).value == -55);
    p.x_format = FORMAT_F16;
    assert_true(one_output(&p).value == -55);
    double model;
    ds4_matmul_model(&p, &policy_true, &model);
    assert_true(model == -55);
}

/* 1 + 2^-12 lies below half of f16's spacing of 2^-10 above 1; 65520 is where f16 overflows; 2^-26 is less than half its
 * smallest. */
static void halves_are_rounded_before_they_are_multiplied(void **state)
{
    (void)state;
    struct block_q8_0 w = {.scale = ONE, .q = {3}};
    static const struct {
        float x;
        double f32, f16;
    } rows[] = {{1 + 0x1p-12f, 3 + 3 * 0x1p-12, 3}, {65520, 196560, INFINITY}, {0x1p-26f, 3 * 0x1p-26, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ds4_matmul p = problem_of(1, FORMAT_F32, &rows[i].x, &w), halves = p;
        halves.x_format = FORMAT_F16;
        halves.step = STEP_WMMA_ANY;
        assert_true(one_output(&p).value == rows[i].f32);
        assert_true(one_output(&halves).value == rows[i].f16);
    }
}

/* 2^80 + 2^-20 - 2^80: a sum in one double gives 0. */
static void terms_that_cancel_leave_the_value_exact(void **state)
{
    (void)state;
    static const float x[] = {0x1p80f, 0x1p-20f, 0x1p80f};
    struct block_q8_0 w = {.scale = ONE, .q = {1, 1, -1}};
    struct ds4_matmul p = problem_of(3, FORMAT_F32, x, &w);
    assert_true(one_output(&p).value == 0x1p-20);
}

/* gfx90a takes a subnormal half for zero: the bound of the MFMA variant has the whole product, the WMMA variant's has not.
 */
static void a_flushed_half_is_in_the_bound_of_the_variant_that_flushes(void **state)
{
    (void)state;
    static const float x[] = {1, 0x1p-15f};
    struct block_q8_0 w = {.scale = ONE, .q = {1, 127}};
    struct ds4_matmul mfma = problem_of(2, FORMAT_F16, x, &w), wmma = mfma;
    wmma.step = STEP_WMMA_ANY;
    double product = 127 * 0x1p-15;
    assert_true(one_output(&mfma).error >= product && one_output(&mfma).error < 1.01 * product);
    assert_true(one_output(&wmma).error < product / 100);
}

static void a_nan_scale_and_an_infinite_one_reach_the_output(void **state)
{
    (void)state;
    static const float x[] = {1, -2};
    struct block_q8_0 nan = {.scale = F16_NAN, .q = {1, 1}}, infinite = {.scale = F16_INFINITY, .q = {1, 1}};
    struct ds4_matmul p = problem_of(2, FORMAT_F32, x, &nan);
    assert_true(isnan(one_output(&p).value));
    p.w = &infinite;
    assert_true(one_output(&p).value == -INFINITY && one_output(&p).error == 0);
}

enum { K = 333, BLOCKS = 11, CASES = 200 };

struct random_row {
    float x[K];
    struct block_q8_0 w[BLOCKS];
};

static void random_row_fill(struct random_row *row, uint64_t which)
{
    struct random_key key = {random_bits(random_key_for(12, "q8_0 rows"), which)};
    for (int k = 0; k < K; k++)
        row->x[k] = (float)(2 * random_unit(key, (uint64_t)k) - 1);
    for (int b = 0; b < BLOCKS; b++) {
        format_store(FORMAT_F16, &row->w[b].scale, 0, random_unit(key, 1000 + (uint64_t)b) / 128);
        for (int i = 0; i < Q8_0_WEIGHTS; i++)
            row->w[b].q[i] = (int8_t)(random_below(key, 2000 + (uint64_t)(b * Q8_0_WEIGHTS + i), 255) - 127);
    }
}

/* The portable kernel's steps: a chain of fma over a block, one fma with its scale. */
static float as_the_kernel(const struct random_row *row)
{
    float sum = 0;
    for (int b = 0; b < BLOCKS; b++) {
        float of_block = 0;
        for (int k = b * Q8_0_WEIGHTS; k < K && k < (b + 1) * Q8_0_WEIGHTS; k++)
            of_block = fmaf(row->x[k], row->w[b].q[k % Q8_0_WEIGHTS], of_block);
        sum = fmaf((float)q8_0_scale(&row->w[b]), of_block, sum);
    }
    return sum;
}

/* The bound is at most (32 + 11 + 1) u sum |terms| and a little: 32 roundings in a block, 11 of the outer chain. */
static void bounds_hold_the_kernels_steps_and_are_as_tight_as_their_depth(void **state)
{
    (void)state;
    struct random_row row;
    double worst = 0;
    for (uint64_t i = 0; i < CASES; i++) {
        random_row_fill(&row, i);
        struct ds4_matmul p = problem_of(K, FORMAT_F32, row.x, row.w);
        struct bound bound = one_output(&p);
        double sizes = 0, exact = 0;
        for (int k = 0; k < K; k++) {
            exact += row.x[k] * q8_0_weight(row.w, k);
            sizes += fabs(row.x[k] * q8_0_weight(row.w, k));
        }
        assert_true(fabs(bound.value - exact) <= 0x1p-45 * sizes);
        assert_true(bound.error < 1.01 * (Q8_0_WEIGHTS + BLOCKS + 1) * 0x1p-24 * sizes);
        assert_true(fabs(as_the_kernel(&row) - bound.value) <= bound.error);
        worst = fmax(worst, fabs(as_the_kernel(&row) - bound.value) / bound.error);
    }
    print_message("  worst share of the bound %.3f\n", worst);
    assert_true(worst > 0.01);
}

/* In units of 2^-6, with scales of 1 and 4 of them: 5 * 7 * 1 + 2 * 3 * 4 = 59. */
static void exact_sums_count_in_units_of_the_smallest_scale(void **state)
{
    (void)state;
    float x[33] = {[0] = 5, [32] = 2};
    struct block_q8_0 w[2] = {{.q = {7, 1}}, {.q = {3}}};
    struct exact_sum sum;
    format_store(FORMAT_F16, &w[0].scale, 0, 0x1p-6);
    format_store(FORMAT_F16, &w[1].scale, 0, 0x1p-4);
    struct ds4_matmul p = problem_of(33, FORMAT_F32, x, w);
    ds4_matmul_exact(&p, 0, 1, &sum);
    assert_int_equal(sum.sum, 59);
    assert_true(sum.one_signed && sum.products_exact && sum.expected == 59 * 0x1p-6);
    x[0] = -5;
    x[1] = 0.5;
    ds4_matmul_exact(&p, 0, 1, &sum);
    assert_true(!sum.one_signed && !sum.products_exact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_is_a_scale_and_32_signed_bytes),
        cmocka_unit_test(each_block_has_its_scale_and_its_tail_is_nothing),
        cmocka_unit_test(halves_are_rounded_before_they_are_multiplied),
        cmocka_unit_test(terms_that_cancel_leave_the_value_exact),
        cmocka_unit_test(a_flushed_half_is_in_the_bound_of_the_variant_that_flushes),
        cmocka_unit_test(a_nan_scale_and_an_infinite_one_reach_the_output),
        cmocka_unit_test(bounds_hold_the_kernels_steps_and_are_as_tight_as_their_depth),
        cmocka_unit_test(exact_sums_count_in_units_of_the_smallest_scale),
    };
    return cmocka_run_group_tests_name("reference_q8_0", tests, NULL, NULL);
}
