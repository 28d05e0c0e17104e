/* The state that the hardware and firmware give a wave before its first instruction. */
#ifndef EMULATOR_WAVE_START_H
#define EMULATOR_WAVE_START_H

#include "device/emulator/dispatch.h"

/* Places whose initial contents no program may rely on; each has a poison of its own. */
enum poison_place { POISON_VGPR, POISON_SGPR, POISON_LDS, POISON_SCRATCH, POISON_PLACES };

/* What is the same for every wave of a launch. */
struct wave_setup {
    const struct launch *launch;
    uint32_t n_vgprs; /* rows that a wave owns, at most 256; as many AGPR rows on chips that have them */
    uint32_t poison[POISON_PLACES];
};

/* A poison's halves are NaNs as f16 and as bf16, so the whole is one as f32 and, twice, as f64; it depends on the
 * schedule's seed, so that a value read before it was written differs between runs. */
struct wave_setup wave_setup_for(const struct launch *launch);
void poison_fill(void *to, size_t n_bytes, uint32_t pattern);

/* The instruction that a launch's waves start at; UINT32_MAX where none begins there, and nothing may be launched. */
uint32_t wave_entry(const struct launch *launch);
/* Puts a wave of the group at its entry. `wave` comes with its vgpr and private_bytes storage and nothing else. */
void wave_start(struct wave *wave, struct workgroup *group, const struct wave_setup *setup, uint32_t index);

#endif
