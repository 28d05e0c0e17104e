/*
 * Every instruction that LLVM knows for a chip, found by walking the encoding space with its disassembler and confirmed by
 * its assembler.
 *
 * An encoding's opcode lies in the first dword. The walk takes every upper half of that dword, and of the lower half's bits
 * 8 to 15 those that change the mnemonic; the operands come from a few patterns (registers, literals, DPP, SDWA, dual
 * instructions), so that each encoding meets one that it accepts.
 */
#ifndef TESTS_SUPPORT_INSTRUCTION_SET_H
#define TESTS_SUPPORT_INSTRUCTION_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "contract/base/arena.h"
#include "contract/base/error.h"
#include "device/emulator/instruction.h"
#include "records/chips.h"

/* A mnemonic of the chip, without what names the encoding (_e64, _dpp …). Halves of dual instructions stand for themselves,
 * as v_dual_…. */
struct known_instruction {
    const char *stem;
    const char *text;     /* one whole instruction that has it, as LLVM prints it */
    const char *unread;   /* one that decode does not take although the opcode table has the stem; NULL if there is none */
    const char *left_out; /* why no compute kernel needs it (instruction_left_out); NULL where one may */
    const struct opcode *opcode; /* NULL where the opcode table lacks it */
};

struct instruction_set {
    struct known_instruction *instructions; /* sorted by stem */
    size_t n_instructions;
    struct arena arena;
};

/* Walks the chip in its default wave size. Errors: STATUS_ENVIRONMENT, also without llvm-mc-22 (or what LLVM_MC names)
 * that reads every text. The caller frees with instruction_set_free. */
bool instruction_set_walk(const struct chip *chip, struct instruction_set *set, struct error *error);
void instruction_set_free(struct instruction_set *set);
/* NULL for none. */
const struct known_instruction *instruction_set_find(const struct instruction_set *set, const char *stem);

/* Why a mnemonic is none of compute's: graphics, or legal in a trap handler alone. NULL where it is one of compute. */
const char *instruction_left_out(const char *stem);
/* The rules behind that, by index: a pattern of mnemonics and the reason; NULL after the last. */
const char *instruction_rule(size_t index, const char **reason);

#endif
