/*
 * From machine code to decoded instructions, as each family prints them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/base/random.h"
#include "device/emulator/decode.h"
#include "tests/support/wave_runner.h"

/* Decodes text as the chip would; the instruction is borrowed from *code, which the caller frees. */
static const struct instruction *decode(const char *chip, const char *text, struct emulated_code *code)
{
    uint8_t *bytes;
    size_t n_bytes;
    struct error error;
    uint32_t n_lanes = chip_find(chip)->default_wave;
    assert_true(wave_runner_assemble(chip, n_lanes, text, &bytes, &n_bytes));
    if (!code_decode(chip_find(chip), n_lanes, bytes, n_bytes, 0, n_bytes, code, &error))
        fail_msg("%s", error.text);
    free(bytes);
    return &code->instructions[0];
}

static const struct instruction *decode_hex(const char *chip, const char *hex, struct emulated_code *code)
{
    uint8_t bytes[32];
    size_t n_bytes = strlen(hex) / 2;
    struct error error;
    for (size_t i = 0; i < n_bytes; i++) {
        char digits[3] = {hex[2 * i], hex[2 * i + 1], 0};
        bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    assert_true(code_decode(chip_find(chip), 32, bytes, n_bytes, 0, n_bytes, code, &error));
    return &code->instructions[0];
}

/* X-like tables would hide what is asserted, so: constants as bits of the operand's type. */
static void constants_become_bits_of_the_operand_type(void **state)
{
    (void)state;
    static const struct {
        const char *chip, *text;
        unsigned source;
        uint64_t bits;
    } cases[] = {
        {"gfx1151", "v_add_f32 v0, 1.0, v1", 0, 0x3f800000},
        {"gfx1151", "v_add_f32 v0, 7, v1", 0, 7},
        {"gfx1151", "v_add_f32 v0, -16, v1", 0, 0xfffffff0},
        {"gfx1151", "v_add_f32 v0, 0x40490fdb, v1", 0, 0x40490fdb},
        {"gfx1151", "v_add_f32 v0, lit(0x3f800000), v1", 0, 0x3f800000},
        {"gfx1151", "v_add_f16 v0.l, 1.0, v1.l", 0, 0x3c00},
        {"gfx1151", "v_add_f16 v0.l, -1, v1.l", 0, 0xffff},
        {"gfx1151", "v_add_f64 v[0:1], 1.0, v[2:3]", 0, 0x3ff0000000000000},
        {"gfx1151", "v_add_f64 v[0:1], 0x40080000, v[2:3]", 0, 0x4008000000000000},
        {"gfx1151", "v_add_f64 v[0:1], 0.15915494309189532, v[2:3]", 0, 0x3fc45f306dc9c882},
        {"gfx1151", "v_fma_f32 v0, v1, v2, neg(1.0)", 2, 0xbf800000},
        {"gfx1151", "v_and_b32 v0, 2.0, v1", 0, 0x40000000},
        {"gfx1151", "s_and_b64 s[0:1], s[2:3], -2", 1, 0xfffffffffffffffe},
        {"gfx1151", "s_and_b64 s[0:1], s[2:3], 0xfffffffe", 1, 0xfffffffe},
        {"gfx1151", "v_lshlrev_b64 v[0:1], v2, 0xfffffffe", 1, 0xfffffffe},
        {"gfx90a", "v_and_b32 v0, 0x12345678, v1", 0, 0x12345678},
        {"gfx1030", "v_add_f16 v0, 4.0, v1", 0, 0x4400},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct emulated_code code;
        const struct instruction *in = decode(cases[i].chip, cases[i].text, &code);
        if (!in->opcode || in->src[cases[i].source].kind != OPERAND_CONSTANT ||
            in->src[cases[i].source].constant != cases[i].bits)
            fail_msg("%s: source %u is 0x%llx", in->text, cases[i].source,
                     (unsigned long long)in->src[cases[i].source].constant);
        code_free(&code);
    }
}

/* The source that is K of an instruction, whose encoding ends with it. */
static uint64_t constant_of(const char *chip, uint8_t *bytes, size_t n_bytes, unsigned source, uint32_t k)
{
    struct emulated_code code;
    struct error error;
    memcpy(bytes + n_bytes - sizeof k, &k, sizeof k);
    assert_true(code_decode(chip_find(chip), chip_find(chip)->default_wave, bytes, n_bytes, 0, n_bytes, &code, &error));
    const struct instruction *in = &code.instructions[0];
    const struct instruction *half = in->pair ? &in->pair[0] : in;
    assert_true(half->opcode && half->src[source].kind == OPERAND_CONSTANT);
    uint64_t constant = half->src[source].constant;
    code_free(&code);
    return constant;
}

/* K of v_fmaak_f32 and its like is a number, also where a source of that number would be 0, 1, 0.5 or a literal. */
static void constants_behind_an_instruction_are_themselves(void **state)
{
    (void)state;
    static const struct {
        const char *chip, *text;
        unsigned source;
    } cases[] = {
        {"gfx1030", "v_fmaak_f16 v1, v2, v3, 0x1234", 2},
        {"gfx1030", "v_fmamk_f32 v1, v2, 0x12345678, v3", 1},
        {"gfx1151", "v_fmaak_f16 v1.l, v2.l, v3.h, 0x1234", 2},
        {"gfx1151", "v_fmaak_f32 v1, 0x12345678, v3, 0x12345678", 0},
        {"gfx1151", "v_fmaak_f32 v1, 0x12345678, v3, 0x12345678", 2},
        {"gfx1151", "s_fmaak_f32 s1, s2, s3, 0x12345678", 2},
        {"gfx1151", "v_dual_fmaak_f32 v1, v2, v3, 0x12345678 :: v_dual_mov_b32 v0, v5", 2},
        {"gfx1151", "v_add_f32 v1, 0x12345678, v3", 0},
        {"gfx1201", "v_fmamk_f16 v1.l, v2.l, 0x1234, v3.l", 1},
        {"gfx1201", "v_fmaak_f32 v1, v2, v3, 0x12345678", 2},
        {"gfx90a", "v_madak_f16 v1, v2, v3, 0x1234", 2},
        {"gfx90a", "v_madmk_f32 v1, v2, 0x12345678, v3", 1},
        {"gfx942", "v_fmaak_f32 v1, v2, v3, 0x12345678", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *chip = cases[i].chip;
        uint8_t *bytes;
        size_t n_bytes;
        assert_true(wave_runner_assemble(chip, chip_find(chip)->default_wave, cases[i].text, &bytes, &n_bytes));
        for (uint32_t k = 0; k < 0x202; k++)
            if (constant_of(chip, bytes, n_bytes, cases[i].source, k) != k)
                fail_msg("%s, %s: K 0x%x is not itself", chip, cases[i].text, k);
        free(bytes);
    }
}

/* The suffix wins where LLVM prints both; older chips have op_sel alone; without either it is the low half. */
static void halves_come_from_suffix_or_op_sel(void **state)
{
    (void)state;
    static const struct {
        const char *chip, *text;
        uint8_t dst, src0, src1;
    } cases[] = {
        {"gfx1151", "v_add_f16 v0.h, v1.l, v2.h", HALF_HIGH, HALF_LOW, HALF_HIGH},
        {"gfx1151", "v_fma_f16 v0.l, v1.h, v2.l, v3.l", HALF_LOW, HALF_HIGH, HALF_LOW},
        {"gfx1030", "v_fma_f16 v0, v1, v2, v3 op_sel:[0,1,0,1]", HALF_HIGH, HALF_LOW, HALF_HIGH},
        {"gfx1030", "v_add_f16 v0, v1, v2", HALF_LOW, HALF_LOW, HALF_LOW},
        {"gfx90a", "v_mad_u16 v0, v1, v2, v3 op_sel:[1,0,0,0]", HALF_LOW, HALF_HIGH, HALF_LOW},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct emulated_code code;
        const struct instruction *in = decode(cases[i].chip, cases[i].text, &code);
        if (!in->opcode || in->dst[0].half != cases[i].dst || in->src[0].half != cases[i].src0 ||
            in->src[1].half != cases[i].src1)
            fail_msg("%s: halves %u %u %u", in->text, in->dst[0].half, in->src[0].half, in->src[1].half);
        code_free(&code);
    }
}

static void only_gfx9_clears_the_other_half(void **state)
{
    (void)state;
    struct emulated_code code;
    assert_true(decode("gfx90a", "v_add_f16 v0, v1, v2", &code)->flags & FLAG_ZERO_OTHER_HALF);
    code_free(&code);
    assert_false(decode("gfx90a", "v_fma_f16 v0, v1, v2, v3", &code)->flags & FLAG_ZERO_OTHER_HALF);
    code_free(&code);
    assert_false(decode("gfx1030", "v_add_f16 v0, v1, v2", &code)->flags & FLAG_ZERO_OTHER_HALF);
    code_free(&code);
}

static void registers_and_modifiers_are_read(void **state)
{
    (void)state;
    struct emulated_code code;
    const struct instruction *in = decode("gfx1151", "v_fma_f64 v[2:3], -|v[4:5]|, s[6:7], v[8:9] clamp mul:4", &code);
    assert_int_equal(in->dst[0].index, 2);
    assert_int_equal(in->dst[0].n_dwords, 2);
    assert_int_equal(in->src[0].modifiers, MODIFIER_NEG | MODIFIER_ABS);
    assert_int_equal(in->src[1].kind, OPERAND_SCALAR);
    assert_int_equal(in->src[1].index, 6);
    assert_int_equal(in->flags, FLAG_CLAMP | FLAG_MUL);
    assert_int_equal(in->omod, 2);
    code_free(&code);
    in = decode("gfx1151", "v_add_co_ci_u32 v0, null, v1, exec_lo, ttmp3", &code);
    assert_int_equal(in->dst[1].kind, OPERAND_OFF);
    assert_int_equal(in->src[1].index, SREG_EXEC_LO);
    assert_int_equal(in->src[2].index, SREG_TTMP0 + 3);
    code_free(&code);
    in = decode("gfx1151", "v_mov_b32 v0, src_private_base", &code);
    assert_int_equal(in->src[0].kind, OPERAND_SPECIAL);
    assert_int_equal(in->src[0].index, SPECIAL_PRIVATE_BASE);
    code_free(&code);
}

static void packed_selectors_have_their_defaults(void **state)
{
    (void)state;
    struct emulated_code code;
    const struct instruction *in = decode("gfx1151", "v_pk_fma_f16 v0, v1, v2, v3", &code);
    if (in->opcode) {
        assert_int_equal(in->op_sel, 0);
        assert_int_equal(in->op_sel_hi, 7);
    }
    code_free(&code);
    in = decode("gfx1151", "v_pk_add_u16 v0, v1, v2 op_sel:[1,0] op_sel_hi:[0,1] neg_lo:[0,0]", &code);
    if (in->opcode) {
        assert_int_equal(in->op_sel, 1);
        assert_int_equal(in->op_sel_hi, 2);
    }
    code_free(&code);
}

static void dpp_controls_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *chip, *text;
        uint8_t kind, amount, row_mask, bank_mask;
    } cases[] = {
        {"gfx1151", "v_mov_b32_dpp v0, v1 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf", DPP_QUAD_PERM, 0x1b, 15, 15},
        {"gfx1151", "v_add_f32_dpp v0, v1, v2 row_shl:3 row_mask:0x5 bank_mask:0xa bound_ctrl:1", DPP_ROW_SHL, 3, 5, 10},
        {"gfx1151", "v_mov_b32_dpp v0, v1 row_half_mirror row_mask:0xf bank_mask:0xf", DPP_ROW_HALF_MIRROR, 0, 15, 15},
        {"gfx1030", "v_mov_b32_dpp v0, v1 row_xmask:5 row_mask:0xf bank_mask:0xf", DPP_ROW_XMASK, 5, 15, 15},
        {"gfx90a", "v_mov_b32_dpp v0, v1 row_bcast:31 row_mask:0xc bank_mask:0xf", DPP_ROW_BCAST31, 31, 12, 15},
        {"gfx90a", "v_mov_b32_dpp v0, v1 wave_shr:1 row_mask:0xf bank_mask:0xf", DPP_WAVE_SHR, 1, 15, 15},
    };
    struct emulated_code code;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct instruction *in = decode(cases[i].chip, cases[i].text, &code);
        if (!in->opcode || in->form != FORM_DPP16 || in->dpp_kind != cases[i].kind || in->dpp_amount != cases[i].amount ||
            in->row_mask != cases[i].row_mask || in->bank_mask != cases[i].bank_mask)
            fail_msg("%s: kind %u amount %u masks %u %u", in->text, in->dpp_kind, in->dpp_amount, in->row_mask,
                     in->bank_mask);
        code_free(&code);
    }
    const struct instruction *in = decode("gfx1151", "v_mov_b32_dpp v0, v1 dpp8:[7,6,5,4,3,2,1,0] fi:1", &code);
    assert_int_equal(in->form, FORM_DPP8);
    assert_int_equal(in->dpp8, 0x053977);
    assert_true(in->flags & FLAG_FETCH_INACTIVE);
    code_free(&code);
}

static void sdwa_selections_are_read(void **state)
{
    (void)state;
    struct emulated_code code;
    const struct instruction *in = decode(
        "gfx90a", "v_add_f32_sdwa v0, v1, -v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0 src1_sel:WORD_1",
        &code);
    assert_int_equal(in->form, FORM_SDWA);
    assert_int_equal(in->dst_sdwa_select, SDWA_WORD_1);
    assert_int_equal(in->src[0].sdwa_select, SDWA_BYTE_0);
    assert_int_equal(in->src[1].sdwa_select, SDWA_WORD_1);
    assert_int_equal(in->src[1].modifiers, MODIFIER_NEG);
    assert_true(in->flags & FLAG_DST_UNUSED_PRESERVE);
    code_free(&code);
    in = decode("gfx90a", "v_mov_b32_sdwa v0, sext(v1) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1", &code);
    assert_int_equal(in->src[0].modifiers, MODIFIER_SEXT);
    code_free(&code);
}

/* Handlers see one shape: the carry or select mask is always the last source, a compare's mask the destination. */
static void implicit_masks_are_filled_in(void **state)
{
    (void)state;
    struct emulated_code code;
    const struct instruction *in = decode("gfx1151", "v_dual_cndmask_b32 v0, v1, v2 :: v_dual_mov_b32 v3, v4", &code);
    assert_non_null(in->pair);
    assert_string_equal(in->pair[0].opcode->mnemonic, "v_cndmask_b32");
    assert_int_equal(in->pair[0].n_src, 3);
    assert_int_equal(in->pair[0].src[2].index, SREG_VCC_LO);
    assert_string_equal(in->pair[1].opcode->mnemonic, "v_mov_b32");
    assert_int_equal(in->pair[1].dst[0].index, 3);
    code_free(&code);
    in = decode("gfx1151", "v_cmpx_gt_f32 v0, v1", &code);
    assert_int_equal(in->n_dst, 0);
    assert_int_equal(in->src[1].index, 1);
    code_free(&code);
    in = decode("gfx90a", "v_cmpx_gt_f32 vcc, v0, v1", &code);
    assert_int_equal(in->n_dst, 1);
    assert_int_equal(in->dst[0].index, SREG_VCC_LO);
    code_free(&code);
}

/* A run ends with the instruction that writes EXEC; a dual instruction never does. */
static void straight_runs_go_through_dual_instructions(void **state)
{
    (void)state;
    struct emulated_code code;
    const struct instruction *in = decode("gfx1151",
                                          "v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v4\n"
                                          "v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v4\n"
                                          "v_cmpx_gt_f32 v0, v1\nv_mov_b32 v0, v1\n",
                                          &code);
    assert_int_equal(in[0].n_straight, 3);
    assert_int_equal(in[1].n_straight, 2);
    assert_int_equal(in[2].n_straight, 1);
    code_free(&code);
}

/* isa: "fields that an instruction does not use are ignored"; LLVM refuses both encodings. */
static void ignored_fields_may_hold_anything(void **state)
{
    (void)state;
    struct emulated_code code;
    /* v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v4 with vsrc1x = 5 */
    const struct instruction *in = decode_hex("gfx1151", "010b10ca04010200", &code);
    assert_string_equal(in->text, "v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v4");
    assert_int_equal(in->size_bytes, 8);
    code_free(&code);
    /* ds_add_u32 v0, v1 offset:4 with vdst = 7 */
    in = decode_hex("gfx1151", "040000d800010007", &code);
    assert_string_equal(in->text, "ds_add_u32 v0, v1 offset:4");
    code_free(&code);
}

static void branch_targets_are_instructions(void **state)
{
    (void)state;
    struct emulated_code code;
    decode("gfx1151", "s_nop 0\nL:\ns_mov_b32 s0, 0x12345678\ns_cbranch_scc0 L\ns_branch 0x7fff\ns_branch 0xfffa", &code);
    assert_int_equal(code.n_instructions, 5);
    assert_int_equal(code.instructions[2].target, 1);
    assert_int_equal(code.instructions[3].target, UINT32_MAX);
    assert_int_equal(code.instructions[4].target, 0); /* back over 24 bytes: the start */
    code_free(&code);
}

static void raw_immediates_are_kept(void **state)
{
    (void)state;
    struct emulated_code code;
    const struct instruction *in = decode("gfx1151",
                                          "s_waitcnt vmcnt(0) lgkmcnt(1)\n"
                                          "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3\n"
                                          "s_sendmsg_rtn_b64 s[0:1], sendmsg(MSG_RTN_GET_DOORBELL)\n"
                                          "s_movk_i32 s0, 0xfffe",
                                          &code);
    assert_int_equal(in[0].immediate, 0x0017);
    assert_int_equal(in[1].immediate, 1 | 4 << 6 | 1 << 11);
    assert_int_equal(in[1].src[1].constant, 3);
    assert_int_equal(in[2].immediate, 0x80);
    assert_int_equal(in[3].immediate, -2);
    code_free(&code);
}

/* Any bytes at all: every dword becomes an instruction, and only opcode NULL marks what is unknown. */
static void random_bytes_decode_to_something_on_every_chip(void **state)
{
    (void)state;
    enum { N_BYTES = 32 << 10 };
    uint8_t *bytes = malloc(N_BYTES);
    size_t n_chips;
    const struct chip *chips = chip_table(&n_chips);
    for (size_t c = 0; c < n_chips; c++) {
        if (!chips[c].of_record || !disassembler_has_chip(&chips[c]))
            continue;
        struct random_key key = random_key_for(1, chips[c].name);
        for (size_t i = 0; i < N_BYTES / 8; i++) {
            uint64_t bits = random_bits(key, i);
            memcpy(bytes + 8 * i, &bits, 8);
        }
        struct emulated_code code;
        struct error error;
        assert_true(code_decode(&chips[c], chips[c].default_wave, bytes, N_BYTES, 0, N_BYTES, &code, &error));
        uint32_t offset = 0;
        for (uint32_t i = 0; i < code.n_instructions; i++) {
            const struct instruction *in = &code.instructions[i];
            assert_int_equal(in->offset_bytes, offset);
            assert_true(in->run && in->text && in->size_bytes >= 4);
            offset += in->size_bytes;
        }
        assert_int_equal(offset, N_BYTES);
        code_free(&code);
    }
    free(bytes);
}

/* With zeros after it, and as the last of the code. */
static void decodes_or_is_refused(struct disassembler *disassembler, uint64_t word, size_t word_bytes)
{
    const uint64_t words[3] = {word};
    char text[256];
    size_t size = disassembler_next(disassembler, (const uint8_t *)words, sizeof words, text, sizeof text);
    assert_true(size <= sizeof words && size % 4 == 0);
    size = disassembler_next(disassembler, (const uint8_t *)words, word_bytes, text, sizeof text);
    assert_true(size <= word_bytes && size % 4 == 0);
}

/* SOP1 has its opcode in bits 8 to 15; SOP2, SOPK, SOPC and SOPP have theirs in the high half. */
static void every_scalar_encoding_with_a_literal_decodes_or_is_refused(void **state)
{
    (void)state;
    size_t n_chips;
    const struct chip *chips = chip_table(&n_chips);
    for (size_t c = 0; c < n_chips; c++) {
        if (!chips[c].of_record || !disassembler_has_chip(&chips[c]))
            continue;
        struct error error;
        struct disassembler *disassembler = disassembler_open(&chips[c], chips[c].default_wave, &error);
        assert_non_null(disassembler);
        for (uint32_t opcode = 0; opcode < 256; opcode++)
            decodes_or_is_refused(disassembler, 0xbe8000ff | opcode << 8, 4);
        for (uint32_t high = 0x8000; high < 0xc000; high++) {
            decodes_or_is_refused(disassembler, high << 16 | 0xffff, 4);
            decodes_or_is_refused(disassembler, high << 16 | 0x00ff, 4);
            decodes_or_is_refused(disassembler, high << 16 | 0xff00, 4);
        }
        disassembler_close(disassembler);
    }
}

/* Both instructions, with each pair of formats, and each register, constant and reserved code as either factor; alone and
 * after an instruction that loads scales. */
static void every_factor_of_gfx950s_small_formats_decodes_or_is_refused(void **state)
{
    (void)state;
    enum { V0 = 256, LOAD_SCALES_V0_V0 = 0xd3ac0000 };
    struct error error;
    struct disassembler *disassembler = disassembler_open(chip_find("gfx950"), 64, &error);
    if (!disassembler) {
        print_message("  skipped: %s\n", error.text);
        skip();
    }
    for (uint64_t formats = 0; formats < 64; formats++)
        for (uint64_t factor = 0; factor < 512; factor++)
            for (int which = 0; which < 4; which++) {
                uint64_t a = which & 1 ? V0 : factor, b = which & 1 ? factor : V0, opcode = which & 2 ? 0xd3ad : 0xd3ae;
                uint64_t word =
                    opcode << 16 | (formats & 7) << 8 | a << 32 | b << 41 | (uint64_t)V0 << 50 | formats >> 3 << 61;
                decodes_or_is_refused(disassembler, word, 8);
                const uint64_t scaled[2] = {LOAD_SCALES_V0_V0 | (uint64_t)(V0 | V0 << 9) << 32, word};
                char text[256];
                size_t size = disassembler_next(disassembler, (const uint8_t *)scaled, sizeof scaled, text, sizeof text);
                assert_true(size <= sizeof scaled);
            }
    disassembler_close(disassembler);
}

static void a_range_outside_the_image_is_an_error(void **state)
{
    (void)state;
    static const uint8_t image[8];
    struct emulated_code code;
    struct error error;
    assert_false(code_decode(chip_find("gfx1151"), 32, image, 8, 4, 8, &code, &error));
    assert_int_equal(error.status, STATUS_USAGE);
    assert_false(code_decode(chip_find("gfx1151"), 32, image, 8, 2, 4, &code, &error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_become_bits_of_the_operand_type),
        cmocka_unit_test(constants_behind_an_instruction_are_themselves),
        cmocka_unit_test(halves_come_from_suffix_or_op_sel),
        cmocka_unit_test(only_gfx9_clears_the_other_half),
        cmocka_unit_test(registers_and_modifiers_are_read),
        cmocka_unit_test(packed_selectors_have_their_defaults),
        cmocka_unit_test(dpp_controls_are_read),
        cmocka_unit_test(sdwa_selections_are_read),
        cmocka_unit_test(implicit_masks_are_filled_in),
        cmocka_unit_test(straight_runs_go_through_dual_instructions),
        cmocka_unit_test(ignored_fields_may_hold_anything),
        cmocka_unit_test(branch_targets_are_instructions),
        cmocka_unit_test(raw_immediates_are_kept),
        cmocka_unit_test(random_bytes_decode_to_something_on_every_chip),
        cmocka_unit_test(every_scalar_encoding_with_a_literal_decodes_or_is_refused),
        cmocka_unit_test(every_factor_of_gfx950s_small_formats_decodes_or_is_refused),
        cmocka_unit_test(a_range_outside_the_image_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
