/*
 * VGPR indexing and vector skipping of gfx9 (CDNA3 ISA, "VGPR indexing", S_SETVSKIP): modes of a wave under which a vector
 * instruction means other registers, or nothing. Code that can turn them on has its vector instructions wrapped, so that
 * all other code pays nothing.
 */
#ifndef EMULATOR_VGPR_INDEX_H
#define EMULATOR_VGPR_INDEX_H

#include "device/emulator/code.h"
#include "device/emulator/instruction.h"

/* Wraps the vector instructions of decoded code that holds s_set_gpr_idx_on or s_setvskip. */
void vgpr_index_prepare(struct emulated_code *code);
/* What a vector instruction means under the wave's modes: itself, *copy with the registers that M0 moves it to, or NULL
 * where it is skipped or a register lies past v255. */
const struct instruction *vgpr_index_resolve(const struct wave *wave, const struct instruction *in,
                                             struct instruction *copy);

#endif
