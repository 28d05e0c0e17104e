/*
 * A decoded instruction: what decode.c makes of machine code once per code object, and what handlers read.
 *
 * Operands stand in the order of LLVM's assembly text: destinations first, then sources. What the text leaves out
 * (implicit VCC, SCC, EXEC, M0) the handler knows.
 */
#ifndef EMULATOR_INSTRUCTION_H
#define EMULATOR_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>

struct wave;
struct instruction;

typedef void handler(struct wave *wave, const struct instruction *in);

enum operand_kind {
    OPERAND_NONE,
    OPERAND_VGPR,     /* index: first register */
    OPERAND_AGPR,     /* index: first register */
    OPERAND_SCALAR,   /* index: place in wave->sgpr (SGPR, VCC, TTMP, M0, EXEC …; enum scalar_register) */
    OPERAND_CONSTANT, /* constant: the bits as an operand of the instruction's type */
    OPERAND_SPECIAL,  /* index: enum special_register, read-only */
    OPERAND_OFF,      /* "off" or "null": no address register; reads 0, drops writes */
};

/* Places in wave->sgpr. They follow gfx10's encoding except that NULL is OPERAND_OFF and FLAT_SCRATCH and XNACK_MASK of
 * gfx9 have places of their own. exec and vcc are also members of struct wave over the same memory. */
enum scalar_register {
    SREG_VCC_LO = 106,
    SREG_VCC_HI = 107,
    SREG_TTMP0 = 108, /* … SREG_TTMP0 + 15 */
    SREG_M0 = 124,
    SREG_EXEC_LO = 126,
    SREG_EXEC_HI = 127,
    SREG_FLAT_SCRATCH_LO = 128,
    SREG_FLAT_SCRATCH_HI = 129,
    SREG_XNACK_MASK_LO = 130,
    SREG_XNACK_MASK_HI = 131,
    SREG_COUNT = 136
};

enum special_register {
    SPECIAL_SCC,
    SPECIAL_VCCZ,
    SPECIAL_EXECZ,
    SPECIAL_SHARED_BASE,
    SPECIAL_SHARED_LIMIT,
    SPECIAL_PRIVATE_BASE,
    SPECIAL_PRIVATE_LIMIT,
    SPECIAL_POPS_EXITING_WAVE_ID,
    SPECIAL_LDS_DIRECT,
};

enum operand_half { HALF_NONE, HALF_LOW, HALF_HIGH };
enum operand_modifier { MODIFIER_NEG = 1, MODIFIER_ABS = 2, MODIFIER_SEXT = 4 };
/* SDWA selections, on an operand: sdwa_select. */
enum sdwa_select { SDWA_DWORD, SDWA_BYTE_0, SDWA_BYTE_1, SDWA_BYTE_2, SDWA_BYTE_3, SDWA_WORD_0, SDWA_WORD_1 };

/* X(type, bits, text in signatures): what an operand holds; decides how inline constants and literals become bits. */
#define OPERAND_TYPES(X)                                                                                                   \
    X(B8, 8, "b8")                                                                                                         \
    X(B16, 16, "b16")                                                                                                      \
    X(B32, 32, "b32")                                                                                                      \
    X(B64, 64, "b64")                                                                                                      \
    X(B96, 96, "b96")                                                                                                      \
    X(B128, 128, "b128")                                                                                                   \
    X(B160, 160, "b160")                                                                                                   \
    X(B192, 192, "b192")                                                                                                   \
    X(B256, 256, "b256")                                                                                                   \
    X(B512, 512, "b512")                                                                                                   \
    X(B1024, 1024, "b1024")                                                                                                \
    X(I16, 16, "i16")                                                                                                      \
    X(U16, 16, "u16")                                                                                                      \
    X(I32, 32, "i32")                                                                                                      \
    X(U32, 32, "u32")                                                                                                      \
    X(I64, 64, "i64")                                                                                                      \
    X(U64, 64, "u64")                                                                                                      \
    X(F16, 16, "f16")                                                                                                      \
    X(BF16, 16, "bf16")                                                                                                    \
    X(F32, 32, "f32")                                                                                                      \
    X(F64, 64, "f64")                                                                                                      \
    X(P16, 32, "p16")     /* two 16-bit integers */                                                                        \
    X(PF16, 32, "pf16")   /* two f16 */                                                                                    \
    X(PBF16, 32, "pbf16") /* two bf16 */                                                                                   \
    X(PF32, 64, "pf32")   /* two f32 */                                                                                    \
    X(MIX, 32, "mix")     /* fma_mix source: f32, or an f16 half by op_sel_hi */                                           \
    X(MASK, 64, "m")      /* a lane mask: one SGPR on wave32, two on wave64 */                                             \
    X(ADDRESS, 64, "a")   /* an address operand of a memory instruction, or off */                                         \
    X(RAW, 16, "imm")     /* an immediate whose text is not read: the bits are in instruction.immediate */

#define OPERAND_TYPE_ENUM(type, bits, text) TYPE_##type,
enum operand_type { TYPE_NONE, OPERAND_TYPES(OPERAND_TYPE_ENUM) TYPE_COUNT };
#undef OPERAND_TYPE_ENUM

struct operand {
    uint8_t kind;        /* enum operand_kind */
    uint8_t type;        /* enum operand_type, from the opcode's signature */
    uint8_t n_dwords;    /* registers named by the text: v[0:3] is 4 */
    uint8_t half;        /* enum operand_half: set for 16-bit types in vector registers (from .l/.h or op_sel) */
    uint8_t modifiers;   /* enum operand_modifier bits */
    uint8_t sdwa_select; /* enum sdwa_select */
    uint16_t index;
    uint64_t constant;
};

enum instruction_form { FORM_PLAIN, FORM_DPP16, FORM_DPP8, FORM_SDWA };

/* enum dpp_kind with its amount, from the text of the control. */
enum dpp_kind {
    DPP_QUAD_PERM, /* amount: 8 bits, two a lane */
    DPP_ROW_SHL,
    DPP_ROW_SHR,
    DPP_ROW_ROR, /* amount: 1 … 15 */
    DPP_ROW_MIRROR,
    DPP_ROW_HALF_MIRROR,
    DPP_ROW_SHARE,
    DPP_ROW_XMASK,
    DPP_ROW_NEWBCAST, /* amount: 0 … 15 */
    DPP_WAVE_SHL,
    DPP_WAVE_ROL,
    DPP_WAVE_SHR,
    DPP_WAVE_ROR, /* gfx9 */
    DPP_ROW_BCAST15,
    DPP_ROW_BCAST31 /* gfx9 */
};

/* Bits of instruction.flags: modifiers that stand as words in the text. */
enum instruction_flag {
    FLAG_CLAMP = 1 << 0,
    FLAG_GLC = 1 << 1, /* glc, sc0: a returning atomic */
    FLAG_SLC = 1 << 2,
    FLAG_DLC = 1 << 3,
    FLAG_OFFEN = 1 << 4,
    FLAG_IDXEN = 1 << 5,
    FLAG_BOUND_CTRL = 1 << 9,
    FLAG_FETCH_INACTIVE = 1 << 10,  /* fi:1 */
    FLAG_ZERO_OTHER_HALF = 1 << 11, /* a 16-bit result clears the other half (gfx9) */
    FLAG_DST_UNUSED_PRESERVE = 1 << 12,
    FLAG_DST_UNUSED_SEXT = 1 << 13, /* SDWA; neither: pad with zero */
    FLAG_MUL = 1 << 14,             /* omod mul:2, mul:4, div:2 stands in omod */
};

enum { MAX_SOURCES = 6, MAX_DESTINATIONS = 2, PLAIN_RESULT = 0x80, MAX_STRAIGHT = 255 };

struct opcode {
    const char *mnemonic;  /* stem, without _e32, _e64, _dpp, _sdwa */
    uint8_t class;         /* enum opcode_class */
    const char *signature; /* "f32=f32,f32": destinations = sources, in the text's order */
    uint16_t index;        /* row of opcodes.def, and of every handler table */
};

/* X(class): what an instruction is; switch points, statistics and decode of its operands follow from it. */
#define OPCODE_CLASSES(X)                                                                                                  \
    X(SALU)                                                                                                                \
    X(SMEM)                                                                                                                \
    X(BRANCH)                                                                                                              \
    X(CONTROL)                                                                                                             \
    X(BARRIER)                                                                                                             \
    X(WAIT)                                                                                                                \
    X(VALU)                                                                                                                \
    X(VALU_F16)                                                                                                            \
    X(VALU_F64)                                                                                                            \
    X(TRANSCENDENTAL)                                                                                                      \
    X(CROSS_LANE)                                                                                                          \
    X(MATRIX)                                                                                                              \
    X(LDS)                                                                                                                 \
    X(GLOBAL)                                                                                                              \
    X(FLAT)                                                                                                                \
    X(SCRATCH)                                                                                                             \
    X(BUFFER)                                                                                                              \
    X(ATOMIC)                                                                                                              \
    X(HINT)

#define OPCODE_CLASS_ENUM(class) CLASS_##class,
enum opcode_class { OPCODE_CLASSES(OPCODE_CLASS_ENUM) CLASS_COUNT };
#undef OPCODE_CLASS_ENUM

/* What every execution reads comes first, in one cache line. */
struct instruction {
    handler *run;
    uint8_t class;    /* enum opcode_class, of the opcode */
    uint8_t ordering; /* enum memory_ordering bits */
    uint8_t plain;    /* bit k: source k is a whole vector register as it stands; PLAIN_RESULT: dst[0] is, unmodified */
    uint8_t form;     /* enum instruction_form */
    /* From here to the end of the straight run: instructions that run one after the other whatever they do, with one EXEC;
     * how many; how many of them are vector ones. At least 1 and at most MAX_STRAIGHT; 1 for all others. */
    uint8_t n_straight, n_straight_vector;
    uint16_t plain_row[MAX_SOURCES]; /* of the sources marked in plain */
    uint16_t plain_result_row;       /* of dst[0] with PLAIN_RESULT */
    const struct opcode *opcode;     /* NULL where the decoder does not know it; run then ends the wave with a finding */
    struct operand dst[MAX_DESTINATIONS];
    struct operand src[MAX_SOURCES];
    uint32_t flags;        /* enum instruction_flag */
    uint32_t offset_bytes; /* of its first byte from the start of the image (so: address - load address) */
    uint32_t target;       /* branches: index of the instruction jumped to; UINT32_MAX if there is none there */
    int32_t immediate; /* SIMM16 and the like: s_waitcnt, s_nop, s_sendmsg, s_setreg's hwreg, s_delay_alu, bitop3; 0 else */
    int32_t offset;    /* memory: the signed byte offset (DS: offset, or offset0) */
    uint16_t offset1;  /* DS: second offset of two-address forms; ds_swizzle keeps its 16-bit control in offset */
    uint8_t size_bytes;
    uint8_t n_dst, n_src;
    uint8_t omod;                              /* 0 none, 1 x2, 2 x4, 3 /2 */
    uint8_t op_sel, op_sel_hi, neg_lo, neg_hi; /* bit k for source k (op_sel bit 3, or n_src, for the destination) */
    uint8_t dpp_kind, dpp_amount, row_mask, bank_mask;
    uint8_t dst_sdwa_select;
    uint8_t cbsz, abid, blgp, index_key;
    uint32_t dpp8;                  /* three bits a lane of eight, lane 0 lowest */
    const struct instruction *pair; /* VOPD: its two halves, each decoded as its own instruction; else NULL */
    const char *text;               /* LLVM's text, for findings and disasm; owned by the code's arena */
};

/* Works on vector registers, memory included: its active lanes are counted. */
static inline bool instruction_is_vector(const struct instruction *in)
{
    return in->class >= CLASS_VALU && in->class != CLASS_HINT;
}

/* Works on vector registers alone. */
static inline bool instruction_is_vector_alu(const struct instruction *in)
{
    return in->class >= CLASS_VALU && in->class <= CLASS_MATRIX;
}

#endif
