/*
 * How many instructions of each kind a code has, as it stands and not as it runs, and what changed between two builds.
 */
#ifndef EMULATOR_INSTRUCTION_MIX_H
#define EMULATOR_INSTRUCTION_MIX_H

#include "contract/base/arena.h"
#include "device/emulator/code.h"

struct instruction_mix {
    uint32_t n_instructions, n_bytes;
    uint32_t by_class[CLASS_COUNT];
    uint32_t n_unknown;        /* that the emulator does not know: in no class */
    const uint32_t *by_opcode; /* by row of the opcode table */
};

/* by_opcode is the arena's. False when the host is out of memory. */
bool instruction_mix_count(const struct emulated_code *code, struct arena *arena, struct instruction_mix *mix);

/* Of a mnemonic or a class. */
struct mix_change {
    const char *name;
    uint32_t before, after;
};

/* Classes, and mnemonics, whose numbers differ, the greatest difference first, then by name. */
struct mix_difference {
    struct mix_change *classes, *mnemonics;
    size_t n_classes, n_mnemonics;
};

/* In the arena. False when the host is out of memory. */
bool instruction_mix_compare(const struct instruction_mix *before, const struct instruction_mix *after, struct arena *arena,
                             struct mix_difference *difference);

#endif
