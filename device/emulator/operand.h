/*
 * Operands and modifiers of LLVM's assembly text. Inner header of parse.c.
 */
#ifndef EMULATOR_OPERAND_H
#define EMULATOR_OPERAND_H

#include <stdbool.h>
#include <stddef.h>

#include "device/emulator/instruction.h"

/* Parses "-|v1|", "s[0:1]", "0x3f800000", "1.0", "v0.h" … as the type; constants become that type's bits, with neg and abs
 * of float types applied. A constant of type MIX is an f16 when mix_is_f16. Keeps operand->sdwa_select, which a modifier
 * set before. False where the text is no operand. */
bool operand_parse(const char *text, size_t length, uint8_t type, bool mix_is_f16, struct operand *operand);
/* Whether the word is a modifier ("clamp", "offset:16"), not an operand. */
bool modifier_is_known(const char *text, size_t length);
/* Parses one modifier into the instruction. False where it is unknown. */
bool modifier_parse(const char *text, size_t length, struct instruction *in);

#endif
