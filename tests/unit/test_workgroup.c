/*
 * Waves of a workgroup together: barriers, the schedule's switch points, scalar memory, dual issue.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/emulator/memory.h"
#include "tests/support/group_runner.h"
#include "tests/support/wave_runner.h"

enum { N_WAVES = 4, N_ITEMS = 32 * N_WAVES };

static struct group_runner *open_group_on(const char *chip, const char *assembly, uint64_t schedule)
{
    uint8_t *bytes;
    size_t n_bytes;
    struct error error;
    assert_true(wave_runner_assemble(chip, 32, assembly, &bytes, &n_bytes));
    struct group_launch launch = {
        .chip = chip, .n_lanes = 32, .n_items = N_ITEMS, .code = bytes, .code_bytes = n_bytes, .lds_bytes = 1024};
    struct group_runner *runner = group_runner_open(&launch, &error);
    free(bytes);
    if (!runner)
        fail_msg("%s", error.text);
    runner->group.schedule = schedule;
    for (uint32_t i = 0; i < N_WAVES; i++)
        runner->group.waves[i].sgpr[4] = i;
    return runner;
}

static struct group_runner *open_group(const char *assembly, uint64_t schedule)
{
    return open_group_on("gfx1151", assembly, schedule);
}

/* Each work-item stores its number plus one, waits, and reads that of the item as far from the end: any wave that goes on
 * before all have stored reads a 0. */
static const char exchange_text[] = "v_add_nc_u32 v1, 1, v0\n"
                                    "v_lshlrev_b32 v2, 2, v0\n"
                                    "ds_store_b32 v2, v1\n"
                                    "s_waitcnt lgkmcnt(0)\n"
                                    "s_barrier\n"
                                    "v_sub_nc_u32 v2, 0x1fc, v2\n"
                                    "ds_load_b32 v3, v2\n"
                                    "s_waitcnt lgkmcnt(0)\n"
                                    "s_endpgm\n";

static void a_barrier_holds_until_all_waves_arrive(void **state)
{
    (void)state;
    for (uint64_t schedule = 0; schedule < 20; schedule++) {
        struct group_runner *runner = open_group(exchange_text, schedule);
        assert_true(group_runner_run(runner));
        for (uint32_t item = 0; item < N_ITEMS; item++)
            assert_int_equal(group_runner_vgpr(runner, item / 32, 3)[item % 32], N_ITEMS - item);
        group_runner_close(runner);
    }
}

/* Every wave notes, in s5, how many waves had passed the LDS counter before it: the order of the waves. */
static uint32_t order_of_waves(uint64_t schedule)
{
    struct group_runner *runner = open_group("s_mov_b32 exec_lo, 1\n"
                                             "v_mov_b32 v2, 0\n"
                                             "v_mov_b32 v1, 1\n"
                                             "ds_add_rtn_u32 v3, v2, v1\n"
                                             "s_waitcnt lgkmcnt(0)\n"
                                             "v_readfirstlane_b32 s5, v3\n"
                                             "s_endpgm\n",
                                             schedule);
    assert_true(group_runner_run(runner));
    uint32_t order = 0;
    for (uint32_t wave = 0; wave < N_WAVES; wave++)
        order |= runner->group.waves[wave].sgpr[5] << 4 * wave;
    group_runner_close(runner);
    return order;
}

/* A race must be able to come out either way, and the same way for the same seed. */
static void a_schedule_permutes_waves_and_repeats(void **state)
{
    (void)state;
    bool differs = false;
    assert_int_equal(order_of_waves(0), 0x3210);
    for (uint64_t schedule = 1; schedule < 10; schedule++) {
        assert_int_equal(order_of_waves(schedule), order_of_waves(schedule));
        differs |= order_of_waves(schedule) != 0x3210;
    }
    assert_true(differs);
}

/* Without a switch point between two waves' load and store of one counter no update would ever be lost. */
static void a_schedule_can_switch_between_load_and_store(void **state)
{
    (void)state;
    bool lost_update = false;
    for (uint64_t schedule = 0; schedule < 20; schedule++) {
        struct group_runner *runner = open_group("s_mov_b32 exec_lo, 1\n"
                                                 "v_mov_b32 v2, 0\n"
                                                 "ds_load_b32 v3, v2\n"
                                                 "s_waitcnt lgkmcnt(0)\n"
                                                 "v_add_nc_u32 v3, 1, v3\n"
                                                 "ds_store_b32 v2, v3\n"
                                                 "s_endpgm\n",
                                                 schedule);
        assert_true(group_runner_run(runner));
        uint32_t counter;
        memcpy(&counter, runner->group.lds, 4);
        if (schedule == 0)
            assert_int_equal(counter, N_WAVES);
        lost_update |= counter != N_WAVES;
        group_runner_close(runner);
    }
    assert_true(lost_update);
}

static void expect_sync_finding(const char *assembly)
{
    struct group_runner *runner = open_group(assembly, 0);
    assert_false(group_runner_run(runner));
    assert_int_equal(runner->findings[0].kind, FINDING_SYNC);
    for (uint32_t wave = 0; wave < N_WAVES; wave++)
        assert_int_equal(runner->group.waves[wave].state, WAVE_ENDED);
    group_runner_close(runner);
    runner = open_group(assembly, 0);
    runner->dispatch.checks_wanted = 0;
    assert_true(group_runner_run(runner));
    group_runner_close(runner);
}

/* Spare waves that return early do not count at a barrier: the ISA's rule, and everyday code. */
static void waves_that_have_ended_do_not_count_at_a_barrier(void **state)
{
    (void)state;
    struct group_runner *runner = open_group("s_cmp_eq_u32 s4, 2\ns_cbranch_scc1 OUT\ns_barrier\ns_mov_b32 s6, 1\n"
                                             "OUT:\ns_endpgm\n",
                                             0);
    assert_true(group_runner_run(runner));
    assert_int_equal(runner->group.waves[0].sgpr[6], 1);
    assert_int_equal(runner->group.waves[2].sgpr[6], 0);
    group_runner_close(runner);
}

static void different_barriers_are_found(void **state)
{
    (void)state;
    expect_sync_finding("s_cmp_eq_u32 s4, 2\ns_cbranch_scc1 OTHER\ns_barrier\ns_endpgm\nOTHER:\ns_barrier\ns_endpgm\n");
}

/* A barrier under exec: lanes 16 on are off at it and store afterwards, or come to a barrier of their own. */
static void lanes_that_a_barrier_misses_and_that_come_later_are_found(void **state)
{
    (void)state;
    static const char *const later[] = {"v_lshlrev_b32 v2, 2, v0\nds_store_b32 v2, v0\n",
                                        "s_mov_b32 exec_lo, 0xffff0000\ns_barrier\n"};
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        char text[300];
        snprintf(text, sizeof text, "s_mov_b32 exec_lo, 0xffff\ns_barrier\ns_mov_b32 exec_lo, -1\n%ss_endpgm\n", later[i]);
        struct group_runner *runner = open_group(text, 0);
        assert_false(group_runner_run(runner));
        const struct finding *finding = &runner->findings[0];
        assert_int_equal(finding->kind, FINDING_SYNC);
        assert_int_equal(finding->place.lane, 16);
        assert_non_null(strstr(finding->place.instruction, "s_barrier"));
        assert_int_equal(finding->place.offset_bytes, 8); /* the first: s_mov_b32 with its literal is before it */
        group_runner_close(runner);
    }
}

/* if (i >= n) return; before the barrier: the lanes stay off. Registers alone show nothing. */
static void lanes_that_have_returned_are_not_missed(void **state)
{
    (void)state;
    struct group_runner *runner = open_group("v_lshlrev_b32 v2, 2, v0\ns_mov_b32 exec_lo, 0xffff\n"
                                             "ds_store_b32 v2, v0\ns_waitcnt lgkmcnt(0)\ns_barrier\n"
                                             "ds_load_b32 v3, v2\ns_waitcnt lgkmcnt(0)\n"
                                             "s_mov_b32 exec_lo, -1\nv_mov_b32 v4, 0\ns_endpgm\n",
                                             0);
    assert_true(group_runner_run(runner));
    group_runner_close(runner);
}

/* The last wave is half full; a barrier misses nothing of its other half, whatever comes later. */
static void lanes_that_never_were_are_not_missed(void **state)
{
    (void)state;
    struct group_runner *runner = open_group("v_lshlrev_b32 v2, 2, v0\ns_barrier\ns_mov_b32 exec_lo, -1\n"
                                             "ds_store_b32 v2, v0\ns_endpgm\n",
                                             0);
    struct wave *last = &runner->group.waves[N_WAVES - 1];
    last->exec = last->sync.lanes = 0xffff;
    assert_true(group_runner_run(runner));
    group_runner_close(runner);
}

static void barriers_cost_nothing_where_nobody_asks(void **state)
{
    (void)state;
    struct group_runner *runner = open_group("s_mov_b32 exec_lo, 0xffff\ns_barrier\ns_endpgm\n", 0);
    runner->dispatch.checks_wanted = 0;
    assert_true(group_runner_run(runner));
    for (uint32_t wave = 0; wave < N_WAVES; wave++)
        assert_false(runner->group.waves[wave].watched);
    group_runner_close(runner);
}

/* Wave 0 spins on a flag in LDS that wave 1 raises: in natural order wave 0 comes first and must not keep it from running.
 */
static void a_wave_that_polls_lets_the_others_run(void **state)
{
    (void)state;
    for (uint64_t schedule = 0; schedule < 3; schedule++) {
        struct group_runner *runner = open_group("v_mov_b32 v2, 0\nv_mov_b32 v1, 1\ns_cmp_eq_u32 s4, 0\n"
                                                 "s_cbranch_scc0 RAISE\n"
                                                 "POLL:\nds_load_b32 v3, v2\ns_waitcnt lgkmcnt(0)\n"
                                                 "v_cmp_ne_u32 vcc_lo, 0, v3\ns_cbranch_vccz POLL\ns_endpgm\n"
                                                 "RAISE:\nds_store_b32 v2, v1\ns_endpgm\n",
                                                 schedule);
        assert_true(group_runner_run(runner));
        group_runner_close(runner);
    }
}

/* gfx12: each wave's signals and waits must pair up. */
static void unpaired_signals_and_waits_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *assembly;
        bool sound;
    } cases[] = {
        {"s_barrier_signal -1\ns_barrier_wait -1\ns_barrier_signal -1\ns_barrier_wait -1\ns_endpgm\n", true},
        {"s_barrier_signal -1\ns_endpgm\n", false},
        {"s_barrier_signal -1\ns_barrier_signal -1\ns_barrier_wait -1\ns_endpgm\n", false},
        {"s_barrier_wait -1\ns_endpgm\n", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct group_runner *runner = open_group_on("gfx1201", cases[i].assembly, 0);
        assert_int_equal(group_runner_run(runner), cases[i].sound);
        if (!cases[i].sound)
            assert_int_equal(runner->findings[0].kind, FINDING_SYNC);
        group_runner_close(runner);
    }
}

static void a_trap_stops_all_waves(void **state)
{
    (void)state;
    struct group_runner *runner =
        open_group("s_cmp_eq_u32 s4, 1\ns_cbranch_scc0 OUT\ns_trap 2\nOUT:\ns_mov_b32 s6, 1\ns_endpgm\n", 0);
    assert_false(group_runner_run(runner));
    assert_int_equal(runner->findings[0].kind, FINDING_TRAP);
    assert_int_equal(runner->group.waves[0].sgpr[6], 1);
    assert_int_equal(runner->group.waves[2].sgpr[6], 0);
    group_runner_close(runner);
}

/* Base, register and immediate add up; the immediate may be negative. */
static void scalar_loads_add_their_offsets(void **state)
{
    (void)state;
    struct group_runner *runner = open_group("s_load_b64 s[8:9], s[0:1], 0x8\n"
                                             "s_load_b32 s10, s[0:1], s2 offset:0x10\n"
                                             "s_load_b128 s[12:15], s[0:1], null\n"
                                             "s_add_u32 s16, s0, 16\n"
                                             "s_mov_b32 s17, s1\n"
                                             "s_load_b32 s18, s[16:17], -0x4\n"
                                             "s_endpgm\n",
                                             0);
    uint64_t address = group_runner_allocate(runner, 64, "words");
    uint8_t *host = memory_host(runner->memory, address, 64);
    for (uint32_t i = 0; i < 16; i++)
        memcpy(host + 4 * i, &(uint32_t){100 + i}, 4);
    for (uint32_t wave = 0; wave < N_WAVES; wave++) {
        memcpy(&runner->group.waves[wave].sgpr[0], &address, 8);
        runner->group.waves[wave].sgpr[2] = 12;
    }
    assert_true(group_runner_run(runner));
    const uint32_t *sgpr = runner->group.waves[0].sgpr;
    assert_int_equal(sgpr[8], 102);
    assert_int_equal(sgpr[9], 103);
    assert_int_equal(sgpr[10], 107);
    assert_int_equal(sgpr[12], 100);
    assert_int_equal(sgpr[15], 103);
    assert_int_equal(sgpr[18], 103);
    group_runner_close(runner);
}

static void a_scalar_load_past_the_end_is_found(void **state)
{
    (void)state;
    struct group_runner *runner = open_group("s_load_b64 s[8:9], s[0:1], 0x3c\ns_endpgm\n", 0);
    uint64_t address = group_runner_allocate(runner, 64, "words");
    for (uint32_t wave = 0; wave < N_WAVES; wave++)
        memcpy(&runner->group.waves[wave].sgpr[0], &address, 8);
    assert_false(group_runner_run(runner));
    assert_int_equal(runner->findings[0].kind, FINDING_MEM);
    assert_non_null(strstr(runner->findings[0].text, "words"));
    group_runner_close(runner);
}

/* A resource bounds its reads: beyond it they give 0 and no finding. */
static void scalar_buffer_loads_read_zero_outside_the_resource(void **state)
{
    (void)state;
    struct group_runner *runner = open_group("s_mov_b32 s2, 8\ns_mov_b32 s3, 0\n"
                                             "s_buffer_load_b128 s[8:11], s[0:3], 0x0\ns_endpgm\n",
                                             0);
    uint64_t address = group_runner_allocate(runner, 64, "words");
    uint8_t *host = memory_host(runner->memory, address, 64);
    memset(host, 0x11, 64);
    for (uint32_t wave = 0; wave < N_WAVES; wave++)
        memcpy(&runner->group.waves[wave].sgpr[0], &address, 8);
    assert_true(group_runner_run(runner));
    const uint32_t *sgpr = runner->group.waves[0].sgpr;
    assert_int_equal(sgpr[8], 0x11111111);
    assert_int_equal(sgpr[9], 0x11111111);
    assert_int_equal(sgpr[10], 0);
    assert_int_equal(sgpr[11], 0);
    group_runner_close(runner);
}

/* Both halves read before either writes: a swap, and each one-way dependence. */
static void dual_halves_read_before_they_write(void **state)
{
    (void)state;
    struct wave_runner *runner = wave_runner_open("gfx1151", 32);
    for (int lane = 0; lane < 32; lane++) {
        wave_runner_vgpr(runner, 0)[lane] = 10 + (uint32_t)lane;
        wave_runner_vgpr(runner, 1)[lane] = 500 + (uint32_t)lane;
        wave_runner_vgpr(runner, 4)[lane] = 7;
    }
    assert_true(wave_runner_run(runner,
                                "v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0\n"       /* swap */
                                "v_dual_mov_b32 v2, v0 :: v_dual_mov_b32 v5, v1\n"       /* apart */
                                "v_dual_mov_b32 v4, v0 :: v_dual_add_nc_u32 v7, 1, v4\n" /* y reads x's destination */
                                "v_dual_mov_b32 v8, v1 :: v_dual_and_b32 v1, 1, v2"));   /* x reads y's destination */
    for (uint32_t lane = 0; lane < 32; lane++) {
        assert_int_equal(wave_runner_vgpr(runner, 0)[lane], 500 + lane);
        assert_int_equal(wave_runner_vgpr(runner, 2)[lane], 500 + lane);
        assert_int_equal(wave_runner_vgpr(runner, 5)[lane], 10 + lane);
        assert_int_equal(wave_runner_vgpr(runner, 4)[lane], 500 + lane);
        assert_int_equal(wave_runner_vgpr(runner, 7)[lane], 8);
        assert_int_equal(wave_runner_vgpr(runner, 8)[lane], 10 + lane);
        assert_int_equal(wave_runner_vgpr(runner, 1)[lane], (500 + lane) & 1);
    }
    wave_runner_close(runner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_barrier_holds_until_all_waves_arrive),
        cmocka_unit_test(a_schedule_permutes_waves_and_repeats),
        cmocka_unit_test(a_schedule_can_switch_between_load_and_store),
        cmocka_unit_test(waves_that_have_ended_do_not_count_at_a_barrier),
        cmocka_unit_test(lanes_that_a_barrier_misses_and_that_come_later_are_found),
        cmocka_unit_test(lanes_that_have_returned_are_not_missed),
        cmocka_unit_test(lanes_that_never_were_are_not_missed),
        cmocka_unit_test(barriers_cost_nothing_where_nobody_asks),
        cmocka_unit_test(a_wave_that_polls_lets_the_others_run),
        cmocka_unit_test(different_barriers_are_found),
        cmocka_unit_test(unpaired_signals_and_waits_are_found),
        cmocka_unit_test(a_trap_stops_all_waves),
        cmocka_unit_test(scalar_loads_add_their_offsets),
        cmocka_unit_test(a_scalar_load_past_the_end_is_found),
        cmocka_unit_test(scalar_buffer_loads_read_zero_outside_the_resource),
        cmocka_unit_test(dual_halves_read_before_they_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
