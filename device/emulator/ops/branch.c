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

/* gfx9's branch stack (CDNA3 ISA, "Fork and join"): four SGPRs an entry from s0 on, the lanes still to run and where;
 * MODE counts the entries. */
static void set_stack_depth(struct wave *wave, uint32_t depth)
{
    wave->mode = (wave->mode & ~(7u << MODE_CSP_SHIFT)) | (depth & 7) << MODE_CSP_SHIFT;
}

static void push_path(struct wave *wave, uint64_t lanes, uint64_t address)
{
    uint32_t depth = wave->mode >> MODE_CSP_SHIFT;
    memcpy(&wave->sgpr[4 * depth], &lanes, 8);
    memcpy(&wave->sgpr[4 * depth + 2], &address, 8);
    set_stack_depth(wave, depth + 1);
}

/* The side with fewer lanes runs first, so that the stack stays as deep as the logarithm of the lanes. */
static void fork_paths(struct wave *wave, const struct instruction *in, uint64_t target)
{
    uint64_t condition = scalar_read64(wave, &in->src[0]);
    uint64_t pass = condition & wave->exec, fail = ~condition & wave->exec;
    if (!fail) {
        wave_jump(wave, target);
    } else if (pass && __builtin_popcountll(fail) < __builtin_popcountll(pass)) {
        wave->exec = fail;
        push_path(wave, pass, target);
    } else if (pass) {
        wave->exec = pass;
        push_path(wave, fail, next_address(wave, in));
        wave_jump(wave, target);
    }
}

HANDLER(s_cbranch_g_fork)
{
    fork_paths(wave, in, scalar_read64(wave, &in->src[1]));
}

HANDLER(s_cbranch_i_fork)
{
    fork_paths(wave, in, next_address(wave, in) + (uint64_t)(4 * (int64_t)in->immediate));
}

/* Source 0 holds the depth before the fork: at that depth both paths have been here. */
HANDLER(s_cbranch_join)
{
    uint32_t depth = wave->mode >> MODE_CSP_SHIFT;
    if (depth == scalar_read32(wave, &in->src[0]))
        return;
    depth = (depth - 1) & 7;
    set_stack_depth(wave, depth);
    uint64_t address;
    memcpy(&wave->exec, &wave->sgpr[4 * depth], 8);
    memcpy(&address, &wave->sgpr[4 * depth + 2], 8);
    wave_jump(wave, address);
}

/* Loops over the low, then the high half of a wave64; the other half of EXEC waits in a scalar register (RDNA2 ISA,
 * S_SUBVECTOR_LOOP_BEGIN). A half without lanes has no pass. */
HANDLER(s_subvector_loop_begin)
{
    if (wave->exec == 0) {
        branch(wave, in);
    } else if (wave->sgpr[SREG_EXEC_LO] == 0) {
        scalar_write32(wave, &in->dst[0], 0);
    } else {
        scalar_write32(wave, &in->dst[0], wave->sgpr[SREG_EXEC_HI]);
        wave->sgpr[SREG_EXEC_HI] = 0;
    }
}

HANDLER(s_subvector_loop_end)
{
    uint32_t saved = scalar_read32(wave, &in->dst[0]);
    if (wave->sgpr[SREG_EXEC_HI] != 0) {
        wave->sgpr[SREG_EXEC_LO] = saved;
    } else if (saved != 0) {
        scalar_write32(wave, &in->dst[0], wave->sgpr[SREG_EXEC_LO]);
        wave->sgpr[SREG_EXEC_HI] = saved;
        wave->sgpr[SREG_EXEC_LO] = 0;
        branch(wave, in);
    }
}

HANDLER(s_call_b64)
{
    scalar_write64(wave, &in->dst[0], next_address(wave, in));
    branch(wave, in);
}
