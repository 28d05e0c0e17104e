/*
 * What a mutant changes: one row an operator, each with a function that edits the text of one instruction. The edited text
 * is an instruction of the same size or no mutant, so nothing in a code object moves.
 */
#ifndef MUTATION_OPERATORS_H
#define MUTATION_OPERATORS_H

#include "device/emulator/code.h"
#include "mutation/asm_text.h"

/* X(id, name, variants at most, what it does, what would catch a mutant that survives) */
#define MUTATION_OPERATORS(X)                                                                                              \
    X(ADD_SUB, "add-sub", 1, "an addition becomes a subtraction, or a subtraction an addition",                            \
      "inputs on which the second operand is large beside what the bound allows")                                          \
    X(NEGATION, "negation", 12, "the negation of an operand is dropped",                                                   \
      "inputs on which that operand is not 0 and its sign matters")                                                        \
    X(IMMEDIATE, "immediate", 12, "an integer constant is one more or one less",                                           \
      "a shape whose rows or columns end where the constant counts them")                                                  \
    X(CONSTANT, "constant", 6, "a floating-point constant is doubled, and 0 becomes 1",                                    \
      "inputs for which that constant decides a result")                                                                   \
    X(OFFSET, "offset", 4, "a memory access is one element further, or one less far",                                      \
      "inputs that differ from each element to the next one")                                                              \
    X(OPERANDS, "operands", 2, "two operands that may not change places do", "inputs on which the two operands differ")    \
    X(BARRIER, "barrier", 1, "a barrier is dropped", "a shape with more waves in a workgroup, or more schedules")          \
    X(WAIT, "wait", 1, "a wait is dropped", "a shape that uses at once what the wait is for")                              \
    X(FMA, "fma", 2, "a multiply-add leaves its addend out", "inputs whose addend is large beside the product")            \
    X(LANE, "lane", 2, "one lane of EXEC, the first or the last, is turned off",                                           \
      "a shape that has an output in that lane")                                                                           \
    X(LOOP_ROUND, "loop-round", 1, "a loop is left after its first round", "a shape with more rounds of the loop")         \
    X(LOOP_BOUND, "loop-bound", 1, "the comparison that ends a loop takes equal values for the other side",                \
      "a shape whose count of rounds ends exactly at the bound")

#define MUTATION_OPERATOR_ENUM(id, ...) MUTATION_##id,
enum mutation_operator { MUTATION_OPERATORS(MUTATION_OPERATOR_ENUM) MUTATION_OPERATOR_COUNT };
#undef MUTATION_OPERATOR_ENUM

struct mutation_site {
    const struct emulated_code *code;
    uint32_t index;               /* of the instruction in it */
    const struct instruction *in; /* that one, or the half of a dual instruction that is edited */
};

const char *mutation_operator_name(enum mutation_operator op);
const char *mutation_operator_what(enum mutation_operator op);
const char *mutation_operator_advice(enum mutation_operator op);
int mutation_operator_variants(enum mutation_operator op);
/* Edits *text, that of site->in, in the operator's variant-th way (from 0); false where it has none there. Whether the
 * result is an instruction is the assembler's to say. */
bool mutation_edit(const struct mutation_site *site, enum mutation_operator op, int variant, struct asm_text *text);

#endif
