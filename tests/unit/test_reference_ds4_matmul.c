/*
 * The reference of matrix products in two stages: bounds hold the kernels' own f32 steps, values are MPFR's, classes follow
 * the formats where a group overflows before its scale, and exact inputs give what f32 gives bit for bit.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "contract/base/random.h"
#include "reference/blocks.h"
#include "reference/ds4_matmul.h"

enum { ROWS = 2, N = 5, K = 1027, BLOCKS = (K + Q8_0_WEIGHTS - 1) / Q8_0_WEIGHTS, LANES = 32, RUN = 8, STRANDS = 64 };

static float x[ROWS * K];
static struct block_q8_0 blocks[N * BLOCKS];
static uint16_t halves[N * K];

/* All terms positive, so that a sum is as large as its terms. */
static void fill(void)
{
    struct random_key key = random_key_for(5, "ds4 matmul");
    for (int64_t i = 0; i < ROWS * K; i++)
        x[i] = (float)(0.5 + random_unit(key, (uint64_t)i) / 2);
    for (int64_t i = 0; i < N * BLOCKS; i++) {
        format_store(FORMAT_F16, &blocks[i].scale, 0, 0x1p-8 + random_unit(key, (uint64_t)(i + 10000)) * 0x1p-7);
        for (int j = 0; j < Q8_0_WEIGHTS; j++)
            blocks[i].q[j] = (int8_t)random_below(key, (uint64_t)(20000 + i * Q8_0_WEIGHTS + j), 128);
    }
    for (int64_t i = 0; i < N * K; i++)
        format_store(FORMAT_F16, halves, i, random_unit(key, (uint64_t)(100000 + i)));
}

/* As the registration of 32 lanes a row derives them: 4 roundings in a group, one a step of 4 blocks, 5 butterflies. */
static struct ds4_matmul q8_0_problem(void)
{
    return (struct ds4_matmul){.rows = ROWS,
                               .n = N,
                               .k = K,
                               .x = x,
                               .weights = DS4_Q8_0,
                               .w = blocks,
                               .run = 4,
                               .n_groups = (K + 3) / 4,
                               .roundings_in_group = 4,
                               .roundings = (BLOCKS + 3) / 4 + 5,
                               .exponent = -6,
                               .n_threads = 1};
}

static struct ds4_matmul f16_problem(void)
{
    return (struct ds4_matmul){.rows = ROWS,
                               .n = N,
                               .k = K,
                               .x = x,
                               .weights = DS4_F16,
                               .w = halves,
                               .run = RUN,
                               .n_groups = STRANDS,
                               .roundings_in_group = 3 * RUN,
                               .roundings = STRANDS - 1,
                               .n_threads = 1};
}

static float butterflies(float lane[LANES])
{
    for (int mask = 1; mask < LANES; mask *= 2) {
        float next[LANES];
        for (int i = 0; i < LANES; i++)
            next[i] = lane[i] + lane[i ^ mask];
        memcpy(lane, next, sizeof next);
    }
    return lane[0];
}

/* What 32 lanes do with a row of blocks, step by step. */
static float pair_steps(const float *of_x, const struct block_q8_0 *row)
{
    float lane[LANES] = {0};
    for (int64_t first = 0; first < K; first += 4) {
        const struct block_q8_0 *block = &row[first / Q8_0_WEIGHTS];
        float *sum = &lane[first / 4 % LANES], group = 0;
        for (int64_t i = first; i < first + 4 && i < K; i++)
            group = fmaf((float)block->q[i % Q8_0_WEIGHTS], of_x[i], group);
        *sum = fmaf((float)q8_0_scale(block), group, *sum);
    }
    return butterflies(lane);
}

/* The bound holds, and it is no more than all the roundings of a term, each of the whole sum (2^-10 of it for the roundings
 * of roundings and float64). */
static void assert_holds(const struct ds4_matmul *p, struct bound bound, float got, double *worst)
{
    double roundings = (double)(p->roundings_in_group + p->roundings);
    assert_true(bound.error <= roundings * 0x1p-24 * bound.value * (1 + 0x1p-10));
    double ratio = fabs(got - bound.value) / bound.error;
    assert_true(ratio <= 1);
    *worst = fmax(*worst, ratio);
}

static void assert_audited(const struct ds4_matmul *p, const struct bound *out)
{
    struct audit *audit = audit_open();
    for (int64_t i = 0; i < ROWS * N; i++) {
        ds4_matmul_audit(p, i / N, i % N, audit);
        assert_true(audit_distance(audit, 0, out[i].value) <= 0x1p-10 * out[i].error);
    }
    audit_close(audit);
}

static void q8_0_holds_the_kernels_steps(void **state)
{
    (void)state;
    struct bound out[ROWS * N];
    double worst = 0;
    fill();
    struct ds4_matmul p = q8_0_problem();
    ds4_matmul_reference(&p, out);
    for (int64_t i = 0; i < ROWS * N; i++)
        assert_holds(&p, out[i], pair_steps(x + i / N * K, blocks + i % N * BLOCKS), &worst);
    assert_true(worst > 0.02);
    assert_audited(&p, out);
}

static void f16_holds_the_ordered_steps(void **state)
{
    (void)state;
    struct bound out[ROWS * N];
    float bytes[ROWS * N];
    double worst = 0;
    fill();
    struct ds4_matmul p = f16_problem();
    ds4_matmul_reference(&p, out);
    ds4_matmul_ordered_bytes(&p, bytes);
    for (int64_t i = 0; i < ROWS * N; i++) {
        float strand[STRANDS] = {0}, sum;
        for (int64_t at = 0; at < K; at++) {
            float *own = &strand[at / RUN % STRANDS];
            *own = fmaf((float)format_load(FORMAT_F16, halves, i % N * K + at), x[i / N * K + at], *own);
        }
        sum = strand[0];
        for (int s = 1; s < STRANDS; s++)
            sum += strand[s];
        assert_memory_equal(&sum, &bytes[i], sizeof sum);
        assert_holds(&p, out[i], sum, &worst);
    }
    assert_true(worst > 0.02);
    assert_audited(&p, out);
}

/* One matrix row, k of them: the class that the reference gives. */
static enum value_class class_of(const float *of_x, double scale, int q, int64_t k)
{
    struct block_q8_0 block;
    format_store(FORMAT_F16, &block.scale, 0, scale);
    memset(block.q, q, sizeof block.q);
    struct ds4_matmul p = q8_0_problem();
    struct bound out;
    p.rows = p.n = 1;
    p.k = k;
    p.n_groups = (k + 3) / 4;
    p.x = of_x;
    p.w = &block;
    ds4_matmul_reference(&p, &out);
    return bound_class(out, FORMAT_F32);
}

static void classes_are_the_groups(void **state)
{
    (void)state;
    const float nan[4] = {1, NAN, 1, 1}, infinite[4] = {1, INFINITY, 1, 1}, both[4] = {INFINITY, 1, -INFINITY, 1};
    const float large[4] = {0x1p120f, 0x1p120f, 0x1p120f, 0x1p120f}, ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    const float apart[8] = {INFINITY, 1, 1, 1, -INFINITY, 1, 1, 1};
    assert_int_equal(class_of(nan, 1, 1, 4), CLASS_NAN);
    assert_int_equal(class_of(infinite, 1, 1, 4), CLASS_PLUS_INF);
    assert_int_equal(class_of(infinite, -1, 1, 4), CLASS_MINUS_INF);
    assert_int_equal(class_of(infinite, 0, 1, 4), CLASS_NAN);
    assert_int_equal(class_of(infinite, 1, 0, 4), CLASS_NAN);
    assert_int_equal(class_of(both, 1, 1, 4), CLASS_NAN);
    assert_int_equal(class_of(apart, 1, 1, 8), CLASS_NAN);
    assert_int_equal(class_of(ones, INFINITY, 1, 8), CLASS_PLUS_INF);
    assert_int_equal(class_of(ones, INFINITY, 0, 8), CLASS_NAN);
    assert_int_equal(class_of(ones, NAN, 1, 8), CLASS_NAN);
    /* 4 * 127 * 2^120 is below 2^129 and above 2^128: the group overflows, though the output would be 2^119. */
    assert_int_equal(class_of(large, 0x1p-10, 127, 4), CLASS_PLUS_INF);
    assert_int_equal(class_of(large, 0x1p-10, 63, 4), CLASS_FINITE); /* 252 * 2^120 is below 2^128 */
    /* 256 * 2^120 is 2^128, the first value that overflows surely; but the partial sums' own roundings are not known. */
    assert_int_equal(class_of(large, 0, 64, 4), CLASS_UNDECIDED);
}

static void exact_sums_are_integers_of_the_scale(void **state)
{
    (void)state;
    struct exact_sum sums[ROWS * N];
    fill();
    for (int64_t i = 0; i < ROWS * K; i++)
        x[i] = (float)(i % 17) - 8;
    for (int64_t i = 0; i < N * BLOCKS; i++)
        format_store(FORMAT_F16, &blocks[i].scale, 0, ldexp(1, (int)(i % 3) - 6));
    struct ds4_matmul p = q8_0_problem();
    ds4_matmul_exact(&p, 0, ROWS * N, sums);
    for (int64_t i = 0; i < ROWS * N; i++) {
        assert_true(exact_premise_holds(&sums[i], false));
        assert_true(sums[i].expected == pair_steps(x + i / N * K, blocks + i % N * BLOCKS));
    }
    x[3] += 0x1p-7f; /* no multiple of 2^-6 */
    ds4_matmul_exact(&p, 0, 1, sums);
    assert_false(exact_premise_holds(&sums[0], false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(q8_0_holds_the_kernels_steps),
        cmocka_unit_test(f16_holds_the_ordered_steps),
        cmocka_unit_test(classes_are_the_groups),
        cmocka_unit_test(exact_sums_are_integers_of_the_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
