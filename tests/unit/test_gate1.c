/* Gate 1 is red for each fault of its own kind, names it, and is green for a right kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "contract/gates.h"
#include "tests/support/fake_kernels.h"

static void take_checks(struct device *device, unsigned checks)
{
    (void)device, (void)checks;
}

/* Gate 1 on the 6x64 shape with a kernel, on a device with or without findings, schedules and checks. */
static struct verdict judged(const char *symbol, bool with_findings)
{
    struct registration r = fake_registration(symbol);
    struct host_case host;
    struct error error;
    assert_true(host_case_open(&host, &r, &r.shapes[1], REG_PATTERN_SIGNED, 1, 1, &error));
    struct device *device = fake_device_open(fake_kernels, with_findings);
    struct builder builder = fake_builder();
    struct builds builds = {.builder = &builder, .device = device};
    struct launch_target target;
    assert_true(builds_target(&builds, &r, NULL, &target, &error));
    struct launch_fault fault = launch_as_planned(&host);
    struct gate1_options options = {.n_runs = 5, .seed = 7, .checks = CHECKS_ALL};
    struct outputs first = {0};
    struct verdict v = verdict_for_case(&host, &target, GATE_BYTES);
    device->set_checks = with_findings ? take_checks : NULL;
    gate1_run(&target, &host, &fault, &options, &host.arena, &first, &v);
    device->set_checks = NULL;
    assert_int_equal(fake_device_live_allocations(), 0);
    builds_free(&builds);
    host_case_close(&host);
    return v;
}

static void assert_red(const char *symbol, bool with_findings, const char *reason)
{
    struct verdict v = judged(symbol, with_findings);
    assert_int_equal(v.status, VERDICT_FAIL);
    if (!strstr(v.reason, reason))
        fail_msg("%s: '%s' does not say '%s'", symbol, v.reason, reason);
}

static void right_kernel_is_green(void **state)
{
    (void)state;
    struct verdict v = judged("dot", true);
    assert_int_equal(v.status, VERDICT_PASS);
    assert_int_equal(v.n_runs, 5);
    assert_int_equal(v.n_compared, 6);
    assert_true(v.output.high | v.output.low);
    assert_true(v.code.high | v.code.low);
}

static void guard_overwrites_are_named_by_side(void **state)
{
    (void)state;
    assert_red("writes_after", false, "guard after tensor y was written, 0 bytes from its edge");
    assert_red("writes_before", false, "guard before tensor y was written, 0 bytes from its edge");
}

static void unwritten_element_is_found_by_the_two_poisons(void **state)
{
    (void)state;
    assert_red("skips_last_row", false, "1 of 6 elements of y were never written, first 5");
}

static void changed_input_is_found(void **state)
{
    (void)state;
    assert_red("changes_input", false, "input x was changed at element 2");
}

static void different_bytes_between_runs_are_found(void **state)
{
    (void)state;
    assert_red("differs", false, "run 3 differs from run 1 in 1 elements of y, first 0");
}

static void a_race_shows_because_schedules_differ(void **state)
{
    (void)state;
    assert_red("follows_schedule", true, "run 2 differs from run 1");
    assert_non_null(strstr(judged("follows_schedule", true).reason, "(--schedule 0x"));
    assert_non_null(strstr(judged("follows_schedule", true).reason, " of `hipcontract run` repeats it)"));
    assert_int_equal(judged("follows_schedule", false).status, VERDICT_PASS);
}

/* A device that cannot place memory so hides it. */
static void a_lost_carry_of_an_address_shows_in_the_second_run(void **state)
{
    (void)state;
    assert_red("loses_carry", true, "run 2 differs from run 1 in 1 elements of y, first 0");
    assert_int_equal(judged("loses_carry", false).status, VERDICT_PASS);
}

/* As a field, and no number but that of the reason. */
static void the_schedule_of_a_red_run_is_noted(void **state)
{
    (void)state;
    char named[40];
    struct verdict v = judged("follows_schedule", true);
    assert_int_not_equal(v.schedule, 0);
    snprintf(named, sizeof named, "(--schedule 0x%llx of ", (unsigned long long)v.schedule);
    assert_non_null(strstr(v.reason, named));
    assert_int_equal(judged("differs", false).schedule, 0);
    assert_int_equal(judged("dot", true).schedule, 0);
}

static void read_past_the_end_is_found_in_the_tight_layout(void **state)
{
    (void)state;
    assert_red("reads_past_end", true, "run 5: mem: fake+0x10");
}

static void findings_are_red_with_their_text(void **state)
{
    (void)state;
    assert_red("reports_sync", true, "run 1: sync: fake+0x20 s_barrier");
    struct verdict v = judged("reports_sync", true);
    assert_true(v.has_finding);
    assert_int_equal(v.finding.kind, FINDING_SYNC);
}

/* The verdict names no check that the runs did not come to. */
static void checks_are_those_of_the_last_run_that_began(void **state)
{
    (void)state;
    assert_string_equal(judged("dot", true).checks, "mem init race sync wait");
    assert_string_equal(judged("follows_schedule", true).checks, "mem sync");
    assert_string_equal(judged("dot", false).checks, "");
}

static void poisons_differ_in_every_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < 16; i++)
        assert_int_not_equal(poison_byte(POISON_NAN, i), poison_byte(POISON_PATTERN, i));
}

static void input_guards_are_nan_in_every_float_format(void **state)
{
    (void)state;
    unsigned char bytes[8];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = poison_byte(POISON_NAN, i);
    static const enum number_format formats[] = {FORMAT_F16, FORMAT_BF16, FORMAT_F32, FORMAT_F64};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        assert_int_equal(value_class(format_load(formats[i], bytes, 0)), CLASS_NAN);
}

/* A failed launch is its own class, with HIP's name, and not a verdict on numbers. */
static void failed_launch_is_its_own_class(void **state)
{
    (void)state;
    struct registration r = fake_registration("dot");
    struct host_case host;
    struct error error;
    assert_true(host_case_open(&host, &r, &r.shapes[0], REG_PATTERN_SIGNED, 1, 1, &error));
    struct device *device = fake_device_open(fake_kernels, true);
    struct builder builder = fake_builder();
    struct builds builds = {.builder = &builder, .device = device};
    struct launch_target target;
    assert_true(builds_target(&builds, &r, NULL, &target, &error));
    struct launch_fault fault = launch_as_planned(&host);
    struct gate1_options options = {.n_runs = 5, .seed = 7};
    struct outputs first = {0};
    struct verdict v = verdict_for_case(&host, &target, GATE_BYTES);
    fake_device_fail_launch(1, hipErrorIllegalAddress);
    gate1_run(&target, &host, &fault, &options, &host.arena, &first, &v);
    assert_int_equal(v.status, VERDICT_LAUNCH_FAILED);
    assert_non_null(strstr(v.reason, "hipModuleLaunchKernel: hipErrorIllegalAddress"));
    assert_null(first.data[FAKE_Y]);
    v = verdict_for_case(&host, &target, GATE_BYTES);
    fake_device_fail_malloc(true);
    gate1_run(&target, &host, &fault, &options, &host.arena, &first, &v);
    assert_int_equal(v.status, VERDICT_LAUNCH_FAILED);
    assert_non_null(strstr(v.reason, "hipErrorOutOfMemory"));
    assert_int_equal(fake_device_live_allocations(), 0);
    builds_free(&builds);
    host_case_close(&host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_kernel_is_green),
        cmocka_unit_test(guard_overwrites_are_named_by_side),
        cmocka_unit_test(unwritten_element_is_found_by_the_two_poisons),
        cmocka_unit_test(changed_input_is_found),
        cmocka_unit_test(different_bytes_between_runs_are_found),
        cmocka_unit_test(a_race_shows_because_schedules_differ),
        cmocka_unit_test(a_lost_carry_of_an_address_shows_in_the_second_run),
        cmocka_unit_test(the_schedule_of_a_red_run_is_noted),
        cmocka_unit_test(read_past_the_end_is_found_in_the_tight_layout),
        cmocka_unit_test(findings_are_red_with_their_text),
        cmocka_unit_test(checks_are_those_of_the_last_run_that_began),
        cmocka_unit_test(poisons_differ_in_every_byte),
        cmocka_unit_test(input_guards_are_nan_in_every_float_format),
        cmocka_unit_test(failed_launch_is_its_own_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
