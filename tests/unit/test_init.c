/*
 * The init check: values that nobody wrote are found where they reach an address, a branch, a store or an atomic, and are
 * not where they do not matter. Rules are held to single instructions on registers marked by hand, the whole to kernels.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/emulator/sanitizer/init.h"
#include "tests/support/kernel_module.h"
#include "tests/support/memory_runner.h"
#include "tests/support/wave_runner.h"

static struct wave_runner *open_runner(const char *chip, uint32_t n_lanes)
{
    struct wave_runner *runner = wave_runner_open(chip, n_lanes);
    assert_non_null(runner);
    runner->wave.full_exec = n_lanes == 64 ? UINT64_MAX : UINT32_MAX;
    assert_true(wave_runner_watch(runner, CHECKS_BASIC | 1u << FINDING_INIT));
    return runner;
}

/* Undefined bytes of a register in every lane, as four bits. */
static void undefine(struct wave_runner *runner, unsigned row, unsigned bytes, uint64_t lanes)
{
    for (unsigned b = 0; b < ROW_BYTES; b++)
        runner->wave.checks->init->rows[row][b] = bytes >> b & 1 ? lanes & runner->wave.full_exec : 0;
}

static unsigned undefined_bytes(const struct wave_runner *runner, unsigned row, unsigned lane)
{
    unsigned bytes = 0;
    for (unsigned b = 0; b < ROW_BYTES; b++)
        bytes |= (unsigned)(runner->wave.checks->init->rows[row][b] >> lane & 1) << b;
    return bytes;
}

/* v1 has the undefined bytes `in`, v2 holds `other`, defined; the result's bytes in v3. */
static const struct lane_rule {
    const char *text;
    unsigned in;
    uint32_t other;
    unsigned out;
} lane_rules[] = {
    {"v_mov_b32 v3, v1", 0x4, 0, 0x4},
    {"v_not_b32 v3, v1", 0x9, 0, 0x9},
    {"v_and_b32 v3, v1, v2", 0xf, 0x00ff0000, 0x4},
    {"v_or_b32 v3, v1, v2", 0xf, 0x00ff0000, 0xb},
    {"v_xor_b32 v3, v1, v2", 0x2, 0xffffffff, 0x2},
    {"v_xor_b32 v3, v1, v1", 0xf, 0, 0x0},
    {"v_bfi_b32 v3, v2, v1, v2", 0xf, 0x000000ff, 0x1},
    {"v_add_nc_u32 v3, v1, v2", 0x4, 1, 0xc},
    {"v_mul_lo_u32 v3, v1, v2", 0x2, 3, 0xe},
    {"v_add_f32 v3, v1, v2", 0x1, 0, 0xf},
    {"v_lshlrev_b32 v3, 8, v1", 0x1, 0, 0x2},
    {"v_lshrrev_b32 v3, 16, v1", 0xc, 0, 0x3},
    {"v_lshrrev_b32 v3, 16, v1", 0x3, 0, 0x0},
    {"v_ashrrev_i32 v3, 24, v1", 0x8, 0, 0xf},
    {"v_lshlrev_b32 v3, v1, v2", 0x1, 1, 0xf},
    {"v_lshlrev_b32 v3, 24, v1", 0x3, 0, 0x8},
    {"v_ashrrev_i32 v3, 0, v1", 0x8, 0, 0x8},
    {"v_ashrrev_i16 v3.l, 8, v1.l", 0x2, 0, 0x3},
    {"v_ashrrev_i16 v3.l, 8, v1.l", 0x1, 0, 0x0},
    {"v_lshlrev_b16 v3.l, 8, v1.l", 0x3, 0, 0x2},
    {"v_lshrrev_b16 v3.l, 24, v1.l", 0x2, 0, 0x1}, /* by 8: four bits count */
    {"v_bfe_u32 v3, v1, 8, 8", 0xd, 0, 0x0},
    {"v_bfe_i32 v3, v1, 8, 8", 0x2, 0, 0xf},
    {"v_perm_b32 v3, v2, v1, v4", 0x2, 0, 0x4}, /* v4 = 0x07010000 */
    {"v_alignbit_b32 v3, v2, v1, 16", 0xc, 0, 0x3},
    {"v_alignbyte_b32 v3, v1, v2, 1", 0x1, 0, 0x8},
    {"v_lshl_or_b32 v3, v1, 16, v2", 0x3, 0xffffffff, 0x0},
    {"v_and_or_b32 v3, v1, v2, v2", 0xf, 0x0000ff00, 0x0},
    {"v_cvt_f32_ubyte2 v3, v1", 0x4, 0, 0xf},
    {"v_cvt_f32_ubyte2 v3, v1", 0xb, 0, 0x0},
    {"v_pk_add_u16 v3, v1, v2", 0x4, 0, 0xc},
    {"v_pk_add_u16 v3, v1, v2 op_sel:[1,0] op_sel_hi:[0,1]", 0x4, 0, 0x3},
    {"v_pack_b32_f16 v3, v1.l, v2.l", 0x1, 0, 0x1},
    {"v_cndmask_b32 v3, v1, v2, vcc_lo", 0xf, 0, 0x0}, /* vcc: all ones, the second */
    {"v_cndmask_b32 v3, v2, v1, vcc_lo", 0x3, 0, 0x3},
    {"v_dual_mov_b32 v3, v1 :: v_dual_mov_b32 v2, v4", 0x5, 0, 0x5},
    {"v_swap_b32 v3, v1", 0x5, 0, 0x5},
    {"v_mov_b32_dpp v3, v1 row_ror:1 row_mask:0xf bank_mask:0xf", 0x8, 0, 0x8},
    {"v_mov_b16 v3.h, v1.l", 0x3, 0, 0xc},
    {"v_fma_mix_f32 v3, v1, v2, v2", 0xc, 0, 0xf},
    {"v_fma_mix_f32 v3, v1, v2, v2 op_sel_hi:[1,0,0]", 0xc, 0, 0x0},
    {"v_fma_mix_f32 v3, v1, v2, v2 op_sel_hi:[1,0,0]", 0x2, 0, 0xf},
    {"v_fma_mix_f32 v3, v1, v2, v2 op_sel:[1,0,0] op_sel_hi:[1,0,0]", 0x3, 0, 0x0},
    {"v_fma_mix_f32 v3, v1, v2, v2 op_sel:[1,0,0] op_sel_hi:[1,0,0]", 0x4, 0, 0xf},
    {"v_fma_mixlo_f16 v3, v1, v2, v2", 0xf, 0, 0x3},
    {"v_fma_mixhi_f16 v3, v1, v2, v2", 0xf, 0, 0xc},
    {"s_mov_b32 m0, 3\n v_movreld_b32 v0, v1", 0x5, 0, 0x5},
    {"s_mov_b32 m0, 1\n v_movrels_b32 v3, v0", 0x5, 0, 0x5},
    {"s_mov_b32 m0, 2\n v_mov_b32 v0, v1\n v_movrelsd_b32 v1, v1", 0xf, 0, 0x0}, /* v3 from v3 */
    {"s_mov_b32 m0, 0x30001\n v_movrelsd_2_b32 v0, v0", 0x5, 0, 0x5},
    {"s_mov_b32 m0, 0x30001\n v_swaprel_b32 v0, v0", 0x5, 0, 0x5},
    {"s_mov_b32 m0, 0x10003\n v_swaprel_b32 v0, v0", 0x5, 0, 0x5},
    {"s_mov_b32 m0, 3\n v_mov_b32 v0, v1\n v_movreld_b32 v0, 1", 0xf, 0, 0x0}, /* v0 is undefined, the constant is not */
    {"s_mov_b32 m0, 3\n v_readfirstlane_b32 s4, v1\n v_movreld_b32 v0, s4", 0x2, 0, 0x2},
    {"v_readfirstlane_b32 s4, v1\n v_mov_b32 v3, s4", 0x2, 0, 0x2},
};

static void bytes_follow_the_rules(void **state)
{
    (void)state;
    struct wave_runner *runner = open_runner("gfx1151", 32);
    for (size_t i = 0; i < sizeof lane_rules / sizeof *lane_rules; i++) {
        const struct lane_rule *rule = &lane_rules[i];
        undefine(runner, 1, rule->in, UINT64_MAX);
        for (unsigned row = 2; row < 5; row++)
            undefine(runner, row, 0, 0);
        for (unsigned lane = 0; lane < 32; lane++) {
            wave_runner_vgpr(runner, 1)[lane] = 0x12345678;
            wave_runner_vgpr(runner, 2)[lane] = rule->other;
            wave_runner_vgpr(runner, 4)[lane] = 0x07010000;
        }
        runner->wave.vcc = UINT32_MAX;
        assert_true(wave_runner_run(runner, rule->text));
        if (undefined_bytes(runner, 3, 5) != rule->out)
            fail_msg("%s: undefined bytes 0x%x of v3, not 0x%x", rule->text, undefined_bytes(runner, 3, 5), rule->out);
    }
    wave_runner_close(runner);
}

/* gfx9's 16-bit instructions give zeros above their results. */
static void shifts_of_16_bits_end_there(void **state)
{
    (void)state;
    struct wave_runner *runner = open_runner("gfx90a", 64);
    undefine(runner, 1, 0x3, UINT64_MAX);
    assert_true(wave_runner_run(runner, "v_lshlrev_b16 v3, 8, v1\n v_ashrrev_i16 v4, 8, v1"));
    assert_int_equal(undefined_bytes(runner, 3, 5), 0x2);
    assert_int_equal(undefined_bytes(runner, 4, 5), 0x3);
    wave_runner_close(runner);
}

/* v1 is undefined: as the low register of a pair it counts where op_sel (low result) or op_sel_hi (high result) says 0, as
 * the high one of v[0:1] where they say 1. */
static void packed_floats_read_the_registers_that_op_sel_names(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned low, high; /* undefined bytes of v4 and v5 */
    } rows[] = {
        {"v_pk_fma_f32 v[4:5], v[0:1], v[2:3], v[2:3]", 0x0, 0xf},
        {"v_pk_fma_f32 v[4:5], v[0:1], v[2:3], v[2:3] op_sel_hi:[0,1,1]", 0x0, 0x0},
        {"v_pk_fma_f32 v[4:5], v[0:1], v[2:3], v[2:3] op_sel:[1,0,0]", 0xf, 0xf},
        {"v_pk_mul_f32 v[4:5], v[2:3], v[0:1] op_sel:[0,1] op_sel_hi:[1,0]", 0xf, 0x0},
        {"v_pk_add_f32 v[4:5], v[2:3], v[0:1] op_sel_hi:[1,0]", 0x0, 0x0},
        {"v_pk_mov_b32 v[4:5], v[0:1], v[2:3]", 0x0, 0x0},
        {"v_pk_mov_b32 v[4:5], v[0:1], v[2:3] op_sel:[1,0]", 0xf, 0x0},
        {"v_pk_mov_b32 v[4:5], v[2:3], v[0:1] op_sel:[0,1]", 0x0, 0xf},
    };
    struct wave_runner *runner = open_runner("gfx90a", 64);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (unsigned row = 0; row < 6; row++)
            undefine(runner, row, row == 1 ? 0xf : 0, UINT64_MAX);
        assert_true(wave_runner_run(runner, rows[i].text));
        if (undefined_bytes(runner, 4, 5) != rows[i].low || undefined_bytes(runner, 5, 5) != rows[i].high)
            fail_msg("%s: undefined bytes 0x%x and 0x%x, not 0x%x and 0x%x", rows[i].text, undefined_bytes(runner, 4, 5),
                     undefined_bytes(runner, 5, 5), rows[i].low, rows[i].high);
    }
    wave_runner_close(runner);
}

static void a_store_that_is_reported_is_reported_once(void **state)
{
    (void)state;
    struct memory_runner runner = memory_runner_open("gfx1151", 32, 1024);
    assert_true(wave_runner_watch(runner.wave, CHECKS_BASIC | 1u << FINDING_INIT));
    undefine(runner.wave, 4, 0xf, 0xff);
    assert_false(wave_runner_run(runner.wave, "s_movk_i32 s4, 3\n AGAIN:\n global_store_b32 v2, v4, s[2:3]\n"
                                              "s_addk_i32 s4, -1\n s_cmp_lg_u32 s4, 0\n s_cbranch_scc1 AGAIN"));
    assert_true(wave_runner_found(runner.wave, FINDING_INIT, "the value that is stored comes from v4"));
    memory_runner_close(&runner);
}

static void lanes_that_are_off_keep_what_they_had(void **state)
{
    (void)state;
    struct wave_runner *runner = open_runner("gfx1151", 32);
    undefine(runner, 1, 0xf, 0xff);
    undefine(runner, 3, 0xf, 0xff00);
    runner->wave.exec = 0xf0f;
    assert_true(wave_runner_run(runner, "v_mov_b32 v3, v1"));
    assert_int_equal(runner->wave.checks->init->rows[3][0], 0xf00f);
    wave_runner_close(runner);
}

/* Lane l reads lane l + 1 of its row of 16, so lane 2's bytes come from lane 3; lane 15 has no source and is left. */
static void dpp_moves_undefined_bytes_between_lanes(void **state)
{
    (void)state;
    struct wave_runner *runner = open_runner("gfx1151", 32);
    undefine(runner, 1, 0xf, 0x8);
    undefine(runner, 3, 0xf, 0x8004);
    assert_true(wave_runner_run(runner, "v_mov_b32_dpp v3, v1 row_shl:1 row_mask:0xf bank_mask:0xf"));
    assert_int_equal(runner->wave.checks->init->rows[3][0], 0x8004);
    undefine(runner, 3, 0xf, 0x8000);
    assert_true(wave_runner_run(runner, "v_add_nc_u32_dpp v3, v1, v2 row_shl:1 row_mask:0xf bank_mask:0xf"));
    assert_int_equal(runner->wave.checks->init->rows[3][3], 0x8004);
    wave_runner_close(runner);
}

static void permutes_move_undefined_bytes_between_lanes(void **state)
{
    (void)state;
    struct wave_runner *runner = open_runner("gfx90a", 64);
    undefine(runner, 1, 0x3, 0x10);
    for (unsigned lane = 0; lane < 64; lane++)
        wave_runner_vgpr(runner, 2)[lane] = 4 * (lane ^ 1);
    assert_true(wave_runner_run(runner, "ds_bpermute_b32 v3, v2, v1\n s_waitcnt lgkmcnt(0)"));
    assert_int_equal(runner->wave.checks->init->rows[3][0], 0x20);
    assert_int_equal(runner->wave.checks->init->rows[3][2], 0);
    assert_int_equal(wave_runner_vgpr(runner, 1)[4], 0);
    wave_runner_close(runner);
}

/* Lanes 0 to 3 are on, and v1 is undefined in lane 1 alone. A lane that takes another's value by an undefined address has
 * an undefined result; a lane that gives its own to one makes all of them so. Lanes that are off do neither. */
static void an_undefined_address_of_a_permute_counts_in_lanes_that_are_on(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned lane;
        uint64_t undefined;
    } cases[] = {
        {"ds_bpermute_b32 v3, v2, v1\n s_waitcnt lgkmcnt(0)", 3, 0x9},
        {"ds_bpermute_b32 v3, v2, v1\n s_waitcnt lgkmcnt(0)", 5, 0x1},
        {"ds_permute_b32 v3, v2, v1\n s_waitcnt lgkmcnt(0)", 3, 0xf},
        {"ds_permute_b32 v3, v2, v1\n s_waitcnt lgkmcnt(0)", 5, 0x1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wave_runner *runner = open_runner("gfx1151", 32);
        undefine(runner, 1, 0xf, 1 << 1);
        undefine(runner, 2, 0xf, UINT64_C(1) << cases[i].lane);
        runner->wave.exec = 0xf;
        for (unsigned l = 0; l < 32; l++)
            wave_runner_vgpr(runner, 2)[l] = 4 * (l ^ 1);
        assert_true(wave_runner_run(runner, cases[i].text));
        assert_int_equal(runner->wave.checks->init->rows[3][0], cases[i].undefined);
        wave_runner_close(runner);
    }
}

static void a_permute_onto_its_address_keeps_the_lanes(void **state)
{
    (void)state;
    struct wave_runner *runner = open_runner("gfx1151", 32);
    undefine(runner, 1, 0x5, 0x10);
    for (unsigned lane = 0; lane < 32; lane++) {
        wave_runner_vgpr(runner, 1)[lane] = lane + 7;
        wave_runner_vgpr(runner, 2)[lane] = 4 * (lane ^ 1);
    }
    assert_true(wave_runner_run(runner, "ds_bpermute_b32 v2, v2, v1\n s_waitcnt lgkmcnt(0)"));
    assert_int_equal(runner->wave.checks->init->rows[2][0], 0x20);
    assert_int_equal(runner->wave.checks->init->rows[2][1], 0);
    for (unsigned lane = 0; lane < 32; lane++)
        assert_int_equal(wave_runner_vgpr(runner, 2)[lane], (lane ^ 1) + 7);
    wave_runner_close(runner);
}

static void a_swap_takes_along_where_values_come_from(void **state)
{
    (void)state;
    struct wave_runner *runner = open_runner("gfx1151", 32);
    wave_runner_vgpr(runner, 0)[0] = 0;
    memset(runner->group.checks->init->lds, BYTE_UNWRITTEN, 4);
    assert_false(wave_runner_run(runner, "ds_load_b32 v1, v0\n s_waitcnt lgkmcnt(0)\n v_swap_b32 v2, v1\n"
                                         "ds_load_b32 v3, v2\n s_waitcnt lgkmcnt(0)"));
    assert_true(wave_runner_found(runner, FINDING_INIT, "the address comes from v2, loaded from LDS"));
    wave_runner_close(runner);
}

static void an_undefined_choice_of_lanes_makes_the_result_undefined(void **state)
{
    (void)state;
    struct wave_runner *runner = open_runner("gfx1151", 32);
    assert_true(wave_runner_run(runner, "v_permlane16_b32 v3, v1, s4, s5"));
    assert_int_equal(runner->wave.checks->init->rows[3][0], 0);
    runner->wave.checks->init->scalars[5] = 1;
    assert_true(wave_runner_run(runner, "v_permlane16_b32 v3, v1, s4, s5"));
    assert_int_equal(runner->wave.checks->init->rows[3][0], UINT32_MAX);
    wave_runner_close(runner);
}

/* Rows of a chip's matrix instruction whose index or scale is undefined in one lane. */
static void undefined_indices_and_scales_make_matrix_results_undefined(void **state)
{
    (void)state;
    static const struct {
        const char *chip;
        uint32_t n_lanes;
        const char *text;
        unsigned undefined;
    } cases[] = {
        {"gfx942", 64, "v_smfmac_f32_16x16x32_f16 v[24:27], v[8:9], v[16:19], v40", 40},
        {"gfx1201", 32, "v_swmmac_f32_16x16x32_f16 v[24:31], v[8:11], v[16:23], v40", 40},
        {"gfx950", 64, "v_mfma_scale_f32_16x16x128_f8f6f4 v[24:27], v[0:7], v[8:15], v[24:27], v40, v41", 41},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wave_runner *runner = open_runner(cases[i].chip, cases[i].n_lanes);
        struct init_wave *init = runner->wave.checks->init;
        assert_true(wave_runner_run(runner, cases[i].text));
        assert_int_equal(row_any(init->rows[24]), 0);
        undefine(runner, cases[i].undefined, 0xf, 1 << 3);
        assert_true(wave_runner_run(runner, cases[i].text));
        for (unsigned row = 24; row < 28; row++)
            if (row_any(init->rows[row]) != runner->wave.full_exec)
                fail_msg("%s: v%u", cases[i].text, row);
        wave_runner_close(runner);
    }
}

/* D of a 16x16x16 WMMA: lane l holds column l % 16. An undefined value in B's column 3 reaches that column's lanes alone.
 */
static void matrix_results_depend_on_the_rows_and_columns_read(void **state)
{
    (void)state;
    struct wave_runner *runner = open_runner("gfx1151", 32);
    undefine(runner, 16, 0x3, 1 << 3 | 1 << 19);
    undefine(runner, 24, 0xf, 0);
    assert_true(wave_runner_run(runner, "v_wmma_f32_16x16x16_f16 v[24:31], v[8:15], v[16:23], v[24:31]"));
    for (unsigned row = 24; row < 32; row++)
        assert_int_equal(row_any(runner->wave.checks->init->rows[row]), 1 << 3 | 1 << 19);
    assert_int_equal(wave_runner_vgpr(runner, 16)[3], 0);
    wave_runner_close(runner);
}

static void matrix_results_on_cdna_too(void **state)
{
    (void)state;
    struct wave_runner *runner = open_runner("gfx90a", 64);
    /* 32x32x2 f32: lane l holds column l % 32 of B. */
    undefine(runner, 2, 0xf, 1 << 7);
    assert_true(wave_runner_run(runner, "v_mfma_f32_32x32x2f32 v[16:31], v1, v2, v[16:31]"));
    for (unsigned row = 16; row < 32; row++)
        assert_int_equal(row_any(runner->wave.checks->init->rows[row]), UINT64_C(1) << 7 | UINT64_C(1) << 39);
    wave_runner_close(runner);
}

/* Bits of a scalar result: s1 has the undefined bits, s2 the other operand; s4's bits after. */
static const struct scalar_rule {
    const char *text;
    uint32_t in, other, out;
    bool scc;
} scalar_rules[] = {
    {"s_and_b32 s4, s1, s2", 0xff00ff00, 0x0ff00000, 0x0f000000, true},
    {"s_or_b32 s4, s1, s2", 0xff00ff00, 0x0ff00000, 0xf000ff00, false}, /* defined ones: SCC is 1 */
    {"s_and_b32 s4, s1, s2", 0xff, 0, 0, false},
    {"s_xor_b32 s4, s1, s1", 0xffffffff, 0, 0, false},
    {"s_andn2_b32 s4, s2, s1", 0xf, 0x3, 0x3, true},
    {"s_lshl_b32 s4, s1, 4", 0xf, 0, 0xf0, true},
    {"s_add_i32 s4, s1, s2", 0x0000ff00, 1, 0xffffff00, true},
    {"s_cselect_b32 s4, s1, s2", 0xff, 0, 0, false}, /* SCC is 0: the second */
    {"s_not_b32 s4, s1", 0xff, 0, 0xff, false},      /* defined ones */
    {"s_not_b32 s4, s1", 0xffffffff, 0, 0xffffffff, true},
    {"s_pack_ll_b32_b16 s4, s1, s2", 0xffff0000, 0, 0, false},
    {"s_pack_hl_b32_b16 s4, s1, s2", 0xffff0000, 0, 0xffff, false},
    {"s_cmp_lt_i32 s1, s2", 1, 0, 0, true},
    {"s_bitcmp1_b32 s1, 3", 0xf7, 0, 0, false},
    {"s_bitcmp1_b32 s1, 3", 0x8, 0, 0, true},
};

static void scalar_bits_follow_the_rules(void **state)
{
    (void)state;
    struct wave_runner *runner = open_runner("gfx1151", 32);
    struct init_wave *init = runner->wave.checks->init;
    for (size_t i = 0; i < sizeof scalar_rules / sizeof *scalar_rules; i++) {
        const struct scalar_rule *rule = &scalar_rules[i];
        memset(init->scalars, 0, sizeof init->scalars);
        init->scalars[1] = rule->in;
        runner->wave.sgpr[1] = 0;
        runner->wave.sgpr[2] = rule->other;
        runner->wave.scc = 0;
        assert_true(wave_runner_run(runner, rule->text));
        if (init->scalars[4] != rule->out || init->scalars[SREG_COUNT] != rule->scc)
            fail_msg("%s: bits 0x%x, scc %u", rule->text, init->scalars[4], init->scalars[SREG_COUNT]);
    }
    wave_runner_close(runner);
}

/* Undefined v1, or bits of s1 or VCC, reach what they may not. */
static void uses_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } uses[] = {
        {"ds_load_b32 v3, v1", "the address comes from v1, which nobody has set"},
        {"ds_add_u32 v2, v1", "the operand of an atomic comes from v1"},
        {"s_cmp_eq_u32 s1, 0\n s_cbranch_scc0 1\n s_nop 0", "the branch comes from scc"},
        {"v_cmp_eq_u32 vcc_lo, v1, v2\n s_cbranch_vccz 1\n s_nop 0", "the branch comes from vcc"},
        {"v_cmp_eq_u32 vcc_lo, v1, v2\n s_and_saveexec_b32 s4, vcc_lo", "the mask of active lanes comes from vcc"},
        {"v_cmpx_eq_u32 v1, v2", "the mask of active lanes comes from v1"},
        {"s_mov_b32 exec_lo, s1", "the mask of active lanes comes from s1"},
    };
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        struct wave_runner *runner = open_runner("gfx1151", 32);
        undefine(runner, 1, 0xf, UINT64_MAX);
        runner->wave.checks->init->scalars[1] = 1;
        assert_false(wave_runner_run(runner, uses[i].text));
        assert_true(wave_runner_found(runner, FINDING_INIT, uses[i].part));
        wave_runner_close(runner);
    }
}

/* The same where it cannot matter: the lane is off, another bit decides, a copy goes to LDS. */
static void uses_that_do_not_matter_are_not_found(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "s_mov_b32 exec_lo, 0xff\n v_cmp_eq_u32 vcc_lo, v1, v2\n s_and_saveexec_b32 s4, vcc_lo",
        "s_mov_b32 exec_lo, 0xff\n ds_load_b32 v3, v1",
        "s_or_b32 vcc_lo, s1, 4\n s_cbranch_vccnz 1\n s_nop 0",
        "ds_store_b32 v2, v1",
        "s_cmp_eq_u32 s1, 0\n s_cselect_b32 s4, 1, 2",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct wave_runner *runner = open_runner("gfx1151", 32);
        undefine(runner, 1, 0xf, 0xffff0000);
        runner->wave.checks->init->scalars[1] = 1;
        assert_true(wave_runner_run(runner, texts[i]));
        wave_runner_close(runner);
    }
}

/* An address in v2 and an undefined byte 2 in v1: a copy through LDS brings the byte back, by dword and by byte. */
static void lds_keeps_undefined_bytes(void **state)
{
    (void)state;
    struct wave_runner *runner = open_runner("gfx1151", 32);
    for (unsigned lane = 0; lane < 32; lane++)
        wave_runner_vgpr(runner, 2)[lane] = 4 * lane;
    undefine(runner, 1, 0x4, 1 << 9);
    assert_true(wave_runner_run(runner, "ds_store_b32 v2, v1\n ds_load_b32 v3, v2\n ds_load_u8 v4, v2 offset:2\n"
                                        "ds_load_u16 v5, v2\n ds_load_u8_d16_hi v6, v2 offset:2"));
    assert_int_equal(undefined_bytes(runner, 3, 9), 0x4);
    assert_int_equal(undefined_bytes(runner, 3, 8), 0);
    assert_int_equal(undefined_bytes(runner, 4, 9), 0xf);
    assert_int_equal(undefined_bytes(runner, 5, 9), 0);
    assert_int_equal(undefined_bytes(runner, 6, 9), 0xc);
    wave_runner_close(runner);
}

/* Both values of an exchange are reported once, as a swap: v0 is no operand of it, and the old values may be unwritten. */
static void an_exchange_of_two_is_two_swaps(void **state)
{
    (void)state;
    struct wave_runner *runner = open_runner("gfx1151", 32);
    for (unsigned lane = 0; lane < 32; lane++)
        wave_runner_vgpr(runner, 1)[lane] = 8 * lane;
    undefine(runner, 0, 0xf, UINT64_MAX);
    memset(runner->wave.group->checks->init->lds + 8 * 3, BYTE_UNWRITTEN, 4);
    assert_true(
        wave_runner_run(runner, "ds_storexchg_2addr_rtn_b32 v[4:5], v1, v2, v3 offset1:1\n ds_load_b64 v[6:7], v1"));
    assert_int_equal(undefined_bytes(runner, 4, 3), 0xf);
    assert_int_equal(undefined_bytes(runner, 4, 2), 0);
    assert_int_equal(undefined_bytes(runner, 5, 3), 0);
    assert_int_equal(undefined_bytes(runner, 6, 3), 0);
    wave_runner_close(runner);
}

/* Every active lane gets the counter's old value, or the one value of a direct load. */
static void values_for_all_lanes_are_set_in_all_lanes(void **state)
{
    (void)state;
    struct wave_runner *runner = open_runner("gfx1151", 32);
    for (unsigned row = 3; row < 7; row++)
        undefine(runner, row, 0xf, UINT64_MAX);
    memset(runner->wave.group->checks->init->lds + 64, BYTE_UNWRITTEN, 4);
    assert_true(wave_runner_run(runner, "s_mov_b32 exec_lo, 0xff\n s_mov_b32 m0, 0\n ds_append v3\n ds_consume v4\n"
                                        "s_mov_b32 m0, 0x20000\n lds_direct_load v5 wait_vdst:0\n"
                                        "s_mov_b32 m0, 0x20040\n lds_direct_load v6 wait_vdst:0"));
    for (unsigned row = 3; row < 6; row++)
        assert_int_equal(row_any(runner->wave.checks->init->rows[row]), 0xffffff00);
    assert_int_equal(row_any(runner->wave.checks->init->rows[6]), UINT32_MAX);
    wave_runner_close(runner);
}

/* Scalar atomics return into the data register, s[4:5], and leave v4's state alone. */
static void scalar_atomics_follow_scalar_registers(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
        uint32_t undefined; /* bit k: s(4 + k) */
        bool written;
    } cases[] = {
        {"s_atomic_add s4, s[2:3], 0x0 glc", NULL, 0, true},
        {"s_atomic_add s4, s[2:3], 0x0", "the operand of an atomic comes from s4", 1, true},
        {"s_atomic_cmpswap s[4:5], s[2:3], 0x0 glc", "the compared value of an atomic comes from s5", 2, true},
        {"s_atomic_add s4, s[2:3], 0x0 glc", "the atomic operates on memory that nobody has written", 0, false},
        {"s_atomic_swap s4, s[2:3], 0x0", NULL, 0, false},
        {"s_atomic_swap_x2 s[4:5], s[2:3], 0x0", "the operand of an atomic comes from s5", 2, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct memory_runner runner = memory_runner_open("gfx90a", 64, 64);
        memory_forget(runner.memory, runner.address, 64);
        if (cases[i].written)
            memory_define(runner.memory, runner.address, 64);
        assert_true(wave_runner_watch(runner.wave, CHECKS_BASIC | 1u << FINDING_INIT));
        struct init_wave *init = runner.wave->wave.checks->init;
        undefine(runner.wave, 4, 0xf, UINT64_MAX);
        for (unsigned k = 0; k < 2; k++)
            init->scalars[4 + k] = cases[i].undefined >> k & 1 ? UINT32_MAX : 0;
        assert_int_equal(wave_runner_run(runner.wave, cases[i].text), !cases[i].part);
        if (cases[i].part)
            assert_true(wave_runner_found(runner.wave, FINDING_INIT, cases[i].part));
        assert_int_equal(row_any(init->rows[4]), UINT64_MAX);
        memory_runner_close(&runner);
    }
}

/* A swap brings back what nobody has written, as undefined. */
static void a_scalar_swap_returns_what_was_there(void **state)
{
    (void)state;
    struct memory_runner runner = memory_runner_open("gfx90a", 64, 64);
    memory_forget(runner.memory, runner.address, 64);
    assert_true(wave_runner_watch(runner.wave, CHECKS_BASIC | 1u << FINDING_INIT));
    assert_true(wave_runner_run(runner.wave, "s_atomic_swap s4, s[2:3], 0x0 glc\n s_waitcnt lgkmcnt(0)\n"
                                             "s_atomic_swap s5, s[2:3], 0x0 glc"));
    assert_int_equal(runner.wave->wave.checks->init->scalars[4], UINT32_MAX);
    assert_int_equal(runner.wave->wave.checks->init->scalars[5], 0);
    memory_runner_close(&runner);
}

/* Undefined bytes of v4 and v5 of one lane, and whether they may be padding of a structure. */
static const struct {
    uint8_t low, high;
    bool is_padding;
} undefined_parts[] = {
    {0x0, 0xf, true},  /* a member of four bytes, then padding to eight */
    {0xe, 0x0, true},  /* a byte, padding to four, a member of four */
    {0x2, 0xc, true},  /* a byte, padding to two, members of two bytes, padding to eight */
    {0xf, 0xf, false}, /* nothing is defined */
    {0xf, 0x0, false}, /* padding begins no structure */
    {0x1, 0x0, false}, /* nor lies below a member in a dword: one undefined byte of a word */
    {0x0, 0x1, false},
};

/* What may be padding is stored as it is, undefined where it was. */
static void padding_is_copied_to_memory_and_values_are_found(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof undefined_parts / sizeof *undefined_parts; c++) {
        struct memory_runner runner = memory_runner_open("gfx1151", 32, 1024);
        for (uint32_t lane = 0; lane < 32; lane++)
            wave_runner_vgpr(runner.wave, 2)[lane] = 8 * lane;
        memory_forget(runner.memory, runner.address, 1024);
        assert_true(wave_runner_watch(runner.wave, CHECKS_BASIC | 1u << FINDING_INIT));
        bool is_padding = undefined_parts[c].is_padding;
        unsigned undefined = undefined_parts[c].low | undefined_parts[c].high << 4;
        undefine(runner.wave, 4, undefined_parts[c].low, 1 << 3);
        undefine(runner.wave, 5, undefined_parts[c].high, 1 << 3);
        assert_int_equal(wave_runner_run(runner.wave, "global_store_b64 v2, v[4:5], s[2:3]"), is_padding);
        const uint8_t *states = memory_find(runner.memory, runner.address)->defined;
        assert_int_equal(states[8 * 2], BYTE_DEFINED);
        for (unsigned i = 0; i < 8; i++)
            assert_int_equal(states[8 * 3 + i], is_padding && undefined >> i & 1 ? BYTE_UNDEFINED : BYTE_DEFINED);
        memory_runner_close(&runner);
    }
}

enum { N_ITEMS = 256 };

/* A kernel on gfx1151 and gfx90a, with a second buffer that is filled or counts as never written. */
struct planted {
    const char *kernel;
    bool has_input;
    int clean, faulty; /* the scalar; -1: the buffer decides */
    const char *part;
};

static const struct planted planted[] = {
    {"lds_unwritten", false, 256, 200, "loaded from LDS that nobody has written"},
    {"array_unwritten", false, 16, 12, "loaded from scratch that nobody has written"},
    {"memory_unwritten", true, -1, -1, "the value that is stored comes from v"},
    {"branch_unwritten", true, -1, -1, "the branch comes from"},
    {"lane_branch_unwritten", true, -1, -1, "the mask of active lanes comes from"},
    {"index_unwritten", true, -1, -1, "the address comes from"},
    {"counter_unwritten", false, 1, 0, "the atomic operates on LDS that nobody has written"},
};

static size_t launch(struct device *device, hipModule_t module, const struct planted *fault, bool clean,
                     struct finding *findings)
{
    const struct hip_api *hip = device->hip;
    hipFunction_t function;
    void *out = NULL, *in = NULL;
    int scalar = clean ? fault->clean : fault->faulty;
    assert_int_equal(hip->hipModuleGetFunction(&function, module, fault->kernel), hipSuccess);
    assert_int_equal(hip->hipMalloc(&out, 4 * N_ITEMS), hipSuccess);
    assert_int_equal(hip->hipMalloc(&in, 4 * N_ITEMS), hipSuccess);
    if (clean)
        assert_int_equal(hip->hipMemset(in, 0, 4 * N_ITEMS), hipSuccess);
    void *parameters[] = {&out, fault->has_input ? (void *)&in : (void *)&scalar};
    hipError_t result = hip->hipModuleLaunchKernel(function, 1, 1, 1, N_ITEMS, 1, 1, 0, NULL, parameters, NULL);
    size_t n = device->take_findings(device, findings, FINDINGS_KEPT);
    assert_int_equal(result == hipSuccess, n == 0);
    hip->hipFree(out);
    hip->hipFree(in);
    return n;
}

static void hold_kernels(const char *chip, const char *optimisation)
{
    const struct kernel_build build = {.chip = chip, .optimisation = optimisation};
    struct kernel_module module;
    struct finding findings[FINDINGS_KEPT];
    assert_true(kernel_module_open(&module, "tests/kernels/init.hip", &build, 1));
    module.device->set_checks(module.device, CHECKS_BASIC | 1u << FINDING_INIT);
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
        const struct planted *fault = &planted[i];
        size_t n = launch(module.device, module.module, fault, true, findings);
        if (n)
            fail_msg("%s on %s %s, clean: %s", fault->kernel, chip, optimisation, findings[0].text);
        n = launch(module.device, module.module, fault, false, findings);
        const char *part = strcmp(optimisation, "-O0") == 0 ? "nobody has" : fault->part; /* by way of scratch */
        if (!n || findings[0].kind != FINDING_INIT || !strstr(findings[0].text, part))
            fail_msg("%s on %s %s, faulty: %zu findings, %s", fault->kernel, chip, optimisation, n,
                     n ? findings[0].text : "");
    }
    int host_in[N_ITEMS] = {0}, host_out[N_ITEMS];
    struct kernel_call call = {.kernel = "clean_mixture",
                               .block = {N_ITEMS},
                               .buffers = {{host_out, sizeof host_out}, {host_in, sizeof host_in}},
                               .scalars = {100},
                               .n_scalars = 1};
    assert_true(kernel_module_call(&module, &call));
    kernel_module_close(&module);
}

static void planted_faults_are_found_on_rdna(void **state)
{
    (void)state;
    hold_kernels("gfx1151", "-O3");
    hold_kernels("gfx1151", "-O0");
}

static void planted_faults_are_found_on_cdna(void **state)
{
    (void)state;
    hold_kernels("gfx90a", "-O3");
    hold_kernels("gfx90a", "-O0");
}

/* A launch without the check counts all memory as written; forgetting it makes it unwritten again. */
static void memory_is_written_by_copies_launches_and_forgotten_on_demand(void **state)
{
    (void)state;
    struct memory *memory = memory_open();
    uint64_t address = memory_allocate(memory, 64, 0, "x");
    memory_track(memory);
    const struct span *span = memory_find(memory, address);
    assert_non_null(span->defined);
    memory_define(memory, address + 8, 4);
    assert_int_equal(span->defined[7], 0);
    assert_int_equal(span->defined[8], 1);
    assert_int_equal(span->defined[12], 0);
    memory_define(memory, address, 64);
    assert_null(span->defined);
    memory_forget(memory, address + 4, 2);
    assert_int_equal(span->defined[3], 1);
    assert_int_equal(span->defined[4], 0);
    assert_int_equal(span->defined[6], 1);
    memory_define_all(memory);
    assert_null(span->defined);
    memory_close(memory);
}

/* A copy writes no more than its source had. */
static void copies_carry_what_was_written(void **state)
{
    (void)state;
    struct memory *memory = memory_open();
    uint64_t from = memory_allocate(memory, 64, 0, "from"), to = memory_allocate(memory, 64, 0, "to");
    memory_define(memory, to, 64);
    memory_copy_written(memory, to + 4, from, 2); /* of memory that nobody has written, before any launch kept count */
    const struct span *span = memory_find(memory, to);
    assert_int_equal(span->defined[3], 1);
    assert_int_equal(span->defined[4], 0);
    assert_int_equal(span->defined[6], 1);
    memory_define(memory, from + 8, 4);
    memory_copy_written(memory, to + 16, from + 7, 2); /* of one byte that nobody has, and one that somebody has */
    assert_int_equal(span->defined[16], 0);
    assert_int_equal(span->defined[17], 1);
    memory_copy_written(memory, to, to + 16, 1); /* within one allocation */
    assert_int_equal(span->defined[0], 0);
    memory_define(memory, from, 64);
    memory_copy_written(memory, to + 16, from, 1);
    assert_int_equal(span->defined[16], 1);
    memory_copy_written(memory, to, (uintptr_t)&memory, 1); /* of the host */
    assert_int_equal(span->defined[0], 1);
    assert_int_equal(span->defined[4], 0);
    memory_close(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_follow_the_rules),
        cmocka_unit_test(shifts_of_16_bits_end_there),
        cmocka_unit_test(packed_floats_read_the_registers_that_op_sel_names),
        cmocka_unit_test(a_store_that_is_reported_is_reported_once),
        cmocka_unit_test(lanes_that_are_off_keep_what_they_had),
        cmocka_unit_test(dpp_moves_undefined_bytes_between_lanes),
        cmocka_unit_test(permutes_move_undefined_bytes_between_lanes),
        cmocka_unit_test(an_undefined_address_of_a_permute_counts_in_lanes_that_are_on),
        cmocka_unit_test(a_permute_onto_its_address_keeps_the_lanes),
        cmocka_unit_test(a_swap_takes_along_where_values_come_from),
        cmocka_unit_test(an_undefined_choice_of_lanes_makes_the_result_undefined),
        cmocka_unit_test(undefined_indices_and_scales_make_matrix_results_undefined),
        cmocka_unit_test(matrix_results_depend_on_the_rows_and_columns_read),

        cmocka_unit_test(matrix_results_on_cdna_too),
        cmocka_unit_test(scalar_bits_follow_the_rules),
        cmocka_unit_test(uses_are_found),
        cmocka_unit_test(uses_that_do_not_matter_are_not_found),
        cmocka_unit_test(lds_keeps_undefined_bytes),
        cmocka_unit_test(an_exchange_of_two_is_two_swaps),
        cmocka_unit_test(values_for_all_lanes_are_set_in_all_lanes),
        cmocka_unit_test(scalar_atomics_follow_scalar_registers),
        cmocka_unit_test(a_scalar_swap_returns_what_was_there),
        cmocka_unit_test(padding_is_copied_to_memory_and_values_are_found),
        cmocka_unit_test(planted_faults_are_found_on_rdna),
        cmocka_unit_test(planted_faults_are_found_on_cdna),
        cmocka_unit_test(memory_is_written_by_copies_launches_and_forgotten_on_demand),
        cmocka_unit_test(copies_carry_what_was_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
