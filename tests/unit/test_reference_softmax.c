/*
 * The softmax reference: bounds hold the online algorithm's f32 steps with an exp2 that is wrong by up to 1 ulp either way,
 * values are MPFR's, and classes follow inf - inf.
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
#include "reference/softmax.h"

enum { N = 5000 };

/* exp2 within 1 ulp, off by `ulps` of its correct rounding, results below the normal range flushed. */
static float exp_off_by(float x, float ulps)
{
    float exact = (float)correct_exp2((double)(x * 1.44269504f));
    float off = exact + ulps * (nextafterf(exact, 2) - exact);
    return x * 1.44269504f < -126 ? 0 : off;
}

struct running {
    float maximum, sum;
};

static struct running merge(struct running a, struct running b, float ulps)
{
    float maximum = fmaxf(a.maximum, b.maximum), shift = isinf(maximum) ? 0 : maximum;
    return (struct running){maximum,
                            fmaf(a.sum, exp_off_by(a.maximum - shift, ulps), b.sum * exp_off_by(b.maximum - shift, ulps))};
}

/* The kernel's order: 4 elements at a time in a lane, 32 lanes to the wave's maximum, 8 waves to the block's. */
static struct running online(const float *x, int64_t n, float ulps)
{
    struct running lane[256], block = {-INFINITY, 0};
    for (int t = 0; t < 256; t++) {
        lane[t] = (struct running){-INFINITY, 0};
        for (int64_t at = 4 * t; at < n; at += 1024)
            for (int64_t i = at; i < at + 4 && i < n; i++)
                lane[t] = merge(lane[t], (struct running){x[i], 1}, ulps);
    }
    for (int t = 0; t < 256; t++)
        block = t == 0 ? lane[0] : merge(block, lane[t], 0);
    return block;
}

static void the_online_steps_stay_within_the_bound(void **state)
{
    (void)state;
    static float x[N];
    static struct bound out[N];
    struct random_key key = random_key_for(3, "softmax");
    for (int i = 0; i < N; i++)
        x[i] = (float)(32 * random_unit(key, (uint64_t)i) - 16);
    struct softmax p = {1, N, x, 2};
    softmax_reference(&p, out);
    struct audit *audit = audit_open();
    for (float ulps = -1; ulps <= 1; ulps++) {
        /* An exact max first, then terms within an ulp: lanes and waves rescale by factors that are off as well. */
        struct running r = online(x, N, ulps);
        float inverse = 1.0f / r.sum;
        for (int i = 0; i < N; i += 17) {
            float got = exp_off_by(x[i] - r.maximum, ulps) * inverse;
            assert_true(fabs(got - out[i].value) <= out[i].error);
        }
    }
    for (int i = 0; i < N; i += 501) {
        softmax_audit(&p, 1, 0, i, audit);
        assert_true(audit_distance(audit, 0, out[i].value) <= 0x1p-10 * out[i].error);
        assert_true(out[i].error < 300 * 0x1p-24 * out[i].value);
    }
    audit_close(audit);
}

static void the_audits_row_sum_is_never_another_rows(void **state)
{
    (void)state;
    float x[] = {0, 1, 2, 0, -3, 5};
    struct softmax p = {2, 3, x, 1};
    struct bound out[6];
    softmax_reference(&p, out);
    struct audit *audit = audit_open();
    for (int i = 0; i < 6; i++) {
        softmax_audit(&p, 9, i / 3, i % 3, audit);
        assert_true(audit_distance(audit, 0, out[i].value) <= 0x1p-50);
    }
    x[3] = 4;
    softmax_audit(&p, 10, 1, 1, audit);
    softmax_reference(&p, out);
    assert_true(audit_distance(audit, 0, out[4].value) <= 0x1p-50);
    audit_close(audit);
}

static void classes_follow_inf_minus_inf(void **state)
{
    (void)state;
    static const struct {
        float x[3];
        enum value_class expected[3];
    } rows[] = {
        {{1, NAN, 2}, {CLASS_NAN, CLASS_NAN, CLASS_NAN}},
        {{1, INFINITY, 2}, {CLASS_NAN, CLASS_NAN, CLASS_NAN}},
        {{-INFINITY, -INFINITY, -INFINITY}, {CLASS_NAN, CLASS_NAN, CLASS_NAN}},
        {{1, -INFINITY, 2}, {CLASS_FINITE, CLASS_FINITE, CLASS_FINITE}},
        {{3e38f, -3e38f, 0}, {CLASS_FINITE, CLASS_FINITE, CLASS_FINITE}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct bound out[3];
        softmax_reference(&(struct softmax){1, 3, rows[r].x, 1}, out);
        for (int i = 0; i < 3; i++)
            assert_int_equal(bound_class(out[i], FORMAT_F32), rows[r].expected[i]);
    }
    struct bound out[3];
    softmax_reference(&(struct softmax){1, 3, rows[3].x, 1}, out);
    assert_true(out[1].value == 0 && out[1].error < 1e-40);
    softmax_reference(&(struct softmax){1, 3, rows[4].x, 1}, out);
    assert_true(out[0].value == 1 && out[1].value == 0);
}

static void equal_elements_are_counted_exactly(void **state)
{
    (void)state;
    float x[] = {7, 7 - 256, 7, 7, 7 - 256};
    struct exact_sum sums[5];
    softmax_exact(&(struct softmax){1, 5, x, 1}, 0, 5, sums);
    for (int i = 0; i < 5; i++) {
        assert_true(exact_premise_holds(&sums[i], true));
        assert_int_equal(sums[i].sum, 3);
        assert_true(sums[i].expected == (x[i] == 7 ? (double)(1.0f / 3.0f) : 0));
    }
    x[1] = 6; /* exp(-1) is no integer */
    softmax_exact(&(struct softmax){1, 5, x, 1}, 0, 1, sums);
    assert_false(exact_premise_holds(&sums[0], true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_online_steps_stay_within_the_bound),
        cmocka_unit_test(the_audits_row_sum_is_never_another_rows),
        cmocka_unit_test(classes_follow_inf_minus_inf),
        cmocka_unit_test(equal_elements_are_counted_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
