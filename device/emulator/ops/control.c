/*
 * Instructions that steer the wave and not its data: hints, waits, the end, traps, barriers.
 */
#include "device/emulator/lanes.h"
#include "device/emulator/sanitizer/sync.h"

/* Waits and hints order or time what the emulator does in order and at once. */
HANDLER(nothing)
{
    (void)wave;
    (void)in;
}

HANDLER(s_endpgm)
{
    (void)in;
    sync_end(wave);
    wave->state = WAVE_ENDED;
    wave->stop = true;
}

HANDLER(s_barrier)
{
    (void)in;
    sync_arrive(wave);
    wave->state = WAVE_AT_BARRIER;
    wave->stop = true;
}

/* gfx12 splits the barrier (RDNA4 ISA, S_BARRIER_SIGNAL and its kin). Number -1 is the workgroup's own, 0 is none; the
 * others are the trap handler's, or named ones that these chips do not have. */
enum { BARRIER_NONE = 0, BARRIER_WORKGROUP = -1, BARRIER_NUMBER_MASK = 0x1f };

/* False, and a finding, where the number is none that the emulator has. M0 cannot name the workgroup's. */
static bool takes_part(struct wave *wave, const struct operand *operand, bool *exists)
{
    bool is_m0 = operand->kind == OPERAND_SCALAR && operand->index == SREG_M0;
    int32_t number = (int32_t)scalar_read32(wave, operand);
    number = is_m0 ? number & BARRIER_NUMBER_MASK : number;
    *exists = number == BARRIER_WORKGROUP && wave->group->n_waves > 1;
    if (number == BARRIER_WORKGROUP || number == BARRIER_NONE)
        return true;
    wave_finding(wave, FINDING_UNSUPPORTED, -1, "barrier %d: the emulator has the workgroup's own barrier only", number);
    return false;
}

HANDLER(s_barrier_signal)
{
    bool exists;
    if (takes_part(wave, &in->src[0], &exists) && exists) {
        sync_arrive(wave);
        workgroup_signal(wave);
    }
}

HANDLER(s_barrier_signal_isfirst)
{
    bool exists;
    if (!takes_part(wave, &in->src[0], &exists))
        return;
    if (exists)
        sync_arrive(wave);
    wave->scc = exists && workgroup_signal(wave);
}

HANDLER(s_barrier_wait)
{
    if (in->immediate != BARRIER_WORKGROUP)
        wave_finding(wave, FINDING_UNSUPPORTED, -1, "barrier %d: the emulator has the workgroup's own barrier only",
                     in->immediate);
    else if (wave->group->n_waves > 1) {
        sync_wait(wave);
        workgroup_wait(wave);
    }
}

/* Bit 0 that the barrier is valid, its members from bit 4, the signals so far from bit 16. */
HANDLER(s_get_barrier_state)
{
    bool exists;
    if (takes_part(wave, &in->src[0], &exists))
        scalar_write32(wave, &in->dst[0],
                       exists ? 1 | workgroup_n_alive(wave->group) << 4 | wave->group->n_signals << 16 : 0);
}

/* The global wave sync of gfx9 to gfx11, a barrier over the whole grid, where the grid is one workgroup; workgroups of a
 * larger one run one after another and cannot wait for each other. */
HANDLER(ds_gws_init)
{
    (void)wave;
    (void)in;
}

HANDLER(ds_gws_barrier)
{
    const uint32_t *grid = wave->dispatch->grid;
    if ((uint64_t)grid[0] * grid[1] * grid[2] == 1)
        HANDLER_NAME(s_barrier)(wave, in);
    else
        wave_finding(wave, FINDING_UNSUPPORTED, -1, "the emulator has no barrier between workgroups");
}

/* Trap 3 is llvm.debugtrap, which without a debugger does nothing (AMDGPUUsage, "Trap Handler ABI"). */
enum { DEBUG_TRAP = 3 };

HANDLER(s_trap)
{
    if (in->immediate == DEBUG_TRAP)
        return;
    wave_finding(wave, FINDING_TRAP, -1, "trap %d", in->immediate);
}

/* Bit 0 of SIMM16 kills the wave (RDNA3.5 ISA, S_SETKILL), which then ends like any other. */
HANDLER(s_setkill)
{
    if (in->immediate & 1)
        HANDLER_NAME(s_endpgm)(wave, in);
}

HANDLER(v_illegal)
{
    (void)in;
    wave_finding(wave, FINDING_TRAP, -1, "an illegal instruction");
}

HANDLER(s_code_end)
{
    (void)in;
    wave_finding(wave, FINDING_TRAP, -1, "control ran into the padding behind a kernel");
}
