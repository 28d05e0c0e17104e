/*
 * Decoded code: every instruction of a code object's executable segments, decoded once by LLVM's disassembler for the chip
 * and one operand parser. It refuses nothing: what it does not know becomes an instruction that ends the wave with a
 * finding.
 */
#ifndef EMULATOR_CODE_H
#define EMULATOR_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/base/arena.h"
#include "contract/base/error.h"
#include "device/code_object.h"
#include "device/emulator/instruction.h"
#include "records/chips.h"

struct flow;
struct opcode_flow;

struct emulated_code {
    const struct chip *chip;
    uint32_t n_lanes;         /* wave size that handlers were chosen for */
    handler *const *handlers; /* of that wave size, by row of the opcode table */
    uint64_t load_address;    /* guest address of image byte 0; set by the caller after code_decode */
    struct instruction *instructions;
    uint32_t n_instructions;
    uint32_t *index_of_dword; /* instruction index by offset_bytes / 4; UINT32_MAX where none starts */
    uint32_t n_dwords;
    const struct flow *flow; /* what each instruction reads and writes (sanitizer/flow.h), one more than n_instructions */
    struct opcode_flow *opcode_flows; /* sanitizer/flow.c's, by row of the opcode table; of opcodes that occur */
    bool wraps_vectors;               /* it turns VGPR indexing or vector skipping on (vgpr_index.h) */
    bool has_global_atomics;          /* or coherent accesses: then workgroups run in schedule order on one thread */
    bool has_acquires;                /* a wave may see what other workgroups released (enum memory_ordering) */
    struct arena arena;
};

/* Decodes image[first, first + n_bytes) (offsets from the image's start) for the chip and wave size. Errors:
 * STATUS_ENVIRONMENT if this LLVM lacks the chip. Unknown instructions are no errors. The caller frees with code_free. */
bool code_decode(const struct chip *chip, uint32_t n_lanes, const uint8_t *image, size_t image_bytes, size_t first,
                 size_t n_bytes, struct emulated_code *code, struct error *error);
void code_free(struct emulated_code *code);
/* Index of the instruction at a guest address; UINT32_MAX where none starts. */
uint32_t code_index(const struct emulated_code *code, uint64_t address);
/* Whether control stays within the bytes [first, first + n_bytes) of the image once it is there: no instruction calls or
 * jumps by register, no branch leads out. False where nothing is known of them: for 0 bytes (the size of a function whose
 * symbol is stripped), and where no instruction starts at the first. */
bool code_stays_within(const struct emulated_code *code, uint64_t first, uint64_t n_bytes);

/* The opcode table (opcodes.def), in order; lookup by stem is O(1). NULL for an unknown one. */
const struct opcode *opcode_find(const char *stem, size_t length);
const struct opcode *opcode_table(size_t *n_opcodes);
/* "VALU", "SMEM", …: the name of an enum opcode_class. */
const char *opcode_class_name(uint8_t class);
/* A row's signature, parsed: enum operand_type of each destination and source. A destination marked '?' ("m?=f32,f32") is
 * missing from the text of some forms (v_cmpx since gfx10, atomics without return); instruction.n_dst is 0 then. */
struct opcode_signature {
    uint8_t n_dst, n_src;
    bool optional_dst;
    uint8_t dst[MAX_DESTINATIONS], src[MAX_SOURCES];
};
const struct opcode_signature *opcode_signature(const struct opcode *opcode);
/* Handlers for a wave size, one for each row of the opcode table, built for the best instruction set that this host has and
 * the build includes. HIPCONTRACT_LEVEL=v1, v3 or v4 in the environment asks for one; results do not depend on it. NULL if
 * there is none. */
handler *const *opcode_handlers(uint32_t n_lanes);
/* Ends the wave with "unsupported"; what unknown instructions run. */
handler instruction_unsupported;
/* Ends the wave because control left the code; what stands after the last instruction. */
handler instruction_off_end;
/* Parses LLVM's text of one instruction (without comment) into *in: opcode, operands, modifiers, class. Returns false where
 * the mnemonic or an operand is unknown (in->opcode NULL). text must outlive *in. */
bool parse_instruction(const struct chip *chip, const char *text, struct arena *arena, struct instruction *in);
/* Marks the operands that handlers may take without a further look (instruction.plain): whole vector registers, no
 * modifier, no half, no DPP or SDWA. Must follow a change of a parsed instruction. */
void instruction_mark_plain(struct instruction *in);

#endif
