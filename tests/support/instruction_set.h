/*
 * Every instruction that LLVM knows for a chip, found by walking the encoding space with its disassembler.
 *
 * An encoding's opcode lies in the first dword. The walk takes every upper half of that dword, and of the lower half's bits
 * 8 to 15 those that change the mnemonic; the operands come from a few patterns (registers, literals, DPP, SDWA, dual
 * instructions), so that each encoding meets one that it accepts.
 */
#ifndef TESTS_SUPPORT_INSTRUCTION_SET_H
#define TESTS_SUPPORT_INSTRUCTION_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/base/arena.h"
#include "contract/base/error.h"
#include "records/chips.h"

/* A mnemonic of the chip, without what names the encoding (_e64, _dpp …); the halves of dual instructions each by
 * themselves. */
struct known_instruction {
    const char *stem;
    const char *text;   /* one whole instruction that has it, as LLVM prints it */
    const char *unread; /* one that decode does not take although the opcode table has the stem; NULL if there is none */
    bool implemented;   /* the opcode table has the stem */
    bool graphics;      /* left out of compute: instruction_is_graphics */
};

struct instruction_set {
    struct known_instruction *instructions; /* sorted by stem */
    size_t n_instructions;
    struct arena arena;
};

/* Walks the chip in its default wave size. Errors: STATUS_ENVIRONMENT. The caller frees with instruction_set_free. */
bool instruction_set_walk(const struct chip *chip, struct instruction_set *set, struct error *error);
void instruction_set_free(struct instruction_set *set);
const struct known_instruction *instruction_set_find(const struct instruction_set *set, const char *stem);

/* Whether a mnemonic belongs to graphics, so that no compute kernel needs it: image and sampler accesses, ray tracing on
 * images, exports, interpolation and parameter loads, streamout and ordered counting in the global data share. */
bool instruction_is_graphics(const char *stem);

#endif
