/*
 * The ds4 references: bounds hold the kernels' own f32 steps (in the kernel's order and in others), values are MPFR's,
 * classes follow the formats, and exact inputs give what f32 gives bit for bit.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "contract/base/error.h"
#include "contract/base/random.h"
#include "kernels/ds4/ds4.h"
#include "reference/ds4.h"
#include "reference/ds4_indexer.h"
#include "reference/ds4_projection.h"

enum { ROWS = 3, N = 1030, EXPERTS = 6 };

static void fill(float *out, int64_t n, const char *name)
{
    struct random_key key = random_key_for(5, name);
    for (int64_t i = 0; i < n; i++)
        out[i] = (float)(2 * random_unit(key, (uint64_t)i) - 1);
}

/* The sum of squares as the kernel adds it: a chain a lane, butterflies over 32 lanes, a chain over 8 waves. */
static float squares_as_the_kernel(const float *x, int64_t n)
{
    float lane[256] = {0}, sum = 0;
    for (int64_t i = 0; i < n; i++)
        lane[i / 4 % 256] = fmaf(x[i], x[i], lane[i / 4 % 256]);
    for (int wave = 0; wave < 8; wave++) {
        float *v = lane + wave * 32;
        for (int mask = 1; mask < 32; mask *= 2) {
            float next[32];
            for (int i = 0; i < 32; i++)
                next[i] = v[i] + v[i ^ mask];
            memcpy(v, next, sizeof next);
        }
        sum = wave == 0 ? v[0] : sum + v[0];
    }
    return sum;
}

static float normed(const float *x, int64_t n, int64_t i, float weight)
{
    float scale = 1.0f / sqrtf(squares_as_the_kernel(x, n) / (float)n + DS4_EPS);
    return x[i] * scale * weight;
}

static void assert_within(float got, struct bound bound, double *worst)
{
    double ratio = fabs(got - bound.value) / bound.error;
    assert_true(ratio <= 1);
    *worst = fmax(*worst, ratio);
}

static void rms_norm_holds_the_kernels_steps(void **state)
{
    (void)state;
    static float x[ROWS * N], weight[N];
    static struct bound out[ROWS * N];
    fill(x, ROWS * N, "x");
    fill(weight, N, "weight");
    struct ds4_rms_norm p = {ROWS, N, DS4_EPS, x, weight};
    ds4_rms_norm_reference(&p, out);
    struct audit *audit = audit_open();
    double worst = 0;
    for (int i = 0; i < ROWS * N; i += 11) {
        assert_within(normed(x + i / N * N, N, i % N, weight[i % N]), out[i], &worst);
        assert_true(out[i].error < 64 * 0x1p-24 * fabs(out[i].value));
        ds4_rms_norm_audit(&p, i / N, i % N, audit);
        assert_true(audit_distance(audit, 0, out[i].value) <= 0x1p-10 * out[i].error);
    }
    audit_close(audit);
    assert_true(worst > 0.05);
}

static void rms_norm_classes(void **state)
{
    (void)state;
    static float x[4 * 8], weight[8];
    static struct bound out[4 * 8];
    fill(x, 4 * 8, "x");
    fill(weight, 8, "weight");
    x[0] = NAN;
    x[8] = INFINITY;
    for (int i = 0; i < 8; i++)
        x[16 + i] = 3e38f; /* squares overflow, the scale is 0 */
    ds4_rms_norm_reference(&(struct ds4_rms_norm){4, 8, DS4_EPS, x, weight}, out);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(bound_class(out[i], FORMAT_F32), CLASS_NAN);
        assert_int_equal(bound_class(out[8 + i], FORMAT_F32), i == 0 ? CLASS_NAN : CLASS_FINITE);
        assert_true(out[16 + i].value == 0 && out[16 + i].error < 1e-40);
        assert_int_equal(bound_class(out[24 + i], FORMAT_F32), CLASS_FINITE);
    }
}

static void exact_rows_have_a_mean_square_of_2_to_the_16(void **state)
{
    (void)state;
    static const int64_t widths[] = {1, 7, 33, 1030};
    static float x[2 * N], weight[N];
    struct random_key key = random_key_for(5, "exact");
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        int64_t n = widths[w];
        struct exact_sum sum;
        for (int64_t i = 0; i < n; i++)
            weight[i] = (float)(i % 9) - 4;
        for (int64_t row = 0; row < 2; row++)
            ds4_exact_row(key, row, n, x + row * n);
        struct ds4_rms_norm p = {2, n, DS4_EPS, x, weight};
        for (int64_t i = 0; i < 2 * n; i++) {
            ds4_rms_norm_exact(&p, i, 1, &sum);
            assert_true(exact_premise_holds(&sum, true));
            assert_true(sum.expected == normed(x + i / n * n, n, i % n, weight[i % n]));
        }
        x[0] += 64;
        ds4_rms_norm_exact(&p, 0, 1, &sum);
        assert_false(exact_premise_holds(&sum, true));
    }
}

static float mixed(const float *split, const float *streams, int64_t n, int64_t i)
{
    float sum = streams[i] * split[0];
    for (int s = 1; s < DS4_STREAMS; s++)
        sum = fmaf(streams[s * n + i], split[s], sum);
    return sum;
}

static void hc_holds_the_kernels_steps_and_norms_every_row(void **state)
{
    (void)state;
    static float split[ROWS * DS4_STREAMS], streams[ROWS * DS4_STREAMS * N], weight[N], row[N];
    static struct bound sums[ROWS * N], norms[ROWS * N];
    fill(split, ROWS * DS4_STREAMS, "split");
    fill(streams, ROWS * DS4_STREAMS * N, "streams");
    fill(weight, N, "weight");
    struct ds4_hc p = {ROWS, N, DS4_EPS, split, streams, weight};
    ds4_hc_reference(&p, false, sums);
    ds4_hc_reference(&p, true, norms);
    struct audit *audit = audit_open();
    double worst_sum = 0, worst_norm = 0;
    for (int r = 0; r < ROWS; r++) {
        for (int i = 0; i < N; i++)
            row[i] = mixed(split + r * DS4_STREAMS, streams + r * DS4_STREAMS * N, N, i);
        for (int i = 0; i < N; i += 13) {
            assert_within(row[i], sums[r * N + i], &worst_sum);
            assert_within(normed(row, N, i, weight[i]), norms[r * N + i], &worst_norm);
            ds4_hc_audit(&p, true, r, i, audit);
            assert_true(audit_distance(audit, 0, norms[r * N + i].value) <= 0x1p-10 * norms[r * N + i].error);
            ds4_hc_audit(&p, false, r, i, audit);
            assert_true(audit_distance(audit, 0, sums[r * N + i].value) <= 0x1p-10 * sums[r * N + i].error);
        }
    }
    audit_close(audit);
    assert_true(worst_sum > 0.2);
    assert_true(worst_norm > 0.02);
}

static void moe_holds_the_kernels_steps(void **state)
{
    (void)state;
    static float gate[ROWS * EXPERTS], y[ROWS * EXPERTS * N];
    static struct bound out[ROWS * N];
    fill(gate, ROWS * EXPERTS, "gate");
    fill(y, ROWS * EXPERTS * N, "y");
    struct ds4_moe p = {ROWS, EXPERTS, N, gate, y};
    ds4_moe_reference(&p, out);
    struct audit *audit = audit_open();
    double worst = 0;
    for (int i = 0; i < ROWS * N; i++) {
        const float *own = y + i / N * EXPERTS * N + i % N, *own_gate = gate + i / N * EXPERTS;
        float sum = own[0] * own_gate[0];
        for (int e = 1; e < EXPERTS; e++)
            sum = fmaf(own[e * N], own_gate[e], sum);
        assert_within(sum, out[i], &worst);
        ds4_moe_audit(&p, i / N, i % N, audit);
        assert_true(audit_distance(audit, 0, out[i].value) <= 0x1p-10 * out[i].error);
    }
    audit_close(audit);
    assert_true(worst > 0.3);
}

static void moe_sums_of_integers_are_exact_and_others_are_refused(void **state)
{
    (void)state;
    float gate[] = {3, -5}, y[] = {100, 7, 1000, -2};
    struct ds4_moe p = {1, 2, 2, gate, y};
    struct exact_sum sums[2];
    ds4_moe_exact(&p, 0, 2, sums);
    assert_int_equal(sums[0].sum, 300 - 5000);
    assert_int_equal(sums[0].sum_abs, 5300);
    assert_int_equal(sums[1].sum, 31);
    assert_true(sums[1].one_signed && !sums[0].one_signed);
    assert_true(exact_premise_holds(&sums[0], false));
    y[0] = 0.5f;
    ds4_moe_exact(&p, 0, 2, sums);
    assert_false(exact_premise_holds(&sums[0], false));
}

enum { TOKENS = 3, HEADS = 4, KEYS = 5, WIDTH = DS4_INDEXER_WIDTH };

static void fill_numbers(enum number_format format, uint16_t *out, int64_t n, const char *name)
{
    struct random_key key = random_key_for(5, name);
    for (int64_t i = 0; i < n; i++)
        format_store(format, out, i, 2 * random_unit(key, (uint64_t)i) - 1);
}

/* sum |w| sum |q k|: twice the roundings that a term passes through, in units of 2^-24 of this, are a bound's size. */
static double magnitude(const struct ds4_indexer *p, int64_t token, int64_t key)
{
    double sum = 0;
    for (int64_t h = token * p->heads; h < (token + 1) * p->heads; h++)
        for (int i = 0; i < WIDTH; i++)
            sum +=
                fabs(p->w[h] * format_load(p->format, p->q, h * WIDTH + i) * format_load(p->format, p->k, key * WIDTH + i));
    return sum;
}

/* A chain of fma in f32 a head, then one over the heads, as the portable kernel has them where there is no dot2. */
static float score(const struct ds4_indexer *p, int64_t token, int64_t key)
{
    float sum = 0;
    for (int64_t h = token * p->heads; h < (token + 1) * p->heads; h++) {
        float dot = 0;
        for (int i = 0; i < WIDTH; i++)
            dot = fmaf((float)format_load(p->format, p->q, h * WIDTH + i),
                       (float)format_load(p->format, p->k, key * WIDTH + i), dot);
        sum = fmaf(p->w[h], dot < 0 ? 0 : dot, sum);
    }
    return sum;
}

static void indexer_holds_the_kernels_steps(void **state)
{
    (void)state;
    static const enum number_format formats[] = {FORMAT_F16, FORMAT_BF16};
    static uint16_t q[TOKENS * HEADS * WIDTH], k[KEYS * WIDTH];
    float w[TOKENS * HEADS];
    struct bound out[TOKENS * KEYS];
    struct audit *audit = audit_open();
    fill(w, TOKENS * HEADS, "w");
    for (int f = 0; f < 2; f++) {
        double worst = 0;
        fill_numbers(formats[f], q, TOKENS * HEADS * WIDTH, "q");
        fill_numbers(formats[f], k, KEYS * WIDTH, "k");
        struct ds4_indexer p = {TOKENS, HEADS, KEYS, formats[f], STEP_FMA_F32, q, k, w, 1};
        ds4_indexer_reference(&p, out);
        for (int i = 0; i < TOKENS * KEYS; i++) {
            assert_within(score(&p, i / KEYS, i % KEYS), out[i], &worst);
            assert_true(out[i].error < 2 * (WIDTH + HEADS) * 0x1p-24 * magnitude(&p, i / KEYS, i % KEYS));
            ds4_indexer_audit(&p, i / KEYS, i % KEYS, audit);
            assert_true(audit_distance(audit, 0, out[i].value) <= 0x1p-10 * out[i].error);
        }
        assert_true(worst > 0.002); /* rounding errors of chains cancel as signs of terms do; the bound lets them add up */
    }
    audit_close(audit);
}

/* One head whose dot is `first` * 1 + `second` * factor and 0 else, times `weight`. */
static struct bound one_head_of(enum step_model step, double first, double second, double factor, float weight)
{
    uint16_t q[WIDTH] = {0}, k[WIDTH] = {0};
    struct bound out;
    format_store(FORMAT_BF16, q, 0, first);
    format_store(FORMAT_BF16, q, 1, second);
    format_store(FORMAT_BF16, k, 0, 1);
    format_store(FORMAT_BF16, k, 1, factor);
    struct ds4_indexer p = {1, 1, 1, FORMAT_BF16, step, q, k, &weight, 1};
    ds4_indexer_reference(&p, &out);
    return out;
}

static struct bound one_head(double first, double second, float weight)
{
    return one_head_of(STEP_FMA_F32, first, second, 1, weight);
}

/* What the kernels' own variants are held to. */
static const enum step_model steps_of_variants[] = {STEP_FMA_F32, STEP_DOT2_ANY, STEP_WMMA_ANY, STEP_MFMA_ANY};

static void assert_class(enum step_model step, double first, double second, double factor, float weight,
                         enum value_class expected)
{
    assert_int_equal(bound_class(one_head_of(step, first, second, factor, weight), FORMAT_F32), expected);
}

static void indexer_decides_infinities_of_every_step(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof steps_of_variants / sizeof *steps_of_variants; i++) {
        enum step_model step = steps_of_variants[i];
        assert_class(step, NAN, 1, 1, 1, CLASS_NAN);
        assert_class(step, INFINITY, -INFINITY, 1, 1, CLASS_NAN);
        assert_class(step, INFINITY, 0, 1, 1, CLASS_PLUS_INF);
        assert_class(step, INFINITY, 1, 1, -1, CLASS_MINUS_INF);
        assert_class(step, -INFINITY, 1, 1, 1, CLASS_FINITE);
        assert_true(one_head_of(step, -INFINITY, 1, 1, 1).value == 0);
    }
}

/* 2^127 * -2^2 is a finite product of bf16, but -inf as a sum in f32, which with +inf makes NaN; and gfx90a's matrix unit
 * takes a subnormal factor for zero, gfx11's a bf16 one: inf * 0 is NaN, where others have an infinity. */
static void indexer_leaves_open_what_chips_or_orders_decide(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof steps_of_variants / sizeof *steps_of_variants; i++) {
        enum step_model step = steps_of_variants[i];
        assert_class(step, INFINITY, 0x1p127, -4, 1, CLASS_UNDECIDED);
        assert_class(step, -INFINITY, 0x1p127, 4, 1, CLASS_UNDECIDED);
        assert_class(step, 1, INFINITY, 0x1p-130, 1, step == STEP_FMA_F32 ? CLASS_PLUS_INF : CLASS_UNDECIDED);
        assert_class(step, 1, -INFINITY, 0x1p-130, 1, step == STEP_FMA_F32 ? CLASS_FINITE : CLASS_UNDECIDED);
    }
}

static void indexer_drops_negative_dots_and_keeps_nan(void **state)
{
    (void)state;
    assert_true(one_head(3, 4, -2).value == -14);
    struct bound negative = one_head(-3, -4, -2); /* far below 0: what an fma may add to 0 is all */
    assert_true(negative.value == 0 && negative.error <= 0x1p-149);
    assert_int_equal(bound_class(one_head(NAN, 1, 1), FORMAT_F32), CLASS_NAN);
    assert_int_equal(bound_class(one_head(INFINITY, -INFINITY, 1), FORMAT_F32), CLASS_NAN);
    assert_int_equal(bound_class(one_head(INFINITY, 1, -1), FORMAT_F32), CLASS_MINUS_INF);
    assert_true(one_head(-INFINITY, 1, 1).value == 0);
    assert_int_equal(bound_class(one_head(-INFINITY, 1, 1), FORMAT_F32), CLASS_FINITE);
    /* 2^60 - 2^60 is 0, but a chain's error might leave it on either side: only what is above 0 counts. */
    struct bound around = one_head(0x1p60, -0x1p60, 1);
    assert_true(around.value == 0 && around.error > 0x1p36 && around.error < 0x1p45);
}

static void indexer_sums_what_large_terms_leave(void **state)
{
    (void)state;
    uint16_t q[WIDTH] = {0}, k[WIDTH] = {0};
    static const double terms[] = {0x1p60, 1, -0x1p60, 0x1p-60};
    for (int i = 0; i < 4; i++) {
        format_store(FORMAT_BF16, q, i, terms[i]);
        format_store(FORMAT_BF16, k, i, 1);
    }
    float weight = 1;
    struct bound out;
    struct ds4_indexer p = {1, 1, 1, FORMAT_BF16, STEP_FMA_F32, q, k, &weight, 1};
    ds4_indexer_reference(&p, &out);
    assert_true(out.value == 1); /* float64 holds no 2^60 + 1, nor 1 + 2^-60 */
}

static void indexer_exact_scores(void **state)
{
    (void)state;
    uint16_t q[2 * WIDTH], k[WIDTH];
    float w[] = {3, -2};
    for (int i = 0; i < WIDTH; i++) {
        format_store(FORMAT_F16, q, i, 5);
        format_store(FORMAT_F16, q, WIDTH + i, -7);
        format_store(FORMAT_F16, k, i, 2);
    }
    struct exact_sum sum;
    struct ds4_indexer p = {1, 2, 1, FORMAT_F16, STEP_FMA_F32, q, k, w, 1};
    ds4_indexer_exact(&p, 0, 1, &sum);
    assert_true(exact_premise_holds(&sum, true));
    assert_int_equal(sum.sum_abs, 128 * (3 * 10 + 2 * 14));
    assert_true(sum.expected == 128 * 3 * 10); /* the second head's dot is negative */
    assert_true(score(&p, 0, 0) == 128 * 3 * 10);
    format_store(FORMAT_F16, q, 3, -5); /* signs mixed in a dot */
    ds4_indexer_exact(&p, 0, 1, &sum);
    assert_true(exact_premise_holds(&sum, false) && !exact_premise_holds(&sum, true));
    format_store(FORMAT_F16, q, 3, 0.5);
    ds4_indexer_exact(&p, 0, 1, &sum);
    assert_false(exact_premise_holds(&sum, false));
}

/* A row of 2^60 weights takes more than any address space. Bounds made without memory would be wrong verdicts. */
static void a_projection_without_memory_ends_the_process(void **state)
{
    (void)state;
    struct bound out[2];
    struct ds4_projection p = {.rows = 1, .n = 2, .k = INT64_C(1) << 60};
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        ds4_projection_reference(&p, out);
        _exit(STATUS_OK);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), STATUS_ENVIRONMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rms_norm_holds_the_kernels_steps),
        cmocka_unit_test(rms_norm_classes),
        cmocka_unit_test(exact_rows_have_a_mean_square_of_2_to_the_16),
        cmocka_unit_test(hc_holds_the_kernels_steps_and_norms_every_row),
        cmocka_unit_test(moe_holds_the_kernels_steps),
        cmocka_unit_test(moe_sums_of_integers_are_exact_and_others_are_refused),
        cmocka_unit_test(indexer_holds_the_kernels_steps),
        cmocka_unit_test(indexer_drops_negative_dots_and_keeps_nan),
        cmocka_unit_test(indexer_decides_infinities_of_every_step),
        cmocka_unit_test(indexer_leaves_open_what_chips_or_orders_decide),
        cmocka_unit_test(indexer_sums_what_large_terms_leave),
        cmocka_unit_test(indexer_exact_scores),
        cmocka_unit_test(a_projection_without_memory_ends_the_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
