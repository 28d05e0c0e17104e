/*
 * Launchers on the emulator: the checks that they have beside their runs, each made red by a launcher that is wrong in its
 * way, and what ds4's launchers keep for a device.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "commands/session.h"
#include "contract/launcher.h"
#include "kernels/ds4/combine.h"
#include "kernels/ds4/projection.h"
#include "kernels/ds4/weight_cache.h"
#include "kernels/launch/scratch.h"
#include "tests/support/project.h"

static const char registered[] = "projection_q8_0";

/* The registered case of a launcher on an emulator of so many devices. */
struct fixture {
    struct device *device;
    struct builder builder;
    struct builds builds;
    struct registration registration;
    struct reg_launcher launcher;
    struct host_case host;
    struct launch_target target;
};

static void fixture_open(struct fixture *f, int n_devices)
{
    struct error error = {0};
    struct emulator_options options = {.chip = "gfx1151", .n_devices = n_devices, .n_threads = 1};
    *f = (struct fixture){.builder = session_builder(project.toolchain),
                          .registration = *registry_find(&project.registry, registered)};
    f->launcher = *f->registration.launcher;
    f->registration.launcher = &f->launcher;
    assert_true(emulator_open(&options, &f->device, &error));
    f->builds = (struct builds){.builder = &f->builder, .device = f->device};
    assert_true(host_case_open(&f->host, &f->registration, registration_shape(&f->registration, f->launcher.devices_shape),
                               REG_PATTERN_SIGNED, 1, 1, &error));
    if (!builds_target(&f->builds, &f->registration, NULL, &f->target, &error))
        fail_msg("%s", error.text);
}

static void fixture_close(struct fixture *f)
{
    host_case_close(&f->host);
    builds_free(&f->builds);
    f->device->close(f->device);
}

static struct verdict check(struct fixture *f, enum reg_launcher_check which)
{
    struct launcher_options options = {.seed = 1, .checks = CHECKS_ALL};
    struct launch_fault fault = launch_as_planned(&f->host);
    struct verdict v = launcher_verdict(which, &f->host, &f->target);
    launcher_check(which, &f->host, &f->target, &fault, &f->builds, &options, &v);
    return v;
}

/* The check's verdict on the registered launcher with another launch. */
static struct verdict check_with(bool (*launch)(void *, const struct reg_call *, struct error *), int n_devices,
                                 enum reg_launcher_check which)
{
    struct fixture f;
    fixture_open(&f, n_devices);
    if (launch)
        f.launcher.launch = launch;
    struct verdict v = check(&f, which);
    int current = -1, wave_size = 0;
    assert_int_equal(f.device->hip->hipGetDevice(&current), hipSuccess);
    assert_int_equal(current, 0);
    assert_int_equal(f.device->hip->hipDeviceGetAttribute(&wave_size, hipDeviceAttributeWarpSize, 0), hipSuccess);
    assert_int_equal(wave_size, 32);
    fixture_close(&f);
    return v;
}

static void the_registered_launcher_holds_its_checks(void **state)
{
    (void)state;
    struct verdict v = check_with(NULL, 3, REG_LAUNCHER_DEVICES);
    assert_string_equal(v.reason, "");
    assert_int_equal(v.status, VERDICT_PASS);
    assert_int_equal(v.n_runs, 20);
    assert_int_equal(v.n_compared, 3 * 3 * 9);
    assert_string_equal(v.name, "devices");
    v = check_with(NULL, 1, REG_LAUNCHER_WAVE);
    assert_string_equal(v.reason, "");
    assert_int_equal(v.status, VERDICT_PASS);
    assert_int_equal(v.n_runs, 2);
}

static void one_device_is_no_check_of_several(void **state)
{
    (void)state;
    struct verdict v = check_with(NULL, 1, REG_LAUNCHER_DEVICES);
    assert_int_equal(v.status, VERDICT_NOT_RUN);
    assert_string_equal(v.reason, "one device of chip gfx1151 here; it takes two");
}

/* Writes output and no kernel: zeros, then on device 1 in its third launch another byte. */
static bool launch_that_differs(void *state, const struct reg_call *call, struct error *error)
{
    static _Thread_local int n_launches;
    const struct reg_tensor *out = &call->c->plan->tensor[2];
    (void)state, (void)error;
    call->hip->hipMemset(call->tensors[2], 0, tensor_bytes(out));
    if (call->device == 1 && ++n_launches == 3)
        call->hip->hipMemset((char *)call->tensors[2] + 40, 1, 1);
    return true;
}

static void bytes_that_differ_on_one_device_are_red(void **state)
{
    (void)state;
    struct verdict v = check_with(launch_that_differs, 2, REG_LAUNCHER_DEVICES);
    assert_int_equal(v.status, VERDICT_FAIL);
    assert_non_null(strstr(v.reason,
                           "run 3 on device 1: it differs from run 1 on device 0 in 1 elements of out, first 10: 0x0, "
                           "then 0x1"));
}

/* Writes zeros, and refuses where memory of its own lies on one side of a multiple of 4 GiB. */
static bool launch_with_scratch(void *state, const struct reg_call *call, struct error *error)
{
    enum { SCRATCH_BYTES = 300 };
    void *scratch = NULL;
    (void)state;
    call->hip->hipMemset(call->tensors[2], 0, tensor_bytes(&call->c->plan->tensor[2]));
    if (call->hip->hipMalloc(&scratch, SCRATCH_BYTES) != hipSuccess)
        return error_set(error, STATUS_ENVIRONMENT, "no memory");
    uint64_t first = (uintptr_t)scratch, last = first + SCRATCH_BYTES - 1;
    call->hip->hipFree(scratch);
    return first >> 32 != last >> 32 || error_set(error, STATUS_RED, "0x%" PRIx64 " to 0x%" PRIx64, first, last);
}

static void what_a_launcher_allocates_lies_across_4_gib(void **state)
{
    (void)state;
    struct verdict v = check_with(launch_with_scratch, 2, REG_LAUNCHER_DEVICES);
    assert_string_equal(v.reason, "");
    assert_int_equal(v.status, VERDICT_PASS);
}

static bool launch_that_refuses_device_1(void *state, const struct reg_call *call, struct error *error)
{
    (void)state;
    if (call->device == 1)
        return error_set(error, STATUS_USAGE, "no state for device 1");
    call->hip->hipMemset(call->tensors[2], 0, tensor_bytes(&call->c->plan->tensor[2]));
    return true;
}

static void a_launcher_of_one_device_is_red(void **state)
{
    (void)state;
    struct verdict v = check_with(launch_that_refuses_device_1, 2, REG_LAUNCHER_DEVICES);
    assert_int_equal(v.status, VERDICT_LAUNCH_FAILED);
    assert_string_equal(v.reason, "run 1 on device 1: the launcher: no state for device 1");
}

static bool launch_that_refuses_too_late(void *state, const struct reg_call *call, struct error *error)
{
    (void)state;
    call->hip->hipMemset(call->tensors[2], 0, 4);
    return error_set(error, STATUS_USAGE, "waves are not as expected");
}

static void an_unknown_wave_size_must_be_refused_first(void **state)
{
    (void)state;
    struct verdict v = check_with(launch_that_differs, 1, REG_LAUNCHER_WAVE);
    assert_int_equal(v.status, VERDICT_FAIL);
    assert_string_equal(v.reason, "a device with waves of 16 was launched on; refuse a size that no variant is for");
    v = check_with(launch_that_refuses_too_late, 1, REG_LAUNCHER_WAVE);
    assert_int_equal(v.status, VERDICT_FAIL);
    assert_string_equal(v.reason, "a device with waves of 16 was refused only after out was written");
}

/* Says nothing of why. */
static bool launch_that_refuses_silently(void *state, const struct reg_call *call, struct error *error)
{
    (void)state, (void)call, (void)error;
    return false;
}

static bool open_that_refuses(const struct hip_api *hip, void **state, struct error *error)
{
    int wave_size = 0;
    *state = NULL;
    if (hip->hipDeviceGetAttribute(&wave_size, hipDeviceAttributeWarpSize, 0) == hipSuccess && wave_size == 32)
        return true;
    return error_set(error, STATUS_USAGE, "waves are not as expected");
}

static void close_nothing(void *state)
{
    (void)state;
}

static void a_refusal_is_one_wherever_it_is_and_whatever_it_says(void **state)
{
    (void)state;
    struct fixture f;
    struct verdict v = check_with(launch_that_refuses_silently, 1, REG_LAUNCHER_WAVE);
    assert_string_equal(v.reason, "");
    assert_int_equal(v.status, VERDICT_PASS);
    fixture_open(&f, 1);
    f.launcher.open = open_that_refuses;
    f.launcher.close = close_nothing;
    v = check(&f, REG_LAUNCHER_WAVE);
    assert_string_equal(v.reason, "");
    assert_int_equal(v.status, VERDICT_PASS);
    fixture_close(&f);
}

/* Launches a sum of so many outputs to null, and refuses. */
static bool sum_and_refuse(const struct reg_call *call, int n_out, struct error *error)
{
    void *partial = NULL, *out = NULL;
    int n_splits = 1;
    void *parameters[] = {&partial, &out, &n_out, &n_splits};
    assert_int_equal(call->hip->hipModuleLaunchKernel(call->functions[DS4_projection_sum], 1, 1, 1, 256, 1, 1, 0, NULL,
                                                      parameters, NULL),
                     n_out ? hipErrorIllegalAddress : hipSuccess);
    return error_set(error, STATUS_USAGE, "waves are not as expected");
}

static bool launch_of_nothing_that_refuses(void *state, const struct reg_call *call, struct error *error)
{
    (void)state;
    return sum_and_refuse(call, 0, error);
}

static bool launch_to_null_that_refuses(void *state, const struct reg_call *call, struct error *error)
{
    (void)state;
    return sum_and_refuse(call, 1, error);
}

static bool launch_that_writes_a_guard_and_refuses(void *state, const struct reg_call *call, struct error *error)
{
    (void)state;
    call->hip->hipMemset((char *)call->tensors[2] - 4, 0, 4);
    return error_set(error, STATUS_USAGE, "waves are not as expected");
}

static bool launch_that_writes_an_input_and_refuses(void *state, const struct reg_call *call, struct error *error)
{
    (void)state;
    call->hip->hipMemset((char *)call->tensors[0] + 8, 0, 4);
    return error_set(error, STATUS_USAGE, "waves are not as expected");
}

static void a_refusal_leaves_everything_alone(void **state)
{
    (void)state;
    static const struct {
        bool (*launch)(void *, const struct reg_call *, struct error *);
        const char *says;
    } cases[] = {
        {launch_of_nothing_that_refuses, "a device with waves of 16 was refused only after launches of kernels: 1"},
        {launch_to_null_that_refuses, "the refusal of waves of 16: mem: "},
        {launch_that_writes_a_guard_and_refuses,
         "the refusal of waves of 16: guard before tensor out was written, 0 bytes"},
        {launch_that_writes_an_input_and_refuses, "the refusal of waves of 16: input x was changed at element 2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct verdict v = check_with(cases[i].launch, 1, REG_LAUNCHER_WAVE);
        assert_int_equal(v.status, VERDICT_FAIL);
        if (!strstr(v.reason, cases[i].says))
            fail_msg("'%s' does not say '%s'", v.reason, cases[i].says);
    }
}

/* A launcher's open that succeeds with no state, or fails with one; and how often the state was closed. */
static int n_closed;
static bool open_without_state(const struct hip_api *hip, void **state, struct error *error)
{
    (void)hip, (void)error;
    *state = NULL;
    return true;
}

static bool open_that_fails_with_a_state(const struct hip_api *hip, void **state, struct error *error)
{
    (void)hip;
    *state = &n_closed;
    return error_set(error, STATUS_ENVIRONMENT, "half open");
}

static void count_close(void *state)
{
    (void)state;
    n_closed++;
}

static void what_was_opened_is_closed_once_and_nothing_else(void **state)
{
    (void)state;
    struct fixture f;
    struct error error = {0};
    fixture_open(&f, 1);
    f.launcher.open = open_without_state;
    f.launcher.close = count_close;
    n_closed = 0;
    assert_true(launch_open(&f.target, &error));
    launch_close(&f.target);
    launch_close(&f.target);
    assert_int_equal(n_closed, 1);
    f.launcher.open = open_that_fails_with_a_state;
    assert_false(launch_open(&f.target, &error));
    launch_close(&f.target);
    assert_int_equal(n_closed, 1);
    fixture_close(&f);
}

/* A runtime whose hipMalloc counts its calls and may be out of memory. */
static struct {
    const struct hip_api *hip;
    int n_calls;
    bool is_full;
} allocator;

static hipError_t counted_malloc(void **pointer, size_t n_bytes)
{
    allocator.n_calls++;
    return allocator.is_full ? hipErrorOutOfMemory : allocator.hip->hipMalloc(pointer, n_bytes);
}

static struct hip_api counting(const struct fixture *f, bool is_full)
{
    struct hip_api hip = *f->device->hip;
    hip.hipMalloc = counted_malloc;
    allocator.hip = f->device->hip;
    allocator.n_calls = 0;
    allocator.is_full = is_full;
    return hip;
}

static void a_matrix_is_copied_at_its_second_use(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f, 1);
    struct hip_api hip = counting(&f, false);
    struct ds4_weight_cache cache = {.budget_bytes = 1000};
    void *copy = NULL, *again = NULL;
    static const int a, b, c; /* addresses that name matrices */
    assert_int_equal(ds4_weight_cache_use(&cache, &hip, &a, 600, &copy), DS4_WEIGHTS_PACKED);
    assert_int_equal(ds4_weight_cache_use(&cache, &hip, &a, 600, &copy), DS4_WEIGHTS_FILL);
    assert_int_equal(ds4_weight_cache_use(&cache, &hip, &a, 600, &again), DS4_WEIGHTS_FILL); /* nobody filled it */
    assert_ptr_equal(copy, again);
    ds4_weight_cache_filled(&cache, &a);
    again = NULL;
    assert_int_equal(ds4_weight_cache_use(&cache, &hip, &a, 600, &again), DS4_WEIGHTS_COPY);
    assert_ptr_equal(copy, again);
    assert_int_equal(ds4_weight_cache_use(&cache, &hip, &a, 601, &again), DS4_WEIGHTS_PACKED); /* not this matrix's size */
    assert_int_equal(ds4_weight_cache_use(&cache, &hip, &a, 600, &again), DS4_WEIGHTS_COPY);
    for (int use = 0; use < 3; use++) /* 401 bytes are over the 400 that are left */
        assert_int_equal(ds4_weight_cache_use(&cache, &hip, &b, 401, &copy), DS4_WEIGHTS_PACKED);
    assert_int_equal(allocator.n_calls, 1);
    ds4_weight_cache_use(&cache, &hip, &c, 400, &copy);
    assert_int_equal(ds4_weight_cache_use(&cache, &hip, &c, 400, &copy), DS4_WEIGHTS_FILL);
    assert_int_equal(cache.used_bytes, 1000);
    ds4_weight_cache_free(&cache, &hip);
    assert_int_equal(cache.used_bytes, 0);
    fixture_close(&f);
}

static void a_full_device_falls_back_and_is_asked_once(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f, 1);
    struct hip_api hip = counting(&f, true);
    struct ds4_weight_cache cache = {.budget_bytes = 1000};
    void *copy = NULL;
    static const int a;
    for (int use = 0; use < 4; use++)
        assert_int_equal(ds4_weight_cache_use(&cache, &hip, &a, 600, &copy), DS4_WEIGHTS_PACKED);
    assert_int_equal(allocator.n_calls, 1);
    assert_int_equal(hip.hipGetLastError(), hipSuccess);
    fixture_close(&f);
}

static void scratch_grows_and_is_kept(void **state)
{
    (void)state;
    struct fixture f;
    struct error error = {0};
    fixture_open(&f, 1);
    struct hip_api hip = counting(&f, false);
    struct launch_scratch scratch = {0};
    void *first, *second;
    assert_true(launch_scratch_take(&scratch, &hip, 100, &first, &error));
    assert_true(launch_scratch_take(&scratch, &hip, 64, &second, &error));
    assert_ptr_equal(first, second);
    assert_true(launch_scratch_take(&scratch, &hip, 101, &second, &error));
    assert_int_equal(allocator.n_calls, 2);
    allocator.is_full = true;
    assert_false(launch_scratch_take(&scratch, &hip, 102, &second, &error));
    assert_string_equal(error.text, "hipMalloc of 102 bytes of scratch: hipErrorOutOfMemory");
    launch_scratch_free(&scratch, &hip);
    fixture_close(&f);
}

/* A runtime that notes which kernels are launched, and refuses one of them. */
static struct {
    enum ds4_projection_kernel kernels[16];
    int n_kernels, refused; /* -1: none */
} launches;

static hipFunction_t function_of(enum ds4_projection_kernel kernel)
{
    static char names[DS4_PROJECTION_N_KERNELS]; /* addresses that stand for kernels */
    return (hipFunction_t)(void *)&names[kernel];
}

static hipError_t noted_launch(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                               unsigned block_y, unsigned block_z, unsigned lds_bytes, hipStream_t stream,
                               void **parameters, void **extra)
{
    (void)grid_x, (void)grid_y, (void)grid_z, (void)block_x, (void)block_y, (void)block_z;
    (void)lds_bytes, (void)stream, (void)parameters, (void)extra;
    int kernel = 0;
    while (function_of(kernel) != function)
        kernel++;
    launches.kernels[launches.n_kernels++] = kernel;
    return kernel == launches.refused ? hipErrorLaunchFailure : hipSuccess;
}

/* Launches 2 rows of k = 64 and n = 3 with the runtime's launches noted; false with the error. */
static bool launch_noted(const struct fixture *f, struct launch_scratch *scratch, struct ds4_weight_cache *cache,
                         int refused, struct error *error)
{
    static const char blocks[1]; /* no kernel runs that would read it */
    struct hip_api hip = *f->device->hip;
    hipFunction_t functions[DS4_PROJECTION_N_KERNELS];
    hip.hipModuleLaunchKernel = noted_launch;
    for (int kernel = 0; kernel < DS4_PROJECTION_N_KERNELS; kernel++)
        functions[kernel] = function_of(kernel);
    launches.n_kernels = 0;
    launches.refused = refused;
    struct ds4_projection_device device = {&hip, functions, 32, scratch, cache};
    struct ds4_projection_call call = {.blocks = blocks, .model = blocks, .rows = 2, .k = 64, .n = 3};
    return ds4_projection_launch(&device, &call, error);
}

static void a_copy_whose_filling_was_refused_is_filled_by_the_next_launch(void **state)
{
    (void)state;
    struct fixture f;
    struct error error = {0};
    struct launch_scratch scratch = {0};
    struct ds4_weight_cache cache = {.budget_bytes = 1 << 20};
    fixture_open(&f, 1);
    assert_true(launch_noted(&f, &scratch, &cache, -1, &error));
    assert_int_equal(launches.kernels[0], DS4_projection_q8_0_w32);
    assert_false(launch_noted(&f, &scratch, &cache, DS4_projection_unpack_q8_0, &error));
    assert_string_equal(error.text, "hipModuleLaunchKernel of the projection: hipErrorLaunchFailure");
    assert_true(launch_noted(&f, &scratch, &cache, -1, &error));
    assert_int_equal(launches.n_kernels, 3);
    assert_int_equal(launches.kernels[0], DS4_projection_unpack_q8_0);
    assert_int_equal(launches.kernels[1], DS4_projection_f16_w32);
    assert_true(launch_noted(&f, &scratch, &cache, -1, &error));
    assert_int_equal(launches.n_kernels, 2);
    assert_int_equal(launches.kernels[0], DS4_projection_f16_w32);
    ds4_weight_cache_free(&cache, f.device->hip);
    launch_scratch_free(&scratch, f.device->hip);
    fixture_close(&f);
}

static void a_shape_over_a_limit_is_refused_by_that_limits_name(void **state)
{
    (void)state;
    struct fixture f;
    static const struct {
        int64_t rows, k, n;
        const char *text;
    } cases[] = {{65536, 1, 1, "the projection takes rows from 1 to 65535, not 65536"},
                 {1, 0, 1, "the projection takes k from 1 to 1073741823, not 0"},
                 {1, 1, 32769, "the projection takes n from 1 to 32768, not 32769"}};
    fixture_open(&f, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error = {0};
        hipFunction_t functions[DS4_PROJECTION_N_KERNELS];
        for (int kernel = 0; kernel < DS4_PROJECTION_N_KERNELS; kernel++)
            functions[kernel] = function_of(kernel);
        struct ds4_projection_device device = {.hip = f.device->hip, .functions = functions, .wave_size = 64};
        struct ds4_projection_call call = {.rows = cases[i].rows, .k = cases[i].k, .n = cases[i].n};
        assert_false(ds4_projection_launch(&device, &call, &error));
        assert_string_equal(error.text, cases[i].text);
        assert_int_equal(error.status, STATUS_USAGE);
    }
    fixture_close(&f);
}

/* Refused before anything of the device is used. */
static void gates_that_do_not_fit_are_told_from_shapes_without_extent(void **state)
{
    (void)state;
    struct error error = {0}, other = {0};
    struct ds4_combine_device device = {.staging = {.buffer_bytes = 16}};
    struct ds4_combine_call call = {.tokens = 2, .experts = 5, .dim = 0};
    float *gates;
    assert_false(ds4_combine_gates(&device, &call, &gates, &error));
    assert_string_equal(error.text, "moe_combine_gate takes at least one token, expert and column, not 2, 5 and 0");
    call.dim = 1;
    assert_false(ds4_combine_gates(&device, &call, &gates, &other));
    assert_non_null(strstr(other.text, "5 experts a token, and a staging buffer of 16 bytes"));
}

/* Device memory is full for all but what launches need: every launch reads the matrix as it is stored. */
static hipError_t malloc_of_small(void **pointer, size_t n_bytes)
{
    const size_t copy_bytes = (size_t)9 * 34 * 32 * 2; /* of the fixture's case */
    allocator.n_calls += n_bytes == copy_bytes;
    return n_bytes == copy_bytes ? hipErrorOutOfMemory : allocator.hip->hipMalloc(pointer, n_bytes);
}

/* The outputs of four launches, which have the same bytes. */
static struct hash128 outputs_of_four_launches(bool is_full)
{
    struct fixture f;
    struct arena kept = {0};
    struct outputs first = {0};
    fixture_open(&f, 1);
    struct hip_api hip = counting(&f, false);
    struct device device = *f.device;
    struct launch_fault fault = launch_as_planned(&f.host);
    struct verdict v = verdict_for_case(&f.host, &f.target, GATE_BYTES);
    struct gate1_options options = {.n_runs = 4, .seed = 1, .guarded_only = true};
    hip.hipMalloc = is_full ? malloc_of_small : counted_malloc;
    device.hip = &hip;
    f.target.device = &device;
    gate1_run(&f.target, &f.host, &fault, &options, &kept, &first, &v);
    assert_string_equal(v.reason, "");
    assert_int_equal(v.status, VERDICT_PASS);
    if (is_full)
        assert_int_equal(allocator.n_calls, 1); /* refused, and asked no more */
    arena_free(&kept);
    fixture_close(&f);
    return v.output;
}

static void a_launch_without_a_copy_leaves_the_same_bytes(void **state)
{
    (void)state;
    assert_true(hash_equal(outputs_of_four_launches(false), outputs_of_four_launches(true)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_registered_launcher_holds_its_checks),
        cmocka_unit_test(one_device_is_no_check_of_several),
        cmocka_unit_test(bytes_that_differ_on_one_device_are_red),
        cmocka_unit_test(what_a_launcher_allocates_lies_across_4_gib),
        cmocka_unit_test(a_launcher_of_one_device_is_red),
        cmocka_unit_test(an_unknown_wave_size_must_be_refused_first),
        cmocka_unit_test(a_refusal_is_one_wherever_it_is_and_whatever_it_says),
        cmocka_unit_test(a_refusal_leaves_everything_alone),
        cmocka_unit_test(what_was_opened_is_closed_once_and_nothing_else),
        cmocka_unit_test(a_matrix_is_copied_at_its_second_use),
        cmocka_unit_test(a_copy_whose_filling_was_refused_is_filled_by_the_next_launch),
        cmocka_unit_test(a_shape_over_a_limit_is_refused_by_that_limits_name),
        cmocka_unit_test(gates_that_do_not_fit_are_told_from_shapes_without_extent),
        cmocka_unit_test(a_full_device_falls_back_and_is_asked_once),
        cmocka_unit_test(scratch_grows_and_is_kept),
        cmocka_unit_test(a_launch_without_a_copy_leaves_the_same_bytes),
    };
    return cmocka_run_group_tests_name("launchers", tests, project_setup, project_teardown);
}
