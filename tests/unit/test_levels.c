/*
 * Handlers built for different host instruction sets give the same bytes: what one machine computes, every other does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/base/hash.h"
#include "contract/base/random.h"
#include "tests/support/wave_runner.h"

/* Where hosts differ: fused multiply-add, f16 conversion, NaNs, denormals, min and max, division by parts, integer wide
 * products, and whatever a compiler vectorises in one way here and in another there. Sources v0 to v9 stay as they are. */
static const char program_text[] = "v_add_f32 v10, v0, v1\n"
                                   "v_sub_f32 v11, v0, v2\n"
                                   "v_mul_f32 v12, v1, v2\n"
                                   "v_fma_f32 v13, v0, v1, v2\n"
                                   "v_fma_f32 v14, -|v0|, s4, v3 clamp\n"
                                   "v_min_f32 v15, v0, v1\n"
                                   "v_max_f32 v16, v2, v3\n"
                                   "v_med3_f32 v17, v0, v1, v2\n"
                                   "v_fma_f64 v[18:19], v[0:1], v[2:3], v[4:5]\n"
                                   "v_add_f64 v[20:21], v[0:1], v[6:7]\n"
                                   "v_mul_f64 v[22:23], v[2:3], v[4:5]\n"
                                   "v_fma_f16 v24.l, v0.l, v1.h, v2.l\n"
                                   "v_add_f16 v24.h, v3.l, v4.h\n"
                                   "v_mul_f16 v25.l, v5.h, v6.h\n"
                                   "v_pk_fma_f16 v26, v0, v1, v2\n"
                                   "v_pk_add_f16 v27, v3, v4 neg_lo:[1,0]\n"
                                   "v_fma_mix_f32 v28, v0, v1, v2 op_sel_hi:[1,0,1]\n"
                                   "v_dot2_f32_f16 v29, v0, v1, v2\n"
                                   "v_cvt_f16_f32 v30.l, v0\n"
                                   "v_cvt_f32_f16 v31, v1.h\n"
                                   "v_cvt_i32_f32 v32, v2\n"
                                   "v_cvt_u32_f32 v33, v3\n"
                                   "v_cvt_f32_u32 v34, v4\n"
                                   "v_cvt_f64_f32 v[36:37], v5\n"
                                   "v_cvt_f32_f64 v38, v[6:7]\n"
                                   "v_cvt_pk_rtz_f16_f32 v39, v0, v1\n"
                                   "v_rcp_f32 v40, v0\n"
                                   "v_rsq_f32 v41, v1\n"
                                   "v_sqrt_f32 v42, v2\n"
                                   "v_exp_f32 v43, v3\n"
                                   "v_log_f32 v44, v4\n"
                                   "v_sin_f32 v45, v5\n"
                                   "v_rndne_f32 v46, v0\n"
                                   "v_fract_f32 v47, v1\n"
                                   "v_ldexp_f32 v48, v0, 3\n"
                                   "v_frexp_mant_f32 v49, v1\n"
                                   "v_div_scale_f32 v50, vcc_lo, v0, v1, v0\n"
                                   "v_div_fmas_f32 v51, v0, v1, v2\n"
                                   "v_div_fixup_f32 v52, v0, v1, v2\n"
                                   "v_mul_lo_u32 v53, v0, v1\n"
                                   "v_mul_hi_i32 v54, v0, v1\n"
                                   "v_mad_u64_u32 v[56:57], null, v0, v1, v[2:3]\n"
                                   "v_lshlrev_b64 v[58:59], v0, v[2:3]\n"
                                   "v_bfe_i32 v60, v0, v1, v2\n"
                                   "v_perm_b32 v61, v0, v1, v2\n"
                                   "v_sad_u8 v62, v0, v1, v2\n"
                                   "v_dot4_i32_iu8 v63, v0, v1, v2 neg_lo:[1,0,0]\n"
                                   "v_pk_mad_u16 v64, v0, v1, v2\n"
                                   "v_add_f32_dpp v65, v0, v1 row_ror:3 row_mask:0xf bank_mask:0xf\n"
                                   "v_cmp_gt_f32 s8, v0, v1\n"
                                   "v_cmp_class_f32 s9, v0, v1\n"
                                   "v_cmp_lt_i32 s10, v0, v1\n"
                                   "v_cmp_nge_f16 s11, v0.l, v1.h\n"
                                   "v_cndmask_b32 v66, v0, v1, s8\n"
                                   "v_add_co_u32 v67, s12, v0, v1\n"
                                   "s_mul_hi_u32 s13, s4, s5\n"
                                   "s_add_f32 s14, s4, s5\n"
                                   "s_endpgm\n";

/* What only CDNA has. */
static const char cdna_text[] = "v_pk_add_f32 v[10:11], v[0:1], v[2:3]\n"
                                "v_pk_mul_f32 v[12:13], v[0:1], v[2:3] op_sel:[1,0] neg_hi:[0,1]\n"
                                "v_pk_fma_f32 v[14:15], v[0:1], v[2:3], v[4:5]\n"
                                "v_cvt_f32_fp8_sdwa v16, v0 src0_sel:BYTE_1\n"
                                "v_cvt_pk_f32_bf8_e32 v[18:19], v1\n"
                                "v_cvt_pk_fp8_f32 v20, v0, v1\n"
                                "v_cvt_pk_bf8_f32 v20, v2, v3 op_sel:[0,0,1]\n"
                                "v_cvt_sr_fp8_f32 v21, v0, v1\n"
                                "v_cvt_sr_bf8_f32 v22, v2, v3\n"
                                "v_cvt_pk_bf16_f32 v23, v0, v1\n"
                                "v_cvt_pk_f16_f32 v24, v0, v1\n"
                                "v_cvt_sr_bf16_f32 v25, v0, v1\n"
                                "v_cvt_sr_f16_f32 v26, v0, v1\n"
                                "v_cvt_scalef32_pk_f32_fp4 v[28:29], v0, v1\n"
                                "v_cvt_scalef32_pk_fp8_f32 v30, v0, v1, v2\n"
                                "v_cvt_scalef32_sr_pk_fp4_f32 v31, v[0:1], v2, v3\n"
                                "v_cvt_scalef32_pk32_f16_bf6 v[32:47], v[0:5], v6\n"
                                "v_mad_f16 v48, v0, v1, v2\n"
                                "v_cvt_pkrtz_f16_f32 v49, v0, v1\n"
                                "v_cvt_f32_f64 v50, v[0:1]\n"
                                "v_ldexp_f32 v51, v0, v1\n"
                                "v_fract_f32 v52, v0\n"
                                "v_pk_minimum3_f16 v53, v0, v1, v2\n"
                                "v_maximum3_f32 v54, v0, v1, v2\n"
                                "v_div_fixup_f64 v[56:57], v[0:1], v[2:3], v[4:5]\n"
                                "v_div_scale_f64 v[58:59], vcc, v[0:1], v[0:1], v[2:3]\n"
                                "v_div_fmas_f64 v[60:61], v[0:1], v[2:3], v[4:5]\n"
                                "s_endpgm\n";

static const struct program {
    const char *chip;
    uint32_t n_lanes;
    const char *text;
} programs[] = {{"gfx1151", 32, program_text}, {"gfx950", 64, cdna_text}};
enum { N_PROGRAMS = sizeof programs / sizeof *programs };

enum { N_SOURCES = 10, N_REGISTERS = 68, N_ROUNDS = 8 };

/* Bits with as many infinities, NaNs, zeros and denormals of f32 and f16 as numbers of ordinary size. */
static uint32_t source_bits(struct random_key key, uint64_t index)
{
    static const uint32_t special[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00001, 0x7f800001, 0x00000001,
                                       0x807fffff, 0x00800000, 0x7f7fffff, 0x3f800000, 0xbf800000, 0x7c007c00, 0xfc017e01,
                                       0x00018001, 0x03ff0400, 0x7bff3c00, 0x40490fdb, 0x4f800000, 0xcf000000};
    uint32_t bits = (uint32_t)random_bits(key, index);
    switch (random_below(key, index + (UINT64_C(1) << 32), 3)) {
    case 0:
        return special[bits % (sizeof special / sizeof *special)];
    case 1:
        return (bits & 0x807fffff) | (118 + (bits >> 24) % 20) << 23;
    default:
        return bits;
    }
}

static void fill_sources(struct wave_runner *runner, uint64_t round)
{
    struct random_key key = random_key_for(round, "levels");
    uint32_t n_lanes = runner->wave.n_lanes;
    for (uint32_t i = 0; i < N_SOURCES * n_lanes; i++)
        wave_runner_vgpr(runner, 0)[i] = source_bits(key, i);
    /* (1 + 2^-23)(1 - 2^-23) 2^-24 + 1 + 2^-23 lies 2^-70 below the middle of two f32: a sum in f64 first would round it
     * up. */
    wave_runner_vgpr(runner, 0)[0] = 0x39800001;
    wave_runner_vgpr(runner, 1)[0] = 0x397ffffe;
    wave_runner_vgpr(runner, 2)[0] = 0x3f800001;
    memset(wave_runner_vgpr(runner, N_SOURCES), 0, (size_t)(N_REGISTERS - N_SOURCES) * n_lanes * 4);
    for (uint32_t i = 0; i < 16; i++)
        runner->wave.sgpr[i] = source_bits(key, 1000000 + i);
    wave_runner_set_mode(runner, round % 2 ? WAVE_RUNNER_HSA_MODE : (WAVE_RUNNER_HSA_MODE | MODE_DENORM_F32));
    runner->wave.exec = round % 4 == 3 ? 0x5a5a5a5a : runner->wave.full_exec;
}

/* Hash of all registers after each round. */
static struct hash128 run_program(const struct program *program)
{
    struct wave_runner *runner = wave_runner_open(program->chip, program->n_lanes);
    struct hash128 hash = {0};
    for (uint64_t round = 0; round < N_ROUNDS; round++) {
        fill_sources(runner, round);
        assert_true(round == 0 ? wave_runner_load(runner, program->text) : true);
        runner->wave.pc = 0;
        assert_true(wave_runner_run_next(runner));
        hash = hash_more(hash, wave_runner_vgpr(runner, 0), (size_t)N_REGISTERS * program->n_lanes * 4);
        hash = hash_more(hash, runner->wave.sgpr, 16 * 4);
    }
    wave_runner_close(runner);
    return hash;
}

static void all_levels_give_the_same_bytes(void **state)
{
    (void)state;
    static const char *const levels[] = {"v1", "v3", "v4"};
    unsigned n_compared = 0;
    struct hash128 first[N_PROGRAMS] = {0};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        setenv("HIPCONTRACT_LEVEL", levels[i], 1);
        if (!opcode_handlers(32)) {
            printf("level %s: not built, or this processor lacks it\n", levels[i]);
            continue;
        }
        for (size_t p = 0; p < N_PROGRAMS; p++) {
            struct hash128 hash = run_program(&programs[p]);
            if (n_compared == 0)
                first[p] = hash;
            else if (!hash_equal(hash, first[p]))
                fail_msg("level %s gives other bytes than the first level on %s", levels[i], programs[p].chip);
        }
        n_compared++;
    }
    unsetenv("HIPCONTRACT_LEVEL");
    if (n_compared < 2) {
        printf("skipped: one level alone cannot be compared; build with LEVELS=\"v1 v3 v4\"\n");
        skip();
    }
}

static void an_unknown_level_is_refused(void **state)
{
    (void)state;
    setenv("HIPCONTRACT_LEVEL", "v2", 1);
    assert_null(opcode_handlers(32));
    uint8_t end[4] = {0x00, 0x00, 0xb0, 0xbf};
    struct emulated_code code;
    struct error error;
    assert_false(code_decode(chip_find("gfx1151"), 32, end, 4, 0, 4, &code, &error));
    assert_int_equal(error.status, STATUS_ENVIRONMENT);
    unsetenv("HIPCONTRACT_LEVEL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_levels_give_the_same_bytes),
        cmocka_unit_test(an_unknown_level_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
