/*
 * Streams, events and pinned memory of the emulator: what a stream is given is done as late as HIP allows, and in order.
 * Kernels are those of tests/kernels/launch.hip.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/device.h"
#include "toolchain/toolchain.h"

static const char chip[] = "gfx1151";
static struct compiled compiled;

static int compile_kernels(void **state)
{
    struct error error = {0};
    struct compile_request request = {.source_path = "tests/kernels/launch.hip", .family = "launch", .chip = chip};
    struct toolchain *toolchain = toolchain_open(NULL, &error);
    bool ok = toolchain && toolchain_compile(toolchain, &request, &compiled, &error);
    if (!ok)
        fprintf(stderr, "test_streams: %s\n", error.text);
    if (toolchain)
        toolchain_close(toolchain);
    *state = NULL;
    return ok ? 0 : -1;
}

static int drop_kernels(void **state)
{
    (void)state;
    compiled_free(&compiled);
    return 0;
}

/* Two devices; on device 0 a word of memory that holds 0, a pinned word that holds 1, and a stream. */
struct bench {
    struct device *device;
    const struct hip_api *hip;
    hipModule_t module;
    hipFunction_t store_at; /* out[index] = 7 */
    hipStream_t stream;
    hipEvent_t event;
    uint32_t *word, *pinned;
};

#define OK(call) assert_int_equal((call), hipSuccess)

static int open_bench(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    struct error error = {0};
    struct emulator_options options = {.chip = chip, .n_devices = 2, .n_threads = 1, .checks = CHECKS_BASIC};
    assert_true(emulator_open(&options, &b->device, &error));
    b->hip = b->device->hip;
    OK(b->hip->hipModuleLoadData(&b->module, compiled.bytes));
    OK(b->hip->hipModuleGetFunction(&b->store_at, b->module, "store_at"));
    OK(b->hip->hipStreamCreateWithFlags(&b->stream, hipStreamNonBlocking));
    OK(b->hip->hipEventCreateWithFlags(&b->event, hipEventDisableTiming));
    OK(b->hip->hipMalloc((void **)&b->word, sizeof *b->word));
    OK(b->hip->hipMemset(b->word, 0, sizeof *b->word));
    OK(b->hip->hipHostMalloc((void **)&b->pinned, sizeof *b->pinned, 0));
    *b->pinned = 1;
    *state = b;
    return 0;
}

static int close_bench(void **state)
{
    struct bench *b = *state;
    b->device->close(b->device);
    free(b);
    return 0;
}

/* The word as the null stream reads it, which waits for no stream that was made not to block. */
static uint32_t word_now(const struct bench *b)
{
    uint32_t value = 0;
    OK(b->hip->hipMemcpy(&value, b->word, sizeof value, hipMemcpyDeviceToHost));
    return value;
}

static hipError_t store_7(const struct bench *b, uint32_t *out, hipStream_t stream)
{
    int64_t index = 0;
    void *parameters[] = {&out, &index};
    return b->hip->hipModuleLaunchKernel(b->store_at, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL);
}

static hipError_t copy_pinned(const struct bench *b)
{
    return b->hip->hipMemcpyAsync(b->word, b->pinned, sizeof *b->pinned, hipMemcpyHostToDevice, b->stream);
}

static void pinned_memory_is_read_when_the_copy_is_waited_for(void **state)
{
    struct bench *b = *state;
    OK(copy_pinned(b));
    assert_int_equal(word_now(b), 0);
    *b->pinned = 2;
    OK(b->hip->hipStreamSynchronize(b->stream));
    assert_int_equal(word_now(b), 2);
}

static void pageable_memory_is_read_at_once(void **state)
{
    struct bench *b = *state;
    uint32_t pageable = 1;
    OK(b->hip->hipMemcpyAsync(b->word, &pageable, sizeof pageable, hipMemcpyHostToDevice, b->stream));
    pageable = 2;
    assert_int_equal(word_now(b), 0);
    OK(b->hip->hipStreamSynchronize(b->stream));
    assert_int_equal(word_now(b), 1);
    OK(store_7(b, b->word, b->stream));
    OK(b->hip->hipMemcpyAsync(&pageable, b->word, sizeof pageable, hipMemcpyDeviceToHost, b->stream));
    assert_int_equal(pageable, 7);
}

static void arguments_are_taken_at_the_launch_and_work_is_done_in_order(void **state)
{
    struct bench *b = *state;
    OK(store_7(b, b->word, b->stream)); /* whose parameters are gone when it runs */
    OK(copy_pinned(b));
    assert_int_equal(word_now(b), 0);
    OK(b->hip->hipDeviceSynchronize());
    assert_int_equal(word_now(b), 1);
    OK(copy_pinned(b));
    OK(store_7(b, b->word, b->stream));
    OK(b->hip->hipDeviceSynchronize());
    assert_int_equal(word_now(b), 7);
}

static void an_event_waits_for_what_came_before_it(void **state)
{
    struct bench *b = *state;
    OK(b->hip->hipEventSynchronize(b->event)); /* never recorded */
    OK(copy_pinned(b));
    OK(b->hip->hipEventRecord(b->event, b->stream));
    OK(store_7(b, b->word, b->stream));
    OK(b->hip->hipEventSynchronize(b->event));
    assert_int_equal(word_now(b), 1);
    OK(b->hip->hipStreamSynchronize(b->stream));
    assert_int_equal(word_now(b), 7);
}

static void the_null_stream_waits_for_streams_that_block(void **state)
{
    struct bench *b = *state;
    hipStream_t blocking;
    OK(b->hip->hipStreamCreateWithFlags(&blocking, hipStreamDefault));
    OK(store_7(b, b->word, blocking));
    assert_int_equal(word_now(b), 7);
    OK(store_7(b, b->word, blocking));
    OK(b->hip->hipMemset(b->word, 0, sizeof *b->word));
    OK(b->hip->hipDeviceSynchronize());
    assert_int_equal(word_now(b), 0);
    OK(store_7(b, b->word, blocking));
    OK(b->hip->hipStreamDestroy(blocking));
    assert_int_equal(word_now(b), 7);
    assert_int_equal(store_7(b, b->word, blocking), hipErrorInvalidHandle);
}

/* A stream stays its device's, whichever is current. */
static void devices_wait_for_their_own_streams(void **state)
{
    struct bench *b = *state;
    OK(copy_pinned(b));
    OK(b->hip->hipSetDevice(1));
    OK(b->hip->hipDeviceSynchronize());
    assert_int_equal(word_now(b), 0);
    OK(store_7(b, b->word, b->stream));
    OK(b->hip->hipSetDevice(0));
    OK(b->hip->hipDeviceSynchronize());
    assert_int_equal(word_now(b), 7);
}

/* The first error is the wait's, and what came after it is dropped. */
static void a_wait_gives_the_error_of_what_it_waited_for(void **state)
{
    struct bench *b = *state;
    struct finding finding;
    OK(store_7(b, b->word + 64, b->stream));
    OK(copy_pinned(b));
    assert_int_equal(b->device->take_findings(b->device, &finding, 1), 0);
    assert_int_equal(b->hip->hipStreamSynchronize(b->stream), hipErrorIllegalAddress);
    assert_int_equal(b->device->take_findings(b->device, &finding, 1), 1);
    assert_int_equal(finding.kind, FINDING_MEM);
    OK(b->hip->hipStreamSynchronize(b->stream));
    assert_int_equal(word_now(b), 0);
}

/* As HIP does, hipFree and hipHostFree wait for the device, so that nothing in flight loses its memory. */
static void freeing_waits_for_the_device(void **state)
{
    struct bench *b = *state;
    struct finding finding;
    uint32_t *other;
    OK(b->hip->hipMalloc((void **)&other, sizeof *other));
    OK(store_7(b, other, b->stream));
    OK(b->hip->hipFree(other));
    OK(copy_pinned(b));
    OK(b->hip->hipHostFree(b->pinned));
    assert_int_equal(word_now(b), 1);
    OK(b->hip->hipDeviceSynchronize());
    assert_int_equal(b->device->take_findings(b->device, &finding, 1), 0);
}

static void a_launch_is_refused_when_it_is_given(void **state)
{
    struct bench *b = *state;
    int64_t index = 0;
    void *parameters[] = {&b->word, &index};
    assert_int_equal(b->hip->hipModuleLaunchKernel(b->store_at, 0, 1, 1, 1, 1, 1, 0, b->stream, parameters, NULL),
                     hipErrorInvalidValue);
    void *too_few[] = {&b->word, NULL};
    assert_int_equal(b->hip->hipModuleLaunchKernel(b->store_at, 1, 1, 1, 1, 1, 1, 0, b->stream, too_few, NULL),
                     hipErrorInvalidValue);
}

static void handles_that_are_none_are_refused(void **state)
{
    struct bench *b = *state;
    hipStream_t stream = (hipStream_t)b;
    assert_int_equal(b->hip->hipStreamSynchronize(stream), hipErrorInvalidHandle);
    assert_int_equal(b->hip->hipStreamDestroy(stream), hipErrorInvalidHandle);
    assert_int_equal(b->hip->hipEventRecord(b->event, stream), hipErrorInvalidHandle);
    assert_int_equal(b->hip->hipEventSynchronize((hipEvent_t)b), hipErrorInvalidHandle);
    assert_int_equal(b->hip->hipMemcpyAsync(b->word, b->pinned, 4, hipMemcpyHostToDevice, stream), hipErrorInvalidHandle);
    assert_int_equal(b->hip->hipHostFree(b), hipErrorInvalidValue);
    OK(b->hip->hipEventDestroy(b->event));
    assert_int_equal(b->hip->hipEventDestroy(b->event), hipErrorInvalidHandle);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, open_bench, close_bench)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pinned_memory_is_read_when_the_copy_is_waited_for),
        TEST(pageable_memory_is_read_at_once),
        TEST(arguments_are_taken_at_the_launch_and_work_is_done_in_order),
        TEST(an_event_waits_for_what_came_before_it),
        TEST(the_null_stream_waits_for_streams_that_block),
        TEST(devices_wait_for_their_own_streams),
        TEST(a_wait_gives_the_error_of_what_it_waited_for),
        TEST(freeing_waits_for_the_device),
        TEST(a_launch_is_refused_when_it_is_given),
        TEST(handles_that_are_none_are_refused),
    };
    return cmocka_run_group_tests_name("streams", tests, compile_kernels, drop_kernels);
}
