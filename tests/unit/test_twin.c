/* A registration beside its twin: as far apart as both bounds allow, on the same inputs, or red with the twin's numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "contract/twin.h"
#include "tests/support/fake_kernels.h"

/* Two cases of the same inputs, and both outputs as the right kernel leaves them. */
struct pair {
    struct registration own, other;
    struct host_case host, twin_host;
    struct outputs outputs, twin_outputs;
};

static float *outputs_of(const struct host_case *host)
{
    return host->c.data[FAKE_Y];
}

static void compute(struct host_case *host, struct outputs *outputs)
{
    struct error error;
    assert_true(host_case_reference(host, &error));
    int columns = (int)host->plan.tensor[FAKE_X].columns;
    void *parameters[] = {&host->c.data[FAKE_X], &host->c.data[FAKE_W], &host->c.data[FAKE_Y], &columns};
    fake_kernels[0].run(&(struct fake_launch){.parameters = parameters, .grid = {host->plan.grid[0], 1, 1}});
    outputs->data[FAKE_Y] = host->c.data[FAKE_Y];
}

static struct registration fake_twin(const char *symbol)
{
    struct registration r = fake_registration(symbol);
    r.name = "fake_twin";
    return r;
}

static void open_pair(struct pair *p)
{
    struct error error;
    *p = (struct pair){.own = fake_registration("dot"), .other = fake_twin("dot")};
    assert_true(host_case_open(&p->host, &p->own, &p->own.shapes[2], REG_PATTERN_ONESIDED, 1, 1, &error));
    assert_true(host_case_open_on(&p->twin_host, &p->other, &p->host, &error));
    compute(&p->host, &p->outputs);
    compute(&p->twin_host, &p->twin_outputs);
}

static void close_pair(struct pair *p)
{
    host_case_close(&p->host);
    host_case_close(&p->twin_host);
}

static struct verdict compare(const struct pair *p)
{
    struct verdict v = verdict_for_case(&p->host, NULL, GATE_BOUND);
    twin_compare(&p->host, &p->outputs, &p->twin_host, &p->twin_outputs, &v);
    return v;
}

/* The two names give other inputs by themselves; sums of the same inputs in the same order are equal to the last bit. */
static void twin_runs_on_the_case_s_inputs(void **state)
{
    (void)state;
    struct pair p;
    open_pair(&p);
    struct verdict v = compare(&p);
    assert_int_equal(v.status, VERDICT_PASS);
    assert_int_equal(v.n_twin, 9);
    assert_memory_equal(outputs_of(&p.host), outputs_of(&p.twin_host), 9 * sizeof(float));
    assert_true(v.twin_ratio == 0);
    close_pair(&p);
}

/* The float next to `limit` on the side of `inside`. */
static float just_inside(double limit, double inside)
{
    float at = (float)limit;
    while (inside < limit ? (double)at > limit : (double)at < limit)
        at = nextafterf(at, (float)inside);
    return at;
}

/* Each at the far edge of its own bound, they are as far apart as both bounds together allow; the twin a tenth further is
 * too far, though this one is within its bound. */
static void outputs_may_be_apart_by_both_bounds(void **state)
{
    (void)state;
    struct pair p;
    open_pair(&p);
    const struct bound *bound = &p.host.bounds[FAKE_Y][4];
    outputs_of(&p.host)[4] = just_inside(bound->value + bound->error, bound->value);
    outputs_of(&p.twin_host)[4] = just_inside(bound->value - bound->error, bound->value);
    struct verdict v = compare(&p);
    assert_int_equal(v.status, VERDICT_PASS);
    assert_true(v.twin_ratio > 0.9 && v.twin_ratio <= 1);
    outputs_of(&p.twin_host)[4] = (float)(bound->value - bound->error * 1.2);
    v = compare(&p);
    assert_int_equal(v.status, VERDICT_FAIL);
    assert_int_equal(v.worst.index, 4);
    assert_int_equal(v.n_wrong, 1);
    assert_true(v.twin_ratio > 1 && v.twin_ratio < 1.2);
    assert_non_null(strstr(v.reason, "times both bounds away from twin fake_twin: its "));
    close_pair(&p);
}

/* What the references are apart by is no fault: where this one's is one higher and so is its output. */
static void difference_of_the_references_is_allowed_for(void **state)
{
    (void)state;
    struct pair p;
    open_pair(&p);
    ((struct bound *)p.host.bounds[FAKE_Y])[0].value += 1;
    assert_int_equal(compare(&p).status, VERDICT_FAIL);
    outputs_of(&p.host)[0] += 1;
    assert_int_equal(compare(&p).status, VERDICT_PASS);
    close_pair(&p);
}

static void output_that_is_not_finite_is_infinitely_far(void **state)
{
    (void)state;
    struct pair p;
    open_pair(&p);
    outputs_of(&p.twin_host)[8] = NAN;
    struct verdict v = compare(&p);
    assert_int_equal(v.status, VERDICT_FAIL);
    assert_int_equal(v.worst.index, 8);
    assert_true(isinf(v.twin_ratio));
    close_pair(&p);
}

/* A reference of infinity asks for that class of its own output, whatever the other's is. */
static void classes_come_before_distances(void **state)
{
    (void)state;
    struct pair p;
    open_pair(&p);
    ((struct bound *)p.twin_host.bounds[FAKE_Y])[3] = (struct bound){INFINITY, 0};
    assert_int_equal(compare(&p).status, VERDICT_FAIL);
    outputs_of(&p.twin_host)[3] = INFINITY;
    assert_int_equal(compare(&p).status, VERDICT_PASS);
    close_pair(&p);
}

static void undecided_outputs_are_not_compared(void **state)
{
    (void)state;
    struct pair p;
    open_pair(&p);
    ((struct bound *)p.twin_host.bounds[FAKE_Y])[3] = (struct bound){0, INFINITY};
    outputs_of(&p.twin_host)[3] = NAN;
    struct verdict v = compare(&p);
    assert_int_equal(v.status, VERDICT_PASS);
    assert_int_equal(v.n_twin, 8);
    for (int i = 0; i < 9; i++)
        ((struct bound *)p.host.bounds[FAKE_Y])[i] = (struct bound){0, INFINITY};
    v = compare(&p);
    assert_int_equal(v.status, VERDICT_FAIL);
    assert_string_equal(v.reason, "no output is decided by both its reference and that of twin fake_twin");
    close_pair(&p);
}

static size_t uses_an_assumption(struct device *device, hipFunction_t function, char *text, size_t capacity)
{
    (void)device, (void)function;
    snprintf(text, capacity, "v_dot2_f32_f16");
    return 1;
}

/* The right kernel's case beside a twin that is run on the fake device, a gfx1151. */
static struct verdict judge_beside(struct registration other, int fail_launch)
{
    struct pair p;
    open_pair(&p);
    p.own.twin = "fake_twin";
    const struct registration *registrations[] = {&p.own, &other};
    struct registry registry = {.registrations = registrations, .n_registrations = 2};
    struct builder builder = fake_builder();
    struct builds builds = {.builder = &builder, .device = fake_device_open(fake_kernels, true)};
    builds.device->modelled = uses_an_assumption;
    struct twin twin = twin_find(&registry, &p.own, &builds);
    struct verdict v = verdict_for_case(&p.host, NULL, GATE_BOUND);
    struct error error = {0};
    fake_device_fail_launch(fail_launch, hipErrorLaunchFailure);
    assert_true(twin_judge(&twin, &p.host, &p.outputs, CHECKS_ALL, &v, &error));
    assert_int_equal(fake_device_live_allocations(), 0);
    assert_string_equal(v.twin, "fake_twin");
    builds_free(&builds);
    close_pair(&p);
    return v;
}

static void twin_is_launched_and_compared(void **state)
{
    (void)state;
    struct verdict v = judge_beside(fake_twin("dot"), 0);
    assert_int_equal(v.status, VERDICT_PASS);
    assert_int_equal(v.n_twin, 9);
    assert_true(v.twin_ratio == 0);
    assert_true(v.twin_code.low != 0);
    assert_string_equal(v.modelled, "v_dot2_f32_f16");
    v = judge_beside(fake_twin("drops_last_term"), 0);
    assert_int_equal(v.status, VERDICT_FAIL);
    assert_int_equal(v.gate, GATE_BOUND);
    assert_int_equal(v.n_wrong, 9);
}

static void twin_that_cannot_be_run_is_red_and_says_why(void **state)
{
    (void)state;
    struct verdict v = judge_beside(fake_twin("changes_input"), 0);
    assert_int_equal(v.status, VERDICT_FAIL);
    assert_true(strncmp(v.reason, "twin fake_twin: run 1: input x was changed", 42) == 0);
    v = judge_beside(fake_twin("dot"), 1);
    assert_int_equal(v.status, VERDICT_LAUNCH_FAILED);
    assert_non_null(strstr(v.reason, "twin fake_twin: run 1: hipModuleLaunchKernel: hipErrorLaunchFailure"));
    struct registration broken = fake_twin("dot");
    broken.source = "broken.hip";
    v = judge_beside(broken, 0);
    assert_int_equal(v.status, VERDICT_BUILD_FAILED);
    assert_non_null(strstr(v.reason, "twin fake_twin: family fake for gfx1151 does not compile"));
}

static void twin_of_another_chip_is_named_and_not_run(void **state)
{
    (void)state;
    struct registration other = fake_twin("drops_last_term");
    other.chips = "gfx90a";
    struct verdict v = judge_beside(other, 0);
    assert_int_equal(v.status, VERDICT_PASS);
    assert_int_equal(v.n_twin, 0);
    assert_string_equal(v.modelled, "");
    assert_true(v.twin_code.low == 0 && v.twin_code.high == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twin_runs_on_the_case_s_inputs),
        cmocka_unit_test(outputs_may_be_apart_by_both_bounds),
        cmocka_unit_test(difference_of_the_references_is_allowed_for),
        cmocka_unit_test(output_that_is_not_finite_is_infinitely_far),
        cmocka_unit_test(classes_come_before_distances),
        cmocka_unit_test(undecided_outputs_are_not_compared),
        cmocka_unit_test(twin_is_launched_and_compared),
        cmocka_unit_test(twin_that_cannot_be_run_is_red_and_says_why),
        cmocka_unit_test(twin_of_another_chip_is_named_and_not_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
