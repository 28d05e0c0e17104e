/*
 * Branches, calls, and the program counter as a value (RDNA3.5 ISA, "SOPP", S_GETPC and its kin).
 */
#include "device/emulator/code.h"
#include "device/emulator/lanes.h"

static void branch(struct wave *wave, const struct instruction *in)
{
    if (in->target != UINT32_MAX)
        wave->pc = in->target;
    else
        wave_finding(wave, FINDING_TRAP, -1, "branch to a place where no instruction starts");
}

#define BRANCH(name, condition)                                                                                            \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        if (condition)                                                                                                     \
            branch(wave, in);                                                                                              \
    }

BRANCH(s_branch, true)
BRANCH(s_cbranch_scc0, !wave->scc)
BRANCH(s_cbranch_scc1, wave->scc)
BRANCH(s_cbranch_vccz, vcc_read(wave) == 0)
BRANCH(s_cbranch_vccnz, vcc_read(wave) != 0)
BRANCH(s_cbranch_execz, exec_read(wave) == 0)
BRANCH(s_cbranch_execnz, exec_read(wave) != 0)
/* No debugger: its conditions are never set. */
BRANCH(s_cbranch_debug, false)

static uint64_t next_address(const struct wave *wave, const struct instruction *in)
{
    return wave->code->load_address + in->offset_bytes + in->size_bytes;
}

HANDLER(s_getpc_b64)
{
    scalar_write64(wave, &in->dst[0], next_address(wave, in));
}

HANDLER(s_setpc_b64)
{
    wave_jump(wave, scalar_read64(wave, &in->src[0]));
}

HANDLER(s_swappc_b64)
{
    uint64_t target = scalar_read64(wave, &in->src[0]);
    scalar_write64(wave, &in->dst[0], next_address(wave, in));
    wave_jump(wave, target);
}

HANDLER(s_call_b64)
{
    scalar_write64(wave, &in->dst[0], next_address(wave, in));
    branch(wave, in);
}
