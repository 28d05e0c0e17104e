/*
 * The depth audit, instruction by instruction: what is counted, what is carried and where each half of a register goes. All
 * registers start as data, at 0 additions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/emulator/depth/depth_state.h"
#include "device/emulator/sanitizer/sanitizer.h"
#include "tests/support/wave_runner.h"

enum { CONSTANT = -1, ANY_LANE = 0 };

/* The additions behind both halves of a VGPR's lane, CONSTANT for what the code put there. */
struct expected {
    int low, high;
};

static int additions(uint32_t count)
{
    return (int)count - DEPTH_DATA;
}

static struct wave_runner *run(const char *chip, uint32_t n_lanes, const char *program)
{
    char text[1200];
    struct wave_runner *runner = wave_runner_open(chip, n_lanes);
    assert_non_null(runner);
    snprintf(text, sizeof text, "%s\ns_endpgm", program);
    runner->dispatch.measures_depth = true;
    assert_true(wave_runner_load(runner, text));
    assert_true(wave_runner_watch(runner, 0));
    if (!wave_runner_run_next(runner))
        fail_msg("%s: %s did not run", chip, program);
    return runner;
}

static void expect_lane(const char *chip, uint32_t n_lanes, const char *program, unsigned row, unsigned lane,
                        struct expected expected)
{
    struct wave_runner *runner = run(chip, n_lanes, program);
    uint32_t halves = depth_lane(&runner->wave, row, lane);
    int low = additions(halves & 0xffff), high = additions(halves >> 16);
    wave_runner_close(runner);
    if (low != expected.low || high != expected.high)
        fail_msg("%s: %s: v%u of lane %u has %d and %d, not %d and %d", chip, program, row, lane, low, high, expected.low,
                 expected.high);
}

/* A program whose v0 is looked at. */
struct row {
    const char *chip;
    uint32_t n_lanes;
    const char *program;
    struct expected expected;
};

#define BOTH(n)                                                                                                            \
    {                                                                                                                      \
        n, n                                                                                                               \
    }
#define RDNA "gfx1151", 32
#define CDNA "gfx942", 64

static void expect_rows(const struct row *rows, size_t n_rows)
{
    for (size_t i = 0; i < n_rows; i++)
        expect_lane(rows[i].chip, rows[i].n_lanes, rows[i].program, 0, ANY_LANE, rows[i].expected);
}
#define EXPECT_ROWS(rows) expect_rows(rows, sizeof(rows) / sizeof *(rows))

static void additions_count_and_all_else_carries(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {RDNA, "v_add_f32 v0, v1, v2", BOTH(1)},
        {RDNA, "v_sub_f32 v1, v1, v2\nv_subrev_f32 v0, v1, v1", BOTH(2)},
        {RDNA, "v_add_f32 v1, v1, v2\nv_mul_f32 v0, v1, v3", BOTH(1)},
        {RDNA, "v_fma_f32 v0, v1, v2, v3\nv_fmac_f32 v0, v1, v2", BOTH(2)},
        {RDNA, "v_add_f32 v1, v1, v2\nv_fmac_f32 v0, v1, v2", BOTH(2)}, /* the longer way comes through a factor */
        {CDNA, "v_add_f64 v[0:1], v[2:3], v[4:5]\nv_fma_f64 v[0:1], v[0:1], v[2:3], v[4:5]", BOTH(2)},
        {RDNA, "v_add_f32 v1, v1, v2\nv_max_f32 v2, v1, v3\nv_exp_f32 v0, v2", BOTH(1)},
        {RDNA, "v_add_nc_u32 v0, v1, v2\nv_mad_u32_u24 v0, v1, v2, v0", BOTH(0)},
        {RDNA, "v_add_f32 v1, v1, v2\nv_cvt_i32_f32 v0, v1", BOTH(1)},
        {RDNA, "v_dual_add_f32 v0, v1, v2 :: v_dual_mul_f32 v3, v4, v5\nv_add_f32 v0, v0, v3", BOTH(2)},
        {RDNA, "v_add_f32 v0, v1, v1\nv_dual_mov_b32 v0, v2 :: v_dual_mov_b32 v3, v0", BOTH(0)},
        {CDNA, "v_accvgpr_write_b32 a1, v1\nv_add_f32 v2, v1, v1\nv_accvgpr_write_b32 a2, v2\nv_accvgpr_read_b32 v0, a2",
         BOTH(1)},
    };
    EXPECT_ROWS(rows);
}

static void nothing_rounds_where_the_code_adds_to_its_own_zero(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {RDNA, "v_mov_b32 v0, 0\nv_fmac_f32 v0, v1, v2", BOTH(0)},
        {RDNA, "v_mov_b32 v0, 0x80000000\nv_add_f32 v0, v0, v1", BOTH(0)},
        {RDNA, "v_add_f32 v0, 0, v1", BOTH(0)},
        {RDNA, "v_add_f32 v0, 1.0, v1", BOTH(1)},
        {RDNA, "s_mov_b32 s1, 0\nv_fma_f32 v0, v1, v2, s1", BOTH(0)},
        {RDNA, "v_mov_b32 v0, v1\nv_fmac_f32 v0, v1, v2", BOTH(1)}, /* 0 in this run, but data */
        {RDNA, "v_mov_b32 v0, 1.0\nv_mul_f32 v0, v0, v0\nv_add_f32 v0, v0, v0", BOTH(CONSTANT)},
        {CDNA, "v_mov_b32 v0, 0\nv_mov_b32 v1, 0\nv_add_f64 v[0:1], v[0:1], v[2:3]", BOTH(0)},
        {CDNA, "v_mov_b32 v0, 0\nv_mov_b32 v1, 1.0\nv_add_f64 v[0:1], v[0:1], v[2:3]", BOTH(1)},
    };
    EXPECT_ROWS(rows);
}

/* v_div_scale … v_div_fixup is one correctly rounded operation, whatever fma it is made of. */
static void division_is_a_product(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {RDNA,
         "v_add_f32 v1, v1, v2\nv_rcp_f32 v3, v2\nv_fma_f32 v3, v3, v2, v3\nv_fma_f32 v3, v3, v2, v3\n"
         "v_div_fmas_f32 v3, v3, v2, v3\nv_div_fixup_f32 v0, v3, v2, v1",
         BOTH(1)},
    };
    EXPECT_ROWS(rows);
}

static void selection_takes_what_it_chooses(void **state)
{
    (void)state;
    expect_lane(RDNA, "s_mov_b32 vcc_lo, 2\nv_add_f32 v1, v1, v1\nv_cndmask_b32 v0, v2, v1, vcc_lo", 0, 0,
                (struct expected)BOTH(0));
    expect_lane(RDNA, "s_mov_b32 vcc_lo, 2\nv_add_f32 v1, v1, v1\nv_cndmask_b32 v0, v2, v1, vcc_lo", 0, 1,
                (struct expected)BOTH(1));
    expect_lane(RDNA, "s_mov_b32 exec_lo, 2\nv_add_f32 v0, v1, v1", 0, 0, (struct expected)BOTH(0));
    expect_lane(RDNA, "s_mov_b32 exec_lo, 2\nv_add_f32 v0, v1, v1", 0, 1, (struct expected)BOTH(1));
}

/* v1 is one addition deep, v2 two; a half is told by which. */
#define HALVES "v_add_f32 v1, v1, v1\nv_add_f32 v2, v2, v2\nv_add_f32 v2, v2, v2\n"
#define PACKED HALVES "v_pack_b32_f16 v3, v1, v2\n"

static void halves_are_counted_apart(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {RDNA, PACKED "v_mov_b32 v0, v3", {1, 2}},
        {RDNA, PACKED "v_pk_add_f16 v0, v3, v4", {2, 3}},
        {RDNA, PACKED "v_pk_add_f16 v0, v3, v4 op_sel:[1,0] op_sel_hi:[0,1]", {3, 2}},
        {RDNA, PACKED "v_pk_fma_f16 v0, v4, v4, v3", {2, 3}},
        {RDNA, PACKED "v_lshlrev_b32 v0, 16, v3", {CONSTANT, 1}},
        {RDNA, PACKED "v_lshrrev_b32 v0, 16, v3", {2, CONSTANT}},
        {RDNA, PACKED "v_lshlrev_b32 v0, 8, v3", {2, 2}},
        {RDNA, PACKED "v_and_b32 v0, 0xffff0000, v3", {CONSTANT, 2}},
        {RDNA, PACKED "s_mov_b32 s1, 0xffff\nv_and_b32 v0, s1, v3", {1, CONSTANT}},
        {RDNA, PACKED "v_and_b32 v0, 0x7fffffff, v3", {1, 2}},
        {RDNA, PACKED "v_or_b32 v0, v3, v4", {1, 2}},
        {RDNA, PACKED "s_mov_b32 s1, 0x7fff7fff\nv_bfi_b32 v0, s1, v3, v4", {1, 2}},
        {RDNA, PACKED "s_mov_b32 s1, 0xffff\nv_bfi_b32 v0, s1, v3, v4", {1, 0}},
        {RDNA, HALVES "s_mov_b32 s1, 0x07060302\nv_perm_b32 v0, v1, v2, s1", {2, 1}},
        {RDNA, PACKED "s_mov_b32 s1, 0x05040706\nv_perm_b32 v0, v3, v4, s1", {2, 1}},
        {RDNA, PACKED "v_perm_b32 v0, v3, v4, v5", {2, 2}},
        {RDNA, PACKED "v_alignbit_b32 v0, v4, v3, 16", {2, 0}},
        {RDNA, PACKED "v_bfe_u32 v0, v3, 16, 16", {2, 2}},
        {RDNA, PACKED "v_bfe_u32 v0, v3, 0, 16", {1, 1}},
        {RDNA, PACKED "v_lshl_or_b32 v0, v3, 16, v4", {0, 1}},
        {RDNA, PACKED "v_cvt_f32_f16 v0, v3", {1, 1}},
        {RDNA, PACKED "v_fma_mix_f32 v0, v3, v4, v4 op_sel:[1,0,0] op_sel_hi:[1,0,0]", {3, 3}},
        {RDNA, PACKED "v_fma_mix_f32 v0, v3, v4, v4 op_sel_hi:[1,0,0]", {2, 2}},
        {RDNA, PACKED "v_mov_b32 v0, v3\nv_fma_mixhi_f16 v0, v4, v4, v4", {1, 1}},
        {RDNA, HALVES "v_cvt_pk_rtz_f16_f32 v0, v1, v2", {1, 2}},
        {"gfx90a", 64, PACKED "v_cvt_f32_f16_sdwa v0, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1", {2, 2}},
        {"gfx90a",
         64,
         PACKED "v_mov_b32 v0, v3\nv_add_f16_sdwa v0, v4, v4 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE "
                "src0_sel:DWORD src1_sel:DWORD",
         {1, 2}},
        {CDNA, HALVES "v_mov_b32 v3, v1\nv_mov_b32 v4, v2\nv_mov_b32 v3, v1\nv_pk_add_f32 v[0:1], v[2:3], v[6:7]", {3, 3}},
        {CDNA, HALVES "v_pk_mov_b32 v[0:1], v[2:3], v[2:3] op_sel:[1,0]", {0, 0}},
    };
    EXPECT_ROWS(rows);
}

static void packed_floats_are_counted_apart(void **state)
{
    (void)state;
    const char *program = HALVES "v_mov_b32 v3, v1\nv_pk_add_f32 v[4:5], v[2:3], v[6:7]";
    expect_lane(CDNA, program, 4, 0, (struct expected)BOTH(3));
    expect_lane(CDNA, program, 5, 0, (struct expected)BOTH(2));
    const char *chosen = HALVES "v_mov_b32 v3, v1\nv_pk_add_f32 v[4:5], v[2:3], v[6:7] op_sel:[1,0] op_sel_hi:[0,1]";
    expect_lane(CDNA, chosen, 4, 0, (struct expected)BOTH(2));
    expect_lane(CDNA, chosen, 5, 0, (struct expected)BOTH(3));
}

/* Lane 3 of v1 alone is one addition deep. */
#define ONE_LANE32 "s_mov_b32 exec_lo, 8\nv_add_f32 v1, v1, v1\ns_mov_b32 exec_lo, -1\n"
#define ONE_LANE64 "s_mov_b64 exec, 8\nv_add_f32 v1, v1, v1\ns_mov_b64 exec, -1\ns_nop 4\n"

static void counts_go_where_lanes_go(void **state)
{
    (void)state;
    static const struct {
        struct row row;
        unsigned lane, other;
        int of_other;
    } rows[] = {
        {{RDNA, ONE_LANE32 "v_mov_b32_dpp v0, v1 quad_perm:[3,3,3,3] row_mask:0xf bank_mask:0xf", BOTH(1)}, 2, 4, 0},
        {{RDNA, ONE_LANE32 "v_add_f32_dpp v0, v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf", BOTH(2)}, 4, 3, 1},
        /* Lane 0 has no source: with bound_ctrl it is a zero, and nothing is rounded. */
        {{RDNA, "v_add_f32_dpp v0, v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1", BOTH(1)}, 1, 0, 0},
        {{RDNA, ONE_LANE32 "v_add_f32_dpp v0, v1, v2 row_half_mirror row_mask:0x1 bank_mask:0xf", BOTH(2)}, 4, 20, 0},
        {{RDNA,
          ONE_LANE32 "v_permlanex16_b32 v0, v1, 0, 0\ns_mov_b32 s0, 0x33333333\n"
                     "v_permlanex16_b32 v0, v1, s0, s0",
          BOTH(1)},
         16,
         0,
         0},
        {{RDNA, ONE_LANE32 "v_mov_b32 v2, 12\nds_bpermute_b32 v0, v2, v1\ns_waitcnt lgkmcnt(0)", BOTH(1)}, 9, 3, 1},
        {{RDNA, ONE_LANE32 "ds_swizzle_b32 v0, v1 offset:swizzle(BROADCAST,4,3)\ns_waitcnt lgkmcnt(0)", BOTH(1)}, 0, 4, 0},
        {{RDNA, ONE_LANE32 "v_readlane_b32 s4, v1, 3\nv_mov_b32 v0, s4", BOTH(1)}, 0, 31, 1},
        {{RDNA, ONE_LANE32 "v_readfirstlane_b32 s4, v1\nv_mov_b32 v0, s4", BOTH(0)}, 0, 3, 0},
        {{RDNA, ONE_LANE32 "v_readlane_b32 s4, v1, 3\nv_writelane_b32 v0, s4, 7", BOTH(1)}, 7, 6, 0},
        {{RDNA, ONE_LANE32 "v_swap_b32 v0, v1", BOTH(1)}, 3, 2, 0},
        {{CDNA, ONE_LANE64 "v_add_f32_dpp v0, v1, v2 row_bcast:15 row_mask:0xa bank_mask:0xf", BOTH(1)}, 16, 0, 0},
        {{"gfx950", 64, ONE_LANE64 "v_permlane32_swap_b32 v0, v1", BOTH(1)}, 35, 3, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i].row;
        expect_lane(r->chip, r->n_lanes, r->program, 0, rows[i].lane, r->expected);
        expect_lane(r->chip, r->n_lanes, r->program, 0, rows[i].other,
                    (struct expected){rows[i].of_other, rows[i].of_other});
    }
}

#define NO_BYTES "s_mov_b32 s0, 0\ns_mov_b32 s1, 0\ns_mov_b32 s2, 0\ns_mov_b32 s3, 0x00027000\n"

/* LDS is zeros, and data. */
static void counts_go_through_lds(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {RDNA, "v_add_f32 v1, v1, v1\nds_store_b32 v9, v1\nds_load_b32 v0, v9", BOTH(1)},
        {RDNA, "v_add_f32 v1, v1, v1\nds_store_b32 v9, v1\nds_store_b32 v9, v2\nds_load_b32 v0, v9", BOTH(0)},
        {RDNA, PACKED "ds_store_b16 v9, v1 offset:2\nds_load_b32 v0, v9", {0, 1}},
        {RDNA, PACKED "ds_store_b32 v9, v3\nds_load_u16_d16_hi v0, v9 offset:2", {0, 2}},
        {RDNA, PACKED "ds_store_b32 v9, v3\nds_load_u16 v0, v9 offset:2", {2, 2}},
        {RDNA, PACKED "ds_store_b16_d16_hi v9, v3\nds_load_b32 v0, v9", {2, 0}},
        {RDNA, "v_mov_b32 v1, 0\nds_store_b32 v9, v1\nds_load_b32 v0, v9\nv_add_f32 v0, v0, v2", BOTH(0)},
        {RDNA, HALVES "ds_store_2addr_b32 v9, v1, v2 offset1:5\nds_load_b32 v0, v9 offset:20", BOTH(2)},
    };
    EXPECT_ROWS(rows);
}

/* A descriptor of no bytes clips every lane, which loads zeros, data: into what the load writes, and no more. */
static void a_clipped_load_is_data_where_it_writes(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {CDNA, NO_BYTES "v_add_f32 v0, v1, v1\nbuffer_load_dword v0, off, s[0:3], 0", BOTH(0)},
        {CDNA, NO_BYTES "v_add_f32 v0, v1, v1\nbuffer_load_short_d16_hi v0, off, s[0:3], 0", {1, 0}},
        {CDNA, NO_BYTES "v_add_f32 v0, v1, v1\nbuffer_load_short_d16 v0, off, s[0:3], 0", {0, 1}},
        {CDNA, NO_BYTES "v_add_f32 v0, v1, v1\nbuffer_load_ushort v0, off, s[0:3], 0", BOTH(0)},
    };
    EXPECT_ROWS(rows);
}

/* 32 lanes add to one dword of data, one after another: 32 additions; of a cleared one 31. Each gets the old value. */
static void atomics_add_one_after_another(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {RDNA, "ds_add_f32 v9, v1\nds_load_b32 v0, v9", BOTH(32)},
        {RDNA, "v_mov_b32 v2, 0\nds_store_b32 v9, v2\nds_add_f32 v9, v1\nds_load_b32 v0, v9", BOTH(31)},
        {RDNA, "ds_add_rtn_f32 v0, v9, v1\n", BOTH(0)},
        {RDNA, "v_add_f32 v1, v1, v1\nds_max_f32 v9, v1\nds_load_b32 v0, v9", BOTH(1)},
        {RDNA, "v_add_f32 v1, v1, v1\nds_storexchg_rtn_b32 v3, v9, v1\nds_storexchg_rtn_b32 v0, v9, v2", BOTH(1)},
        {CDNA, PACKED "s_mov_b64 exec, 1\nds_pk_add_f16 v9, v3\nds_read_b32 v0, v9", {2, 3}},
        {"gfx908", 64,
         "s_mov_b64 exec, 1\nv_add_f32 v1, v1, v1\nds_write_b32 v9, v1 offset:8\nds_add_src2_f32 v9 offset:2\n"
         "ds_read_b32 v0, v9",
         BOTH(2)},
    };
    EXPECT_ROWS(rows);
    expect_lane(RDNA, "ds_add_rtn_f32 v0, v9, v1", 0, 31, (struct expected)BOTH(31));
    expect_lane(RDNA, "v_add_f32 v1, v1, v1\nds_storexchg_rtn_b32 v3, v9, v1\nds_storexchg_rtn_b32 v0, v9, v2", 0, 1,
                (struct expected)BOTH(0));
}

/* Roundings of the accumulator, and of the products, by the rules of docs/numerics.md, "Steps". */
static void dot_and_matrix_steps_are_the_chips(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"gfx1030", 32, "v_dot2_f32_f16 v0, v1, v2, v3", BOTH(2)},
        {"gfx90a", 64, "v_dot2_f32_f16 v0, v1, v2, v3", BOTH(2)},
        {RDNA, "v_dot2_f32_f16 v0, v1, v2, v3\nv_dot2_f32_f16 v0, v1, v2, v0", BOTH(2)},
        {"gfx1201", 32, "v_dot2_f32_f16 v0, v1, v2, v3", BOTH(1)},
        {RDNA, "v_dot4_i32_iu8 v0, v1, v2, v3", BOTH(0)},
        {RDNA, "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[24:31]", BOTH(8)},
        {"gfx1201", 32, "v_wmma_f32_16x16x16_f16 v[0:7], v[8:11], v[12:15], v[16:23]", BOTH(4)},
        {"gfx1201", 32, "v_wmma_f32_16x16x16_fp8_fp8 v[0:7], v[8:9], v[10:11], v[16:23]", BOTH(16)},
        {RDNA, "v_wmma_i32_16x16x16_iu8 v[0:7], v[8:11], v[12:15], v[16:23]", BOTH(0)},
        {"gfx90a", 64, "v_mfma_f32_16x16x16f16 v[0:3], v[4:5], v[6:7], v[8:11]", BOTH(2 + 4)},
        {"gfx90a", 64, "v_mfma_f32_16x16x8bf16 v[0:3], v4, v5, v[8:11]", BOTH(1 + 4)},
        {"gfx90a", 64,
         "v_mfma_f32_16x16x16f16 v[0:3], v[4:5], v[6:7], 0\ns_nop 15\n"
         "v_mfma_f32_16x16x16f16 v[0:3], v[4:5], v[6:7], v[0:3]",
         BOTH(2 + 8)},
        {CDNA, "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[8:11]", BOTH(2)},
        {CDNA, "v_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], v[20:35]", BOTH(1)},
        {CDNA, "v_mfma_f32_16x16x4_f32 v[0:3], v4, v5, v[8:11]", BOTH(4)},
        {CDNA, "v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[6:9], v10", BOTH(2)},
        {CDNA, "v_mfma_i32_16x16x32_i8 v[0:3], v[4:5], v[6:7], v[8:11]", BOTH(0)},
        {"gfx950", 64, "v_mfma_f32_16x16x32_bf16 v[0:3], v[4:7], v[8:11], v[12:15]", BOTH(4)},
    };
    EXPECT_ROWS(rows);
}

static bool says(const char *mnemonic, const char *const *words)
{
    for (; *words; words++)
        if (strstr(mnemonic, *words))
            return true;
    return false;
}

/* By its name, which says what it does and in which formats; integers have others. v_div_fmas is part of a division. */
static bool adds_floats(const char *mnemonic)
{
    static const char *const adds[] = {"add", "sub", "fma", "mad", "mac", "dot", "wmma", "interp", NULL},
                             *const floats[] = {"f16", "f32", "f64", NULL}, *const parts[] = {"v_div_fmas", NULL};
    return says(mnemonic, adds) && says(mnemonic, floats) && !says(mnemonic, parts);
}

/* A row that is new in the opcode table and adds would else be carried, uncounted. */
static void every_instruction_that_adds_floats_is_counted(void **state)
{
    (void)state;
    size_t n_opcodes, n_counted = 0;
    const struct opcode *table = opcode_table(&n_opcodes);
    for (size_t i = 0; i < n_opcodes; i++) {
        uint8_t kind = depth_kind_of(table[i].mnemonic);
        bool counts = kind == DEPTH_SUM || kind == DEPTH_FMA || kind == DEPTH_STEPS;
        n_counted += counts;
        if (adds_floats(table[i].mnemonic) && !counts)
            fail_msg("%s adds floats; depth.def has no count for it", table[i].mnemonic);
    }
    assert_true(n_counted > 100);
}

/* The k of "v_mfma_f32_16x16x32_…". */
static int k_of(const char *mnemonic)
{
    return atoi(strchr(strchr(mnemonic, 'x') + 1, 'x') + 1);
}

/* No rule adds more than 16 products before it rounds; a sparse instruction has half of k's. One without a shape in the
 * tables would be as deep as counts go. */
static void every_matrix_instruction_has_the_steps_of_a_shape(void **state)
{
    (void)state;
    static const enum chip_family families[] = {CHIP_RDNA3, CHIP_RDNA4, CHIP_CDNA1, CHIP_CDNA2, CHIP_CDNA3, CHIP_CDNA4};
    size_t n_opcodes, n_matrices = 0;
    const struct opcode *table = opcode_table(&n_opcodes);
    for (size_t i = 0; i < n_opcodes; i++) {
        const char *name = table[i].mnemonic;
        if (depth_kind_of(name) != DEPTH_STEPS || table[i].class != CLASS_MATRIX)
            continue;
        bool is_sparse = strstr(name, "smfmac") || strstr(name, "swmmac");
        int n_products = k_of(name) / (is_sparse ? 2 : 1), least = adds_floats(name) ? (n_products + 15) / 16 : 0;
        n_matrices++;
        for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
            const struct chip chip = {.family = families[f]};
            const struct emulated_code code = {.chip = &chip};
            const struct dispatch dispatch = {.code = &code};
            struct depth_opcode depth = {0};
            depth_steps(&dispatch, &table[i], &depth);
            if (depth.steps < least || depth.steps > n_products)
                fail_msg("%s has %d steps for %d products", name, depth.steps, n_products);
        }
    }
    assert_true(n_matrices > 100);
}

/* --matrix-model ieee changes values; what a registration declares is the chip's. */
static void another_model_of_the_values_changes_no_depth(void **state)
{
    (void)state;
    static const enum matrix_model models[] = {MATRIX_MODEL_CHIP, MATRIX_MODEL_IEEE};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        const struct emulated_code code = {.chip = &(const struct chip){.family = CHIP_RDNA3}};
        const struct dispatch dispatch = {.code = &code, .matrix_model = models[i]};
        struct depth_opcode wmma = {0}, dot = {0};
        depth_steps(&dispatch, opcode_find("v_wmma_f32_16x16x16_f16", 23), &wmma);
        depth_steps(&dispatch, opcode_find("v_dot2_f32_f16", 14), &dot);
        assert_int_equal(wmma.steps, 8);
        assert_int_equal(dot.steps, 1);
    }
}

static void a_matrix_takes_the_deepest_of_its_factors_and_its_own_accumulators(void **state)
{
    (void)state;
    static const char deep_factor[] = HALVES "v_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[6:7], v[12:15]";
    expect_lane(CDNA, deep_factor, 8, 63, (struct expected)BOTH(2 + 2));
    static const char deep_accumulator[] =
        "v_add_f32 v13, v13, v13\nv_add_f32 v13, v13, v13\nv_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[6:7], v[12:15]";
    expect_lane(CDNA, deep_accumulator, 8, 0, (struct expected)BOTH(2));
    expect_lane(CDNA, deep_accumulator, 9, 0, (struct expected)BOTH(4));
}

static void scalar_floats_count_too(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {RDNA, "s_add_f32 s1, s2, s3\ns_fmac_f32 s1, s2, s3\nv_mov_b32 v0, s1", BOTH(2)},
        {RDNA, "s_mov_b32 s1, 0\ns_fmac_f32 s1, s2, s3\nv_mov_b32 v0, s1", BOTH(0)},
        {RDNA, "s_add_f32 s1, s2, s3\ns_cmp_eq_u32 s4, s4\ns_cselect_b32 s1, s2, s1\nv_mov_b32 v0, s1", BOTH(0)},
        {RDNA, "s_add_u32 s1, s2, s3\nv_mov_b32 v0, s1", BOTH(0)},
        {"gfx1201", 32, "s_add_f32 s1, s2, s3\nv_s_rcp_f32 s1, s1\nv_mov_b32 v0, s1", BOTH(1)},
    };
    EXPECT_ROWS(rows);
}

static void counts_end_at_their_most(void **state)
{
    (void)state;
    /* A loop of 2^15 additions. */
    expect_lane(RDNA, "s_mov_b32 s1, 0x8000\nagain:\nv_add_f32 v0, v0, v1\ns_sub_u32 s1, s1, 1\ns_cbranch_scc0 again", 0, 0,
                (struct expected)BOTH(DEPTH_MOST - DEPTH_DATA));
}

int main(void)
{
    unsetenv("HIPCONTRACT_EVIDENCE"); /* no value is compared here */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(additions_count_and_all_else_carries),
        cmocka_unit_test(nothing_rounds_where_the_code_adds_to_its_own_zero),
        cmocka_unit_test(division_is_a_product),
        cmocka_unit_test(selection_takes_what_it_chooses),
        cmocka_unit_test(halves_are_counted_apart),
        cmocka_unit_test(packed_floats_are_counted_apart),
        cmocka_unit_test(counts_go_where_lanes_go),
        cmocka_unit_test(counts_go_through_lds),
        cmocka_unit_test(a_clipped_load_is_data_where_it_writes),
        cmocka_unit_test(atomics_add_one_after_another),
        cmocka_unit_test(dot_and_matrix_steps_are_the_chips),
        cmocka_unit_test(every_instruction_that_adds_floats_is_counted),
        cmocka_unit_test(every_matrix_instruction_has_the_steps_of_a_shape),
        cmocka_unit_test(another_model_of_the_values_changes_no_depth),
        cmocka_unit_test(a_matrix_takes_the_deepest_of_its_factors_and_its_own_accumulators),
        cmocka_unit_test(scalar_floats_count_too),
        cmocka_unit_test(counts_end_at_their_most),
    };
    return cmocka_run_group_tests_name("depth_instructions", tests, NULL, NULL);
}
