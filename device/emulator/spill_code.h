/*
 * Which instructions of a compiled kernel move spilled registers. Machine code does not say what a spill is, so this goes
 * by where compilers put them: vector registers at fixed places of scratch, scalar ones in fixed lanes of a vector
 * register; and only in kernels whose metadata says that they spill.
 *
 * In such a kernel an element of a local array at a fixed place counts too, as does a read of a lane by a constant number.
 */
#ifndef EMULATOR_SPILL_CODE_H
#define EMULATOR_SPILL_CODE_H

#include "device/code_object.h"
#include "device/emulator/instruction.h"

/* X(name, what the text calls it). */
#define SPILL_KINDS(X)                                                                                                     \
    X(VGPR_STORE, "VGPR stores")                                                                                           \
    X(VGPR_RELOAD, "VGPR reloads")                                                                                         \
    X(SGPR_STORE, "SGPR stores")                                                                                           \
    X(SGPR_RELOAD, "SGPR reloads")

#define SPILL_ENUM(name, text) SPILL_##name,
enum spill_kind { SPILL_KINDS(SPILL_ENUM) SPILL_NONE };
#undef SPILL_ENUM
enum { SPILL_KIND_COUNT = SPILL_NONE };

const char *spill_kind_name(enum spill_kind kind);
/* *n_registers: how many it moves; 0 for SPILL_NONE. */
enum spill_kind spill_kind_of(const struct code_kernel *kernel, const struct instruction *in, unsigned *n_registers);

#endif
