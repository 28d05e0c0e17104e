/*
 * Basic blocks of decoded code, and how one lane's control goes between them. Lanes that are off skip what EXEC keeps from
 * them, with or without a branch around it: compilers drop the s_cbranch_execz around a few instructions, and the way past
 * them is still there.
 */
#ifndef EMULATOR_CONTROL_FLOW_H
#define EMULATOR_CONTROL_FLOW_H

#include "device/emulator/code.h"

enum { BLOCK_MAX_NEXT = 3 }; /* the next block, the branch's target, the end of what EXEC keeps off */

struct basic_block {
    uint32_t first, end; /* instructions first … end - 1 */
    uint32_t next[BLOCK_MAX_NEXT];
    uint8_t n_next;
};

struct control_flow {
    struct basic_block *blocks; /* in the code's order; the first begins at instruction 0 */
    uint32_t n_blocks;
    uint32_t *block_of;     /* [n_instructions] */
    bool jumps_by_register; /* calls, or jumps to where no table says: what happens there is not among the blocks */
};

/* Blocks of the code's instructions 0 … n_instructions - 1, in the arena. False when the host is out of memory. */
bool control_flow_make(const struct emulated_code *code, struct arena *arena, struct control_flow *flow);

#endif
