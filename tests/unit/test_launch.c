/*
 * The HIP API over the emulator, on compiled kernels (tests/kernels/launch.hip): what a launch sets up, refuses and
 * reports.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/code_object.h"
#include "records/chips.h"
#include "tests/support/launch_bench.h"
#include "tests/support/source_line.h"

/* 100 elements in blocks of 48: two waves a block, the second half empty, and a last block that is partly past n. */
static void partial_waves_write_their_elements_only(void **state)
{
    struct bench bench = bench_open(state);
    enum { N = 100, HELD = 128 };
    float x[HELD], y[HELD], a = 2;
    int n = N;
    for (int i = 0; i < HELD; i++) {
        x[i] = (float)i;
        y[i] = 1000;
    }
    void *device_x = bench_allocate(&bench, sizeof x), *device_y = bench_allocate(&bench, sizeof y);
    bench_put(&bench, device_x, x, sizeof x);
    bench_put(&bench, device_y, y, sizeof y);
    assert_int_equal(bench_launch(&bench, "saxpy", bench_flat(3, 48), (void *[]){&a, &device_x, &device_y, &n}),
                     hipSuccess);
    bench_get(&bench, y, device_y, sizeof y);
    for (int i = 0; i < HELD; i++)
        assert_true(y[i] == (i < N ? 1000 + 2 * (float)i : 1000));
}

static void three_dimensional_launches_number_every_work_item(void **state)
{
    struct bench bench = bench_open(state);
    const struct bench_shape s = {{3, 2, 4}, {5, 3, 2}, 0};
    enum { X = 15, Y = 6, Z = 8 };
    static uint32_t out[Z][Y][X];
    void *device_out = bench_allocate(&bench, sizeof out);
    assert_int_equal(bench_launch(&bench, "coordinates", s, (void *[]){&device_out}), hipSuccess);
    bench_get(&bench, out, device_out, sizeof out);
    for (uint32_t z = 0; z < Z; z++)
        for (uint32_t y = 0; y < Y; y++)
            for (uint32_t x = 0; x < X; x++)
                assert_int_equal(out[z][y][x], x / 5 | y / 3 << 4 | z / 2 << 8 | x % 5 << 12 | y % 3 << 16 | z % 2 << 20);
}

static uint16_t half(const uint32_t *dwords, size_t byte)
{
    uint16_t value;
    memcpy(&value, (const uint8_t *)dwords + byte, 2);
    return value;
}

/* Offsets of code object version 5's implicit arguments (AMDGPUUsage, "Code Object V5 Metadata"; ROCm device libraries). */
static void implicit_arguments_and_packet_say_the_launch(void **state)
{
    struct bench bench = bench_open(state);
    const struct bench_shape s = {{3, 2, 1}, {8, 4, 1}, 512};
    uint32_t arguments[64], packet[16];
    void *device_arguments = bench_allocate(&bench, sizeof arguments),
         *device_packet = bench_allocate(&bench, sizeof packet);
    assert_int_equal(bench_launch(&bench, "implicit", s, (void *[]){&device_arguments, &device_packet}), hipSuccess);
    bench_get(&bench, arguments, device_arguments, sizeof arguments);
    bench_get(&bench, packet, device_packet, sizeof packet);
    assert_int_equal(arguments[0], 3);
    assert_int_equal(arguments[1], 2);
    assert_int_equal(arguments[2], 1);
    assert_int_equal(half(arguments, 12), 8);
    assert_int_equal(half(arguments, 14), 4);
    assert_int_equal(half(arguments, 16), 1);
    for (size_t byte = 18; byte < 24; byte += 2)
        assert_int_equal(half(arguments, byte), 0); /* remainders */
    for (size_t dword = 10; dword < 16; dword++)
        assert_int_equal(arguments[dword], 0); /* global offsets */
    assert_int_equal(half(arguments, 64), 2);  /* dimensions */
    assert_int_equal(half(packet, 2) & 3, 2);  /* likewise, in setup */
    assert_int_equal(half(packet, 4), 8);
    assert_int_equal(half(packet, 6), 4);
    assert_int_equal(packet[3], 24); /* grid in work-items */
    assert_int_equal(packet[4], 8);
    assert_int_equal(packet[5], 1);
    assert_int_equal(packet[7], 512); /* group segment */
}

static void static_and_dynamic_lds_lie_apart(void **state)
{
    struct bench bench = bench_open(state);
    enum { BLOCK = 96, GROUPS = 5, N = BLOCK * GROUPS };
    uint32_t in[N], out[N];
    for (uint32_t i = 0; i < N; i++)
        in[i] = 7 * i;
    void *device_in = bench_allocate(&bench, sizeof in), *device_out = bench_allocate(&bench, sizeof out);
    bench_put(&bench, device_in, in, sizeof in);
    struct bench_shape s = bench_flat(GROUPS, BLOCK);
    s.lds_bytes = 4 * BLOCK;
    assert_int_equal(bench_launch(&bench, "reverse_block", s, (void *[]){&device_in, &device_out}), hipSuccess);
    bench_get(&bench, out, device_out, sizeof out);
    for (uint32_t g = 0; g < GROUPS; g++)
        for (uint32_t i = 0; i < BLOCK; i++)
            assert_int_equal(out[g * BLOCK + i], in[g * BLOCK + BLOCK - 1 - i] + 1);
}

/* Without the dynamic part the kernel's second array lies outside the workgroup's LDS. */
static void lds_past_the_workgroups_is_a_finding(void **state)
{
    struct bench bench = bench_open(state);
    uint32_t zeros[32] = {0};
    void *in = bench_allocate(&bench, sizeof zeros), *out = bench_allocate(&bench, sizeof zeros);
    bench_put(&bench, in, zeros, sizeof zeros);
    assert_int_equal(bench_launch(&bench, "reverse_block", bench_flat(1, 32), (void *[]){&in, &out}),
                     hipErrorIllegalAddress);
    struct finding findings[4];
    assert_int_equal(bench.device->take_findings(bench.device, findings, 4), 2); /* a store and a load */
    assert_int_equal(findings[0].kind, FINDING_MEM);
    assert_non_null(strstr(findings[0].text, "reverse_block+0x"));
    assert_non_null(strstr(findings[0].text, "LDS address 0x400 (4 bytes) is outside the workgroup's 1024 bytes"));
}

static hipError_t store_at(struct bench *bench, void *out, long index)
{
    return bench_launch(bench, "store_at", bench_flat(1, 1), (void *[]){&out, &index});
}

/* A copy of the code object with another figure in the dword at that byte of store_at's descriptor. */
static uint8_t *with_descriptor(const struct compiled *compiled, size_t byte, uint32_t figure)
{
    struct code_object object;
    struct error error;
    uint8_t *bytes = malloc(compiled->n_bytes);
    memcpy(bytes, compiled->bytes, compiled->n_bytes);
    assert_true(code_object_parse(bytes, compiled->n_bytes, "k.co", &object, &error));
    uint64_t at = code_object_kernel(&object, "store_at")->descriptor_address;
    const struct code_segment *segment = code_segment_at(&object, at, 64);
    memcpy(bytes + segment->file_offset + (at - segment->address) + byte, &figure, sizeof figure);
    code_object_free(&object);
    return bytes;
}

/* Launches store_at of a module with such a descriptor. */
static hipError_t store_with_descriptor(void **state, size_t byte, uint32_t figure)
{
    const struct bench_code *kernels = *state;
    struct bench bench = bench_open(state);
    uint8_t *bytes = with_descriptor(&kernels->compiled, byte, figure);
    hipError_t result = bench.hip->hipModuleLoadData(&bench.module, bytes);
    if (result == hipSuccess)
        result = store_at(&bench, bench_allocate(&bench, 64), 0);
    free(bytes);
    bench_close(state);
    return result;
}

/* The kernarg segment is as large as the note or the descriptor says, whichever is more: arguments lie within the note's.
 */
static void descriptors_that_do_not_fit_the_note_are_met(void **state)
{
    enum { PRIVATE_BYTES = 4, KERNARG_BYTES = 8 };
    assert_int_equal(store_with_descriptor(state, KERNARG_BYTES, 0), hipSuccess);
    assert_int_equal(store_with_descriptor(state, KERNARG_BYTES, 8192), hipSuccess);
    assert_int_equal(store_with_descriptor(state, KERNARG_BYTES, UINT32_MAX), hipErrorInvalidImage);
    assert_int_equal(store_with_descriptor(state, PRIVATE_BYTES, 4096), hipSuccess);
    assert_int_equal(store_with_descriptor(state, PRIVATE_BYTES, UINT32_MAX), hipErrorOutOfMemory);
}

/* Its first instruction loads an argument and has eight bytes. */
static void an_entry_within_an_instruction_is_refused(void **state)
{
    enum { ENTRY = 16 };
    const struct bench_code *kernels = *state;
    struct code_object object;
    struct error error;
    assert_true(code_object_parse(kernels->compiled.bytes, kernels->compiled.n_bytes, "k.co", &object, &error));
    uint32_t entry = (uint32_t)code_object_kernel(&object, "store_at")->descriptor.entry_offset_bytes;
    code_object_free(&object);
    assert_int_equal(store_with_descriptor(state, ENTRY, entry), hipSuccess);
    assert_int_equal(store_with_descriptor(state, ENTRY, entry + 4), hipErrorInvalidImage);
}

/* Launches store_at of the chip with so many bytes of scratch a lane. */
static hipError_t store_with_scratch(const struct compiled *compiled, const char *chip, uint32_t n_bytes)
{
    struct emulator_options options = {.chip = chip, .n_devices = 1, .n_threads = 1, .checks = CHECKS_BASIC};
    struct bench bench = {0};
    struct error error;
    uint8_t *bytes = with_descriptor(compiled, 4, n_bytes);
    assert_true(emulator_open(&options, &bench.device, &error));
    bench.hip = bench.device->hip;
    assert_int_equal(bench.hip->hipModuleLoadData(&bench.module, bytes), hipSuccess);
    hipError_t result = store_at(&bench, bench_allocate(&bench, 64), 0);
    bench.device->close(bench.device);
    free(bytes);
    return result;
}

/* What COMPUTE_TMPRING_SIZE.WAVESIZE can say: 18 or 15 bits of 256 bytes, before gfx11 13 bits of 1024. */
static void scratch_of_a_wave_ends_where_its_register_does(void **state)
{
    static const struct {
        const char *chip;
        uint32_t most_bytes; /* a lane's */
    } rows[] = {{"gfx1201", 256 / 32 * 262143},
                {"gfx1151", 256 / 32 * 32767},
                {"gfx1100", 256 / 32 * 32767},
                {"gfx1030", 1024 / 32 * 8191},
                {"gfx90a", 1024 / 64 * 8191}};
    struct bench_code *kernels = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct compile_request request = {
            .source_path = "tests/kernels/launch.hip", .family = "launch", .chip = rows[i].chip};
        struct compiled compiled;
        struct error error;
        assert_true(toolchain_compile(kernels->toolchain, &request, &compiled, &error));
        assert_int_equal(store_with_scratch(&compiled, rows[i].chip, rows[i].most_bytes), hipSuccess);
        assert_int_equal(store_with_scratch(&compiled, rows[i].chip, rows[i].most_bytes + 1), hipErrorOutOfMemory);
        compiled_free(&compiled);
    }
}

static void a_store_past_the_end_names_the_allocation(void **state)
{
    struct bench bench = bench_open(state);
    void *out = bench_allocate(&bench, 1024);
    bench.device->name_allocation(bench.device, out, "output y");
    assert_int_equal(store_at(&bench, out, 255), hipSuccess);
    assert_int_equal(store_at(&bench, out, 257), hipErrorIllegalAddress);
    struct finding finding = bench_only_finding(&bench);
    assert_int_equal(finding.kind, FINDING_MEM);
    assert_non_null(strstr(finding.text, "workgroup 0,0,0 wave 0 lane 0: "));
    assert_string_equal(finding.place.kernel, "store_at");
    assert_string_equal(finding.place.file, "tests/kernels/launch.hip");
    assert_int_equal(finding.place.line, source_line("tests/kernels/launch.hip", "out[index] = 7;"));
    assert_non_null(strstr(finding.text, "is 4 bytes past output y (1024 bytes)"));
    assert_int_equal(store_at(&bench, out, -2), hipErrorIllegalAddress);
    finding = bench_only_finding(&bench);
    assert_non_null(strstr(finding.text, "is 8 bytes before output y (1024 bytes)"));
}

static void null_freed_and_read_only_memory_are_findings(void **state)
{
    struct bench bench = bench_open(state);
    assert_int_equal(store_at(&bench, NULL, 0), hipErrorIllegalAddress);
    assert_non_null(strstr(bench_only_finding(&bench).text, "is null"));
    void *out = bench_allocate(&bench, 64);
    bench.device->name_allocation(bench.device, out, "gone");
    assert_int_equal(bench.hip->hipFree(out), hipSuccess);
    assert_int_equal(store_at(&bench, out, 1), hipErrorIllegalAddress);
    assert_non_null(strstr(bench_only_finding(&bench).text, "is byte 4 of freed gone (64 bytes)"));
}

static void memory_of_another_device_is_a_finding(void **state)
{
    struct bench bench = bench_open_with(state, (struct emulator_options){.n_devices = 2, .checks = CHECKS_BASIC});
    assert_int_equal(bench.hip->hipSetDevice(1), hipSuccess);
    void *out = bench_allocate(&bench, 64);
    assert_int_equal(bench.hip->hipSetDevice(0), hipSuccess);
    assert_int_equal(store_at(&bench, out, 0), hipErrorIllegalAddress);
    assert_non_null(strstr(bench_only_finding(&bench).text, "of device 1, and this is device 0 without peer access"));
    assert_int_equal(bench.hip->hipSetDevice(2), hipErrorInvalidDevice);
}

/* Of the device that enables it, to the peer alone, until it is disabled. */
static void peer_access_is_of_one_device_to_another_and_can_be_taken_back(void **state)
{
    struct bench bench = bench_open_with(state, (struct emulator_options){.n_devices = 3, .checks = CHECKS_BASIC});
    const struct hip_api *hip = bench.hip;
    void *of_1, *of_2;
    uint32_t value;
    assert_int_equal(hip->hipSetDevice(1), hipSuccess);
    of_1 = bench_allocate(&bench, 64);
    assert_int_equal(hip->hipSetDevice(2), hipSuccess);
    of_2 = bench_allocate(&bench, 64);
    assert_int_equal(hip->hipDeviceEnablePeerAccess(0, 0), hipSuccess);
    assert_int_equal(hip->hipSetDevice(0), hipSuccess);
    assert_int_equal(hip->hipDeviceEnablePeerAccess(1, 0), hipSuccess);
    assert_int_equal(store_at(&bench, of_1, 3), hipSuccess);
    bench_get(&bench, &value, (uint8_t *)of_1 + 12, 4);
    assert_int_equal(value, 7);
    assert_int_equal(store_at(&bench, of_2, 0), hipErrorIllegalAddress);
    assert_non_null(strstr(bench_only_finding(&bench).text, "of device 2"));
    assert_int_equal(hip->hipDeviceDisablePeerAccess(1), hipSuccess);
    assert_int_equal(store_at(&bench, of_1, 0), hipErrorIllegalAddress);
    bench_only_finding(&bench);
}

static void peer_access_errors_are_the_runtimes(void **state)
{
    struct bench bench = bench_open_with(state, (struct emulator_options){.n_devices = 2, .checks = CHECKS_BASIC});
    const struct hip_api *hip = bench.hip;
    int can = -1;
    assert_int_equal(hip->hipDeviceCanAccessPeer(&can, 0, 1), hipSuccess);
    assert_int_equal(can, 1);
    assert_int_equal(hip->hipDeviceCanAccessPeer(&can, 1, 1), hipSuccess);
    assert_int_equal(can, 0);
    assert_int_equal(hip->hipDeviceCanAccessPeer(&can, 0, 2), hipErrorInvalidDevice);
    assert_int_equal(hip->hipDeviceCanAccessPeer(NULL, 0, 1), hipErrorInvalidValue);
    assert_int_equal(hip->hipDeviceEnablePeerAccess(0, 0), hipErrorInvalidDevice);
    assert_int_equal(hip->hipDeviceEnablePeerAccess(2, 0), hipErrorInvalidDevice);
    assert_int_equal(hip->hipDeviceEnablePeerAccess(1, 1), hipErrorInvalidValue);
    assert_int_equal(hip->hipDeviceDisablePeerAccess(1), hipErrorPeerAccessNotEnabled);
    assert_int_equal(hip->hipDeviceEnablePeerAccess(1, 0), hipSuccess);
    assert_int_equal(hip->hipDeviceEnablePeerAccess(1, 0), hipErrorPeerAccessAlreadyEnabled);
}

/* A load that may not happen gives the poison, and the launch goes on to its store. */
static void a_load_from_nowhere_gives_poison(void **state)
{
    struct bench bench = bench_open(state);
    void *out = bench_allocate(&bench, 4), *in = bench_allocate(&bench, 4);
    long index = 1;
    uint32_t value = 0;
    assert_int_equal(bench_launch(&bench, "load_at", bench_flat(1, 1), (void *[]){&out, &in, &index}),
                     hipErrorIllegalAddress);
    bench_get(&bench, &value, out, 4);
    assert_int_equal(value, 0x7fc0dead);
}

static void checks_that_are_off_report_nothing(void **state)
{
    struct bench bench = bench_open_with(state, (struct emulator_options){.checks = CHECKS_BASIC & ~(1u << FINDING_MEM)});
    assert_int_equal(store_at(&bench, NULL, 0), hipSuccess);
    struct finding finding;
    assert_int_equal(bench.device->take_findings(bench.device, &finding, 1), 0);
}

static void an_endless_loop_ends_at_the_watchdog(void **state)
{
    struct bench bench =
        bench_open_with(state, (struct emulator_options){.max_instructions = 10000, .checks = CHECKS_BASIC});
    uint32_t zero = 0;
    void *flag = bench_allocate(&bench, 4);
    bench_put(&bench, flag, &zero, 4);
    assert_int_equal(bench_launch(&bench, "spin", bench_flat(1, 32), (void *[]){&flag}), hipErrorLaunchTimeOut);
    assert_int_equal(bench_only_finding(&bench).kind, FINDING_WATCHDOG);
}

static void a_barrier_that_lanes_skip_is_a_finding(void **state)
{
    struct bench bench = bench_open(state);
    void *out = bench_allocate(&bench, 64 * 4);
    assert_int_equal(bench_launch(&bench, "half_barrier", bench_flat(1, 64), (void *[]){&out}), hipErrorLaunchFailure);
    struct finding found[4];
    assert_int_equal(bench.device->take_findings(bench.device, found, 4), 2); /* one a wave */
    assert_int_equal(found[0].kind, FINDING_SYNC);
    assert_int_equal(found[0].place.lane, 16);
}

static void a_trap_ends_the_launch(void **state)
{
    struct bench bench = bench_open(state);
    void *out = bench_allocate(&bench, 4);
    assert_int_equal(bench_launch(&bench, "stop_here", bench_flat(1, 1), (void *[]){&out}), hipErrorLaunchFailure);
    assert_int_equal(bench_only_finding(&bench).kind, FINDING_TRAP);
}

/* Memory that nobody wrote stays so when the host copies it from one buffer to another. */
static void a_copy_on_the_device_writes_what_its_source_had(void **state)
{
    struct bench bench =
        bench_open_with(state, (struct emulator_options){.n_threads = 1, .checks = CHECKS_BASIC | 1u << FINDING_INIT});
    const uint32_t value = 3;
    long index = 0;
    void *from = bench_allocate(&bench, 4), *to = bench_allocate(&bench, 4), *out = bench_allocate(&bench, 4);
    bench_put(&bench, to, &value, 4);
    assert_int_equal(bench.hip->hipMemcpy(to, from, 4, hipMemcpyDeviceToDevice), hipSuccess);
    bench_launch(&bench, "load_at", bench_flat(1, 1), (void *[]){&out, &to, &index});
    assert_int_equal(bench_only_finding(&bench).kind, FINDING_INIT);
    bench_put(&bench, from, &value, 4);
    assert_int_equal(bench.hip->hipMemcpy(to, from, 4, hipMemcpyDeviceToDevice), hipSuccess);
    assert_int_equal(bench_launch(&bench, "load_at", bench_flat(1, 1), (void *[]){&out, &to, &index}), hipSuccess);
    struct finding finding;
    assert_int_equal(bench.device->take_findings(bench.device, &finding, 1), 0);
}

static void refused(struct bench *bench, const char *kernel, struct bench_shape s, hipError_t expected, const char *reason)
{
    void *out = bench_allocate(bench, 4096);
    assert_int_equal(bench_launch(bench, kernel, s, (void *[]){&out, &out}), expected);
    assert_non_null(strstr(emulator_refusal(bench->device), reason));
    assert_int_equal(bench->hip->hipGetLastError(), expected);
    assert_int_equal(bench->hip->hipGetLastError(), hipSuccess);
}

static void launches_over_a_limit_are_refused_with_the_runtimes_error(void **state)
{
    struct bench bench = bench_open(state);
    const uint32_t lds_limit = chip_find(bench_chip)->lds_max_per_workgroup;
    refused(&bench, "bounded", bench_flat(1, 65), hipErrorLaunchFailure, "a block of 65 work-items is over the 64");
    refused(&bench, "coordinates", bench_flat(1, 1025), hipErrorInvalidValue, "over the chip's 1024");
    refused(&bench, "coordinates", bench_flat(0, 32), hipErrorInvalidValue, "is empty");
    refused(&bench, "coordinates", bench_flat(1u << 30, 1024), hipErrorInvalidConfiguration, "over the packet's 32 bits");
    refused(&bench, "coordinates", (struct bench_shape){{1, 65537, 1}, {1, 1, 1}, 0}, hipErrorInvalidValue,
            "over the limits");
    struct bench_shape s = bench_flat(1, 32);
    s.lds_bytes = lds_limit + 4;
    refused(&bench, "reverse_block", s, hipErrorInvalidValue, "of dynamic LDS");
    s.lds_bytes = lds_limit - 1020; /* 1024 bytes are static */
    refused(&bench, "reverse_block", s, hipErrorLaunchOutOfResources, "1024 bytes of static");
}

/* Every work-item gets a number of its own; a schedule permutes them, and each schedule repeats itself. */
static void atomics_count_every_work_item_once_in_any_schedule(void **state)
{
    struct bench bench = bench_open_with(state, (struct emulator_options){.n_threads = 2, .checks = CHECKS_BASIC});
    enum { GROUPS = 2048, N = GROUPS * 96 };
    static uint32_t orders[3][N];
    uint32_t zero = 0;
    void *total = bench_allocate(&bench, 4), *order = bench_allocate(&bench, sizeof orders[0]);
    for (int run = 0; run < 3; run++) {
        bench.device->set_schedule(bench.device, run == 0 ? 0 : 5);
        bench_put(&bench, total, &zero, 4);
        assert_int_equal(bench_launch(&bench, "count", bench_flat(GROUPS, 96), (void *[]){&total, &order}), hipSuccess);
        bench_get(&bench, orders[run], order, sizeof orders[run]);
        static bool seen[N];
        memset(seen, 0, sizeof seen);
        for (int i = 0; i < N; i++) {
            assert_true(orders[run][i] < N && !seen[orders[run][i]]);
            seen[orders[run][i]] = true;
        }
    }
    assert_memory_not_equal(orders[0], orders[1], sizeof orders[0]);
    assert_memory_equal(orders[1], orders[2], sizeof orders[1]);
}

static void private_arrays_are_each_lanes_own(void **state)
{
    struct bench bench = bench_open(state);
    enum { N = 64 };
    uint32_t index[N], out[N];
    for (uint32_t i = 0; i < N; i++)
        index[i] = 3 * i + 1;
    void *device_index = bench_allocate(&bench, sizeof index), *device_out = bench_allocate(&bench, sizeof out);
    bench_put(&bench, device_index, index, sizeof index);
    assert_int_equal(bench_launch(&bench, "private_array", bench_flat(1, N), (void *[]){&device_index, &device_out}),
                     hipSuccess);
    bench_get(&bench, out, device_out, sizeof out);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal((out[i] * 5 + i) % 64,
                         index[i] % 64); /* 5 is odd, so out[i] is the one value that was put there */
}

static void generic_pointers_reach_lds_and_global_memory(void **state)
{
    struct bench bench = bench_open(state);
    enum { N = 64 };
    uint32_t in[N], out[N];
    for (uint32_t i = 0; i < N; i++)
        in[i] = 5000 + i;
    void *device_in = bench_allocate(&bench, sizeof in), *device_out = bench_allocate(&bench, sizeof out);
    bench_put(&bench, device_in, in, sizeof in);
    assert_int_equal(bench_launch(&bench, "generic_pointer", bench_flat(1, N), (void *[]){&device_in, &device_out}),
                     hipSuccess);
    bench_get(&bench, out, device_out, sizeof out);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(out[i], (i & 1 ? 5000 : 1000) + i);
}

/* LDS that nobody wrote holds NaNs, and other ones under another schedule. */
static void unwritten_lds_differs_between_schedules(void **state)
{
    struct bench bench = bench_open(state);
    uint32_t out[2][64];
    void *device_out = bench_allocate(&bench, sizeof out[0]);
    for (uint64_t seed = 0; seed < 2; seed++) {
        bench.device->set_schedule(bench.device, seed);
        assert_int_equal(bench_launch(&bench, "unwritten_lds", bench_flat(1, 64), (void *[]){&device_out}), hipSuccess);
        bench_get(&bench, out[seed], device_out, sizeof out[seed]);
        float value;
        memcpy(&value, &out[seed][0], 4);
        assert_true(value != value);
    }
    assert_int_not_equal(out[0][0], out[1][0]);
}

static void module_variables_keep_their_values_between_launches(void **state)
{
    struct bench bench = bench_open(state);
    uint32_t value;
    void *out = bench_allocate(&bench, 4);
    for (uint32_t run = 1; run <= 2; run++) {
        assert_int_equal(bench_launch(&bench, "module_variable", bench_flat(1, 1), (void *[]){&out}), hipSuccess);
        bench_get(&bench, &value, out, 4);
        assert_int_equal(value, 40 + run);
    }
}

static void images_that_are_not_for_this_chip_are_refused(void **state)
{
    struct bench_code *kernels = *state;
    struct bench bench = bench_open(state);
    struct error error;
    struct compile_request request = {.source_path = "tests/kernels/launch.hip", .family = "launch", .chip = "gfx1100"};
    struct compiled foreign;
    hipModule_t module = NULL;
    assert_true(toolchain_compile(kernels->toolchain, &request, &foreign, &error));
    assert_int_equal(bench.hip->hipModuleLoadData(&module, foreign.bytes), hipErrorNoBinaryForGpu);
    assert_string_equal(emulator_refusal(bench.device), "the code object is for gfx1100, and the device is gfx1151");
    foreign.bytes[0] = 0;
    assert_int_equal(bench.hip->hipModuleLoadData(&module, foreign.bytes), hipErrorInvalidImage);
    assert_null(module);
    compiled_free(&foreign);
}

/* Any byte of the file wrong: a refusal or a module, never a crash. The figures that say the file's size are left alone, as
 * HIP's API passes no size to hold them against. */
static void corrupt_images_are_refused(void **state)
{
    struct bench_code *kernels = *state;
    struct bench bench = bench_open(state);
    uint8_t *copy = malloc(kernels->compiled.n_bytes);
    unsigned n_refused = 0;
    for (size_t at = 16; at < 24; at++) {
        memcpy(copy, kernels->compiled.bytes, kernels->compiled.n_bytes);
        copy[at] ^= 0xff;
        hipModule_t module = NULL;
        hipError_t result = bench.hip->hipModuleLoadData(&module, copy);
        n_refused += result == hipErrorInvalidImage;
        assert_true(result == hipErrorInvalidImage ? module == NULL && emulator_refusal(bench.device)[0] : module != NULL);
    }
    assert_true(n_refused >= 4); /* type and machine, two bytes each */
    free(copy);
}

static void copies_beyond_an_allocation_are_refused(void **state)
{
    struct bench bench = bench_open(state);
    uint8_t bytes[128] = {0};
    uint8_t *pointer = bench_allocate(&bench, 64);
    assert_int_equal(bench.hip->hipMemcpy(pointer, bytes, 65, hipMemcpyHostToDevice), hipErrorInvalidValue);
    assert_int_equal(bench.hip->hipMemcpy(bytes, pointer + 60, 5, hipMemcpyDeviceToHost), hipErrorInvalidValue);
    assert_int_equal(bench.hip->hipMemcpy(bytes, pointer + 60, 4, hipMemcpyDeviceToHost), hipSuccess);
    assert_int_equal(bench.hip->hipMemset(pointer, 1, 65), hipErrorInvalidValue);
    assert_int_equal(bench.hip->hipFree(pointer + 1), hipErrorInvalidValue);
    assert_int_equal(bench.hip->hipFree(pointer), hipSuccess);
    assert_int_equal(bench.hip->hipFree(pointer), hipErrorInvalidValue);
}

static void names_and_attributes_are_the_chips(void **state)
{
    struct bench bench = bench_open(state);
    const struct chip *chip = chip_find(bench_chip);
    char name[64];
    int value = 0;
    assert_int_equal(bench.hip->hipDeviceGetName(name, sizeof name, 0), hipSuccess);
    assert_string_equal(name, "gfx1151 (emulated)");
    assert_int_equal(bench.hip->hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0), hipSuccess);
    assert_int_equal(value, 32);
    assert_int_equal(bench.hip->hipDeviceGetAttribute(&value, hipDeviceAttributeMaxSharedMemoryPerBlock, 0), hipSuccess);
    assert_int_equal(value, chip->lds_max_per_workgroup);
    assert_int_equal(
        bench.hip->hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, bench_function(&bench, "bounded")),
        hipSuccess);
    assert_int_equal(value, 64);
    assert_int_equal(bench.hip->hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                                                    bench_function(&bench, "reverse_block")),
                     hipSuccess);
    assert_int_equal(value, 1024);
    hipFunction_t none;
    assert_int_equal(bench.hip->hipModuleGetFunction(&none, bench.module, "nothing"), hipErrorNotFound);
}

static void a_second_emulator_is_refused(void **state)
{
    bench_open(state);
    struct error error;
    struct device *second = NULL;
    struct emulator_options options = {.chip = bench_chip, .n_devices = 1, .checks = CHECKS_BASIC};
    assert_false(emulator_open(&options, &second, &error));
    options.chip = "gfx000";
    assert_false(emulator_open(&options, &second, &error));
    assert_int_equal(error.status, STATUS_ENVIRONMENT);
}

#define LAUNCH_TEST(name) cmocka_unit_test_teardown(name, bench_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LAUNCH_TEST(partial_waves_write_their_elements_only),
        LAUNCH_TEST(three_dimensional_launches_number_every_work_item),
        LAUNCH_TEST(implicit_arguments_and_packet_say_the_launch),
        LAUNCH_TEST(static_and_dynamic_lds_lie_apart),
        LAUNCH_TEST(lds_past_the_workgroups_is_a_finding),
        LAUNCH_TEST(descriptors_that_do_not_fit_the_note_are_met),
        LAUNCH_TEST(an_entry_within_an_instruction_is_refused),
        LAUNCH_TEST(scratch_of_a_wave_ends_where_its_register_does),
        LAUNCH_TEST(a_store_past_the_end_names_the_allocation),
        LAUNCH_TEST(null_freed_and_read_only_memory_are_findings),
        LAUNCH_TEST(memory_of_another_device_is_a_finding),
        LAUNCH_TEST(peer_access_is_of_one_device_to_another_and_can_be_taken_back),
        LAUNCH_TEST(peer_access_errors_are_the_runtimes),
        LAUNCH_TEST(a_load_from_nowhere_gives_poison),
        LAUNCH_TEST(checks_that_are_off_report_nothing),
        LAUNCH_TEST(an_endless_loop_ends_at_the_watchdog),
        LAUNCH_TEST(a_barrier_that_lanes_skip_is_a_finding),
        LAUNCH_TEST(a_trap_ends_the_launch),
        LAUNCH_TEST(a_copy_on_the_device_writes_what_its_source_had),
        LAUNCH_TEST(launches_over_a_limit_are_refused_with_the_runtimes_error),
        LAUNCH_TEST(atomics_count_every_work_item_once_in_any_schedule),
        LAUNCH_TEST(private_arrays_are_each_lanes_own),
        LAUNCH_TEST(generic_pointers_reach_lds_and_global_memory),
        LAUNCH_TEST(unwritten_lds_differs_between_schedules),
        LAUNCH_TEST(module_variables_keep_their_values_between_launches),
        LAUNCH_TEST(images_that_are_not_for_this_chip_are_refused),
        LAUNCH_TEST(corrupt_images_are_refused),
        LAUNCH_TEST(copies_beyond_an_allocation_are_refused),
        LAUNCH_TEST(names_and_attributes_are_the_chips),
        LAUNCH_TEST(a_second_emulator_is_refused),
    };
    return cmocka_run_group_tests(tests, bench_compile, bench_drop);
}
