/* Gates 2 to 4 and the audit on outputs that are made here: right ones are green, each fault is red at its own gate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/gates.h"
#include "tests/support/fake_kernels.h"

/* A case with its reference, and outputs as the right kernel leaves them. */
struct judged {
    struct registration registration;
    struct host_case host;
    float *y;
    struct outputs outputs;
};

static void open_judged(struct judged *j, int shape, enum reg_pattern pattern)
{
    struct error error;
    j->registration = fake_registration("dot");
    assert_true(host_case_open(&j->host, &j->registration, &j->registration.shapes[shape], pattern, 1, 1, &error));
    assert_true(host_case_reference(&j->host, &error));
    int columns = (int)j->host.plan.tensor[FAKE_X].columns;
    j->y = j->host.c.data[FAKE_Y];
    void *parameters[] = {&j->host.c.data[FAKE_X], &j->host.c.data[FAKE_W], &j->y, &columns};
    struct fake_launch launch = {.parameters = parameters, .grid = {j->host.plan.grid[0], 1, 1}, .n_launches = 1};
    fake_kernels[0].run(&launch);
    j->outputs = (struct outputs){.data = {[FAKE_Y] = j->y}};
}

static struct verdict judge(const struct judged *j)
{
    struct verdict v = verdict_for_case(&j->host, NULL, gate_of_pattern(j->host.c.pattern));
    gate_judge(&j->host, &j->outputs, &v);
    return v;
}

static void right_outputs_pass_every_gate(void **state)
{
    (void)state;
    static const enum reg_pattern patterns[] = {REG_PATTERN_SIGNED, REG_PATTERN_ONESIDED, REG_PATTERN_CLASSES,
                                                REG_PATTERN_EXACT};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        struct judged j;
        open_judged(&j, 2, patterns[i]);
        struct verdict v = judge(&j);
        if (v.status != VERDICT_PASS)
            fail_msg("%s: %s", reg_pattern_name(patterns[i]), v.reason);
        assert_int_equal(v.n_compared, 9);
        host_case_close(&j.host);
    }
}

/* Rows 1 and 5 of 9 hold a planted NaN and +inf (row 1: kind 0, row 5: kind 1). */
static void gate_2_counts_the_classes_that_match(void **state)
{
    (void)state;
    struct judged j;
    open_judged(&j, 2, REG_PATTERN_CLASSES);
    struct verdict v = judge(&j);
    assert_int_equal(v.n_nonfinite, 2);
    assert_int_equal(v.n_finite, 7);
    host_case_close(&j.host);
}

static void gate_2_is_red_for_a_wrong_class(void **state)
{
    (void)state;
    struct judged j;
    open_judged(&j, 2, REG_PATTERN_CLASSES);
    j.y[1] = 0;
    struct verdict v = judge(&j);
    assert_int_equal(v.status, VERDICT_FAIL);
    assert_string_equal(v.reason, "output 1 is finite, the reference is NaN");
    host_case_close(&j.host);
    open_judged(&j, 2, REG_PATTERN_CLASSES);
    j.y[5] = -j.y[5];
    assert_int_equal(judge(&j).status, VERDICT_FAIL);
    host_case_close(&j.host);
}

static void gate_2_holds_undisturbed_rows_to_their_bound(void **state)
{
    (void)state;
    struct judged j;
    open_judged(&j, 2, REG_PATTERN_CLASSES);
    j.y[2] += 1;
    struct verdict v = judge(&j);
    assert_int_equal(v.status, VERDICT_FAIL);
    assert_int_equal(v.worst.index, 2);
    host_case_close(&j.host);
}

/* An output that the reference does not decide is counted, not judged; the others still are. */
static void undecided_outputs_are_counted(void **state)
{
    (void)state;
    static const enum reg_pattern patterns[] = {REG_PATTERN_ONESIDED, REG_PATTERN_CLASSES};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        struct judged j;
        open_judged(&j, 2, patterns[i]);
        ((struct bound *)j.host.bounds[FAKE_Y])[3] = (struct bound){0, INFINITY};
        struct verdict v = judge(&j);
        assert_int_equal(v.status, VERDICT_PASS);
        assert_int_equal(v.n_undecided, 1);
        j.y[2] += 1;
        assert_int_equal(judge(&j).status, VERDICT_FAIL);
        host_case_close(&j.host);
    }
}

/* The largest f32 within the bound passes, the next one does not. */
static void gate_3_is_red_one_ulp_past_the_bound(void **state)
{
    (void)state;
    struct judged j;
    open_judged(&j, 1, REG_PATTERN_ONESIDED);
    const struct bound *bound = &j.host.bounds[FAKE_Y][3];
    float edge = (float)(bound->value + bound->error);
    while ((double)edge - bound->value > bound->error)
        edge = nextafterf(edge, -INFINITY);
    while ((double)nextafterf(edge, INFINITY) - bound->value <= bound->error)
        edge = nextafterf(edge, INFINITY);
    j.y[3] = edge;
    assert_int_equal(judge(&j).status, VERDICT_PASS);
    j.y[3] = nextafterf(edge, INFINITY);
    struct verdict v = judge(&j);
    assert_int_equal(v.status, VERDICT_FAIL);
    assert_int_equal(v.worst.index, 3);
    assert_int_equal(v.n_wrong, 1);
    assert_true(v.worst_ratio > 1);
    uint32_t bits;
    memcpy(&bits, &j.y[3], sizeof bits);
    assert_int_equal(v.worst.got_bits, bits);
    host_case_close(&j.host);
}

static void gate_3_is_red_for_nan_where_the_reference_is_finite(void **state)
{
    (void)state;
    struct judged j;
    open_judged(&j, 1, REG_PATTERN_SIGNED);
    j.y[4] = NAN;
    struct verdict v = judge(&j);
    assert_int_equal(v.status, VERDICT_FAIL);
    assert_int_equal(v.worst.index, 4);
    assert_true(isinf(v.worst_ratio));
    host_case_close(&j.host);
}

/* All outputs half a bound high: the mean says so. */
static void gate_3_prints_the_bias(void **state)
{
    (void)state;
    struct judged j;
    open_judged(&j, 1, REG_PATTERN_ONESIDED);
    for (int i = 0; i < 6; i++)
        j.y[i] = (float)(j.host.bounds[FAKE_Y][i].value + j.host.bounds[FAKE_Y][i].error / 2);
    struct verdict v = judge(&j);
    assert_int_equal(v.status, VERDICT_PASS);
    assert_true(fabs(v.signed_mean - 0.5) < 0.05);
    host_case_close(&j.host);
}

static void gate_4_is_red_one_unit_off(void **state)
{
    (void)state;
    struct judged j;
    open_judged(&j, 2, REG_PATTERN_EXACT);
    j.y[8] = nextafterf(j.y[8], INFINITY);
    struct verdict v = judge(&j);
    assert_int_equal(v.status, VERDICT_FAIL);
    assert_int_equal(v.n_wrong, 1);
    assert_int_equal(v.worst.index, 8);
    host_case_close(&j.host);
}

/* 300 products of integers up to 63 add up to about 300000: fp16 overflows, bf16 keeps 8 bits of it. */
static void gate_4_shows_by_how_much_narrow_sums_would_miss(void **state)
{
    (void)state;
    struct judged j;
    struct error error;
    open_judged(&j, 2, REG_PATTERN_EXACT);
    struct verdict v = judge(&j);
    assert_true(gate4_misses(&j.host, &v, &error));
    assert_true(isinf(v.miss_fp16));
    assert_true(v.miss_bf16 > 2 && isfinite(v.miss_bf16));
    host_case_close(&j.host);
}

static void unproved_sum(const struct reg_case *c, int tensor, int64_t first, int64_t n, struct exact_sum *sums)
{
    (void)tensor;
    struct registration right = fake_registration("dot");
    right.exact(c, tensor, first, n, sums);
    if (first <= 4 && 4 < first + n)
        sums[4 - first].sum_abs = 1 << 24;
}

static void gate_4_refuses_inputs_whose_premise_fails(void **state)
{
    (void)state;
    struct judged j;
    open_judged(&j, 2, REG_PATTERN_EXACT);
    j.registration.exact = unproved_sum;
    struct verdict v = judge(&j);
    assert_int_equal(v.status, VERDICT_INVALID);
    assert_non_null(strstr(v.reason, "output 4"));
    assert_int_equal(verdict_exit(&v), STATUS_USAGE);
    host_case_close(&j.host);
}

static void wrong_expectation(const struct reg_case *c, int tensor, int64_t first, int64_t n, struct exact_sum *sums)
{
    struct registration right = fake_registration("dot");
    right.exact(c, tensor, first, n, sums);
    for (int64_t i = 0; i < n; i++)
        sums[i].expected += 100;
}

static void gate_4_refuses_an_expectation_outside_the_reference(void **state)
{
    (void)state;
    struct judged j;
    open_judged(&j, 1, REG_PATTERN_EXACT);
    j.registration.exact = wrong_expectation;
    assert_int_equal(judge(&j).status, VERDICT_INVALID);
    host_case_close(&j.host);
}

static void audit_accepts_the_right_reference(void **state)
{
    (void)state;
    for (int shape = 0; shape < 3; shape++) {
        struct judged j;
        struct error error = {0};
        int64_t n = 0;
        open_judged(&j, shape, REG_PATTERN_SIGNED);
        if (!audit_reference(&j.host, &n, &error))
            fail_msg("%s", error.text);
        assert_int_equal(n, plan_outputs(&j.host.plan));
        host_case_close(&j.host);
    }
}

/* 2^-9 of the bound off: too much for a reference. */
static void audit_catches_a_wrong_reference(void **state)
{
    (void)state;
    struct judged j;
    struct error error = {0};
    int64_t n = 0;
    open_judged(&j, 2, REG_PATTERN_ONESIDED);
    struct bound *bounds = (struct bound *)j.host.bounds[FAKE_Y];
    bounds[5].value += bounds[5].error * 0x1p-9;
    assert_false(audit_reference(&j.host, &n, &error));
    assert_int_equal(error.status, STATUS_USAGE);
    assert_non_null(strstr(error.text, "y[5]"));
    host_case_close(&j.host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_outputs_pass_every_gate),
        cmocka_unit_test(gate_2_counts_the_classes_that_match),
        cmocka_unit_test(gate_2_is_red_for_a_wrong_class),
        cmocka_unit_test(gate_2_holds_undisturbed_rows_to_their_bound),
        cmocka_unit_test(undecided_outputs_are_counted),
        cmocka_unit_test(gate_3_is_red_one_ulp_past_the_bound),
        cmocka_unit_test(gate_3_is_red_for_nan_where_the_reference_is_finite),
        cmocka_unit_test(gate_3_prints_the_bias),
        cmocka_unit_test(gate_4_is_red_one_unit_off),
        cmocka_unit_test(gate_4_shows_by_how_much_narrow_sums_would_miss),
        cmocka_unit_test(gate_4_refuses_inputs_whose_premise_fails),
        cmocka_unit_test(gate_4_refuses_an_expectation_outside_the_reference),
        cmocka_unit_test(audit_accepts_the_right_reference),
        cmocka_unit_test(audit_catches_a_wrong_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
