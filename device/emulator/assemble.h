/*
 * LLVM's text of one instruction to machine code: the other way of decode.h, with the same names of registers and
 * modifiers, so that what was disassembled can be changed as text. Nothing that runs kernels needs it.
 */
#ifndef EMULATOR_ASSEMBLE_H
#define EMULATOR_ASSEMBLE_H

#include <stddef.h>
#include <stdint.h>

#include "contract/base/error.h"
#include "records/chips.h"

struct assembler; /* one thread at a time */

enum { ASSEMBLED_BYTES = 24 }; /* no instruction is longer */

/* NULL with STATUS_ENVIRONMENT where this LLVM has no assembler for the chip. The caller closes it. */
struct assembler *assembler_open(const struct chip *chip, uint32_t n_lanes, struct error *error);
void assembler_close(struct assembler *assembler); /* NULL is allowed */
/* The machine code of one instruction; its size in bytes, or 0 where LLVM does not take the text for an instruction of the
 * chip. Branches are to be written with the distance in dwords, as the disassembler writes them. */
size_t assembler_one(struct assembler *assembler, const char *text, uint8_t bytes[ASSEMBLED_BYTES]);

#endif
