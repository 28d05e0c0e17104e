/*
 * Instructions that steer the wave and not its data: hints, waits, the end, traps, barriers.
 */
#include "device/emulator/lanes.h"

/* Waits and hints order or time what the emulator does in order and at once. */
HANDLER(nothing)
{
    (void)wave;
    (void)in;
}

HANDLER(s_endpgm)
{
    (void)in;
    wave->state = WAVE_ENDED;
    wave->stop = true;
}

HANDLER(s_barrier)
{
    (void)in;
    wave->state = WAVE_AT_BARRIER;
    wave->stop = true;
}

/* gfx12 splits the barrier: the wait alone holds the wave. Only the workgroup's own barrier, number -1, is known. */
HANDLER(s_barrier_signal)
{
    if ((int32_t)scalar_read32(wave, &in->src[0]) != -1)
        wave_finding(wave, FINDING_UNSUPPORTED, -1, "the emulator knows no named barriers");
}

HANDLER(s_barrier_wait)
{
    if (in->immediate != -1)
        wave_finding(wave, FINDING_UNSUPPORTED, -1, "the emulator knows no named barriers");
    else
        HANDLER_NAME(s_barrier)(wave, in);
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
