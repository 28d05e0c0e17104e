/*
 * How a chip's dot and matrix hardware adds up, by family: which rule, and from where it is known (docs/fidelity.md). A
 * launch may ask for a plain fused chain instead, to see whether a verdict leans on the rule.
 */
#ifndef EMULATOR_MATRIX_RULE_H
#define EMULATOR_MATRIX_RULE_H

#include "device/emulator/wave.h"

/* How v_dot2_* add. FMA: one fused multiply-add for each product, low halves first, f32 denormals flushed whatever MODE
 * says (LLVM, SITargetLowering::performFMACombine), modelled. IEEE: the same chain, denormals kept. */
enum dot_rule { DOT_RULE_FMA, DOT_RULE_GFX11, DOT_RULE_GFX12, DOT_RULE_IEEE, DOT_RULE_COUNT };

static inline enum dot_rule dot_rule_of(enum chip_family family, enum matrix_model model)
{
    static const uint8_t rules[] = {
        [CHIP_RDNA2] = DOT_RULE_FMA,   [CHIP_RDNA3] = DOT_RULE_GFX11, [CHIP_RDNA35] = DOT_RULE_GFX11,
        [CHIP_RDNA4] = DOT_RULE_GFX12, [CHIP_CDNA1] = DOT_RULE_FMA,   [CHIP_CDNA2] = DOT_RULE_FMA,
        [CHIP_CDNA3] = DOT_RULE_FMA,   [CHIP_CDNA4] = DOT_RULE_FMA,
    };
    return model == MATRIX_MODEL_IEEE ? DOT_RULE_IEEE : (enum dot_rule)rules[family];
}

static inline enum dot_rule dot_rule(const struct wave *wave)
{
    return dot_rule_of(wave->chip->family, wave->dispatch->matrix_model);
}

#endif
