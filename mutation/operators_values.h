/*
 * Constants among the operands of an instruction: which are integers and which floating-point, and their next values.
 * Inner header of mutation/.
 */
#ifndef MUTATION_OPERATORS_VALUES_H
#define MUTATION_OPERATORS_VALUES_H

#include "device/emulator/instruction.h"
#include "mutation/asm_text.h"

/* The operand is a number that the instruction, a scalar or vector operation, takes as an integer or as bits. */
bool operand_is_integer(const struct instruction *in, int operand, const struct asm_text *text);
/* Adds `by` to a number, in the base that it is written in; false for what is none. */
bool integer_step(char operand[ASM_OPERAND_BYTES], int by);
/* Doubles a floating-point constant, and makes 1 of 0; false where the operand is none. */
bool operand_double(const struct instruction *in, int operand, struct asm_text *text);

#endif
