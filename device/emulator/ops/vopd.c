/*
 * Dual issue (RDNA3 ISA, "VOPD"): two vector instructions that both read all their sources before either writes.
 */
#include "device/emulator/lanes.h"

static bool reads_row(const struct instruction *in, unsigned row)
{
    for (unsigned k = 0; k < in->n_src; k++)
        if (in->src[k].kind == OPERAND_VGPR && in->src[k].index == row)
            return true;
    return false;
}

/* Both halves write one VGPR each and never the same one: their numbers differ in the lowest bit. */
HANDLER(vopd)
{
    const struct instruction *x = &in->pair[0], *y = &in->pair[1];
    unsigned row_x = x->dst[0].index, row_y = y->dst[0].index;
    if (!reads_row(y, row_x)) {
        x->run(wave, x);
        y->run(wave, y);
    } else if (!reads_row(x, row_y)) {
        y->run(wave, y);
        x->run(wave, x);
    } else {
        LANE_ARRAY32(before);
        LANE_ARRAY32(after);
        uint32_t *row = vgpr_row(wave, row_x);
        memcpy(before, row, sizeof before);
        x->run(wave, x);
        memcpy(after, row, sizeof after);
        memcpy(row, before, sizeof before);
        y->run(wave, y);
        memcpy(row, after, sizeof after);
    }
}
