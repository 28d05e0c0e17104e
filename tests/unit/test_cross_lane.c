/*
 * What reads or writes other lanes: DPP of every control, SDWA, halves, readlane, permlane, swaps, relative moves. Expected
 * lanes come from the ISA's definitions by plain loops.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/wave_runner.h"

enum { OLD = 0x5ca1ab1e, OUTSIDE = -1 };

/* v1 = 100 + lane, v2 = OLD. */
static struct wave_runner *open_lanes(const char *chip, uint32_t n_lanes)
{
    struct wave_runner *runner = wave_runner_open(chip, n_lanes);
    assert_non_null(runner);
    for (unsigned lane = 0; lane < n_lanes; lane++) {
        wave_runner_vgpr(runner, 1)[lane] = 100 + lane;
        wave_runner_vgpr(runner, 2)[lane] = OLD;
    }
    return runner;
}

struct dpp_case {
    const char *chip, *control;
    uint32_t n_lanes;
    int (*source)(int lane, int n_lanes); /* OUTSIDE where the ISA gives none */
};

static int in_row(int lane, int source)
{
    return source / 16 == lane / 16 && source >= 0 ? source : OUTSIDE;
}

static int quad_perm(int lane, int n_lanes)
{
    static const int order[] = {3, 0, 1, 1};
    (void)n_lanes;
    return lane / 4 * 4 + order[lane % 4];
}

static int row_shl_3(int lane, int n_lanes)
{
    (void)n_lanes;
    return in_row(lane, lane + 3);
}

static int row_shr_5(int lane, int n_lanes)
{
    (void)n_lanes;
    return in_row(lane, lane - 5);
}

static int row_ror_6(int lane, int n_lanes)
{
    (void)n_lanes;
    return lane / 16 * 16 + (lane % 16 + 10) % 16;
}

static int row_mirror(int lane, int n_lanes)
{
    (void)n_lanes;
    return lane / 16 * 16 + 15 - lane % 16;
}

static int row_half_mirror(int lane, int n_lanes)
{
    (void)n_lanes;
    return lane / 8 * 8 + 7 - lane % 8;
}

static int row_share_9(int lane, int n_lanes)
{
    (void)n_lanes;
    return lane / 16 * 16 + 9;
}

static int row_xmask_5(int lane, int n_lanes)
{
    (void)n_lanes;
    return lane ^ 5;
}

static int wave_shl(int lane, int n_lanes)
{
    return lane + 1 < n_lanes ? lane + 1 : OUTSIDE;
}

static int wave_rol(int lane, int n_lanes)
{
    return (lane + 1) % n_lanes;
}

static int wave_shr(int lane, int n_lanes)
{
    (void)n_lanes;
    return lane - 1;
}

static int wave_ror(int lane, int n_lanes)
{
    return (lane + n_lanes - 1) % n_lanes;
}

static int row_bcast_15(int lane, int n_lanes)
{
    (void)n_lanes;
    return lane < 16 ? OUTSIDE : lane / 16 * 16 - 1;
}

static int row_bcast_31(int lane, int n_lanes)
{
    (void)n_lanes;
    return lane < 32 ? OUTSIDE : 31;
}

static const struct dpp_case dpp_cases[] = {
    {"gfx1151", "quad_perm:[3,0,1,1]", 32, quad_perm},
    {"gfx1151", "row_shl:3", 32, row_shl_3},
    {"gfx1151", "row_shr:5", 64, row_shr_5},
    {"gfx1151", "row_ror:6", 32, row_ror_6},
    {"gfx1151", "row_mirror", 32, row_mirror},
    {"gfx1151", "row_half_mirror", 64, row_half_mirror},
    {"gfx1151", "row_share:9", 32, row_share_9},
    {"gfx1151", "row_xmask:5", 32, row_xmask_5},
    {"gfx90a", "row_newbcast:9", 64, row_share_9},
    {"gfx90a", "wave_shl:1", 64, wave_shl},
    {"gfx90a", "wave_rol:1", 64, wave_rol},
    {"gfx90a", "wave_shr:1", 64, wave_shr},
    {"gfx90a", "wave_ror:1", 64, wave_ror},
    {"gfx90a", "row_bcast:15", 64, row_bcast_15},
    {"gfx90a", "row_bcast:31", 64, row_bcast_31},
};

/* LLVM's AMDGPUModifierSyntax: without bound_ctrl a lane whose source is outside or off keeps its old value, with it it
 * reads 0; fi:1 (gfx10 and later) reads lanes that are off. Lanes that row_mask or bank_mask leaves out keep their old
 * value. */
static uint32_t expected_dpp(const struct dpp_case *test, int lane, uint64_t exec, bool bound_ctrl, bool fetch)
{
    int source = test->source(lane, (int)test->n_lanes);
    bool valid = source != OUTSIDE && (fetch || (exec >> source & 1));
    if (!(exec >> lane & 1))
        return OLD;
    return valid ? 100 + (uint32_t)source : bound_ctrl ? 0 : OLD;
}

static void dpp_controls_take_the_lanes_that_the_isa_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof dpp_cases / sizeof *dpp_cases; i++)
        for (int variant = 0; variant < 4; variant++) {
            const struct dpp_case *test = &dpp_cases[i];
            bool bound_ctrl = variant & 1, fetch = variant & 2;
            char text[160];
            if (fetch && strcmp(test->chip, "gfx1151") != 0)
                continue;
            struct wave_runner *runner = open_lanes(test->chip, test->n_lanes);
            uint64_t exec = runner->wave.exec & UINT64_C(0xf7fbfffe3fefff7f);
            runner->wave.exec = exec;
            snprintf(text, sizeof text, "v_mov_b32_dpp v2, v1 %s row_mask:0xf bank_mask:0xf%s%s", test->control,
                     bound_ctrl ? " bound_ctrl:1" : "", fetch ? " fi:1" : "");
            assert_true(wave_runner_run(runner, text));
            for (int lane = 0; lane < (int)test->n_lanes; lane++)
                if (wave_runner_vgpr(runner, 2)[lane] != expected_dpp(test, lane, exec, bound_ctrl, fetch))
                    fail_msg("%s on %s, lane %d: got 0x%x, expected 0x%x", text, test->chip, lane,
                             wave_runner_vgpr(runner, 2)[lane], expected_dpp(test, lane, exec, bound_ctrl, fetch));
            wave_runner_close(runner);
        }
}

static void dpp_masks_keep_rows_and_banks(void **state)
{
    (void)state;
    struct wave_runner *runner = open_lanes("gfx1151", 32);
    assert_true(wave_runner_run(runner, "v_mov_b32_dpp v2, v1 row_mirror row_mask:0x2 bank_mask:0x5"));
    for (int lane = 0; lane < 32; lane++) {
        bool written = lane >= 16 && (lane % 16 / 4 == 0 || lane % 16 / 4 == 2);
        assert_int_equal(wave_runner_vgpr(runner, 2)[lane], written ? 100 + (lane ^ 15) : OLD);
    }
    wave_runner_close(runner);
}

/* dpp8 reads 0 from lanes that are off and always writes; with fi it reads them. */
static void dpp8_selects_within_eight_lanes(void **state)
{
    (void)state;
    static const int order[] = {7, 0, 3, 3, 2, 6, 5, 1};
    for (int fetch = 0; fetch < 2; fetch++) {
        struct wave_runner *runner = open_lanes("gfx1151", 32);
        runner->wave.exec = 0xfffffff7;
        assert_true(wave_runner_run(runner, fetch ? "v_mov_b32_dpp v2, v1 dpp8:[7,0,3,3,2,6,5,1] fi:1"
                                                  : "v_mov_b32_dpp v2, v1 dpp8:[7,0,3,3,2,6,5,1]"));
        for (int lane = 0; lane < 32; lane++) {
            int source = lane / 8 * 8 + order[lane % 8];
            uint32_t value = source == 3 && !fetch ? 0 : 100 + (uint32_t)source;
            assert_int_equal(wave_runner_vgpr(runner, 2)[lane], lane == 3 ? OLD : value);
        }
        wave_runner_close(runner);
    }
}

/* DPP moves source 0 only, before the operation; a carry or compare of a lane that DPP leaves out is 0. */
static void dpp_moves_source_0_before_the_operation(void **state)
{
    (void)state;
    struct wave_runner *runner = open_lanes("gfx1151", 32);
    assert_true(wave_runner_run(runner, "v_sub_nc_u32_dpp v3, v1, v1 row_shl:1 row_mask:0xf bank_mask:0xf bound_ctrl:1\n"
                                        "v_cmp_lt_u32_dpp vcc_lo, v1, v1 row_shr:1 row_mask:0xf bank_mask:0xf"));
    for (unsigned lane = 0; lane < 32; lane++) {
        assert_int_equal(wave_runner_vgpr(runner, 3)[lane], lane % 16 == 15 ? -(100 + lane) : 1u);
        assert_int_equal(runner->wave.vcc >> lane & 1, lane % 16 != 0);
    }
    wave_runner_close(runner);
}

static void dpp_moves_both_registers_of_a_64_bit_source(void **state)
{
    (void)state;
    struct wave_runner *runner = open_lanes("gfx942", 64);
    for (unsigned lane = 0; lane < 64; lane++)
        wave_runner_vgpr(runner, 3)[lane] = 200 + lane;
    assert_true(wave_runner_run(runner, "v_mov_b32 v4, v1\nv_mov_b32 v5, v3\n"
                                        "v_mov_b64_dpp v[6:7], v[4:5] row_newbcast:7 row_mask:0xf bank_mask:0xf"));
    for (unsigned lane = 0; lane < 64; lane++) {
        assert_int_equal(wave_runner_vgpr(runner, 6)[lane], 100 + lane / 16 * 16 + 7);
        assert_int_equal(wave_runner_vgpr(runner, 7)[lane], 200 + lane / 16 * 16 + 7);
    }
    wave_runner_close(runner);
}

struct sdwa_case {
    const char *text;
    uint32_t expected;
};

/* v1 = 0x8091a2b3, v2 = OLD = 0x5ca1ab1e, v3 = 0x01020304. */
static const struct sdwa_case sdwa_cases[] = {
    {"v_mov_b32_sdwa v2, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_2", 0x91},
    {"v_mov_b32_sdwa v2, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1", 0x8091},
    {"v_mov_b32_sdwa v2, sext(v1) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1", 0xffffffa2},
    {"v_mov_b32_sdwa v2, sext(v1) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0", 0xffffa2b3},
    {"v_mov_b32_sdwa v2, v1 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0", 0xb300},
    {"v_mov_b32_sdwa v2, v1 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0", 0x5ca1b31e},
    {"v_mov_b32_sdwa v2, v1 dst_sel:BYTE_1 dst_unused:UNUSED_SEXT src0_sel:BYTE_0", 0xffffb300},
    {"v_mov_b32_sdwa v2, v1 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1", 0x8091ab1e},
    {"v_add_u32_sdwa v2, v1, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:WORD_1", 0x80 + 0x0102},
    {"v_add_u16_sdwa v2, v1, v3 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:BYTE_0",
     (0x8091u + 0x04) << 16 | 0xab1e},
    {"v_lshlrev_b32_sdwa v2, v3, v1 dst_sel:BYTE_3 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:BYTE_1", 0x20000000},
};

static void sdwa_selects_bytes_and_words_of_sources_and_result(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sdwa_cases / sizeof *sdwa_cases; i++) {
        struct wave_runner *runner = open_lanes("gfx90a", 64);
        for (unsigned lane = 0; lane < 64; lane++) {
            wave_runner_vgpr(runner, 1)[lane] = 0x8091a2b3;
            wave_runner_vgpr(runner, 3)[lane] = 0x01020304;
        }
        runner->wave.exec = ~UINT64_C(2);
        assert_true(wave_runner_run(runner, sdwa_cases[i].text));
        if (wave_runner_vgpr(runner, 2)[0] != sdwa_cases[i].expected)
            fail_msg("%s: got 0x%x, expected 0x%x", sdwa_cases[i].text, wave_runner_vgpr(runner, 2)[0],
                     sdwa_cases[i].expected);
        assert_int_equal(wave_runner_vgpr(runner, 2)[1], OLD);
        wave_runner_close(runner);
    }
}

/* gfx9 clears the high half of a 16-bit result, gfx11 keeps it. */
static void a_16_bit_result_clears_or_keeps_the_other_half(void **state)
{
    (void)state;
    struct wave_runner *runner = open_lanes("gfx90a", 64);
    assert_true(wave_runner_run(runner, "v_add_u16 v2, v1, v1"));
    assert_int_equal(wave_runner_vgpr(runner, 2)[3], 206);
    wave_runner_close(runner);
    runner = open_lanes("gfx1151", 32);
    assert_true(wave_runner_run(runner, "v_add_nc_u16 v2.l, v1.l, v1.l"));
    assert_int_equal(wave_runner_vgpr(runner, 2)[3], (OLD & 0xffff0000) | 206);
    wave_runner_close(runner);
}

static void readlane_and_writelane_ignore_exec_and_wrap(void **state)
{
    (void)state;
    struct wave_runner *runner = open_lanes("gfx1151", 32);
    runner->wave.exec = 1u << 9 | 1u << 20;
    runner->wave.sgpr[6] = 37;
    runner->wave.sgpr[SREG_M0] = 11;
    assert_true(wave_runner_run(runner, "v_readfirstlane_b32 s0, v1\nv_readlane_b32 s1, v1, 3\nv_readlane_b32 s2, v1, s6\n"
                                        "v_readlane_b32 s3, v1, m0\nv_writelane_b32 v2, s0, 4\nv_writelane_b32 v2, 7, s6"));
    assert_int_equal(runner->wave.sgpr[0], 109);
    assert_int_equal(runner->wave.sgpr[1], 103);
    assert_int_equal(runner->wave.sgpr[2], 105); /* lane 37 of 32 is lane 5 */
    assert_int_equal(runner->wave.sgpr[3], 111);
    for (unsigned lane = 0; lane < 32; lane++)
        assert_int_equal(wave_runner_vgpr(runner, 2)[lane], lane == 4 ? 109 : lane == 5 ? 7 : OLD);
    wave_runner_close(runner);
}

static void readfirstlane_without_active_lanes_reads_lane_0(void **state)
{
    (void)state;
    struct wave_runner *runner = open_lanes("gfx1151", 32);
    runner->wave.exec = 0;
    assert_true(wave_runner_run(runner, "v_readfirstlane_b32 s0, v1"));
    assert_int_equal(runner->wave.sgpr[0], 100);
    wave_runner_close(runner);
}

/* The prefix count that gives each lane its place among the active ones. */
static void mbcnt_counts_mask_bits_below_the_lane(void **state)
{
    (void)state;
    struct wave_runner *runner = open_lanes("gfx1151", 64);
    const uint64_t mask = UINT64_C(0x80f00f0112345678);
    runner->wave.sgpr[4] = (uint32_t)mask;
    runner->wave.sgpr[5] = (uint32_t)(mask >> 32);
    assert_true(wave_runner_run(runner, "v_mbcnt_lo_u32_b32 v3, s4, 10\nv_mbcnt_hi_u32_b32 v4, s5, v3"));
    unsigned below = 0;
    for (unsigned lane = 0; lane < 64; lane++) {
        assert_int_equal(wave_runner_vgpr(runner, 4)[lane], 10 + below);
        below += mask >> lane & 1;
    }
    wave_runner_close(runner);
}

/* Nibble i of the two scalars names the source of lane i of each row. op_sel 0: fetch lanes that are off; 1: read 0 from
 * them. */
static void permlane_takes_lanes_of_its_row_or_of_the_other(void **state)
{
    (void)state;
    const uint64_t nibbles = UINT64_C(0x0f1e2d3c4b5a6978);
    static const char *const texts[] = {"v_permlane16_b32 v2, v1, s4, s5", "v_permlane16_b32 v2, v1, s4, s5 op_sel:[1,0]",
                                        "v_permlanex16_b32 v2, v1, s4, s5 op_sel:[0,1]",
                                        "v_permlanex16_b32 v2, v1, s4, s5 op_sel:[1,1]"};
    for (unsigned i = 0; i < 4; i++) {
        struct wave_runner *runner = open_lanes("gfx1151", 32);
        runner->wave.sgpr[4] = (uint32_t)nibbles;
        runner->wave.sgpr[5] = (uint32_t)(nibbles >> 32);
        runner->wave.exec = 0xfffffdff;
        assert_true(wave_runner_run(runner, texts[i]));
        for (unsigned lane = 0; lane < 32; lane++) {
            unsigned row = i >= 2 ? 1 - lane / 16 : lane / 16, source = 16 * row + (nibbles >> 4 * (lane % 16) & 15);
            bool fetch = i == 1 || i == 3, zero = i >= 2;
            uint32_t value = source == 9 && !fetch ? (zero ? 0 : OLD) : 100 + source;
            assert_int_equal(wave_runner_vgpr(runner, 2)[lane], lane == 9 ? OLD : value);
        }
        wave_runner_close(runner);
    }
}

static void permlane64_swaps_halves_of_a_wave64_and_does_nothing_else(void **state)
{
    (void)state;
    struct wave_runner *runner = open_lanes("gfx1151", 64);
    assert_true(wave_runner_run(runner, "v_permlane64_b32 v1, v1"));
    for (unsigned lane = 0; lane < 64; lane++)
        assert_int_equal(wave_runner_vgpr(runner, 1)[lane], 100 + (lane + 32) % 64);
    wave_runner_close(runner);
    runner = open_lanes("gfx1151", 32);
    assert_true(wave_runner_run(runner, "v_permlane64_b32 v2, v1"));
    assert_int_equal(wave_runner_vgpr(runner, 2)[3], OLD);
    wave_runner_close(runner);
}

static void swaps_exchange_registers_and_halves_of_active_lanes(void **state)
{
    (void)state;
    struct wave_runner *runner = open_lanes("gfx1151", 32);
    runner->wave.exec = 0xffff;
    assert_true(wave_runner_run(runner,
                                "v_swap_b32 v1, v2\nv_swap_b32 v1, v1\nv_mov_b32 v3, 0x11112222\nv_swap_b16 v3.l, v3.h\n"
                                "v_mov_b32 v4, 0x33334444\nv_mov_b32 v5, 0x55556666\nv_swap_b16 v4.h, v5.l"));
    assert_int_equal(wave_runner_vgpr(runner, 1)[15], OLD);
    assert_int_equal(wave_runner_vgpr(runner, 2)[15], 115);
    assert_int_equal(wave_runner_vgpr(runner, 1)[16], 116);
    assert_int_equal(wave_runner_vgpr(runner, 2)[16], OLD);
    assert_int_equal(wave_runner_vgpr(runner, 3)[0], 0x22221111);
    assert_int_equal(wave_runner_vgpr(runner, 4)[0], 0x66664444);
    assert_int_equal(wave_runner_vgpr(runner, 5)[0], 0x55553333);
    wave_runner_close(runner);
}

/* M0 moves the register numbers; past v255 a source is v0 and a result is dropped. */
static void relative_moves_add_m0_to_register_numbers(void **state)
{
    (void)state;
    struct wave_runner *runner = open_lanes("gfx1151", 32);
    runner->wave.sgpr[4] = 7 << 16 | 1; /* results 7 on, sources 1 on */
    assert_true(wave_runner_run(runner, "v_mov_b32 v0, 5\ns_mov_b32 m0, 1\nv_movrels_b32 v10, v0\nv_movreld_b32 v10, v2\n"
                                        "v_movrelsd_b32 v11, v1\ns_mov_b32 m0, s4\nv_movrelsd_2_b32 v10, v0\n"
                                        "v_swaprel_b32 v11, v0\ns_movk_i32 m0, 0xff\nv_movrels_b32 v13, v2"));
    assert_int_equal(wave_runner_vgpr(runner, 10)[3], 103);
    assert_int_equal(wave_runner_vgpr(runner, 11)[3], OLD);
    assert_int_equal(wave_runner_vgpr(runner, 12)[3], OLD);
    assert_int_equal(wave_runner_vgpr(runner, 17)[3], 103);
    assert_int_equal(wave_runner_vgpr(runner, 18)[3], 103);
    assert_int_equal(wave_runner_vgpr(runner, 1)[3], 0);
    assert_int_equal(wave_runner_vgpr(runner, 13)[3], 5);
    wave_runner_close(runner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dpp_controls_take_the_lanes_that_the_isa_names),
        cmocka_unit_test(dpp_masks_keep_rows_and_banks),
        cmocka_unit_test(dpp8_selects_within_eight_lanes),
        cmocka_unit_test(dpp_moves_source_0_before_the_operation),
        cmocka_unit_test(dpp_moves_both_registers_of_a_64_bit_source),
        cmocka_unit_test(sdwa_selects_bytes_and_words_of_sources_and_result),
        cmocka_unit_test(a_16_bit_result_clears_or_keeps_the_other_half),
        cmocka_unit_test(readlane_and_writelane_ignore_exec_and_wrap),
        cmocka_unit_test(readfirstlane_without_active_lanes_reads_lane_0),
        cmocka_unit_test(mbcnt_counts_mask_bits_below_the_lane),
        cmocka_unit_test(permlane_takes_lanes_of_its_row_or_of_the_other),
        cmocka_unit_test(permlane64_swaps_halves_of_a_wave64_and_does_nothing_else),
        cmocka_unit_test(swaps_exchange_registers_and_halves_of_active_lanes),
        cmocka_unit_test(relative_moves_add_m0_to_register_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
