/*
 * The profile: how accesses are weighed, and what a launch counts.
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
#include "device/emulator/sanitizer/profile.h"
#include "tests/support/wave_runner.h"
#include "toolchain/toolchain.h"

/* Passes on 32 banks of lanes 0 … n_lanes - 1 at byte stride * lane. */
static uint32_t passes(uint32_t n_lanes, uint32_t stride, uint32_t n_bytes, uint32_t *least)
{
    uint64_t bytes[MAX_LANES];
    for (uint32_t lane = 0; lane < MAX_LANES; lane++)
        bytes[lane] = (uint64_t)stride * lane;
    return profile_lds_passes(32, n_lanes, n_lanes == 64 ? UINT64_MAX : UINT32_MAX, bytes, n_bytes, least);
}

/* A dword stride of s puts 32 lanes on 32 / gcd(s, 32) banks, so a pass for each of gcd(s, 32) dwords of a bank. */
static void a_stride_costs_its_common_divisor_with_the_banks(void **state)
{
    (void)state;
    static const uint32_t strides[][2] = {{1, 1}, {2, 2}, {3, 1}, {4, 4}, {8, 8}, {17, 1}, {24, 8}, {32, 32}, {33, 1}};
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
        uint32_t least;
        assert_int_equal(passes(32, 4 * strides[i][0], 4, &least), strides[i][1]);
        assert_int_equal(least, 1);
        assert_int_equal(passes(64, 4 * strides[i][0], 4, &least), 2 * strides[i][1]);
        assert_int_equal(least, 2);
    }
}

static void lanes_that_share_a_dword_share_its_pass(void **state)
{
    (void)state;
    uint32_t least;
    assert_int_equal(passes(32, 0, 4, &least), 1);
    assert_int_equal(passes(32, 1, 1, &least), 1); /* bytes of 8 dwords */
    assert_int_equal(least, 1);
}

/* 16 bytes a lane: 8 lanes fill the banks, so 32 lanes take four passes, and none of them for a conflict. */
static void wide_accesses_go_in_groups_that_fill_the_banks(void **state)
{
    (void)state;
    uint32_t least;
    assert_int_equal(passes(32, 16, 16, &least), 4);
    assert_int_equal(least, 4);
    assert_int_equal(passes(32, 8, 8, &least), 2);
    assert_int_equal(passes(32, 32, 16, &least), 8); /* every other quartet of banks: two of a bank */
    assert_int_equal(least, 4);
}

static void lanes_that_are_off_cost_nothing(void **state)
{
    (void)state;
    uint64_t bytes[MAX_LANES] = {0, 128, 256, 384};
    uint32_t least;
    assert_int_equal(profile_lds_passes(32, 32, 0x5, bytes, 4, &least), 2);
    assert_int_equal(profile_lds_passes(32, 32, 0, bytes, 4, &least), 0);
    assert_int_equal(least, 0);
}

static void lines_are_counted_once_and_at_their_edges(void **state)
{
    (void)state;
    uint64_t bytes[MAX_LANES];
    for (uint32_t lane = 0; lane < MAX_LANES; lane++)
        bytes[lane] = 0x1000 + 4 * (uint64_t)lane;
    assert_int_equal(profile_lines(128, UINT32_MAX, bytes, 4), 1);
    assert_int_equal(profile_lines(64, UINT32_MAX, bytes, 4), 2);
    assert_int_equal(profile_lines(128, UINT64_MAX, bytes, 4), 2);
    bytes[0] += 2; /* 0x1002 … 0x1005: still in the line */
    assert_int_equal(profile_lines(128, 1, bytes, 4), 1);
    bytes[0] = 0x107e;
    assert_int_equal(profile_lines(128, 1, bytes, 4), 2);
    for (uint32_t lane = 0; lane < MAX_LANES; lane++)
        bytes[lane] = 0x1000 + 256 * (uint64_t)lane;
    assert_int_equal(profile_lines(128, UINT64_MAX, bytes, 16), 64);
}

/* The counts of a launch, by mnemonic. */
struct seen {
    const char *mnemonic;
    struct instruction_profile counts;
    uint32_t n_lanes;
};

static void find_mnemonic(void *context, const struct profiled_instruction *instruction)
{
    struct seen *seen = context;
    if (strcmp(instruction->mnemonic, seen->mnemonic) == 0) {
        instruction_profile_add(&seen->counts, instruction->counts);
        seen->n_lanes = instruction->n_lanes;
    }
}

static struct instruction_profile counts_of(struct device *device, const char *mnemonic)
{
    struct seen seen = {.mnemonic = mnemonic};
    device->visit_profile(device, find_mnemonic, &seen);
    return seen.counts;
}

/* saxpy of n floats in workgroups of 64: 5 workgroups for 300, so the last has 44 work-items that load and store. */
static struct device *run_saxpy(const char *chip, int n_threads)
{
    enum { N = 300 };
    struct error error;
    struct device *device;
    struct compiled compiled;
    struct compile_request request = {.source_path = "tests/kernels/launch.hip", .family = "launch", .chip = chip};
    struct emulator_options options = {.chip = chip, .n_devices = 1, .n_threads = n_threads, .count_profile = true};
    struct toolchain *toolchain = toolchain_open(NULL, &error);
    hipModule_t module;
    hipFunction_t function;
    void *x, *y;
    float a = 2;
    int n = N;
    assert_true(toolchain && toolchain_compile(toolchain, &request, &compiled, &error));
    assert_true(emulator_open(&options, &device, &error));
    assert_int_equal(device->hip->hipModuleLoadData(&module, compiled.bytes), hipSuccess);
    assert_int_equal(device->hip->hipModuleGetFunction(&function, module, "saxpy"), hipSuccess);
    assert_int_equal(device->hip->hipMalloc(&x, N * sizeof(float)), hipSuccess);
    assert_int_equal(device->hip->hipMalloc(&y, N * sizeof(float)), hipSuccess);
    assert_int_equal(
        device->hip->hipModuleLaunchKernel(function, 5, 1, 1, 64, 1, 1, 0, NULL, (void *[]){&a, &x, &y, &n}, NULL),
        hipSuccess);
    compiled_free(&compiled);
    toolchain_close(toolchain);
    return device;
}

/* Allocations are aligned to 256 bytes. Wave32: ten waves, of which nine load 32 floats (a line of 128 bytes) and one 12.
 * Wave64 on gfx90a: five waves, of which four load 64 floats (four lines of 64 bytes) and one 44 (three lines). */
static void a_launch_counts_what_its_lanes_did(void **state)
{
    (void)state;
    static const struct {
        const char *chip, *load, *store;
        uint64_t n_waves, n_lines;
    } chips[] = {{"gfx1151", "global_load_b32", "global_store_b32", 10, 10},
                 {"gfx90a", "global_load_dword", "global_store_dword", 5, 4 * 4 + 3}};
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++) {
        struct device *device = run_saxpy(chips[i].chip, 1);
        struct instruction_profile load = counts_of(device, chips[i].load), store = counts_of(device, chips[i].store);
        assert_int_equal(load.n_executed, 2 * chips[i].n_waves);
        assert_int_equal(load.n_lanes, 2 * 300);
        assert_int_equal(load.read_bytes[PROFILE_GLOBAL], 2 * 1200);
        assert_int_equal(load.written_bytes[PROFILE_GLOBAL], 0);
        assert_int_equal(load.n_accesses, 2 * chips[i].n_waves);
        assert_int_equal(load.n_lines, 2 * chips[i].n_lines);
        assert_int_equal(store.n_executed, chips[i].n_waves);
        assert_int_equal(store.written_bytes[PROFILE_GLOBAL], 1200);
        assert_int_equal(store.read_bytes[PROFILE_GLOBAL], 0);
        assert_int_equal(counts_of(device, "s_endpgm").n_executed, chips[i].n_waves);
        device->close(device);
    }
}

static void counts_do_not_depend_on_host_threads(void **state)
{
    (void)state;
    static const char *const mnemonics[] = {"global_load_b32", "s_load_b128", "s_endpgm", "v_fmac_f32"};
    struct instruction_profile first[4];
    for (int n_threads = 1; n_threads <= 3; n_threads += 2) {
        struct device *device = run_saxpy("gfx1151", n_threads);
        for (size_t i = 0; i < 4; i++) {
            struct instruction_profile counts = counts_of(device, mnemonics[i]);
            if (n_threads == 1)
                first[i] = counts;
            if (!counts.n_executed)
                fail_msg("saxpy has no %s", mnemonics[i]);
            assert_memory_equal(&counts, &first[i], sizeof counts);
        }
        device->close(device);
    }
}

/* With EXEC 0 an access has no place: nothing is counted, and nothing of it is looked at (seen by `make sanitize`). */
static void accesses_of_no_lane_are_executed_but_not_counted(void **state)
{
    (void)state;
    struct wave_runner *runner = wave_runner_open("gfx1151", 32);
    assert_non_null(runner);
    assert_true(wave_runner_load(runner, "s_mov_b32 exec_lo, 0\nflat_load_b32 v1, v[2:3]\nds_load_b32 v4, v5\ns_endpgm\n"));
    struct instruction_profile *profile = profile_open(runner->code.n_instructions);
    runner->wave.profile = profile;
    runner->wave.watched = true;
    assert_true(wave_runner_run_next(runner));
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(profile[i].n_executed, 1);
    assert_int_equal(profile[1].n_lanes, 0);
    assert_int_equal(profile[1].n_accesses, 0);
    assert_int_equal(profile[2].n_lds_accesses, 0);
    free(profile);
    wave_runner_close(runner);
}

/* A loop of five rounds goes back four times; where a branch leads to the next instruction it is none. */
static void branches_are_counted_that_were_taken(void **state)
{
    enum { BACK = 3, NOWHERE = 4 };
    (void)state;
    struct wave_runner *runner = wave_runner_open("gfx1151", 32);
    assert_non_null(runner);
    assert_true(wave_runner_load(runner, "s_mov_b32 s0, 5\ns_sub_i32 s0, s0, 1\ns_cmp_lg_u32 s0, 0\n"
                                         "s_cbranch_scc1 65533\ns_branch 0\ns_endpgm\n"));
    struct instruction_profile *profile = profile_open(runner->code.n_instructions), sum = {.n_taken = 1};
    runner->wave.profile = profile;
    runner->wave.watched = true;
    assert_true(wave_runner_run_next(runner));
    assert_int_equal(profile[BACK].n_executed, 5);
    assert_int_equal(profile[BACK].n_taken, 4);
    assert_int_equal(profile[BACK - 1].n_taken, 0);
    assert_int_equal(profile[NOWHERE].n_taken, 0);
    instruction_profile_add(&sum, &profile[BACK]);
    assert_int_equal(sum.n_taken, 5);
    free(profile);
    wave_runner_close(runner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stride_costs_its_common_divisor_with_the_banks),
        cmocka_unit_test(lanes_that_share_a_dword_share_its_pass),
        cmocka_unit_test(wide_accesses_go_in_groups_that_fill_the_banks),
        cmocka_unit_test(lanes_that_are_off_cost_nothing),
        cmocka_unit_test(lines_are_counted_once_and_at_their_edges),
        cmocka_unit_test(a_launch_counts_what_its_lanes_did),
        cmocka_unit_test(counts_do_not_depend_on_host_threads),
        cmocka_unit_test(accesses_of_no_lane_are_executed_but_not_counted),
        cmocka_unit_test(branches_are_counted_that_were_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
