/*
 * Runs machine code as one workgroup on the emulator, without HIP, code object or dispatch: the caller sets registers and
 * memory between open and run, and reads them after it. Registers, LDS and scratch start as 0; v0 of each work-item is its
 * number (x, in one dimension); exec has a bit for each work-item; MODE is HSA's.
 */
#ifndef SUPPORT_GROUP_RUNNER_H
#define SUPPORT_GROUP_RUNNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/base/error.h"
#include "device/emulator/code.h"
#include "device/emulator/wave.h"

/* round to nearest even, f32 denormals flushed, f16 and f64 kept, DX10_CLAMP, IEEE (AMDGPUUsage, "Kernel Descriptor"). */
#define GROUP_RUNNER_HSA_MODE (0xc0u | MODE_DX10_CLAMP | MODE_IEEE)

struct group_launch {
    const char *chip;
    uint32_t n_lanes;    /* wave size, 32 or 64 */
    uint32_t n_items;    /* work-items; waves are filled in order */
    const uint8_t *code; /* whole program, starts at its first byte */
    size_t code_bytes;
    uint32_t lds_bytes, scratch_bytes; /* of the workgroup; of a lane */
};

struct group_runner {
    struct workgroup group;
    struct dispatch dispatch;
    struct emulated_code code;
    struct memory *memory;
    struct finding findings[FINDINGS_KEPT];
};

/* NULL with STATUS_ENVIRONMENT or STATUS_USAGE: unknown chip, not emulated, out of memory. The caller closes it. */
struct group_runner *group_runner_open(const struct group_launch *launch, struct error *error);
/* True where all waves ended without a finding; the findings are in runner->findings. */
bool group_runner_run(struct group_runner *runner);
void group_runner_close(struct group_runner *runner);
/* n_bytes of zeroed guest memory; its address, 0 when out of memory. */
uint64_t group_runner_allocate(struct group_runner *runner, size_t n_bytes, const char *name);
/* The lanes of a VGPR of a wave. */
uint32_t *group_runner_vgpr(struct group_runner *runner, uint32_t wave, unsigned index);

#endif
