/* Dot products of two f16 or bf16 in one register (RDNA3.5 ISA, VOP3P, VOP3, VOP2; gfx9 and gfx10 names too): operands
 * here, the sums by the chip's rule. */
#include "device/emulator/dot_rows.h"
#include "device/emulator/packed_lanes.h"

static dot_rows_function *const f32_f16[DOT_RULE_COUNT] = {
    [DOT_RULE_FMA] = VARIANT(dot_fma_rows_f16),
    [DOT_RULE_GFX11] = VARIANT(dot_rows_f16),
    [DOT_RULE_GFX12] = VARIANT(dot12_rows_f16),
    [DOT_RULE_IEEE] = VARIANT(dot_ieee_rows_f16),
};
static dot_rows_function *const f32_bf16[DOT_RULE_COUNT] = {
    [DOT_RULE_FMA] = VARIANT(dot_fma_rows_bf16),
    [DOT_RULE_GFX11] = VARIANT(dot_rows_bf16),
    [DOT_RULE_GFX12] = VARIANT(dot12_rows_bf16),
    [DOT_RULE_IEEE] = VARIANT(dot_ieee_rows_bf16),
};
/* Results of 16 bits exist on gfx11 and gfx12 only. */
static dot_rows_f16_function *const f16_f16[DOT_RULE_COUNT] = {
    [DOT_RULE_FMA] = VARIANT(dot_ieee_rows_f16_f16),
    [DOT_RULE_GFX11] = VARIANT(dot_rows_f16_f16),
    [DOT_RULE_GFX12] = VARIANT(dot12_rows_f16_f16),
    [DOT_RULE_IEEE] = VARIANT(dot_ieee_rows_f16_f16),
};
static dot_rows_function *const bf16_bf16[DOT_RULE_COUNT] = {
    [DOT_RULE_FMA] = VARIANT(dot_ieee_rows_bf16_bf16),
    [DOT_RULE_GFX11] = VARIANT(dot_rows_bf16_bf16),
    [DOT_RULE_GFX12] = VARIANT(dot12_rows_bf16_bf16),
    [DOT_RULE_IEEE] = VARIANT(dot_ieee_rows_bf16_bf16),
};

/* neg_lo of an f32 addend negates it; neg_hi says nothing (LLVM sets both for a negated addend). */
static const uint32_t *addend(struct wave *wave, const struct instruction *in, int k, uint32_t *scratch)
{
    const uint32_t *lanes = source32(wave, in, k, scratch);
    if (!(in->neg_lo >> k & 1))
        return lanes;
    EACH_LANE scratch[lane] = lanes[lane] ^ 0x80000000u;
    return scratch;
}

#define DOT_F32(name, rows)                                                                                                \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        PACKED_LANES(a, 0);                                                                                                \
        PACKED_LANES(b, 1);                                                                                                \
        LANE_ARRAY32(acc_scratch);                                                                                         \
        LANE_ARRAY32(r);                                                                                                   \
        rows[dot_rule(wave)](a, b, addend(wave, in, 2, acc_scratch), r);                                                   \
        finish_f32(wave, in, r);                                                                                           \
    }

DOT_F32(dot2_f32_f16, f32_f16)
DOT_F32(dot2_f32_bf16, f32_bf16)

#define DOTACC_F32(name, rows)                                                                                             \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        PACKED_LANES(a, 0);                                                                                                \
        PACKED_LANES(b, 1);                                                                                                \
        LANE_ARRAY32(r);                                                                                                   \
        rows[dot_rule(wave)](a, b, vgpr_row(wave, operand_row(&in->dst[0])), r);                                           \
        finish_f32(wave, in, r);                                                                                           \
    }

DOTACC_F32(dot2acc_f32_f16, f32_f16)
DOTACC_F32(dot2acc_f32_bf16, f32_bf16)

HANDLER(dot2_f16_f16)
{
    PACKED_LANES(a, 0);
    PACKED_LANES(b, 1);
    LANES16(acc, 2);
    LANE_ARRAY32(r);
    f16_f16[dot_rule(wave)](a, b, acc, r, env_f16(wave).saturate);
    finish_f16(wave, in, r);
}

HANDLER(dot2_bf16_bf16)
{
    PACKED_LANES(a, 0);
    PACKED_LANES(b, 1);
    LANES16(acc, 2);
    LANE_ARRAY32(r);
    bf16_bf16[dot_rule(wave)](a, b, acc, r);
    commit_result16(wave, in, r);
}
