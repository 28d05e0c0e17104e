/* Rows of gfx12's dot step of two products, specials included. */
#include "device/emulator/dot_step_gfx12.h"
#include "device/emulator/ops/dot_step_rows.h"

static inline __attribute__((always_inline)) uint32_t step_f32(struct dot_format f, uint32_t a, uint32_t b, uint32_t acc)
{
    return dot12_round_f32(dot12_add(f, dot12_multiply(f, a, b), dot12_no_pair, acc, DOT12_LEAST_F32));
}

static inline __attribute__((always_inline)) uint32_t step_f16(uint32_t a, uint32_t b, uint32_t acc, uint32_t saturate)
{
    return dot12_round_f16(dot12_add(dot_f16, dot12_multiply(dot_f16, a, b), dot12_no_pair, acc, DOT12_LEAST_F16),
                           saturate);
}

void VARIANT(dot12_rows_f16)(const uint32_t *a, const uint32_t *b, const uint32_t *acc, uint32_t *r)
{
    step_rows_f32(dot_f16, step_f32, a, b, acc, r);
}

void VARIANT(dot12_rows_bf16)(const uint32_t *a, const uint32_t *b, const uint32_t *acc, uint32_t *r)
{
    step_rows_f32(dot12_bf16, step_f32, a, b, acc, r);
}

void VARIANT(dot12_rows_f16_f16)(const uint32_t *a, const uint32_t *b, const uint32_t *acc, uint32_t *r, bool saturate)
{
    step_rows_f16(step_f16, a, b, acc, r, saturate);
}

void VARIANT(dot12_rows_bf16_bf16)(const uint32_t *a, const uint32_t *b, const uint32_t *acc, uint32_t *r)
{
    step_rows_bf16(VARIANT(dot12_rows_bf16), a, b, acc, r);
}
