/*
 * The operators of mutants: each makes of an instruction another one of the same size, which says what it should.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/emulator/assemble.h"
#include "device/emulator/decode.h"
#include "mutation/operators.h"

enum { PROGRAM_BYTES = 256 };

/* Code of one instruction a line, decoded; the caller frees it. */
static void decode(const char *chip_name, uint32_t n_lanes, const char *program, struct emulated_code *code)
{
    const struct chip *chip = chip_find(chip_name);
    struct assembler *assembler = assembler_open(chip, n_lanes, NULL);
    char lines[400], *rest, *line;
    uint8_t bytes[PROGRAM_BYTES];
    size_t n_bytes = 0;
    snprintf(lines, sizeof lines, "%s", program);
    for (line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        size_t size = assembler_one(assembler, line, bytes + n_bytes);
        if (!size)
            fail_msg("%s: no instruction of %s", line, chip_name);
        n_bytes += size;
    }
    assembler_close(assembler);
    assert_true(code_decode(chip, n_lanes, bytes, n_bytes, 0, n_bytes, code, NULL));
}

/* The edited text of the program's first instruction; "" where the operator does not apply. */
static void edit_first(const struct emulated_code *code, enum mutation_operator op, int variant, char text[ASM_TEXT_BYTES])
{
    const struct instruction *in = &code->instructions[0];
    struct mutation_site site = {code, 0, in};
    struct asm_text parts;
    assert_true(asm_split(in->text, strlen(in->text), &parts));
    text[0] = '\0';
    if (mutation_edit(&site, op, variant, &parts))
        assert_true(asm_join(&parts, text));
}

struct edit_case {
    const char *chip;
    uint32_t n_lanes;
    const char *program;
    enum mutation_operator op;
    int variant;
    const char *edited; /* NULL: the operator does not apply */
};

/* What is edited is an instruction of the same size, whose text the disassembler gives back. */
static void check_assembles(const struct edit_case *c, const struct emulated_code *code, const char *text)
{
    struct assembler *assembler = assembler_open(code->chip, c->n_lanes, NULL);
    struct disassembler *disassembler = disassembler_open(code->chip, c->n_lanes, NULL);
    uint8_t bytes[ASSEMBLED_BYTES];
    char back[ASM_TEXT_BYTES];
    size_t size = assembler_one(assembler, text, bytes);
    if (size != code->instructions[0].size_bytes)
        fail_msg("%s: %zu bytes, was %d (%s)", text, size, code->instructions[0].size_bytes, code->instructions[0].text);
    assert_int_equal(disassembler_next(disassembler, bytes, size, back, sizeof back), size);
    assert_string_not_equal(back, code->instructions[0].text);
    disassembler_close(disassembler);
    assembler_close(assembler);
}

static void check(const struct edit_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct edit_case *c = &cases[i];
        struct emulated_code code;
        char text[ASM_TEXT_BYTES];
        decode(c->chip, c->n_lanes, c->program, &code);
        edit_first(&code, c->op, c->variant, text);
        assert_string_equal(text, c->edited ? c->edited : "");
        if (c->edited)
            check_assembles(c, &code, text);
        code_free(&code);
    }
}
#define CHECK(cases) check(cases, sizeof(cases) / sizeof(cases)[0])

static void arithmetic_is_edited(void **state)
{
    static const struct edit_case cases[] = {
        {"gfx1151", 32, "v_add_f32_e32 v0, v1, v2", MUTATION_ADD_SUB, 0, "v_sub_f32_e32 v0, v1, v2"},
        {"gfx1151", 32, "v_subrev_f32_e32 v0, v1, v2", MUTATION_ADD_SUB, 0, "v_add_f32_e32 v0, v1, v2"},
        {"gfx1151", 32, "v_add_nc_u32_e32 v0, s1, v2", MUTATION_ADD_SUB, 0, "v_sub_nc_u32_e32 v0, s1, v2"},
        {"gfx90a", 64, "s_addc_u32 s0, s1, s2", MUTATION_ADD_SUB, 0, "s_subb_u32 s0, s1, s2"},
        {"gfx90a", 64, "v_add_f64 v[0:1], v[2:3], v[4:5]", MUTATION_ADD_SUB, 0, "v_add_f64 v[0:1], v[2:3], -v[4:5]"},
        {"gfx1151", 32, "v_pk_add_f16 v0, v1, v2", MUTATION_ADD_SUB, 0,
         "v_pk_add_f16 v0, v1, v2 neg_lo:[0,1] neg_hi:[0,1]"},
        {"gfx1151", 32, "v_mul_f32_e32 v0, v1, v2", MUTATION_ADD_SUB, 0, NULL},
        {"gfx1151", 32, "v_fma_f32 v0, -v1, v2, v3", MUTATION_NEGATION, 1, "v_fma_f32 v0, v1, v2, v3"},
        {"gfx1151", 32, "v_fma_f32 v0, v1, v2, -|v3|", MUTATION_NEGATION, 3, "v_fma_f32 v0, v1, v2, |v3|"},
        {"gfx1151", 32, "v_add_f32_e64 v0, v1, -1.0", MUTATION_NEGATION, 2, NULL},
        {"gfx1151", 32, "v_pk_fma_f16 v0, v1, v2, v3 neg_lo:[0,1,0] neg_hi:[0,1,0]", MUTATION_NEGATION, 7,
         "v_pk_fma_f16 v0, v1, v2, v3 neg_lo:[0,0,0] neg_hi:[0,0,0]"},
        {"gfx1151", 32, "v_sub_f32_e32 v0, s1, v2", MUTATION_OPERANDS, 0, "v_subrev_f32_e32 v0, s1, v2"},
        {"gfx1151", 32, "v_lshlrev_b32_e32 v0, v1, v2", MUTATION_OPERANDS, 0, "v_lshlrev_b32_e32 v0, v2, v1"},
        {"gfx1151", 32, "v_cndmask_b32_e32 v0, v1, v2, vcc_lo", MUTATION_OPERANDS, 0,
         "v_cndmask_b32_e32 v0, v2, v1, vcc_lo"},
        {"gfx1151", 32, "v_cmp_lt_f32_e32 vcc_lo, v1, v2", MUTATION_OPERANDS, 0, "v_cmp_gt_f32_e32 vcc_lo, v1, v2"},
        {"gfx1151", 32, "v_fma_f32 v0, v1, v2, v3", MUTATION_OPERANDS, 1, "v_fma_f32 v0, v1, v3, v2"},
        {"gfx1151", 32, "v_fma_f32 v0, v1, v2, v3", MUTATION_FMA, 0, "v_mul_f32_e64 v0, v1, v2"},
        {"gfx1151", 32, "v_fmac_f32_e32 v0, v1, v2", MUTATION_FMA, 0, "v_mul_f32_e32 v0, v1, v2"},
        {"gfx1151", 32, "v_fmaak_f32 v0, v1, v2, 0x3fb8aa3b", MUTATION_FMA, 0, "v_mul_f32_e64 v0, v1, v2"},
        {"gfx1151", 32, "v_fmamk_f32 v0, v1, 0x3fb8aa3b, v2", MUTATION_FMA, 0, "v_mul_f32 v0, 0x3fb8aa3b, v1"},
        {"gfx1151", 32, "v_pk_fma_f16 v0, v1, v2, v3 op_sel_hi:[1,0,1]", MUTATION_FMA, 0,
         "v_pk_mul_f16 v0, v1, v2 op_sel_hi:[1,0]"},
        {"gfx942", 64, "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]", MUTATION_FMA, 1,
         "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], 0"},
    };
    (void)state;
    CHECK(cases);
}

static void constants_are_edited_by_what_they_are(void **state)
{
    static const struct edit_case cases[] = {
        {"gfx1151", 32, "s_add_i32 s0, s1, 7", MUTATION_IMMEDIATE, 4, "s_add_i32 s0, s1, 8"},
        {"gfx1151", 32, "s_cmp_lt_u32 s0, 0x100", MUTATION_IMMEDIATE, 3, "s_cmp_lt_u32 s0, 0xff"},
        {"gfx1151", 32, "v_lshlrev_b32_e32 v0, 2, v1", MUTATION_IMMEDIATE, 2, "v_lshlrev_b32_e32 v0, 3, v1"},
        {"gfx1151", 32, "v_mul_f32_e32 v0, 0x3fb8aa3b, v1", MUTATION_IMMEDIATE, 2, NULL},
        {"gfx1151", 32, "v_mul_f32_e32 v0, 0x3fb8aa3b, v1", MUTATION_CONSTANT, 1, "v_mul_f32_e32 v0, 0x4038aa3b, v1"},
        {"gfx1151", 32, "v_mul_f32_e32 v0, -0.5, v1", MUTATION_CONSTANT, 1, "v_mul_f32_e32 v0, -1.0, v1"},
        {"gfx1151", 32, "v_max_f32_e32 v0, 0, v1", MUTATION_CONSTANT, 1, "v_max_f32_e32 v0, 1.0, v1"},
        {"gfx1151", 32, "v_mov_b32_e32 v0, 0x3fb8aa3b", MUTATION_CONSTANT, 1, "v_mov_b32_e32 v0, 0x4038aa3b"},
        {"gfx1151", 32, "v_mov_b32_e32 v0, 0x3fb8aa3b", MUTATION_IMMEDIATE, 2, NULL},
        {"gfx1151", 32, "v_mov_b32_e32 v0, 0x1000", MUTATION_IMMEDIATE, 2, "v_mov_b32_e32 v0, 0x1001"},
        {"gfx1151", 32, "s_waitcnt vmcnt(1)", MUTATION_IMMEDIATE, 0, NULL},
    };
    (void)state;
    CHECK(cases);
}

static void accesses_move_by_one_element(void **state)
{
    static const struct edit_case cases[] = {
        {"gfx1151", 32, "global_load_b32 v0, v1, s[2:3]", MUTATION_OFFSET, 0, "global_load_b32 v0, v1, s[2:3] offset:4"},
        {"gfx1151", 32, "global_load_b32 v0, v1, s[2:3]", MUTATION_OFFSET, 1, NULL},
        {"gfx1151", 32, "global_store_b16 v1, v0, s[2:3] offset:6", MUTATION_OFFSET, 1,
         "global_store_b16 v1, v0, s[2:3] offset:4"},
        {"gfx1151", 32, "ds_load_2addr_b32 v[0:1], v2 offset0:3 offset1:4", MUTATION_OFFSET, 2,
         "ds_load_2addr_b32 v[0:1], v2 offset0:3 offset1:5"},
        {"gfx1151", 32, "s_load_b64 s[0:1], s[4:5], 0x8", MUTATION_OFFSET, 0, "s_load_b64 s[0:1], s[4:5], 0xc"},
        {"gfx90a", 64, "buffer_load_dword v0, off, s[4:7], 0 offset:8", MUTATION_OFFSET, 0,
         "buffer_load_dword v0, off, s[4:7], 0 offset:12"},
        {"gfx1151", 32, "v_add_f32_e32 v0, v1, v2", MUTATION_OFFSET, 0, NULL},
    };
    (void)state;
    CHECK(cases);
}

static void order_and_control_are_edited(void **state)
{
    static const struct edit_case cases[] = {
        {"gfx1151", 32, "s_barrier", MUTATION_BARRIER, 0, "s_nop 0"},
        {"gfx1201", 32, "s_barrier_wait 0xffff", MUTATION_BARRIER, 0, "s_nop 0"},
        {"gfx1201", 32, "s_barrier_signal -1", MUTATION_BARRIER, 0, NULL},
        {"gfx1151", 32, "s_waitcnt vmcnt(0)", MUTATION_WAIT, 0, "s_nop 0"},
        {"gfx1201", 32, "s_wait_loadcnt 0x0", MUTATION_WAIT, 0, "s_nop 0"},
        {"gfx1201", 32, "s_wait_alu depctr_va_vdst(0)", MUTATION_WAIT, 0, NULL},
        {"gfx1151", 32, "s_delay_alu instid0(VALU_DEP_1)", MUTATION_LANE, 1, "s_bitset0_b32 exec_lo, 31"},
        {"gfx90a", 64, "s_nop 0", MUTATION_LANE, 1, "s_bitset0_b64 exec, 63"},
        {"gfx1151", 32, "s_mov_b32 exec_lo, s3", MUTATION_LANE, 0, "s_and_b32 exec_lo, s3, -2"},
        {"gfx1151", 32, "s_mov_b32 s3, s4", MUTATION_LANE, 0, NULL},
        {"gfx1151", 32, "s_cbranch_scc1 65535", MUTATION_LOOP_ROUND, 0, "s_nop 0"},
        {"gfx1151", 32, "s_cbranch_execz 65535", MUTATION_LOOP_ROUND, 0, NULL},
        {"gfx1151", 32, "s_cbranch_scc1 1\ns_nop 0\ns_endpgm", MUTATION_LOOP_ROUND, 0, NULL},
        {"gfx1151", 32, "s_cmp_lt_u32 s0, s1\ns_cbranch_scc1 65534", MUTATION_LOOP_BOUND, 0, "s_cmp_le_u32 s0, s1"},
        {"gfx1151", 32, "s_cmp_lt_u32 s0, s1\ns_cbranch_scc1 0\ns_endpgm", MUTATION_LOOP_BOUND, 0, NULL},
    };
    (void)state;
    CHECK(cases);
}

static void a_text_comes_back_from_its_parts(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "s_endpgm",
        "v_add_f32_e64 v0, -v1, |v2| clamp mul:2",
        "s_waitcnt vmcnt(0) lgkmcnt(0)",
        "s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_2)",
        "v_mov_b32_dpp v0, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
        "ds_swizzle_b32 v0, v1 offset:swizzle(BITMASK_PERM, \"00p11\")",
        "v_pk_fma_f16 v0, v1, v2, v3 op_sel:[0,1,0] op_sel_hi:[1,0,1] neg_lo:[1,0,0]",
        "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 3",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct asm_text parts;
        char text[ASM_TEXT_BYTES];
        assert_true(asm_split(texts[i], strlen(texts[i]), &parts));
        assert_true(asm_join(&parts, text));
        assert_string_equal(text, texts[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_is_edited),
        cmocka_unit_test(constants_are_edited_by_what_they_are),
        cmocka_unit_test(accesses_move_by_one_element),
        cmocka_unit_test(order_and_control_are_edited),
        cmocka_unit_test(a_text_comes_back_from_its_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
