/*
 * gfx12's dot step from its written rule, term by term in 128-bit integers: slow, and shares nothing with the emulator.
 */
#ifndef SUPPORT_DOT12_TRUTH_H
#define SUPPORT_DOT12_TRUTH_H

#include "tests/support/dot_truth.h"

/* acc + a[0]*b[0] + … of n products, 2 or 4: factors f16, or bf16 when is_bf16; acc and the result are of the result's
 * format. */
uint32_t dot12_truth_step(bool is_bf16, enum dot_truth_result result, int n, const uint16_t *a, const uint16_t *b,
                          uint32_t acc);

#endif
