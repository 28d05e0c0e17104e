/*
 * Scalar instructions: results and SCC, from the ISA's own examples, from host integers, and from IEEE arithmetic worked by
 * hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "contract/base/text.h"
#include "tests/support/wave_runner.h"

/* "op s8, s0, s2" (64-bit names take pairs); expected: s[8:9] and SCC. */
struct scalar_case {
    const char *text;
    uint64_t a, b, expected;
    uint32_t scc_before, scc;
};

enum { A = 0, B = 2, D = 8, KEPT = 12 };

static void set64(struct wave_runner *runner, unsigned index, uint64_t value)
{
    memcpy(&runner->wave.sgpr[index], &value, 8);
}

static uint64_t get64(const struct wave_runner *runner, unsigned index)
{
    uint64_t value;
    memcpy(&value, &runner->wave.sgpr[index], 8);
    return value;
}

/* All cases assembled as one text, each a program of its own. */
static void load_cases(struct wave_runner *runner, const struct scalar_case *cases, size_t n_cases)
{
    struct text text = {0};
    for (size_t i = 0; i < n_cases; i++)
        text_append(&text, "%s\ns_endpgm\n", cases[i].text);
    assert_true(wave_runner_load(runner, text.data));
    text_free(&text);
}

static void check_cases(const struct scalar_case *cases, size_t n_cases)
{
    struct wave_runner *runner = wave_runner_open("gfx1151", 32);
    load_cases(runner, cases, n_cases);
    for (size_t i = 0; i < n_cases; i++) {
        const struct scalar_case *row = &cases[i];
        memset(runner->wave.sgpr, 0, 4 * 16);
        wave_runner_set_mode(runner, WAVE_RUNNER_HSA_MODE);
        set64(runner, A, row->a);
        set64(runner, B, row->b);
        runner->wave.scc = row->scc_before;
        if (!wave_runner_run_next(runner))
            fail_msg("%s did not run", row->text);
        uint64_t got = get64(runner, D);
        if (got != row->expected || runner->wave.scc != row->scc)
            fail_msg("%s of 0x%llx, 0x%llx: got 0x%llx scc %u, expected 0x%llx scc %u", row->text,
                     (unsigned long long)row->a, (unsigned long long)row->b, (unsigned long long)got, runner->wave.scc,
                     (unsigned long long)row->expected, row->scc);
    }
    wave_runner_close(runner);
}

#define CHECK(cases) check_cases(cases, sizeof(cases) / sizeof *(cases))

/* Carry is unsigned, the signed forms report overflow. */
static void arithmetic_sets_scc(void **state)
{
    (void)state;
    static const struct scalar_case cases[] = {
        {"s_add_u32 s8, s0, s2", 0xffffffff, 1, 0, 0, 1},
        {"s_add_u32 s8, s0, s2", 0x7fffffff, 1, 0x80000000, 1, 0},
        {"s_add_i32 s8, s0, s2", 0x7fffffff, 1, 0x80000000, 0, 1},
        {"s_add_i32 s8, s0, s2", 0xffffffff, 1, 0, 1, 0},
        {"s_sub_u32 s8, s0, s2", 0, 1, 0xffffffff, 0, 1},
        {"s_sub_i32 s8, s0, s2", 0x80000000, 1, 0x7fffffff, 0, 1},
        {"s_sub_i32 s8, s0, s2", 0, 1, 0xffffffff, 1, 0},
        {"s_addc_u32 s8, s0, s2", 0xffffffff, 0, 0, 1, 1},
        {"s_addc_u32 s8, s0, s2", 1, 1, 2, 0, 0},
        {"s_subb_u32 s8, s0, s2", 1, 1, 0xffffffff, 1, 1},
        {"s_subb_u32 s8, s0, s2", 0, 0xffffffff, 0, 1, 1},
        {"s_absdiff_i32 s8, s0, s2", 2, 5, 3, 0, 1},
        {"s_absdiff_i32 s8, s0, s2", 0x80000000, 0xffffffff, 0x7fffffff, 0, 1},
        {"s_absdiff_i32 s8, s0, s2", 9, 9, 0, 1, 0},
        {"s_mul_hi_i32 s8, s0, s2", 0xffffffff, 2, 0xffffffff, 1, 1},
        {"s_mul_hi_u32 s8, s0, s2", 0xffffffff, 2, 1, 0, 0},
        {"s_lshl3_add_u32 s8, s0, s2", 0x20000000, 5, 5, 0, 1},
        {"s_min_i32 s8, s0, s2", 0xffffffff, 1, 0xffffffff, 0, 1},
        {"s_min_u32 s8, s0, s2", 0xffffffff, 1, 1, 1, 0},
        {"s_max_i32 s8, s0, s2", 3, 3, 3, 0, 1},
    };
    CHECK(cases);
}

static void bits_and_fields(void **state)
{
    (void)state;
    static const struct scalar_case cases[] = {
        {"s_bfe_u32 s8, s0, s2", 0xabcd1234, 0x80008, 0x12, 0, 1},
        {"s_bfe_i32 s8, s0, s2", 0x0000f000, 0x4000c, 0xffffffff, 0, 1},
        {"s_bfe_i32 s8, s0, s2", 0x80000000, 0x20001f, 0xffffffff, 0, 1},
        {"s_bfe_u32 s8, s0, s2", 0xffffffff, 0, 0, 1, 0},
        {"s_bfe_i64 s[8:9], s[0:1], s2", 0x8000000000000000, 0x1003f, 0xffffffffffffffff, 0, 1},
        {"s_bfe_u64 s[8:9], s[0:1], s2", 0x8000000000000000, 0x1003f, 1, 0, 1},
        {"s_bfm_b32 s8, s0, s2", 4, 28, 0xf0000000, 0, 0},
        {"s_bfm_b64 s[8:9], s0, s2", 8, 56, 0xff00000000000000, 1, 1},
        {"s_brev_b32 s8, s0", 0x1, 0, 0x80000000, 1, 1},
        {"s_brev_b64 s[8:9], s[0:1]", 0x2, 0, 0x4000000000000000, 0, 0},
        {"s_ctz_i32_b32 s8, s0", 0x00010000, 0, 16, 0, 0},
        {"s_ctz_i32_b32 s8, s0", 0, 0, 0xffffffff, 1, 1},
        {"s_clz_i32_u32 s8, s0", 0x0000cccc, 0, 16, 0, 0},
        {"s_clz_i32_u64 s8, s[0:1]", 1, 0, 63, 0, 0},
        {"s_cls_i32 s8, s0", 0xffff3333, 0, 16, 0, 0},
        {"s_cls_i32 s8, s0", 0x80000000, 0, 1, 0, 0},
        {"s_cls_i32_i64 s8, s[0:1]", 0xffffffffffffffff, 0, 0xffffffff, 0, 0},
        {"s_bcnt1_i32_b64 s8, s[0:1]", 0xf0f0000000000001, 0, 9, 0, 1},
        {"s_bcnt0_i32_b32 s8, s0", 0xffffffff, 0, 0, 1, 0},
        {"s_quadmask_b32 s8, s0", 0x10000f01, 0, 0x85, 0, 1},
        {"s_wqm_b32 s8, s0", 0x10000001, 0, 0xf000000f, 0, 1},
        {"s_wqm_b64 s[8:9], s[0:1]", 0x8000000000000000, 0, 0xf000000000000000, 0, 1},
        {"s_bitreplicate_b64_b32 s[8:9], s0", 0x80000005, 0, 0xc000000000000033, 0, 0},
        {"s_bitset1_b32 s8, s0", 33, 0, 2, 0, 0},
        {"s_pack_hl_b32_b16 s8, s0, s2", 0x11112222, 0x33334444, 0x44441111, 0, 0},
        {"s_ashr_i64 s[8:9], s[0:1], s2", 0x8000000000000000, 127, 0xffffffffffffffff, 0, 1},
        {"s_lshl_b32 s8, s0, s2", 1, 33, 2, 0, 1},
        {"s_and_not1_b32 s8, s0, s2", 0xff, 0x0f, 0xf0, 0, 1},
        {"s_nand_b32 s8, s0, s2", 0xffffffff, 0xffffffff, 0, 1, 0},
        {"s_sext_i32_i8 s8, s0", 0x80, 0, 0xffffff80, 1, 1},
        {"s_abs_i32 s8, s0", 0x80000001, 0, 0x7fffffff, 0, 1},
    };
    CHECK(cases);
}

static void moves_and_selects(void **state)
{
    (void)state;
    static const struct scalar_case cases[] = {
        {"s_mov_b32 s8, 0x12345678", 0, 0, 0x12345678, 1, 1},
        {"s_mov_b64 s[8:9], 0xdeadbeef", 0, 0, 0xdeadbeef, 0, 0},
        {"s_mov_b64 s[8:9], -3", 0, 0, 0xfffffffffffffffd, 0, 0},
        {"s_mov_b64 s[8:9], 1.0", 0, 0, 0x3ff0000000000000, 0, 0},
        {"s_mov_b32 s8, 0.15915494", 0, 0, 0x3e22f983, 0, 0},
        {"s_cselect_b32 s8, s0, s2", 1, 2, 1, 1, 1},
        {"s_cselect_b64 s[8:9], s[0:1], s[2:3]", 1, 0x200000000, 0x200000000, 0, 0},
        {"s_cmov_b32 s8, s0", 5, 0, 0, 0, 0},
        {"s_movk_i32 s8, 0x8000", 0, 0, 0xffff8000, 0, 0},
        {"s_movk_i32 s8, 7\ns_addk_i32 s8, 0xfffe", 0, 0, 5, 1, 0},
        {"s_movk_i32 s8, 7\ns_mulk_i32 s8, 0xfffe", 0, 0, 0xfffffff2, 0, 0},
        {"s_mov_b32 s8, src_scc", 0, 0, 1, 1, 1},
        {"s_mov_b32 m0, 2\ns_movrels_b32 s8, s0", 0, 77, 77, 0, 0},
        {"s_mov_b32 m0, 3\ns_movreld_b32 s5, s0", 9, 0, 9, 0, 0},
        {"s_add_u32 null, s0, s2", 0xffffffff, 1, 0, 0, 1},
        {"s_mov_b64 s[8:9], src_shared_base", 0, 0, SHARED_APERTURE, 0, 0},
    };
    CHECK(cases);
}

static void compares_set_scc_only(void **state)
{
    (void)state;
    static const struct scalar_case cases[] = {
        {"s_cmp_lt_i32 s0, s2", 0xffffffff, 0, 0, 0, 1},           {"s_cmp_lt_u32 s0, s2", 0xffffffff, 0, 0, 1, 0},
        {"s_cmp_lg_u64 s[0:1], s[2:3]", 0x100000000, 0, 0, 0, 1},  {"s_cmpk_eq_i32 s0, 0xffff", 0xffffffff, 0, 0, 0, 1},
        {"s_cmpk_eq_u32 s0, 0xffff", 0xffff, 0, 0, 0, 1},          {"s_cmpk_gt_u32 s0, 0xffff", 0x10000, 0, 0, 0, 1},
        {"s_bitcmp1_b32 s0, s2", 0x80000000, 31, 0, 0, 1},         {"s_bitcmp0_b64 s[0:1], s2", 0x100000000, 32, 0, 1, 0},
        {"s_cmp_lt_f32 s0, s2", 0xbf800000, 0x3f800000, 0, 0, 1},  {"s_cmp_eq_f32 s0, s2", 0x80000000, 0, 0, 0, 1},
        {"s_cmp_neq_f32 s0, s2", 0x7fc00000, 0x7fc00000, 0, 0, 1}, {"s_cmp_lg_f32 s0, s2", 0x7fc00000, 0, 0, 1, 0},
        {"s_cmp_nge_f16 s0, s2", 0x7e00, 0x3c00, 0, 0, 1},         {"s_cmp_o_f16 s0, s2", 0x3c00, 0xfc00, 0, 0, 1},
    };
    CHECK(cases);
}

/* MODE is HSA's: f32 denormals flushed, nearest even. */
static void float_operations_round_once(void **state)
{
    (void)state;
    static const struct scalar_case cases[] = {
        {"s_add_f32 s8, s0, s2", 0x3f800000, 0x33800000, 0x3f800000, 0, 0}, /* 1 + 2^-24: tie to even */
        {"s_add_f32 s8, s0, s2", 0x3f800001, 0x33800000, 0x3f800002, 1, 1}, /* odd: tie goes up */
        {"s_sub_f32 s8, s0, 1.0", 0x3f800000, 0, 0, 0, 0},
        {"s_mul_f32 s8, s0, s2", 0x00800000, 0x3f000000, 0, 0, 0},                        /* 2^-127 is flushed */
        {"s_fmamk_f32 s8, s0, 0x40400000, s2", 0x40000000, 0x3f800000, 0x40e00000, 0, 0}, /* 2 * 3 + 1 */
        {"s_fmaak_f32 s8, s0, s2, 0x40400000", 0x40000000, 0x3f800000, 0x40a00000, 0, 0}, /* 2 * 1 + 3 */
        {"s_mov_b32 s8, 1.0\ns_fmac_f32 s8, s0, s2", 0x40000000, 0x40400000, 0x40e00000, 0, 0},
        {"s_add_f16 s8, s0, s2", 0x3c00, 0x3c00, 0x4000, 0, 0},
        {"s_max_f32 s8, s0, s2", 0x80000000, 0, 0, 0, 0},
        {"s_min_f32 s8, s0, s2", 0x7fc00000, 0x3f800000, 0x3f800000, 0, 0},
        {"s_min_f32 s8, s0, s2", 0x7f800001, 0x3f800000, 0x7fc00001, 0, 0}, /* IEEE 1: a signalling NaN is quieted */
        {"s_rndne_f32 s8, s0", 0x40200000, 0, 0x40000000, 0, 0},            /* 2.5 -> 2 */
        {"s_ceil_f32 s8, s0", 0xbf000000, 0, 0x80000000, 0, 0},             /* -0.5 -> -0 */
        {"s_floor_f16 s8, s0", 0xb800, 0, 0xbc00, 0, 0},
        {"s_trunc_f32 s8, s0", 0xbfc00000, 0, 0xbf800000, 0, 0},
        {"s_cvt_i32_f32 s8, s0", 0xcf800000, 0, 0x80000000, 0, 0}, /* -2^32 saturates */
        {"s_cvt_u32_f32 s8, s0", 0x4f7fffff, 0, 0xffffff00, 0, 0},
        {"s_cvt_i32_f32 s8, s0", 0x7fc00000, 0, 0, 0, 0},
        {"s_cvt_f32_u32 s8, s0", 0xffffffff, 0, 0x4f800000, 0, 0},
        {"s_cvt_f32_i32 s8, s0", 0xffffffff, 0, 0xbf800000, 0, 0},
        {"s_cvt_f16_f32 s8, s0", 0x477ff000, 0, 0x7c00, 0, 0}, /* 65520 is the first that rounds to inf */
        {"s_cvt_pk_rtz_f16_f32 s8, s0, s2", 0x477ff000, 0x3f800001, 0x3c007bff, 0, 0},
        {"s_cvt_f32_f16 s8, s0", 0x0001, 0, 0x33800000, 0, 0},
        {"s_cvt_hi_f32_f16 s8, s0", 0xbc000000, 0, 0xbf800000, 0, 0},
    };
    CHECK(cases);
}

/* Rounding up: 1 + 2^-24 is no longer a tie. */
static void float_operations_follow_mode(void **state)
{
    (void)state;
    static const struct scalar_case cases[] = {
        {"s_round_mode 0x1\ns_add_f32 s8, s0, s2", 0x3f800000, 0x33800000, 0x3f800001, 0, 0},
        {"s_denorm_mode 0xf\ns_mul_f32 s8, s0, s2", 0x00800000, 0x3f000000, 0x00400000, 0, 0},
        {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 3\ns_add_f32 s8, s0, s2", 0x3f800000, 0xb3000000, 0x3f7fffff, 0, 0},
        {"s_getreg_b32 s8, hwreg(HW_REG_MODE, 4, 4)", 0, 0, 0xc, 0, 0},
        {"s_mov_b32 s4, 5\ns_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s4\ns_getreg_b32 s8, hwreg(HW_REG_MODE)", 0, 0, 0x350, 0,
         0},
    };
    CHECK(cases);
}

static void exec_combinations_keep_the_old_mask(void **state)
{
    (void)state;
    struct wave_runner *runner = wave_runner_open("gfx1151", 32);
    runner->wave.sgpr[0] = 0x0ff0;
    runner->wave.exec = 0xff;
    assert_true(wave_runner_run(runner, "s_and_saveexec_b32 s8, s0"));
    assert_int_equal(runner->wave.sgpr[8], 0xff);
    assert_int_equal(runner->wave.exec, 0xf0);
    assert_int_equal(runner->wave.scc, 1);
    runner->wave.exec = 0xff;
    assert_true(wave_runner_run(runner, "s_and_not1_wrexec_b32 s8, s0"));
    assert_int_equal(runner->wave.sgpr[8], 0xf00);
    assert_int_equal(runner->wave.exec, 0xf00);
    assert_true(wave_runner_run(runner, "s_and_not0_saveexec_b32 s8, s0"));
    assert_int_equal(runner->wave.exec, 0);
    assert_int_equal(runner->wave.scc, 0);
    wave_runner_close(runner);
}

static void branches_and_calls_go_where_they_say(void **state)
{
    (void)state;
    struct wave_runner *runner = wave_runner_open("gfx1151", 32);
    assert_true(wave_runner_run(runner,
                                "s_mov_b32 s0, 10\ns_mov_b32 s1, 0\nLOOP:\ns_add_u32 s1, s1, s0\ns_sub_u32 s0, s0, 1\n"
                                "s_cmp_lg_u32 s0, 0\ns_cbranch_scc1 LOOP"));
    assert_int_equal(runner->wave.sgpr[1], 55);
    assert_true(wave_runner_run(runner, "s_getpc_b64 s[2:3]\ns_add_u32 s2, s2, 16\ns_swappc_b64 s[4:5], s[2:3]\n"
                                        "s_mov_b32 s7, 2\ns_endpgm\ns_mov_b32 s6, 1\ns_setpc_b64 s[4:5]"));
    assert_int_equal(runner->wave.sgpr[6], 1);
    assert_int_equal(runner->wave.sgpr[7], 2);
    runner->wave.vcc = 0xffffffff00000000; /* wave32 looks at the low half only */
    assert_true(wave_runner_run(runner, "s_mov_b32 s6, 5\ns_cbranch_vccnz OUT\ns_mov_b32 s6, 6\nOUT:"));
    assert_int_equal(runner->wave.sgpr[6], 6);
    wave_runner_close(runner);
}

static void a_wild_jump_is_a_trap(void **state)
{
    (void)state;
    struct wave_runner *runner = wave_runner_open("gfx1151", 32);
    assert_false(wave_runner_run(runner, "s_mov_b64 s[0:1], 0x1234\ns_setpc_b64 s[0:1]"));
    assert_int_equal(runner->findings[0].kind, FINDING_TRAP);
    assert_false(wave_runner_run(runner, "s_branch 100"));
    assert_int_equal(runner->findings[0].kind, FINDING_TRAP);
    wave_runner_close(runner);
}

static void an_endless_loop_meets_the_watchdog(void **state)
{
    (void)state;
    struct wave_runner *runner = wave_runner_open("gfx1151", 32);
    runner->dispatch.max_instructions = 1000;
    assert_false(wave_runner_run(runner, "s_branch 0xffff"));
    assert_int_equal(runner->findings[0].kind, FINDING_WATCHDOG);
    assert_int_equal(runner->wave.n_executed, 1000);
    wave_runner_close(runner);
}

static void wave64_masks_are_pairs(void **state)
{
    (void)state;
    struct wave_runner *runner = wave_runner_open("gfx1151", 64);
    set64(runner, A, 0xf00000000000000f);
    assert_true(wave_runner_run(runner, "s_and_saveexec_b64 s[8:9], s[0:1]\ns_mov_b64 vcc, exec\ns_cbranch_vccz OUT\n"
                                        "s_mov_b32 s12, 1\nOUT:"));
    assert_true(get64(runner, D) == UINT64_MAX);
    assert_true(runner->wave.exec == 0xf00000000000000f);
    assert_int_equal(runner->wave.sgpr[KEPT], 1);
    wave_runner_close(runner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_sets_scc),
        cmocka_unit_test(bits_and_fields),
        cmocka_unit_test(moves_and_selects),
        cmocka_unit_test(compares_set_scc_only),
        cmocka_unit_test(float_operations_round_once),
        cmocka_unit_test(float_operations_follow_mode),
        cmocka_unit_test(exec_combinations_keep_the_old_mask),
        cmocka_unit_test(branches_and_calls_go_where_they_say),
        cmocka_unit_test(a_wild_jump_is_a_trap),
        cmocka_unit_test(an_endless_loop_meets_the_watchdog),
        cmocka_unit_test(wave64_masks_are_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
