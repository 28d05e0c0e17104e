/*
 * The references of routed experts: bounds hold the kernels' own f32 steps, values are MPFR's, classes follow the formats,
 * and exact inputs give what f32 gives bit for bit.
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
#include "reference/blocks.h"
#include "reference/ds4_dot.h"

enum { TOKENS = 2, SLOTS = 2, EXPERTS = 7, ROWS = 5, N = 512, MAX_LANES = 16, MAX_WORDS = 17 * N / 32 };

static struct random_key key;

static float signed_unit(uint64_t i)
{
    return (float)(2 * random_unit(key, i) - 1);
}

/* Random bits, but scales of about 2^-7: f16 bits 0x2000 to 0x23ff are 2^-7 to 2^-6. */
static void fill_weights(const struct ds4_format *format, int64_t rows, uint64_t seed, uint16_t *out)
{
    int64_t words = ds4_row_words(format, N), n_scales = format->has_minimum ? 2 : 1;
    for (int64_t i = 0; i < rows * words; i++) {
        int64_t of_block = i % format->words, first_scale = format->has_minimum ? format->words - 2 : 0;
        bool is_scale = of_block >= first_scale && of_block < first_scale + n_scales;
        uint16_t bits = (uint16_t)random_bits(key, seed + (uint64_t)i);
        out[i] = is_scale ? 0x2000 | (bits & 0x3ff) : bits;
    }
}

/* The sums of `lanes` lanes that take the row's runs in turn. */
static void lanes_as_the_kernel(const struct ds4_format *format, const uint16_t *row, const float *x, int lanes,
                                float sums[MAX_LANES])
{
    memset(sums, 0, MAX_LANES * sizeof *sums);
    for (int64_t r = 0; r < N / format->run; r++) {
        struct ds4_run run;
        format->decode(row, r, &run);
        const float *own = x + r * format->run;
        float products = (float)run.q[0] * own[0], plain = own[0], *sum = &sums[r % lanes];
        for (int i = 1; i < format->run; i++) {
            products = fmaf((float)run.q[i], own[i], products);
            plain += own[i];
        }
        *sum = fmaf((float)run.scale, products, *sum);
        if (format->has_minimum)
            *sum = fmaf((float)-run.minimum, plain, *sum);
    }
}

static float sum_of_lanes(float sums[MAX_LANES], int lanes)
{
    for (int mask = 1; mask < lanes; mask *= 2) {
        float next[MAX_LANES];
        for (int i = 0; i < lanes; i++)
            next[i] = sums[i] + sums[i ^ mask];
        memcpy(sums, next, (size_t)lanes * sizeof *sums);
    }
    return sums[0];
}

/* exp2 is off by so many ulps. */
static float silu_as_the_kernel(float v, int ulps)
{
    float e = (float)correct_exp2(-v * 1.44269504f);
    for (int i = 0; i < abs(ulps); i++)
        e = nextafterf(e, ulps > 0 ? INFINITY : 0);
    return v / (1.0f + e);
}

static void assert_within(double got, struct bound bound, double *worst)
{
    double ratio = fabs(got - bound.value) / bound.error;
    assert_true(ratio <= 1);
    *worst = fmax(*worst, ratio);
}

static void silu_is_within_its_bound_and_tight(void **state)
{
    (void)state;
    double worst = 0;
    for (float v = -150; v < 60; v += 0.37f)
        for (int ulps = -1; ulps <= 1; ulps++) {
            struct bound bound = ds4_silu(bound_exact(v));
            assert_within(silu_as_the_kernel(v, ulps), bound, &worst);
            if (v > -80) /* exp: its argument's rounding and its ulp; then an addition and a division */
                assert_true(bound.error <= 0x1p-24 * (2.1 * fabsf(v) + 4.1) * fabs(bound.value));
        }
    assert_true(worst > 0.3);
}

static void silu_of_an_inexact_value_holds_both_ends(void **state)
{
    (void)state;
    static const double errors[] = {0x1p-20, 0.125, 0.3, 3, 40};
    double worst = 0;
    for (float v = -130; v < 60; v += 1.3f)
        for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
            struct bound bound = ds4_silu((struct bound){v, errors[i]});
            assert_within(silu_as_the_kernel((float)(v - errors[i] * 0.9999), 0), bound, &worst);
            assert_within(silu_as_the_kernel((float)(v + errors[i] * 0.9999), 0), bound, &worst);
        }
}

static void silu_has_the_kernels_classes(void **state)
{
    (void)state;
    assert_int_equal(bound_class(ds4_silu(bound_exact(NAN)), FORMAT_F32), CLASS_NAN);
    assert_int_equal(bound_class(ds4_silu(bound_exact(INFINITY)), FORMAT_F32), CLASS_PLUS_INF);
    assert_int_equal(bound_class(ds4_silu(bound_exact(-INFINITY)), FORMAT_F32), CLASS_NAN);
    assert_int_equal(bound_class(ds4_silu((struct bound){0, INFINITY}), FORMAT_F32), CLASS_UNDECIDED);
    assert_true(isnan(silu_as_the_kernel(-INFINITY, 0)) && isinf(silu_as_the_kernel(INFINITY, 0)));
}

static void gate_up_holds_the_kernels_steps(const struct ds4_format *format, int lanes)
{
    static uint16_t gate[EXPERTS * ROWS * MAX_WORDS], up[EXPERTS * ROWS * MAX_WORDS];
    static float x[TOKENS * N], sums[MAX_LANES];
    static const int32_t selected[TOKENS * SLOTS] = {3, 0, 6, 3};
    static struct bound out[TOKENS * SLOTS * ROWS];
    key = random_key_for(7, format->name);
    fill_weights(format, EXPERTS * ROWS, 0, gate);
    fill_weights(format, EXPERTS * ROWS, 1 << 20, up);
    for (int i = 0; i < TOKENS * N; i++)
        x[i] = signed_unit((uint64_t)i + (2 << 20)) / 4;
    struct ds4_gate_up p = {TOKENS, SLOTS, ROWS, N, format, lanes, x, selected, gate, up, 1};
    ds4_gate_up_reference(&p, out);
    struct audit *audit = audit_open();
    double worst = 0;
    for (int i = 0; i < TOKENS * SLOTS * ROWS; i++) {
        int64_t row = (selected[i / ROWS] * ROWS + i % ROWS) * ds4_row_words(format, N);
        const float *own = x + i / ROWS / SLOTS * N;
        lanes_as_the_kernel(format, gate + row, own, lanes, sums);
        float gate_sum = sum_of_lanes(sums, lanes);
        lanes_as_the_kernel(format, up + row, own, lanes, sums);
        assert_within(silu_as_the_kernel(gate_sum, 1) * sum_of_lanes(sums, lanes), out[i], &worst);
        ds4_gate_up_audit(&p, i / ROWS, i % ROWS, audit);
        assert_true(audit_distance(audit, 0, out[i].value) <= 0x1p-10 * out[i].error);
    }
    audit_close(audit);
    assert_true(worst > 0.01);
}

static void gate_up_of_each_format_and_group(void **state)
{
    (void)state;
    gate_up_holds_the_kernels_steps(&ds4_q8_0, 8);
    gate_up_holds_the_kernels_steps(&ds4_q8_0, 16);
    gate_up_holds_the_kernels_steps(&ds4_iq2_xxs, 8);
}

static void down_holds_the_kernels_steps(const struct ds4_format *format, int lanes)
{
    static uint16_t down[EXPERTS * ROWS * MAX_WORDS];
    static float mid[TOKENS * DS4_SUMMED_EXPERTS * N], weight[TOKENS * DS4_SUMMED_EXPERTS];
    static const int32_t selected[TOKENS * DS4_SUMMED_EXPERTS] = {0, 5, 3, 1, 2, 6, 1, 4, 2, 0, 5, 3};
    static struct bound out[TOKENS * ROWS];
    key = random_key_for(8, format->name);
    fill_weights(format, EXPERTS * ROWS, 0, down);
    for (int i = 0; i < TOKENS * DS4_SUMMED_EXPERTS * N; i++)
        mid[i] = signed_unit((uint64_t)i + (1 << 20));
    for (int i = 0; i < TOKENS * DS4_SUMMED_EXPERTS; i++)
        weight[i] = signed_unit((uint64_t)i + (2 << 20));
    struct ds4_down p = {TOKENS, ROWS, N, format, lanes, mid, selected, weight, down, 1};
    ds4_down_reference(&p, out);
    struct audit *audit = audit_open();
    double worst = 0;
    for (int i = 0; i < TOKENS * ROWS; i++) {
        float total[MAX_LANES] = {0}, sums[MAX_LANES];
        for (int e = 0; e < DS4_SUMMED_EXPERTS; e++) {
            int slot = i / ROWS * DS4_SUMMED_EXPERTS + e;
            const uint16_t *row = down + (selected[slot] * ROWS + i % ROWS) * ds4_row_words(format, N);
            lanes_as_the_kernel(format, row, mid + slot * N, lanes, sums);
            for (int lane = 0; lane < lanes; lane++)
                total[lane] = fmaf(weight[slot], sums[lane], total[lane]);
        }
        assert_within(sum_of_lanes(total, lanes), out[i], &worst);
        ds4_down_audit(&p, i / ROWS, i % ROWS, audit);
        assert_true(audit_distance(audit, 0, out[i].value) <= 0x1p-10 * out[i].error);
    }
    audit_close(audit);
    assert_true(worst > 0.002);
}

static void down_of_each_format(void **state)
{
    (void)state;
    down_holds_the_kernels_steps(&ds4_q8_0, 8);
    down_holds_the_kernels_steps(&ds4_q2_k, 16);
}

/* Eight lanes hold one run each, whose sum is 3 units of 2^-149: one q is 1, and its x 3 units. Half of that is 1.5, which
 * an fma from 0 rounds to 2, and to a sum of n it adds 1.5: 2, then 3.5 to 4, 5.5 to 6, and so on by 2. Six experts leave
 * 12 units in each lane where 9 are right: 24 too many in eight. */
static void each_lane_may_underflow_at_each_expert(void **state)
{
    (void)state;
    enum { LANES = 8, WEIGHTS = 32 };
    static struct block_q8_0 down = {.scale = 0x3c00};
    static float mid[DS4_SUMMED_EXPERTS * WEIGHTS], sums[LANES];
    static const int32_t selected[DS4_SUMMED_EXPERTS] = {0};
    static const float weight[DS4_SUMMED_EXPERTS] = {0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f};
    struct bound out;
    for (int i = 0; i < WEIGHTS; i += 4)
        down.q[i] = 1;
    for (int i = 0; i < DS4_SUMMED_EXPERTS * WEIGHTS; i += 4)
        mid[i] = 3 * 0x1p-149f;
    struct ds4_down p = {1, 1, WEIGHTS, &ds4_q8_0, LANES, mid, selected, weight, (const uint16_t *)&down, 1};
    ds4_down_reference(&p, &out);
    for (int expert = 0; expert < DS4_SUMMED_EXPERTS; expert++)
        for (int lane = 0; lane < LANES; lane++)
            sums[lane] = fmaf(weight[expert], mid[expert * WEIGHTS + lane * 4], sums[lane]);
    float got = 0;
    for (int lane = 0; lane < LANES; lane++)
        got += sums[lane];
    assert_true(out.value == LANES * 9 * 0x1p-149);
    assert_true(got == LANES * 12 * 0x1p-149f);
    assert_true(fabs(got - out.value) <= out.error);
    /* Half a unit a lane and expert are 24; each run's own fma as much, times the weight, 12. */
    assert_true(out.error < 37 * 0x1p-149);
}

/* One run of four: q = 1, 2, 3, 4, scale 1. */
static void a_dot_product_has_the_kernels_classes(void **state)
{
    (void)state;
    struct block_q8_0 block = {.scale = 0x3c00, .q = {1, 2, 3, 4}};
    float x[4] = {1, 1, 1, 1};
    struct ds4_dot dot = ds4_dot_of(&ds4_q8_0, &block, x, 4);
    assert_true(ds4_dot_bound(&dot, 4).value == 10);
    x[1] = -INFINITY;
    dot = ds4_dot_of(&ds4_q8_0, &block, x, 4);
    assert_int_equal(bound_class(ds4_dot_bound(&dot, 4), FORMAT_F32), CLASS_MINUS_INF);
    x[1] = 3e38f; /* 2 * 3e38 overflows before the scale of 2^-14 */
    block.scale = 0x0400;
    dot = ds4_dot_of(&ds4_q8_0, &block, x, 4);
    assert_int_equal(bound_class(ds4_dot_bound(&dot, 4), FORMAT_F32), CLASS_PLUS_INF);
    block.scale = 0x7c00; /* infinite: the sign is the run's */
    x[1] = -100;
    dot = ds4_dot_of(&ds4_q8_0, &block, x, 4);
    assert_int_equal(bound_class(ds4_dot_bound(&dot, 4), FORMAT_F32), CLASS_MINUS_INF);
    struct ds4_dot sum = {0};
    ds4_dot_add(&sum, INFINITY, &dot, 8);
    assert_int_equal(bound_class(ds4_dot_bound(&sum, 4), FORMAT_F32), CLASS_UNDECIDED);
    ds4_dot_add(&sum, NAN, &dot, 8);
    assert_int_equal(bound_class(ds4_dot_bound(&sum, 4), FORMAT_F32), CLASS_NAN);
}

/* 1 + 4 + 9 + 16 = 30 times 64 units of 2^-6. */
static void integers_are_counted_and_others_refused(void **state)
{
    (void)state;
    struct block_q8_0 block = {.scale = 0x3c00, .q = {1, 2, 3, -4}};
    float x[4] = {1, 2, 3, 4};
    struct ds4_integers integers = ds4_dot_integers(&ds4_q8_0, &block, x, 4);
    assert_true(integers.exact && integers.sum == -2 * 64 && integers.sum_abs == 30 * 64);
    x[0] = 0x1p-7f;
    assert_false(ds4_dot_integers(&ds4_q8_0, &block, x, 4).exact);
    x[0] = 0x1p-6f;
    assert_true(ds4_dot_integers(&ds4_q8_0, &block, x, 4).exact);
    x[0] = 0x1p20f;
    assert_false(ds4_dot_integers(&ds4_q8_0, &block, x, 4).exact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(silu_is_within_its_bound_and_tight),
        cmocka_unit_test(silu_of_an_inexact_value_holds_both_ends),
        cmocka_unit_test(silu_has_the_kernels_classes),
        cmocka_unit_test(gate_up_of_each_format_and_group),
        cmocka_unit_test(down_of_each_format),
        cmocka_unit_test(each_lane_may_underflow_at_each_expert),
        cmocka_unit_test(a_dot_product_has_the_kernels_classes),
        cmocka_unit_test(integers_are_counted_and_others_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
