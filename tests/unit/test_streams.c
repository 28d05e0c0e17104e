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

/* A stream copies the pinned 1 to the word, another copies the word to pinned memory with nothing to order the two; what
 * was copied, with the streams made in one order or the other. */
static uint32_t read_without_a_wait(const struct bench *b, bool reader_first, uint64_t seed)
{
    hipStream_t streams[2];
    uint32_t *seen, value;
    OK(b->hip->hipMemset(b->word, 0, sizeof *b->word));
    OK(b->hip->hipHostMalloc((void **)&seen, sizeof *seen, 0));
    b->device->set_schedule(b->device, seed);
    for (int i = 0; i < 2; i++)
        OK(b->hip->hipStreamCreateWithFlags(&streams[i], hipStreamNonBlocking));
    OK(b->hip->hipMemcpyAsync(b->word, b->pinned, 4, hipMemcpyHostToDevice, streams[reader_first]));
    OK(b->hip->hipMemcpyAsync(seen, b->word, 4, hipMemcpyDeviceToHost, streams[!reader_first]));
    OK(b->hip->hipDeviceSynchronize());
    value = *seen;
    for (int i = 0; i < 2; i++)
        OK(b->hip->hipStreamDestroy(streams[i]));
    OK(b->hip->hipHostFree(seen));
    return value;
}

/* Seed 0 does the streams in the order of their making; among 16 other seeds each order must occur, and again alike. */
static void a_wait_that_two_streams_lack_is_seen_whichever_was_made_first(void **state)
{
    struct bench *b = *state;
    enum { SEEDS = 16 };
    for (int reader_first = 0; reader_first < 2; reader_first++) {
        unsigned n_right = 0;
        assert_int_equal(read_without_a_wait(b, reader_first, 0), !reader_first);
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            uint32_t seen = read_without_a_wait(b, reader_first, seed);
            assert_int_equal(read_without_a_wait(b, reader_first, seed), seen);
            n_right += seen;
        }
        assert_in_range(n_right, 1, SEEDS - 1);
    }
}

static void an_event_is_recorded_on_its_own_device_only(void **state)
{
    struct bench *b = *state;
    hipEvent_t other;
    OK(b->hip->hipSetDevice(1));
    OK(b->hip->hipEventCreateWithFlags(&other, hipEventDisableTiming));
    assert_int_equal(b->hip->hipEventRecord(other, b->stream), hipErrorInvalidHandle);
    assert_int_equal(b->hip->hipEventRecord(b->event, NULL), hipErrorInvalidHandle);
    OK(b->hip->hipEventRecord(other, NULL));
    OK(b->hip->hipEventRecord(b->event, b->stream));
    OK(b->hip->hipSetDevice(0));
    assert_int_equal(b->hip->hipEventRecord(other, NULL), hipErrorInvalidHandle);
    OK(b->hip->hipEventRecord(b->event, NULL));
}

/* The stream is device 0's; what it copies from was allocated while device 1 was current. */
static void freeing_waits_for_the_copies_of_other_devices(void **state)
{
    struct bench *b = *state;
    uint32_t *pinned;
    OK(b->hip->hipSetDevice(1));
    OK(b->hip->hipHostMalloc((void **)&pinned, 2 * sizeof *pinned, 0));
    OK(b->hip->hipSetDevice(0));
    pinned[1] = 5;
    OK(b->hip->hipMemcpyAsync(b->word, pinned + 1, sizeof *pinned, hipMemcpyHostToDevice, b->stream));
    OK(b->hip->hipHostFree(pinned));
    assert_int_equal(word_now(b), 5);
}

static hipError_t copy(const struct bench *b, void *to, const void *from, int kind, bool is_async)
{
    return is_async ? b->hip->hipMemcpyAsync(to, from, 4, kind, b->stream) : b->hip->hipMemcpy(to, from, 4, kind);
}

/* Never read or written on the host: the device's memory, live, freed, or past its end; null. */
static void a_copy_of_the_wrong_kind_is_refused_at_the_call(void **state)
{
    struct bench *b = *state;
    uint32_t host = 3, *freed;
    OK(b->hip->hipMalloc((void **)&freed, sizeof *freed));
    OK(b->hip->hipFree(freed));
    void *const not_the_hosts[] = {b->word, b->word + 1, freed, NULL};
    for (int is_async = 0; is_async < 2; is_async++) {
        for (size_t i = 0; i < sizeof not_the_hosts / sizeof *not_the_hosts; i++) {
            void *bad = not_the_hosts[i];
            assert_int_equal(copy(b, &host, bad, hipMemcpyHostToHost, is_async), hipErrorInvalidValue);
            assert_int_equal(copy(b, bad, &host, hipMemcpyHostToHost, is_async), hipErrorInvalidValue);
            assert_int_equal(copy(b, b->word, bad, hipMemcpyHostToDevice, is_async), hipErrorInvalidValue);
            assert_int_equal(copy(b, bad, b->word, hipMemcpyDeviceToHost, is_async), hipErrorInvalidValue);
        }
        assert_int_equal(copy(b, &host, freed, 4 /* default */, is_async), hipErrorInvalidValue);
        assert_int_equal(copy(b, &host, b->pinned, hipMemcpyDeviceToHost, is_async), hipErrorInvalidValue);
        assert_int_equal(copy(b, b->pinned, &host, hipMemcpyHostToDevice, is_async), hipErrorInvalidValue);
        assert_int_equal(copy(b, &host, &host, 5, is_async), hipErrorInvalidValue);
    }
    OK(b->hip->hipStreamSynchronize(b->stream));
    assert_int_equal(host, 3);
    assert_int_equal(word_now(b), 0);
}

static void the_stream_of_each_thread_is_refused(void **state)
{
    struct bench *b = *state;
    hipStream_t legacy = (hipStream_t)1, per_thread = (hipStream_t)2; /* HIP's numbers */
    OK(store_7(b, b->word, legacy));
    OK(b->hip->hipStreamSynchronize(legacy));
    assert_int_equal(word_now(b), 7);
    assert_int_equal(store_7(b, b->word, per_thread), hipErrorNotSupported);
    assert_int_equal(b->hip->hipStreamSynchronize(per_thread), hipErrorNotSupported);
    assert_int_equal(b->hip->hipEventRecord(b->event, per_thread), hipErrorNotSupported);
    assert_int_equal(b->hip->hipMemcpyAsync(b->word, b->pinned, 4, hipMemcpyHostToDevice, per_thread),
                     hipErrorNotSupported);
}

static hipError_t launch_with_extra(const struct bench *b, hipFunction_t function, void *buffer, size_t n_bytes,
                                    hipStream_t stream)
{
    void *extra[] = {(void *)1, buffer, (void *)2, &n_bytes, (void *)3}; /* HIP_LAUNCH_PARAM_BUFFER_POINTER, _SIZE, _END */
    return b->hip->hipModuleLaunchKernel(function, 1, 2, 1, 1, 1, 1, 0, stream, NULL, extra);
}

/* `implicit` takes 16 bytes, and reads the 256 of hidden arguments that follow (AMDGPUUsage, code object version 5), the
 * second of which is the number of blocks along y: 272 bytes, or 320 in whole lines of 64. */
static void extra_may_be_as_long_on_a_stream_as_on_the_null_stream(void **state)
{
    struct bench *b = *state;
    enum { EXPLICIT_BYTES = 16, SEGMENT_BYTES = 320, HIDDEN_DWORDS = 64, PACKET_DWORDS = 16 };
    uint32_t *out, blocks_y;
    hipFunction_t implicit;
    OK(b->hip->hipModuleGetFunction(&implicit, b->module, "implicit"));
    OK(b->hip->hipMalloc((void **)&out, (HIDDEN_DWORDS + PACKET_DWORDS) * sizeof *out));
    struct {
        uint32_t *arguments, *packet;
        uint8_t rest[SEGMENT_BYTES];
    } buffer = {.arguments = out, .packet = out + HIDDEN_DWORDS};
    memset(buffer.rest, 0xff, sizeof buffer.rest);
    const hipStream_t streams[] = {NULL, b->stream};
    const size_t lengths[] = {EXPLICIT_BYTES, SEGMENT_BYTES};
    for (int i = 0; i < 4; i++) {
        OK(b->hip->hipMemset(out, 0, HIDDEN_DWORDS * sizeof *out));
        OK(launch_with_extra(b, implicit, &buffer, lengths[i / 2], streams[i % 2]));
        OK(b->hip->hipDeviceSynchronize());
        OK(b->hip->hipMemcpy(&blocks_y, out + 1, sizeof blocks_y, hipMemcpyDeviceToHost));
        assert_int_equal(blocks_y, 2);
        assert_int_equal(launch_with_extra(b, implicit, &buffer, SEGMENT_BYTES + 1, streams[i % 2]), hipErrorInvalidValue);
    }
}

/* 0xa5 in every byte, as in memory of the device that nothing has written. */
static void fresh_pinned_memory_is_poisoned(void **state)
{
    struct bench *b = *state;
    enum { N_BYTES = 100 };
    uint8_t *pinned;
    OK(b->hip->hipHostMalloc((void **)&pinned, N_BYTES, 0));
    for (int i = 0; i < N_BYTES; i++)
        assert_int_equal(pinned[i], 0xa5);
    OK(b->hip->hipHostMalloc((void **)&pinned, 0, 0));
    assert_null(pinned);
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
        TEST(a_wait_that_two_streams_lack_is_seen_whichever_was_made_first),
        TEST(an_event_is_recorded_on_its_own_device_only),
        TEST(freeing_waits_for_the_copies_of_other_devices),
        TEST(a_copy_of_the_wrong_kind_is_refused_at_the_call),
        TEST(the_stream_of_each_thread_is_refused),
        TEST(extra_may_be_as_long_on_a_stream_as_on_the_null_stream),
        TEST(fresh_pinned_memory_is_poisoned),
    };
    return cmocka_run_group_tests_name("streams", tests, compile_kernels, drop_kernels);
}
