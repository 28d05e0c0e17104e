/*
 * The text of one instruction in parts, as LLVM's disassembler writes it: "v_add_f32_e64 v0, -v1, v2 clamp" is a mnemonic,
 * three operands and the modifiers " clamp". Of a dual instruction each half is a text of its own.
 */
#ifndef MUTATION_ASM_TEXT_H
#define MUTATION_ASM_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum { ASM_OPERANDS = 8, ASM_OPERAND_BYTES = 48, ASM_MNEMONIC_BYTES = 48, ASM_MODIFIERS_BYTES = 160, ASM_TEXT_BYTES = 320 };

struct asm_text {
    char mnemonic[ASM_MNEMONIC_BYTES];
    char operand[ASM_OPERANDS][ASM_OPERAND_BYTES];
    int n_operands;
    char modifiers[ASM_MODIFIERS_BYTES]; /* all that follows the last operand, with the blank before it; "" for none */
};

/* False where a part has no room. text ends after n_bytes. */
bool asm_split(const char *text, size_t n_bytes, struct asm_text *parts);
/* The inverse; false where the text has no room. */
bool asm_join(const struct asm_text *parts, char text[ASM_TEXT_BYTES]);

/* Puts `to` in the place of the first `from` in the mnemonic; false where it is not there, or has no room. */
bool asm_rename(struct asm_text *parts, const char *from, const char *to);
/* Puts a suffix behind the mnemonic; false where it has no room. */
bool asm_append(struct asm_text *parts, const char *suffix);
/* The mnemonic begins with the stem, which ends there or at an underscore: "v_fma_f32" begins that of v_fma_f32_e64. */
bool asm_is(const struct asm_text *parts, const char *stem);
/* Takes an operand out. */
void asm_remove(struct asm_text *parts, int operand);
/* The number that an operand is, in decimal or hexadecimal; false for registers and anything else. */
bool asm_number(const char *operand, long long *value);
/* The number of a modifier "name:16", and where its digits stand in parts->modifiers; false where there is none. */
bool asm_modifier(const struct asm_text *parts, const char *name, long long *value, size_t *first, size_t *end);

#endif
