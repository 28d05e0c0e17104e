#include "device/emulator/decode.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>

#include "device/emulator/llvm_target.h"

struct disassembler {
    LLVMDisasmContextRef context;
    bool has_halves;          /* 16-bit operands as halves of registers: gfx11, gfx12 */
    bool has_sdwa;            /* gfx9, gfx10 */
    bool has_vector_literals; /* gfx10 on: literals in VOP3 */
    bool has_named_barriers;  /* gfx12 */
    bool has_small_factors;   /* gfx950: matrix instructions of FP8, FP6 and FP4 */
};

static void initialise_target(void)
{
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
}

unsigned disassembler_llvm_version(void)
{
    unsigned major, minor, patch;
    LLVMGetVersion(&major, &minor, &patch);
    return major;
}

bool disassembler_has_chip(const struct chip *chip)
{
    return disassembler_llvm_version() >= chip->llvm_since;
}

bool disassembler_check_chip(const struct chip *chip, struct error *error)
{
    return disassembler_has_chip(chip) ||
           error_set(error, STATUS_ENVIRONMENT,
                     "LLVM %u cannot disassemble %s, LLVM %u can; build with LLVM_CONFIG=llvm-config-22",
                     disassembler_llvm_version(), chip->name, chip->llvm_since);
}

bool disassembler_knows_halves(void)
{
    enum { FIRST_VERSION_WITH_HALVES = 22 };
    return disassembler_llvm_version() >= FIRST_VERSION_WITH_HALVES;
}

struct disassembler *disassembler_open(const struct chip *chip, uint32_t n_lanes, struct error *error)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialise_target);
    if (!disassembler_check_chip(chip, error))
        return NULL;
    char features[LLVM_FEATURES_BYTES];
    llvm_features(chip, n_lanes, features);
    LLVMDisasmContextRef context = LLVMCreateDisasmCPUFeatures(LLVM_TRIPLE, chip->name, features, NULL, 0, NULL, NULL);
    if (!context) {
        error_set(error, STATUS_ENVIRONMENT, "this LLVM cannot disassemble %s; build with another LLVM_CONFIG", chip->name);
        return NULL;
    }
    struct disassembler *disassembler = malloc(sizeof *disassembler);
    if (!disassembler) {
        LLVMDisasmDispose(context);
        error_set(error, STATUS_ENVIRONMENT, "out of memory");
        return NULL;
    }
    *disassembler = (struct disassembler){
        .context = context,
        .has_halves = llvm_has_halves(chip),
        .has_sdwa = chip->family == CHIP_RDNA2 || chip_is_cdna(chip),
        .has_vector_literals = !chip_is_cdna(chip),
        .has_named_barriers = chip->family == CHIP_RDNA4,
        .has_small_factors = chip->family == CHIP_CDNA4,
    };
    return disassembler;
}

void disassembler_close(struct disassembler *disassembler)
{
    if (!disassembler)
        return;
    LLVMDisasmDispose(disassembler->context);
    free(disassembler);
}

/* Where LLVM 19 knows no halves of an operand it prints "v135/" and a remark that the register is not in a class of
 * "Lo128": in 16-bit operands v128 and up name the high halves of v0 and up (RDNA3 ISA, "16-bit operands"). In place, as
 * the remark is longer. */
static void name_high_halves(char *text)
{
    for (char *remark = strstr(text, "/*Invalid register"); remark; remark = strstr(remark, "/*Invalid register")) {
        char *end = strstr(remark, "*/"), *lo128 = strstr(remark, "_Lo128'"), *number = remark;
        while (number != text && number[-1] >= '0' && number[-1] <= '9')
            number--;
        unsigned long index = strtoul(number, NULL, 10);
        if (!end || !lo128 || lo128 > end || number == text || number[-1] != 'v' || index < 128 || index > 255) {
            remark++;
            continue;
        }
        int n = sprintf(number, "%lu.h", index - 128);
        memmove(number + n, end + 2, strlen(end + 2) + 1);
        remark = number;
    }
}

/* Leading blanks, tabs and comments out; in place. */
static void tidy(char *text)
{
    char *to = text;
    for (const char *from = text; *from && !(from[0] == '/' && from[1] == '/') && *from != ';'; from++) {
        bool blank = *from == ' ' || *from == '\t';
        if (!blank)
            *to++ = *from;
        else if (to != text && to[-1] != ' ')
            *to++ = ' ';
    }
    while (to != text && to[-1] == ' ')
        to--;
    *to = 0;
}

enum { LONGEST_INSTRUCTION = 20 };

/* LLVM crashes on a literal that lies past the end of its bytes, so it always gets enough of them, zeros after the last. */
static size_t disassemble(struct disassembler *disassembler, const uint8_t *bytes, size_t n_bytes, char *text,
                          size_t capacity)
{
    uint8_t padded[2 * LONGEST_INSTRUCTION] = {0};
    memcpy(padded, bytes, n_bytes < LONGEST_INSTRUCTION ? n_bytes : (size_t)LONGEST_INSTRUCTION);
    size_t size = LLVMDisasmInstruction(disassembler->context, padded, sizeof padded, 0, text, capacity);
    return size <= n_bytes ? size : 0;
}

/* An 8-byte instruction as one number, fields counted as the ISA documents count them. */
static uint64_t read_u64(const uint8_t *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, 8);
    return word;
}

enum { FORMAT_SHIFT = 26, FORMAT_VOPD = 0x32, FORMAT_DS = 0x36, DS_VDST_SHIFT = 56, DUAL_MOV = 8 };

/* VOPD: v_dual_mov_b32 has no second source, so its vsrc1 field (bits 9-16 for X, 41-48 for Y) is ignored. */
static uint64_t clear_unused_vopd(uint64_t word)
{
    if ((word >> 22 & 0xf) == DUAL_MOV)
        word &= ~(UINT64_C(0xff) << 9);
    if ((word >> 17 & 0x1f) == DUAL_MOV)
        word &= ~(UINT64_C(0xff) << 41);
    return word;
}

/* "v_cvt_f16_f32_e32 v3, v4" to "… v3.h, v4": the first operand is a high half. */
static void mark_high_result(char *text, size_t capacity)
{
    char *end = strchr(text, ',');
    size_t length = strlen(text);
    if (!end || length + 3 > capacity)
        return;
    memmove(end + 2, end, length - (size_t)(end - text) + 1);
    memcpy(end, ".h", 2);
}

/* VOP1 and VOP2 whose 16-bit result goes to a high half (bit 7 of vdst) where this LLVM knows low ones only. */
static size_t disassemble_high_result(struct disassembler *disassembler, const uint8_t *bytes, size_t n_bytes, char *text,
                                      size_t capacity)
{
    enum { HIGH_RESULT = 1 << 24 };
    uint8_t copy[LONGEST_INSTRUCTION] = {0};
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    bool is_vopc = word >> 25 == 0x3e, is_vop = !(word >> 31) && !is_vopc;
    if (!disassembler->has_halves || !is_vop || !(word & HIGH_RESULT))
        return 0;
    word &= ~(uint32_t)HIGH_RESULT;
    n_bytes = n_bytes < sizeof copy ? n_bytes : sizeof copy;
    memcpy(copy, bytes, n_bytes);
    memcpy(copy, &word, sizeof word);
    size_t size = disassemble(disassembler, copy, n_bytes, text, capacity);
    if (size)
        mark_high_result(text, capacity);
    return size;
}

/* Tries again what LLVM refused, with ignored fields cleared. */
static size_t disassemble_lenient(struct disassembler *disassembler, const uint8_t *bytes, size_t n_bytes, char *text,
                                  size_t capacity)
{
    uint8_t copy[12] = {0};
    if (n_bytes < 8)
        return 0;
    memcpy(copy, bytes, n_bytes < sizeof copy ? n_bytes : sizeof copy);
    uint64_t word = read_u64(bytes), cleared = word;
    uint32_t format = (uint32_t)word >> FORMAT_SHIFT;
    if (format == FORMAT_VOPD) {
        cleared = clear_unused_vopd(word);
    } else if (format == FORMAT_DS) {
        cleared = word & ~(UINT64_C(0xff) << DS_VDST_SHIFT);
        /* A field that takes register 2 is a real destination: then LLVM refused for another reason. */
        uint64_t other = cleared | UINT64_C(2) << DS_VDST_SHIFT;
        memcpy(copy, &other, 8);
        if (disassemble(disassembler, copy, 8, text, capacity))
            return 0;
    }
    if (cleared == word)
        return 0;
    memcpy(copy, &cleared, 8);
    return disassemble(disassembler, copy, n_bytes < sizeof copy ? n_bytes : sizeof copy, text, capacity);
}

enum {
    SDWA = 0xf9,
    LITERAL = 0xff,
    RESERVED_SELECT = 7,
    FORMAT_VOP3 = 0x34,
    FORMAT_MUBUF = 0x38,
    FORMAT_MTBUF = 0x3a,
    VOP3_FIRST_VOP2 = 0x100,
    VOP3_READLANE_GFX9 = 0x289
};

/* SDWA with a selection that does not exist (7), or dst_unused 3. VOPC has a scalar destination in their place. */
static bool is_reserved_sdwa(uint64_t word)
{
    uint32_t control = (uint32_t)(word >> 32);
    bool is_sdwa = !(word & 0x80000000) && (word & 0x1ff) == SDWA, is_vopc = (word >> 25 & 0x7f) == 0x3e;
    bool reserved_sources = (control >> 16 & 7) == RESERVED_SELECT || (control >> 24 & 7) == RESERVED_SELECT;
    bool reserved_result = (control >> 8 & 7) == RESERVED_SELECT || (control >> 11 & 3) == 3;
    return is_sdwa && (reserved_sources || (reserved_result && !is_vopc));
}

/* VOP3 instructions of gfx9 with a scalar register in the destination field: compares and v_readlane_b32. */
static bool has_scalar_destination(uint64_t word)
{
    uint32_t opcode = word >> 16 & 0x3ff;
    return opcode < VOP3_FIRST_VOP2 || opcode == VOP3_READLANE_GFX9;
}

/* A literal where gfx9 has none: in a VOP3 source or scalar destination, or as the offset of a buffer instruction. */
static bool is_misplaced_literal(uint64_t word)
{
    uint32_t format = (uint32_t)word >> FORMAT_SHIFT;
    if (format == FORMAT_MUBUF || format == FORMAT_MTBUF)
        return word >> 56 == LITERAL;
    if (format != FORMAT_VOP3)
        return false;
    return (has_scalar_destination(word) && (word & 0xff) == LITERAL) || (word >> 32 & 0x1ff) == LITERAL ||
           (word >> 41 & 0x1ff) == LITERAL || (word >> 50 & 0x1ff) == LITERAL;
}

/* gfx12's s_barrier_signal to s_barrier_join with a literal: a barrier is M0 or an inline constant. */
static bool is_barrier_by_literal(uint64_t word)
{
    enum { ENCODING_SOP1 = 0x17d, FIRST_BARRIER = 0x4e, LAST_BARRIER = 0x52 };
    uint32_t opcode = word >> 8 & 0xff;
    return ((uint32_t)word >> 23) == ENCODING_SOP1 && opcode >= FIRST_BARRIER && opcode <= LAST_BARRIER &&
           (word & 0xff) == LITERAL;
}

/* gfx950's v_mfma_…_f8f6f4 with a scalar or constant as factor: factors are vector registers. */
static bool is_mfma_of_scalars(uint64_t word)
{
    enum { MFMA_16X16X128 = 0xd3ad, MFMA_32X32X64 = 0xd3ae, FIRST_VECTOR = 0x100 };
    uint32_t opcode = word >> 16 & 0xffff;
    return (opcode == MFMA_16X16X128 || opcode == MFMA_32X32X64) &&
           (!(word >> 32 & FIRST_VECTOR) || !(word >> 41 & FIRST_VECTOR));
}

/* By itself, or after the 8 bytes that give it scales. */
static bool has_scalar_factors(const uint8_t bytes[16])
{
    enum { LOAD_SCALES = 0xd3ac };
    uint64_t word = read_u64(bytes);
    bool is_scaled = (word >> 16 & 0xffff) == LOAD_SCALES;
    return is_mfma_of_scalars(is_scaled ? read_u64(bytes + 8) : word);
}

/* Reserved encodings on which LLVM 22 crashes instead of refusing them (found with random bytes; tests/unit/test_decode.c).
 * Of a last dword it sees zeros after it. */
static bool crashes_llvm(const struct disassembler *disassembler, const uint8_t *bytes, size_t n_bytes)
{
    uint8_t padded[16] = {0};
    memcpy(padded, bytes, n_bytes < sizeof padded ? n_bytes : sizeof padded);
    uint64_t word = read_u64(padded);
    return (disassembler->has_sdwa && is_reserved_sdwa(word)) ||
           (!disassembler->has_vector_literals && is_misplaced_literal(word)) ||
           (disassembler->has_named_barriers && is_barrier_by_literal(word)) ||
           (disassembler->has_small_factors && has_scalar_factors(padded));
}

/* A VOP3 whose op_sel bits name high halves, in a text that says nothing of them. LLVMs before 22 leave them out for many
 * 16-bit instructions of gfx11 and gfx12 (19 does for v_or_b16, v_cmp_lt_f16_e64, v_cvt_f32_f16_e64 …), and what is left
 * reads as another instruction. In VOP3SD the same bits are the scalar destination: v_add_co_ci_u32 and its like (opcodes
 * 288 to 290), v_div_scale_f32 to v_subrev_co_u32 (764 to 770). */
static bool loses_halves(const struct disassembler *disassembler, const uint8_t *bytes, const char *text)
{
    enum { FORMAT_VOP3_GFX11 = 0x35, OP_SEL = 0xf << 11 };
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    uint32_t opcode = word >> 16 & 0x3ff;
    if (!disassembler->has_halves || disassembler_knows_halves() || word >> FORMAT_SHIFT != FORMAT_VOP3_GFX11 ||
        !(word & OP_SEL))
        return false;
    bool has_scalar_result = (opcode >= 288 && opcode <= 290) || (opcode >= 764 && opcode <= 770);
    return !has_scalar_result && !strstr(text, "op_sel") && !strstr(text, ".h");
}

/* v_fmaak_f16 and its like, which have a constant K behind the instruction. */
static bool has_constant(const char *text)
{
    static const char *const names[] = {"_fmaak_", "_fmamk_", "_madak_", "_madmk_"};
    bool has = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        has |= strstr(text, names[i]) != NULL;
    return has;
}

/* Wherever the text says one number it says the other, which is no longer; in place. */
static void rename_number(char *text, uint32_t number, uint32_t other)
{
    char from[12], to[12];
    size_t n_from = (size_t)snprintf(from, sizeof from, "0x%x", number);
    size_t n_to = (size_t)snprintf(to, sizeof to, "0x%x", other);
    for (char *at = strstr(text, from); at; at = strstr(at + n_to, from)) {
        memcpy(at, to, n_to);
        memmove(at + n_to, at + n_from, strlen(at + n_from) + 1);
    }
}

/* Where K equals a source operand's code LLVM 22 reads it as that operand: 0x80 to 0xf8 become 0, 1, 0.5 …, and 0xff
 * crashes it. K is the number itself (RDNA3 ISA, "VOP2 Instructions"; "SIMM32"), so another K is disassembled, and the text
 * then says the right one. 0 where the bytes are something else. */
static size_t disassemble_constant(struct disassembler *disassembler, const uint8_t *bytes, size_t n_bytes, char *text,
                                   size_t capacity)
{
    enum { FIRST_CODE = 0x80, LAST_CODE = 0xff, NO_CODE = 0x100, HALF = 0xffff };
    uint8_t copy[LONGEST_INSTRUCTION] = {0};
    size_t n = n_bytes < sizeof copy ? n_bytes : sizeof copy;
    for (size_t at = 4; at <= 8 && at + 4 <= n; at += 4) {
        uint32_t constant, other;
        memcpy(&constant, bytes + at, sizeof constant);
        if ((constant & HALF) < FIRST_CODE || (constant & HALF) > LAST_CODE)
            continue;
        other = constant + NO_CODE;
        memcpy(copy, bytes, n);
        memcpy(copy + at, &other, sizeof other);
        size_t size = crashes_llvm(disassembler, copy, n) ? 0 : disassemble(disassembler, copy, n, text, capacity);
        if (size != at + 4 || !has_constant(text))
            continue;
        uint32_t mask = strstr(text, "_f16") ? HALF : UINT32_MAX;
        rename_number(text, other & mask, constant & mask);
        return size;
    }
    return 0;
}

size_t disassembler_next(struct disassembler *disassembler, const uint8_t *bytes, size_t n_bytes, char *text,
                         size_t capacity)
{
    if (n_bytes < 4 || crashes_llvm(disassembler, bytes, n_bytes))
        return 0;
    size_t size = disassemble_constant(disassembler, bytes, n_bytes, text, capacity);
    if (!size)
        size = disassemble(disassembler, bytes, n_bytes, text, capacity);
    if (!size)
        size = disassemble_high_result(disassembler, bytes, n_bytes, text, capacity);
    if (!size)
        size = disassemble_lenient(disassembler, bytes, n_bytes, text, capacity);
    if (!size)
        return 0;
    tidy(text);
    name_high_halves(text);
    return loses_halves(disassembler, bytes, text) ? 0 : size;
}
