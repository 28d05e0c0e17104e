/* A planted fault must be red at the gate that it names; green, red elsewhere, or too weakly red is a MISS. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "contract/controls.h"
#include "tests/support/fake_kernels.h"

/* The fake compiled kernel takes 64 work-items a block. */
static enum launch_fit fits_64(void *context, const struct registration *registration, const char *chip,
                               const unsigned char *bytes, size_t n_bytes, const struct reg_plan *plan,
                               char text[VERDICT_REASON_BYTES])
{
    (void)context, (void)registration, (void)chip, (void)bytes, (void)n_bytes;
    snprintf(text, VERDICT_REASON_BYTES, "launch: %u threads, bound 64", plan->block[0]);
    return plan->block[0] <= 64 ? LAUNCH_FITS : LAUNCH_IS_OVER;
}

static enum launch_fit cannot_tell(void *context, const struct registration *registration, const char *chip,
                                   const unsigned char *bytes, size_t n_bytes, const struct reg_plan *plan,
                                   char text[VERDICT_REASON_BYTES])
{
    (void)context, (void)registration, (void)chip, (void)bytes, (void)n_bytes, (void)plan;
    snprintf(text, VERDICT_REASON_BYTES, "no such chip");
    return LAUNCH_UNKNOWN;
}

static struct verdict run_with(const struct control *control, const char *symbol, const struct launch_checker *checker)
{
    struct registration r = fake_registration(symbol);
    r.bytes = fake_bytes;
    r.n_bytes = n_fake_bytes;
    struct builder builder = fake_builder();
    struct builds builds = {.builder = &builder, .device = fake_device_open(fake_kernels, false)};
    struct control_options options = {.n_runs = 5, .seed = 1, .n_threads = 1};
    struct verdict v;
    struct error error = {0};
    if (!control_run(control, &r, &builds, checker, &options, &v, &error))
        fail_msg("%s", error.text);
    assert_int_equal(fake_device_live_allocations(), 0);
    builds_free(&builds);
    return v;
}

static struct verdict run(const struct control *control, const char *symbol)
{
    struct launch_checker checker = {.fits = fits_64};
    return run_with(control, symbol, &checker);
}

static void every_kind_of_fault_is_red_at_its_gate(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_fake_controls; i++) {
        struct verdict v = run(&fake_controls[i], "dot");
        if (v.status != VERDICT_RED)
            fail_msg("%s: %s", fake_controls[i].name, v.reason);
        assert_int_equal(v.subject, SUBJECT_CONTROL);
        assert_string_equal(v.name, fake_controls[i].name);
        assert_true(v.worst_ratio >= fake_controls[i].least_factor);
    }
}

static void launch_over_the_bound_is_red_at_gate_5(void **state)
{
    (void)state;
    struct control control = {.name = "c",
                              .registration = "fake_dot",
                              .what = "128 threads",
                              .shape = "1x33",
                              .gate = GATE_LIMITS,
                              .how = CONTROL_RECORD,
                              .delta = 128};
    struct verdict v = run(&control, "dot");
    assert_int_equal(v.status, VERDICT_RED);
    assert_string_equal(v.reason, "launch: 128 threads, bound 64");
    control.delta = 64;
    assert_int_equal(run(&control, "dot").status, VERDICT_MISS);
}

/* What nobody could check is no green; where it must be red it is a miss. */
static void launch_that_cannot_be_checked_is_no_green(void **state)
{
    (void)state;
    struct control control = {.name = "c",
                              .registration = "fake_dot",
                              .what = "128 threads",
                              .shape = "1x33",
                              .gate = GATE_LIMITS,
                              .green_chips = "gfx1151",
                              .how = CONTROL_RECORD,
                              .delta = 64};
    struct launch_checker checker = {.fits = cannot_tell};
    assert_int_equal(run(&control, "dot").status, VERDICT_GREEN);
    struct verdict v = run_with(&control, "dot", &checker);
    assert_int_equal(v.status, VERDICT_NOT_RUN);
    assert_string_equal(v.reason, "no such chip");
    v = run_with(&control, "dot", NULL);
    assert_int_equal(v.status, VERDICT_NOT_RUN);
    assert_string_equal(v.reason, "the limits of a launch cannot be checked here");
    control.green_chips = NULL;
    v = run_with(&control, "dot", &checker);
    assert_int_equal(v.status, VERDICT_MISS);
    assert_string_equal(v.reason, "no such chip");
}

/* A fault that changes nothing: the swap of one-row inputs of equal content cannot be had, so a build that is right. */
static void green_fault_is_a_miss(void **state)
{
    (void)state;
    struct control control = fake_controls[5];
    control.define = "dot";
    struct verdict v = run(&control, "dot");
    assert_int_equal(v.status, VERDICT_MISS);
    assert_string_equal(v.reason, "stayed green: NaN hidden");
}

static void fault_red_elsewhere_is_a_miss(void **state)
{
    (void)state;
    struct control control = fake_controls[5];
    control.define = "changes_input";
    struct verdict v = run(&control, "dot");
    assert_int_equal(v.status, VERDICT_MISS);
    assert_non_null(strstr(v.reason, "red at gate 1 instead of gate 2"));
}

static void weakly_red_fault_is_a_miss(void **state)
{
    (void)state;
    struct control control = fake_controls[0];
    control.least_factor = 1e30;
    struct verdict v = run(&control, "dot");
    assert_int_equal(v.status, VERDICT_MISS);
    assert_non_null(strstr(v.reason, "less than the 1e+30"));
}

/* Red at gate 1 by what a check found: of the kind that the control names, or not. */
static struct verdict found(enum finding_kind kind, const char *named)
{
    struct control control = fake_controls[0];
    struct registration r = fake_registration("dot");
    struct builder builder = fake_builder();
    struct builds builds = {.builder = &builder, .device = fake_device_open(fake_kernels, true)};
    struct control_options options = {.n_runs = 5, .seed = 1, .n_threads = 1, .checks = CHECKS_ALL};
    struct verdict v;
    struct error error = {0};
    control.gate = GATE_BYTES;
    control.least_factor = 0;
    control.finding = named;
    fake_device_report(kind, "k+0x10 text: here");
    if (!control_run(&control, &r, &builds, NULL, &options, &v, &error))
        fail_msg("%s", error.text);
    builds_free(&builds);
    return v;
}

static void finding_must_be_of_the_kind_that_the_control_names(void **state)
{
    (void)state;
    struct verdict v = found(FINDING_RACE, "race");
    if (v.status != VERDICT_RED)
        fail_msg("%s", v.reason);
    assert_non_null(strstr(v.reason, "run 1: race: k+0x10"));
    v = found(FINDING_MEM, "race");
    assert_int_equal(v.status, VERDICT_MISS);
    assert_non_null(strstr(v.reason, "red without a finding of race: run 1: mem"));
    assert_int_equal(found(FINDING_MEM, NULL).status, VERDICT_RED);
}

static void control_whose_check_a_gpu_cannot_make_is_not_run(void **state)
{
    (void)state;
    struct control control = fake_controls[0];
    control.gate = GATE_BYTES;
    control.finding = "race";
    struct verdict v = run(&control, "dot");
    assert_int_equal(v.status, VERDICT_NOT_RUN);
    assert_string_equal(v.reason, "its check, race, is not made here");
}

/* A fault in the build is in every launch, one in the launch in that of all rows. */
static void byte_contract_must_turn_red(void **state)
{
    (void)state;
    struct control control = {.name = "c",
                              .registration = "fake_dot",
                              .what = "the order of a sum follows the rows",
                              .gate = GATE_BYTES,
                              .bytes = "rows",
                              .how = CONTROL_BUILD,
                              .define = "order_by_rows"};
    struct verdict v = run(&control, "dot");
    if (v.status != VERDICT_RED)
        fail_msg("%s", v.reason);
    assert_int_equal(v.subject, SUBJECT_CONTROL);
    assert_string_equal(v.name, "c");
    assert_string_equal(v.shape, "6x50");
    assert_non_null(strstr(v.reason, "row 0 alone: y[0][0]"));
    control.define = "dot";
    v = run(&control, "dot");
    assert_int_equal(v.status, VERDICT_MISS);
    assert_string_equal(v.reason, "stayed green: the order of a sum follows the rows");
    control.how = CONTROL_GRID;
    v = run(&control, "dot");
    assert_int_equal(v.status, VERDICT_RED);
    assert_non_null(strstr(v.reason, "row 5 alone: y[5][0]"));
    control = (struct control){.name = "c",
                               .registration = "fake_dot",
                               .what = "one column short",
                               .gate = GATE_BYTES,
                               .bytes = "ones",
                               .how = CONTROL_SCALAR,
                               .arg = 3,
                               .delta = -1};
    v = run(&control, "dot");
    assert_int_equal(v.status, VERDICT_RED);
    assert_non_null(strstr(v.reason, "y[0][0] is 0x421c0000 and by the kernel's steps 0x42200000; 4 of 4"));
}

static void failed_launch_is_a_miss(void **state)
{
    (void)state;
    struct control control = fake_controls[0];
    struct registration r = fake_registration("dot");
    struct builder builder = fake_builder();
    struct builds builds = {.builder = &builder, .device = fake_device_open(fake_kernels, false)};
    struct control_options options = {.n_runs = 5, .seed = 1, .n_threads = 1};
    struct verdict v;
    struct error error = {0};
    fake_device_fail_launch(1, hipErrorLaunchFailure);
    assert_true(control_run(&control, &r, &builds, NULL, &options, &v, &error));
    assert_int_equal(v.status, VERDICT_MISS);
    assert_non_null(strstr(v.reason, "hipErrorLaunchFailure"));
    builds_free(&builds);
}

/* The fake device is a gfx1151. */
static void fault_that_does_no_harm_on_a_chip_stays_green_there(void **state)
{
    (void)state;
    struct control control = fake_controls[5];
    control.define = "dot";
    control.chips = "gfx90a";
    control.green_chips = "gfx1151";
    struct verdict v = run(&control, "dot");
    assert_int_equal(v.status, VERDICT_GREEN);
    assert_int_equal(verdict_exit(&v), STATUS_OK);
    assert_int_equal(v.gate, GATE_CLASSES);
    assert_string_equal(v.reason, "right here by coincidence: NaN hidden");
}

static void fault_that_does_harm_where_it_must_not_is_a_miss(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_fake_controls; i++) {
        struct control control = fake_controls[i];
        control.green_chips = "gfx1151";
        struct verdict v = run(&control, "dot");
        assert_int_equal(v.status, VERDICT_MISS);
        assert_true(strncmp(v.reason, "must stay green here, is red at gate ", 37) == 0);
    }
}

/* Red at another gate than the control's is no green. */
static void fault_must_be_green_at_every_gate(void **state)
{
    (void)state;
    struct control control = fake_controls[5];
    control.define = "changes_input";
    control.green_chips = "gfx1151";
    struct verdict v = run(&control, "dot");
    assert_int_equal(v.status, VERDICT_MISS);
    assert_non_null(strstr(v.reason, "is red at gate 1: run 1: input x was changed"));
}

static void launch_that_fails_is_no_green(void **state)
{
    (void)state;
    struct control control = fake_controls[5];
    control.define = "broken";
    control.green_chips = "gfx1151";
    struct verdict v = run(&control, "dot");
    assert_int_equal(v.status, VERDICT_MISS);
}

static void green_byte_contract(void **state)
{
    (void)state;
    struct control control = {.name = "c",
                              .registration = "fake_dot",
                              .what = "the order of a sum follows the rows",
                              .gate = GATE_BYTES,
                              .bytes = "rows",
                              .green_chips = "gfx1151",
                              .how = CONTROL_BUILD,
                              .define = "dot"};
    assert_int_equal(run(&control, "dot").status, VERDICT_GREEN);
    control.define = "order_by_rows";
    struct verdict v = run(&control, "dot");
    assert_int_equal(v.status, VERDICT_MISS);
    assert_non_null(strstr(v.reason, "must stay green here, is red at gate 1: row 0 alone: y[0][0]"));
}

static void fault_of_other_chips_is_not_run_and_says_so(void **state)
{
    (void)state;
    struct control control = fake_controls[0];
    control.chips = "gfx90a,gfx942";
    control.green_chips = "gfx1030";
    struct verdict v = run(&control, "dot");
    assert_int_equal(v.status, VERDICT_NOT_RUN);
    assert_string_equal(v.shape, "6x64");
    assert_string_equal(v.name, "fake_row_late");
    assert_string_equal(v.reason, "no fault of this chip; red on gfx90a,gfx942, green on gfx1030");
}

/* Controls run copies of registrations, one after the other at the same address. */
static void builds_are_told_apart_by_source_wherever_a_registration_is(void **state)
{
    (void)state;
    struct registration place = fake_registration("dot");
    struct builder builder = fake_builder();
    struct builds builds = {.builder = &builder, .device = fake_device_open(fake_kernels, false)};
    struct launch_target of_one, of_other, of_one_again;
    struct error error = {0};
    const char *one = place.source;
    assert_true(builds_target(&builds, &place, NULL, &of_one, &error));
    place.source = "other.hip";
    assert_true(builds_target(&builds, &place, NULL, &of_other, &error));
    place.source = one;
    assert_true(builds_target(&builds, &place, NULL, &of_one_again, &error));
    assert_memory_not_equal(&of_one.code, &of_other.code, sizeof of_one.code);
    assert_memory_equal(&of_one.code, &of_one_again.code, sizeof of_one.code);
    builds_free(&builds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_fault_is_red_at_its_gate),
        cmocka_unit_test(launch_over_the_bound_is_red_at_gate_5),
        cmocka_unit_test(launch_that_cannot_be_checked_is_no_green),
        cmocka_unit_test(green_fault_is_a_miss),
        cmocka_unit_test(fault_red_elsewhere_is_a_miss),
        cmocka_unit_test(weakly_red_fault_is_a_miss),
        cmocka_unit_test(finding_must_be_of_the_kind_that_the_control_names),
        cmocka_unit_test(control_whose_check_a_gpu_cannot_make_is_not_run),
        cmocka_unit_test(byte_contract_must_turn_red),
        cmocka_unit_test(failed_launch_is_a_miss),
        cmocka_unit_test(fault_that_does_no_harm_on_a_chip_stays_green_there),
        cmocka_unit_test(fault_that_does_harm_where_it_must_not_is_a_miss),
        cmocka_unit_test(fault_must_be_green_at_every_gate),
        cmocka_unit_test(launch_that_fails_is_no_green),
        cmocka_unit_test(green_byte_contract),
        cmocka_unit_test(fault_of_other_chips_is_not_run_and_says_so),
        cmocka_unit_test(builds_are_told_apart_by_source_wherever_a_registration_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
