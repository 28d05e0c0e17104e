/* A byte contract holds for a right kernel and is red for each of its faults, with the launch, row and bits that differ. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "contract/bytes.h"
#include "tests/support/fake_kernels.h"

enum { ROWS, ONES };

/* What the contract's judge told of differences. */
struct told {
    int n;
    struct bytes_difference first;
};

static void differs(void *context, const struct bytes_difference *d)
{
    struct told *told = context;
    if (told->n++ == 0)
        told->first = *d;
    assert_true(d->got_bits != d->expected_bits);
}

/* A contract on a kernel, whose n-th launch fails (0: none). */
static struct verdict judged(const char *symbol, const struct reg_bytes *contract, int fail_launch, struct told *told)
{
    struct registration r = fake_registration(symbol);
    struct builder builder = fake_builder();
    struct builds builds = {.builder = &builder, .device = fake_device_open(fake_kernels, true)};
    struct bytes_options options = {.seed = 1, .n_threads = 1, .differs = told ? differs : NULL, .context = told};
    struct launch_target target;
    struct bytes_case open;
    struct error error = {0};
    if (!builds_target(&builds, &r, NULL, &target, &error) || !bytes_open(&open, contract, &r, &options, &error))
        fail_msg("%s", error.text);
    struct launch_fault fault = launch_as_planned(&open.host);
    struct verdict v = bytes_verdict(&open, &target);
    fake_device_fail_launch(fail_launch, hipErrorLaunchFailure);
    bytes_judge(&open, &target, &fault, &options, &v);
    assert_int_equal(fake_device_live_allocations(), 0);
    bytes_close(&open);
    builds_free(&builds);
    return v;
}

static void assert_red(const char *symbol, int contract, const char *says)
{
    struct verdict v = judged(symbol, &fake_bytes[contract], 0, NULL);
    assert_int_equal(v.status, VERDICT_FAIL);
    assert_int_equal(v.gate, GATE_BYTES);
    if (!strstr(v.reason, says))
        fail_msg("%s: '%s' does not say '%s'", symbol, v.reason, says);
}

/* Windows of 1, 1, 3 and 6 rows; one column of outputs. */
static void a_right_kernel_holds_both_kinds(void **state)
{
    (void)state;
    struct verdict v = judged("dot", &fake_bytes[ROWS], 0, NULL);
    if (v.status != VERDICT_PASS)
        fail_msg("%s", v.reason);
    assert_int_equal(v.n_runs, 5);
    assert_int_equal(v.n_compared, 11);
    assert_string_equal(v.name, "rows");
    assert_string_equal(v.shape, "6x50");
    assert_string_equal(v.pattern, "signed");
    assert_true(v.output.high | v.output.low);
    v = judged("dot", &fake_bytes[ONES], 0, NULL);
    if (v.status != VERDICT_PASS)
        fail_msg("%s", v.reason);
    assert_int_equal(v.n_runs, 1);
    assert_int_equal(v.n_compared, 4);
    assert_string_equal(v.pattern, "onesided");
}

/* Windows of several rows agree with the launch of all; the first window is of one. */
static void bytes_that_depend_on_the_rows_beside_are_found(void **state)
{
    (void)state;
    struct told told = {0};
    struct verdict v = judged("order_by_rows", &fake_bytes[ROWS], 0, &told);
    assert_int_equal(v.status, VERDICT_FAIL);
    assert_non_null(strstr(v.reason, "row 0 alone: y[0][0] is 0x"));
    assert_non_null(strstr(v.reason, "and in the launch of all 0x"));
    assert_non_null(strstr(v.reason, "; 1 of 1 elements differ (--schedule 0x"));
    assert_int_equal(v.n_wrong, 1);
    assert_int_equal(told.n, 1);
    assert_int_equal(told.first.got_bits, v.worst.got_bits);
    assert_string_equal(v.worst.tensor, "y");
    assert_int_equal(v.worst.index, 0);
}

/* Rows and elements are named as the launch of all counts them. */
static void a_later_window_names_its_rows(void **state)
{
    (void)state;
    static const struct reg_window last[] = {{5, 1}};
    struct reg_bytes contract = fake_bytes[ROWS];
    contract.windows = last;
    contract.n_windows = 1;
    struct verdict v = judged("order_by_rows", &contract, 0, NULL);
    assert_int_equal(v.status, VERDICT_FAIL);
    assert_non_null(strstr(v.reason, "row 5 alone: y[5][0] is 0x"));
    assert_int_equal(v.worst.index, 5);
}

static void a_window_runs_in_a_schedule_of_its_own(void **state)
{
    (void)state;
    assert_red("follows_schedule", ROWS, "row 0 alone: y[0][0]");
}

/* Row 5 of the launch of all and its window are both unwritten. */
static void a_row_that_no_launch_writes_differs(void **state)
{
    (void)state;
    static const struct reg_window last[] = {{5, 1}};
    struct reg_bytes contract = fake_bytes[ROWS];
    contract.windows = last;
    contract.n_windows = 1;
    struct verdict v = judged("skips_last_row", &contract, 0, NULL);
    assert_int_equal(v.status, VERDICT_FAIL);
    assert_non_null(strstr(v.reason, "row 5 alone: y[5][0] is 0x7b5a7b5a and in the launch of all 0xfff5fff5"));
}

static void guards_inputs_and_findings_count(void **state)
{
    (void)state;
    assert_red("writes_after", ROWS, "the launch of all: guard after tensor y was written");
    assert_red("writes_after_one_row", ROWS, "row 0 alone: guard after tensor y was written");
    assert_red("changes_input", ROWS, "the launch of all: input x was changed");
    assert_red("changes_input", ONES, "the launch of all: input x was changed");
    assert_red("reports_sync", ONES, "the launch of all: sync: fake+0x20");
}

static void a_failed_launch_is_no_verdict_on_bytes(void **state)
{
    (void)state;
    struct verdict v = judged("dot", &fake_bytes[ROWS], 3, NULL);
    assert_int_equal(v.status, VERDICT_LAUNCH_FAILED);
    assert_non_null(strstr(v.reason, "row 5 alone: hipModuleLaunchKernel: hipErrorLaunchFailure"));
    v = judged("dot", &fake_bytes[ONES], 1, NULL);
    assert_int_equal(v.status, VERDICT_LAUNCH_FAILED);
    assert_int_equal(v.n_compared, 0);
}

/* 40 is 0x42200000 in f32, and a unit more 0x42200001. */
static void other_bytes_than_expected_are_found(void **state)
{
    (void)state;
    struct told told = {0};
    struct verdict v = judged("off_by_one_unit", &fake_bytes[ONES], 0, &told);
    assert_int_equal(v.status, VERDICT_FAIL);
    assert_string_equal(v.reason, "the launch of all: y[0][0] is 0x42200001 and by the kernel's steps 0x42200000; 1 of 4 "
                                  "elements differ");
    assert_int_equal(told.n, 1);
    assert_true(told.first.expected == 40);
}

static bool expect_nothing(const struct reg_case *c, int tensor, void *bytes)
{
    (void)c, (void)tensor, (void)bytes;
    return false;
}

/* Steps that the host has no memory for are no other bytes. */
static void expected_bytes_that_cannot_be_made_are_no_verdict(void **state)
{
    (void)state;
    struct reg_bytes contract = fake_bytes[ONES];
    contract.expect = expect_nothing;
    struct verdict v = judged("dot", &contract, 0, NULL);
    assert_int_equal(v.status, VERDICT_LAUNCH_FAILED);
    assert_string_equal(v.reason, "out of host memory for the expected bytes");
    assert_int_equal(v.n_compared, 0);
}

/* Without its own fill the contract's inputs are not ones. */
static void a_contracts_own_fill_is_used(void **state)
{
    (void)state;
    struct reg_bytes contract = fake_bytes[ONES];
    contract.fill = NULL;
    assert_int_equal(judged("dot", &contract, 0, NULL).status, VERDICT_FAIL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_kernel_holds_both_kinds),
        cmocka_unit_test(bytes_that_depend_on_the_rows_beside_are_found),
        cmocka_unit_test(a_later_window_names_its_rows),
        cmocka_unit_test(a_window_runs_in_a_schedule_of_its_own),
        cmocka_unit_test(a_row_that_no_launch_writes_differs),
        cmocka_unit_test(guards_inputs_and_findings_count),
        cmocka_unit_test(a_failed_launch_is_no_verdict_on_bytes),
        cmocka_unit_test(other_bytes_than_expected_are_found),
        cmocka_unit_test(expected_bytes_that_cannot_be_made_are_no_verdict),
        cmocka_unit_test(a_contracts_own_fill_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
