/*
 * How LLVM is asked for a chip: what its disassembler and its assembler must agree on.
 */
#ifndef EMULATOR_LLVM_TARGET_H
#define EMULATOR_LLVM_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "records/chips.h"

#define LLVM_TRIPLE "amdgcn-amd-amdhsa"
enum { LLVM_FEATURES_BYTES = 64 };

/* real-true16: 16-bit operands as halves of registers ("v1.h"), which gfx11 and gfx12 have; not every LLVM takes it for
 * granted. */
bool llvm_has_halves(const struct chip *chip);
/* The features of a chip and wave size, as LLVM's lists of features are written. */
void llvm_features(const struct chip *chip, uint32_t n_lanes, char features[LLVM_FEATURES_BYTES]);

#endif
