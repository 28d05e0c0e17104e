/*
 * Sources and results of packed instructions (RDNA3.5 ISA, VOP3P): op_sel picks the 16-bit half that the low result uses,
 * op_sel_hi the one of the high result, neg_lo and neg_hi negate them.
 */
#ifndef EMULATOR_PACKED_LANES_H
#define EMULATOR_PACKED_LANES_H

#include "device/emulator/float_lanes.h"

static inline uint32_t rearrange_halves(uint32_t word, bool low_from_high, bool high_from_high, uint32_t negate)
{
    uint32_t low = low_from_high ? word >> 16 : word & 0xffffu;
    uint32_t high = high_from_high ? word & 0xffff0000u : word << 16;
    return (low | high) ^ negate;
}

/* Source k with its halves where the results need them and their signs flipped: float sources. VOP3 forms (v_dot2_f16_f16)
 * carry neg and abs as operand modifiers, taken to act on both halves (modelled). */
static inline const uint32_t *packed_source(struct wave *wave, const struct instruction *in, int k, uint32_t *scratch)
{
    const uint32_t *row = source32(wave, in, k, scratch);
    bool low_from_high = in->op_sel >> k & 1, high_from_high = in->op_sel_hi >> k & 1;
    uint32_t negate = (in->neg_lo >> k & 1 ? 0x8000u : 0) | (in->neg_hi >> k & 1 ? 0x80000000u : 0);
    uint32_t keep = in->src[k].modifiers & MODIFIER_ABS ? 0x7fff7fffu : UINT32_MAX;
    negate ^= in->src[k].modifiers & MODIFIER_NEG ? 0x80008000u : 0;
    if (!low_from_high && high_from_high && !negate && keep == UINT32_MAX)
        return row;
    EACH_LANE scratch[lane] = rearrange_halves(row[lane] & keep, low_from_high, high_from_high, negate);
    return scratch;
}

#define PACKED_LANES(name, k)                                                                                              \
    LANE_ARRAY32(name##_scratch);                                                                                          \
    const uint32_t *name = __builtin_assume_aligned(packed_source(wave, in, (k), name##_scratch), 64)

/* Packed float results: clamp of each half, then both into the register. */
static inline void finish_packed_f16(struct wave *wave, const struct instruction *in, uint32_t *low, uint32_t *high)
{
    if (__builtin_expect(has_output_modifiers(in), 0)) {
        VARIANT(modify_f16)(wave, in, low);
        VARIANT(modify_f16)(wave, in, high);
    }
    EACH_LANE low[lane] = (low[lane] & 0xffffu) | high[lane] << 16;
    commit_result32(wave, in, low);
}

#endif
