/*
 * The depth audit of a registration: what is declared against what its compiled kernel does on the emulator. Registered
 * kernels whose declared depth is met to the last addition are given one less.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "commands/session.h"
#include "contract/depth.h"
#include "contract/registry_rules.h"
#include "tests/support/fake_kernels.h"
#include "tests/support/project.h"

/* A registered kernel, launched or through its launcher, whose declared depth may be changed. */
struct fixture {
    struct device *device;
    struct builder builder;
    struct builds builds;
    struct registration registration;
    struct host_case host;
    struct launch_target target;
};

static void fixture_open(struct fixture *f, const char *chip, const char *name, const char *shape, enum reg_pattern pattern)
{
    struct error error = {0};
    struct emulator_options options = {.chip = chip, .n_devices = 1, .n_threads = 1};
    *f = (struct fixture){.builder = session_builder(project.toolchain),
                          .registration = *registry_find(&project.registry, name)};
    assert_true(emulator_open(&options, &f->device, &error));
    f->builds = (struct builds){.builder = &f->builder, .device = f->device};
    assert_true(
        host_case_open(&f->host, &f->registration, registration_shape(&f->registration, shape), pattern, 1, 1, &error));
    if (!builds_target(&f->builds, &f->registration, NULL, &f->target, &error))
        fail_msg("%s", error.text);
}

static void fixture_close(struct fixture *f)
{
    host_case_close(&f->host);
    builds_free(&f->builds);
    f->device->close(f->device);
}

static struct verdict judge(struct fixture *f)
{
    struct verdict v = verdict_for_case(&f->host, &f->target, GATE_BOUND);
    depth_judge(&f->target, &f->host, CHECKS_ALL, &v);
    return v;
}

/* What the registered function declares, less one, or plus a hundred. */
static void one_less(const struct reg_case *c, int tensor, struct depth *depth)
{
    registry_find(&project.registry, c->registration->name)->depth(c, tensor, depth);
    depth->part[0].additions -= 1;
}

static void a_hundred_more(const struct reg_case *c, int tensor, struct depth *depth)
{
    registry_find(&project.registry, c->registration->name)->depth(c, tensor, depth);
    depth_add(depth, 100, "nothing");
}

/* Kernels and a launcher, of each family that meets its depth exactly. */
static const struct {
    const char *chip, *name, *shape;
    int depth;
} exact[] = {
    {"gfx1151", "tf_exl3_rot_in", "2x640", 7},
    {"gfx942", "tf_exl3_rot_in", "2x640", 7},
    {"gfx1151", "moe_combine_staged", "2x8x1025", 7},
    {"gfx90a", "moe_combine_gate", "2x8x1025", 7},
    {"gfx1151", "matmul_q8_0_batch_wmma", "2x64x65", 18},
    {"gfx1201", "hgemm_reduce_fp32", "7x3x257", 6},
};

static void registered_depths_hold(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        struct fixture f;
        fixture_open(&f, exact[i].chip, exact[i].name, exact[i].shape, REG_PATTERN_SIGNED);
        struct verdict v = judge(&f);
        assert_string_equal(v.reason, "");
        assert_int_equal(v.status, VERDICT_PASS);
        assert_int_equal(v.depth_measured, exact[i].depth);
        assert_int_equal(v.depth_declared, exact[i].depth);
        fixture_close(&f);
    }
}

static void a_depth_one_too_small_is_red(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        struct fixture f;
        fixture_open(&f, exact[i].chip, exact[i].name, exact[i].shape, REG_PATTERN_SIGNED);
        f.registration.depth = one_less;
        struct verdict v = judge(&f);
        char text[80];
        snprintf(text, sizeof text, "comes through %d additions that round, and %d are declared", exact[i].depth,
                 exact[i].depth - 1);
        assert_int_equal(v.status, VERDICT_FAIL);
        assert_true(verdict_status_is_red(v.status));
        assert_non_null(strstr(v.reason, text));
        fixture_close(&f);
    }
}

/* It is no fault, and shows. */
static void a_generous_depth_is_shown_beside_the_measured_one(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f, "gfx1151", "tf_exl3_rot_in", "1x128", REG_PATTERN_SIGNED);
    f.registration.depth = a_hundred_more;
    struct verdict v = judge(&f);
    assert_int_equal(v.status, VERDICT_PASS);
    assert_int_equal(v.depth_measured, 7);
    assert_int_equal(v.depth_declared, 107);
    assert_string_equal(v.depth_tensor, "out");
    assert_string_equal(v.depth_parts, "7 the rotation + 100 nothing");
    fixture_close(&f);
}

/* Of two outputs the one that is nearer to what is declared: here that whose depth is met exactly. */
static void the_nearest_of_several_outputs_is_the_verdicts(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f, "gfx1151", "hc_split_weighted_sum_norm", "2x33", REG_PATTERN_SIGNED);
    struct verdict v = judge(&f);
    assert_string_equal(v.depth_tensor, "mixed");
    assert_int_equal(v.depth_measured, 3);
    assert_int_equal(v.depth_declared, 3);
    f.registration.depth = one_less;
    v = judge(&f);
    assert_int_equal(v.status, VERDICT_FAIL);
    assert_string_equal(v.depth_tensor, "mixed");
    fixture_close(&f);
}

static void one_pattern_is_enough(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f, "gfx1151", "tf_exl3_rot_in", "1x128", REG_PATTERN_ONESIDED);
    f.registration.depth = one_less;
    struct verdict v = judge(&f);
    assert_int_equal(v.status, VERDICT_PASS);
    assert_string_equal(v.depth_tensor, "");
    fixture_close(&f);
}

/* A verdict that is red already keeps its reason, and the kernel is not launched again. */
static void only_what_passes_is_measured(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f, "gfx1151", "tf_exl3_rot_in", "1x128", REG_PATTERN_SIGNED);
    f.registration.depth = one_less;
    struct verdict v = verdict_for_case(&f.host, &f.target, GATE_BOUND);
    uint64_t before = f.device->count_launches(f.device);
    v.status = VERDICT_FAIL;
    verdict_reason(&v, "out of bounds");
    depth_judge(&f.target, &f.host, CHECKS_ALL, &v);
    assert_string_equal(v.reason, "out of bounds");
    assert_int_equal(f.device->count_launches(f.device), before);
    fixture_close(&f);
}

/* ---- a device that measures what a test says ---- */

static int measuring;
static uint32_t measured;

static void measure(struct device *device, bool on)
{
    (void)device;
    measuring += on ? 1 : -1;
}

/* Of y, 6 elements, that many; of any other tensor none. */
static uint32_t give_measured(struct device *device, const void *pointer, size_t n_bytes, size_t *at)
{
    (void)device, (void)pointer;
    assert_int_equal(measuring, 1);
    *at = n_bytes - 4;
    return n_bytes == 6 * 4 ? measured : 0;
}

enum fake { FAKE_MEASURES = 1, FAKE_FAILS = 2, FAKE_WRITES_W = 4 };

static int64_t declared_of_y;

static void only_y_adds(const struct reg_case *c, int tensor, struct depth *depth)
{
    depth_add(depth, strcmp(c->plan->tensor[tensor].name, "y") == 0 ? declared_of_y : 0, "the chain");
}

/* fake_dot at 6x64, whose y declares a depth of 64 unless a test says another; what of enum fake applies. */
static struct verdict judge_fake(int what)
{
    bool measures = what & FAKE_MEASURES;
    struct registration r = fake_registration("dot");
    if (declared_of_y)
        r.depth = only_y_adds;
    struct host_case host;
    struct error error;
    struct device *device = fake_device_open(fake_kernels, true);
    struct builder builder = fake_builder();
    struct builds builds = {.builder = &builder, .device = device};
    struct launch_target target;
    assert_true(host_case_open(&host, &r, &r.shapes[1], REG_PATTERN_SIGNED, 1, 1, &error));
    assert_true(builds_target(&builds, &r, NULL, &target, &error));
    device->measure_depth = measures ? measure : NULL;
    device->depth_of = measures ? give_measured : NULL;
    if (what & FAKE_WRITES_W)
        host.plan.tensor[1].role = REG_OUTPUT;
    fake_device_fail_launch(what & FAKE_FAILS ? 1 : 0, hipErrorLaunchFailure);
    struct verdict v = verdict_for_case(&host, &target, GATE_BOUND);
    depth_judge(&target, &host, CHECKS_BASIC, &v);
    fake_device_fail_launch(0, hipSuccess);
    device->measure_depth = NULL;
    device->depth_of = NULL;
    builds_free(&builds);
    host_case_close(&host);
    assert_int_equal(fake_device_live_allocations(), 0);
    assert_int_equal(measuring, 0);
    return v;
}

static void the_element_that_is_too_deep_is_named(void **state)
{
    (void)state;
    measured = 65;
    struct verdict v = judge_fake(FAKE_MEASURES);
    assert_int_equal(v.status, VERDICT_FAIL);
    assert_string_equal(v.reason,
                        "depth: element 5 of y comes through 65 additions that round, and 64 are declared (64 the "
                        "chain): its bound rests on too few");
    measured = 64;
    assert_int_equal(judge_fake(FAKE_MEASURES).status, VERDICT_PASS);
}

/* One that declares no additions and has none comes first. */
static void an_output_without_additions_hides_no_other(void **state)
{
    (void)state;
    declared_of_y = 64;
    measured = 65;
    struct verdict v = judge_fake(FAKE_MEASURES | FAKE_WRITES_W);
    assert_int_equal(v.status, VERDICT_FAIL);
    assert_string_equal(v.depth_tensor, "y");
    measured = 64;
    v = judge_fake(FAKE_MEASURES | FAKE_WRITES_W);
    declared_of_y = 0;
    assert_int_equal(v.status, VERDICT_PASS);
    assert_int_equal(v.depth_declared, 0); /* 0 of 0 is as near as 64 of 64, and the first */
}

static void what_is_deeper_than_counts_go_is_red_whatever_is_declared(void **state)
{
    (void)state;
    declared_of_y = 100000;
    measured = DEVICE_DEPTH_MOST;
    struct verdict v = judge_fake(FAKE_MEASURES);
    measured = DEVICE_DEPTH_MOST - 1;
    struct verdict below = judge_fake(FAKE_MEASURES);
    declared_of_y = 0;
    assert_int_equal(v.status, VERDICT_FAIL);
    assert_string_equal(v.reason,
                        "depth: element 5 of y comes through at least 32766 additions that round, and 100000 are declared "
                        "(100000 the chain): no more are counted");
    assert_int_equal(below.status, VERDICT_PASS);
}

static void a_device_that_cannot_measure_is_left_alone(void **state)
{
    (void)state;
    measured = 65;
    struct verdict v = judge_fake(0);
    assert_int_equal(v.status, VERDICT_PASS);
    assert_string_equal(v.depth_tensor, "");
}

static void a_launch_that_fails_is_the_verdicts(void **state)
{
    (void)state;
    struct verdict v = judge_fake(FAKE_MEASURES | FAKE_FAILS);
    assert_int_equal(v.status, VERDICT_LAUNCH_FAILED);
    assert_non_null(strstr(v.reason, "the depth audit: hipModuleLaunchKernel"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registered_depths_hold),
        cmocka_unit_test(a_depth_one_too_small_is_red),
        cmocka_unit_test(a_generous_depth_is_shown_beside_the_measured_one),
        cmocka_unit_test(the_nearest_of_several_outputs_is_the_verdicts),
        cmocka_unit_test(one_pattern_is_enough),
        cmocka_unit_test(only_what_passes_is_measured),
        cmocka_unit_test(the_element_that_is_too_deep_is_named),
        cmocka_unit_test(an_output_without_additions_hides_no_other),
        cmocka_unit_test(what_is_deeper_than_counts_go_is_red_whatever_is_declared),
        cmocka_unit_test(a_device_that_cannot_measure_is_left_alone),
        cmocka_unit_test(a_launch_that_fails_is_the_verdicts),
    };
    return cmocka_run_group_tests_name("depth_audit", tests, project_setup, project_teardown);
}
