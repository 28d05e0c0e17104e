/*
 * WMMA instructions that stand on gfx11 and gfx12 under one name, and the functions for each.
 */
#ifndef EMULATOR_WMMA_H
#define EMULATOR_WMMA_H

#include "device/emulator/lanes.h"

/* X(shape): results and factors as the mnemonic names them. */
#define WMMA_SHARED(X)                                                                                                     \
    X(f32_16x16x16_f16)                                                                                                    \
    X(f32_16x16x16_bf16)                                                                                                   \
    X(f16_16x16x16_f16)                                                                                                    \
    X(bf16_16x16x16_bf16)                                                                                                  \
    X(i32_16x16x16_iu8)                                                                                                    \
    X(i32_16x16x16_iu4)

#define WMMA_DECLARE(shape)                                                                                                \
    HANDLER(wmma11_##shape);                                                                                               \
    HANDLER(wmma12_##shape);
WMMA_SHARED(WMMA_DECLARE)
#undef WMMA_DECLARE

#endif
