/*
 * Machine code to LLVM's text, one instruction at a time. The only part that calls llvm-c. Callers may rely on two
 * encodings being accepted that LLVM refuses and hardware does not: fields that an instruction ignores may hold anything.
 */
#ifndef EMULATOR_DECODE_H
#define EMULATOR_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/base/error.h"
#include "records/chips.h"

struct disassembler; /* one thread at a time */

/* Major version of the LLVM in use. */
unsigned disassembler_llvm_version(void);
/* This LLVM knows the chip. LLVM itself does not say: for an unknown one it decodes as for a generic chip, which is wrong.
 */
bool disassembler_has_chip(const struct chip *chip);
/* Likewise, with STATUS_ENVIRONMENT where it does not. */
bool disassembler_check_chip(const struct chip *chip, struct error *error);
/* This LLVM prints every 16-bit operand of gfx11 and gfx12. For others, instructions whose halves it leaves out are no
 * instructions (disassembler_next gives 0), so that a kernel which has them ends as unsupported, never with wrong values.
 */
bool disassembler_knows_halves(void);
/* NULL with STATUS_ENVIRONMENT where this LLVM has no such chip. The caller closes it. */
struct disassembler *disassembler_open(const struct chip *chip, uint32_t n_lanes, struct error *error);
void disassembler_close(struct disassembler *disassembler);
/* Text (one line, words apart by one space, no comment) of the instruction at bytes; its size in bytes, or 0 where the
 * bytes are no instruction of the chip. */
size_t disassembler_next(struct disassembler *disassembler, const uint8_t *bytes, size_t n_bytes, char *text,
                         size_t capacity);

#endif
