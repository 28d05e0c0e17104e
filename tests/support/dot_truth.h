/*
 * gfx11's dot step from its written rule, term by term in 128-bit integers: slow, and shares nothing with the emulator.
 */
#ifndef SUPPORT_DOT_TRUTH_H
#define SUPPORT_DOT_TRUTH_H

#include <stdbool.h>
#include <stdint.h>

enum dot_truth_result { DOT_TRUTH_F32, DOT_TRUTH_F16, DOT_TRUTH_BF16 };

/* acc + a[0]*b[0] + a[1]*b[1]: factors f16, or bf16 when is_bf16; acc and the result are of the result's format. */
uint32_t dot_truth_step(bool is_bf16, enum dot_truth_result result, const uint16_t a[2], const uint16_t b[2], uint32_t acc);
/* What steps of every chip do with infinities and NaNs. An accumulator as an f32 pattern of the same class and payload (a
 * finite one only stays finite); and a special result of 32 bits in the result's format. */
uint32_t dot_truth_acc_as_f32(enum dot_truth_result result, uint32_t acc);
uint32_t dot_truth_special_result(enum dot_truth_result result, uint32_t bits);

#endif
