/*
 * Dot steps of whole rows, specials included, one function for each rule and format (matrix_rule.h). acc and r are f32, or
 * 16-bit values in the low half; r must not be one of the operands; saturate: MODE.FP16_OVFL.
 */
#ifndef EMULATOR_DOT_ROWS_H
#define EMULATOR_DOT_ROWS_H

#include "device/emulator/float_lanes.h"
#include "device/emulator/matrix_rule.h"

typedef void dot_rows_function(const uint32_t *a, const uint32_t *b, const uint32_t *acc, uint32_t *r);
typedef void dot_rows_f16_function(const uint32_t *a, const uint32_t *b, const uint32_t *acc, uint32_t *r, bool saturate);

/* In ops/dot_gfx11.c, ops/dot_gfx12.c, ops/dot_fma.c. */
dot_rows_function VARIANT(dot_rows_f16), VARIANT(dot_rows_bf16), VARIANT(dot_rows_bf16_bf16);
dot_rows_function VARIANT(dot12_rows_f16), VARIANT(dot12_rows_bf16), VARIANT(dot12_rows_bf16_bf16);
dot_rows_function VARIANT(dot_fma_rows_f16), VARIANT(dot_fma_rows_bf16);
dot_rows_function VARIANT(dot_ieee_rows_f16), VARIANT(dot_ieee_rows_bf16), VARIANT(dot_ieee_rows_bf16_bf16);
dot_rows_f16_function VARIANT(dot_rows_f16_f16), VARIANT(dot12_rows_f16_f16), VARIANT(dot_ieee_rows_f16_f16);

/* An f32 to f16 or bf16, nearest even: how a chain of the IEEE model ends in 16 bits. saturate: a finite f16 result that
 * overflows becomes the largest; an infinity stays one. */
static inline uint32_t dot_narrow(bool is_bf16, bool saturate, uint32_t bits)
{
    if (is_bf16)
        return f32_is_nan(bits) ? bits >> 16 : (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
    uint32_t half = f32_to_f16_rne(bits);
    bool overflows = (half & 0x7fffu) == 0x7c00u && (bits & 0x7fffffffu) != 0x7f800000u;
    return half - (saturate && overflows);
}

#endif
