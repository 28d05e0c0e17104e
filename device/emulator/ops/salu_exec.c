/*
 * Scalar operations that change EXEC: combine a mask with it and keep the old one (RDNA3.5 ISA, "SOP1", …_SAVEEXEC,
 * …_WREXEC).
 */
#include "device/emulator/ops/scalar_forms.h"

/* a: the source; exec: EXEC before. kept: what the destination gets. */
#define EXEC_HANDLER(name, type, read, write, place, combined, kept)                                                       \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        const type a = read(wave, &in->src[0]), exec = (type)wave->exec;                                                   \
        const type result = (combined);                                                                                    \
        (void)exec;                                                                                                        \
        memcpy(place, &result, sizeof result);                                                                             \
        wave->scc = result != 0;                                                                                           \
        write(wave, &in->dst[0], kept);                                                                                    \
    }
#define EXEC_PAIR(name, combined, kept)                                                                                    \
    EXEC_HANDLER(s_##name##_b32, uint32_t, scalar_read32, scalar_write32, &wave->sgpr[SREG_EXEC_LO], combined, kept)       \
    EXEC_HANDLER(s_##name##_b64, uint64_t, scalar_read64, scalar_write64, &wave->exec, combined, kept)

EXEC_PAIR(and_saveexec, (a & exec), exec)
EXEC_PAIR(or_saveexec, a | exec, exec)
EXEC_PAIR(xor_saveexec, a ^ exec, exec)
EXEC_PAIR(nand_saveexec, ~a | ~exec, exec)
EXEC_PAIR(nor_saveexec, ~(a | exec), exec)
EXEC_PAIR(xnor_saveexec, ~(a ^ exec), exec)
EXEC_PAIR(and_not0_saveexec, exec & ~a, exec)
EXEC_PAIR(or_not0_saveexec, ~a | exec, exec)
EXEC_PAIR(and_not1_saveexec, a & ~exec, exec)
EXEC_PAIR(or_not1_saveexec, a | ~exec, exec)
EXEC_PAIR(and_not0_wrexec, exec & ~a, result)
EXEC_PAIR(and_not1_wrexec, a & ~exec, result)
