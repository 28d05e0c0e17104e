/* Each tooth is caught by a gate that can see it, and one that nothing can see is BLIND, or excused with a reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "contract/teeth.h"
#include "tests/support/fake_kernels.h"

static void try_all(struct teeth *teeth, const struct registration *r)
{
    static const enum reg_pattern patterns[] = {REG_PATTERN_SIGNED, REG_PATTERN_ONESIDED, REG_PATTERN_CLASSES,
                                                REG_PATTERN_EXACT};
    teeth_begin(teeth, r);
    for (size_t s = 0; s < r->n_shapes; s++)
        for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
            struct host_case host;
            struct error error;
            assert_true(host_case_open(&host, r, &r->shapes[s], patterns[p], 1, 1, &error));
            assert_true(host_case_reference(&host, &error));
            assert_true(teeth_try(teeth, &host, &error));
            host_case_close(&host);
        }
}

static void every_tooth_of_a_sum_is_caught(void **state)
{
    (void)state;
    struct registration r = fake_registration("dot");
    struct teeth teeth;
    try_all(&teeth, &r);
    for (int tooth = 0; tooth < TOOTH_COUNT; tooth++) {
        struct verdict v = teeth_verdict(&teeth, (enum tooth)tooth, false);
        if (v.status != VERDICT_PASS)
            fail_msg("%s: %s", v.name, v.reason);
        assert_true(v.worst_ratio > 1);
        assert_true(v.gate >= GATE_BYTES && v.gate <= GATE_EXACT);
    }
}

static void broken_launches_are_caught_at_the_gate_that_sees_them(void **state)
{
    (void)state;
    struct registration r = fake_registration("dot");
    struct teeth teeth;
    try_all(&teeth, &r);
    assert_int_equal(teeth_verdict(&teeth, TOOTH_UNTOUCHED, false).gate, GATE_BYTES);
    assert_int_equal(teeth_verdict(&teeth, TOOTH_FIRST_RUN_ONLY, false).gate, GATE_BYTES);
    assert_int_equal(teeth_verdict(&teeth, TOOTH_NAN, false).gate, GATE_BOUND);
    assert_int_equal(teeth_verdict(&teeth, TOOTH_ZEROS, false).gate, GATE_BOUND);
}

/* A bound so wide that no rounding shows. */
static void wide_reference(const struct reg_case *c, int tensor, struct bound *out)
{
    struct registration right = fake_registration("dot");
    right.reference(c, tensor, out);
    for (int64_t i = 0; i < c->plan->tensor[tensor].rows; i++)
        out[i].error *= 1e6;
}

static void a_wide_bound_is_blind_to_narrow_sums(void **state)
{
    (void)state;
    struct registration r = fake_registration("dot");
    r.reference = wide_reference;
    r.exact = NULL;
    struct teeth teeth;
    static const enum reg_pattern pattern = REG_PATTERN_ONESIDED;
    struct host_case host;
    struct error error;
    teeth_begin(&teeth, &r);
    assert_true(host_case_open(&host, &r, &r.shapes[2], pattern, 1, 1, &error) && host_case_reference(&host, &error));
    assert_true(teeth_try(&teeth, &host, &error));
    host_case_close(&host);
    struct verdict v = teeth_verdict(&teeth, TOOTH_SUM_BF16, false);
    assert_int_equal(v.status, VERDICT_BLIND);
    assert_int_equal(verdict_exit(&v), STATUS_RED);
    assert_int_equal(teeth_verdict(&teeth, TOOTH_SUM_BF16, true).status, VERDICT_NOT_RUN);
    r.blind_teeth = "sum_fp16,sum_bf16";
    r.blind_reason = "the output is stored in bf16";
    v = teeth_verdict(&teeth, TOOTH_SUM_BF16, false);
    assert_int_equal(v.status, VERDICT_EXCUSED);
    assert_non_null(strstr(v.reason, "stored in bf16"));
    assert_int_equal(teeth_verdict(&teeth, TOOTH_RESULT_BF16, false).status, VERDICT_BLIND);
}

static void shifted_model(const struct reg_case *c, int tensor, const struct policy *policy, double *out)
{
    struct registration right = fake_registration("dot");
    right.model(c, tensor, policy, out);
    out[0] += 1;
}

/* A wrong model would make every tooth look caught. */
static void a_model_that_fails_without_a_fault_is_invalid(void **state)
{
    (void)state;
    struct registration r = fake_registration("dot");
    r.model = shifted_model;
    struct teeth teeth;
    struct host_case host;
    struct error error = {0};
    teeth_begin(&teeth, &r);
    assert_true(host_case_open(&host, &r, &r.shapes[1], REG_PATTERN_SIGNED, 1, 1, &error) &&
                host_case_reference(&host, &error));
    assert_false(teeth_try(&teeth, &host, &error));
    assert_int_equal(error.status, STATUS_USAGE);
    assert_non_null(strstr(error.text, "the model without a fault fails its own gate"));
    host_case_close(&host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tooth_of_a_sum_is_caught),
        cmocka_unit_test(broken_launches_are_caught_at_the_gate_that_sees_them),
        cmocka_unit_test(a_wide_bound_is_blind_to_narrow_sums),
        cmocka_unit_test(a_model_that_fails_without_a_fault_is_invalid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
