/*
 * Rows of a dot step of f16 or bf16 pairs that the hardware adds as integers: every lane by the rule's step, and the lanes
 * with infinities or NaNs once more. Each rule is one file that compiles these for its steps.
 */
#ifndef EMULATOR_DOT_STEP_ROWS_H
#define EMULATOR_DOT_STEP_ROWS_H

#include "device/emulator/dot_rows.h"
#include "device/emulator/dot_special.h"

/* acc plus the products of a and b, all finite; acc is an f32, and f16 results are in the low half. */
typedef uint32_t dot_step_f32(struct dot_format f, uint32_t a, uint32_t b, uint32_t acc);
typedef uint32_t dot_step_f16(uint32_t a, uint32_t b, uint32_t acc, uint32_t saturate);

/* f and step must be constants, for the loop to be compiled for them. */
static inline __attribute__((always_inline)) void step_rows_f32(struct dot_format f, dot_step_f32 *step, const uint32_t *a,
                                                                const uint32_t *b, const uint32_t *acc, uint32_t *r)
{
    uint32_t special = 0;
    EACH_LANE
    {
        special |= dot_is_special(f, a[lane], b[lane], acc[lane]);
        r[lane] = step(f, a[lane], b[lane], acc[lane]);
    }
    for (int lane = 0; special && lane < WAVE_LANES; lane++) {
        if (dot_is_special(f, a[lane], b[lane], acc[lane]))
            r[lane] = dot_special_result(dot_classify(f, a[lane], b[lane]), acc[lane]);
    }
}

/* acc and r are f16 in the low half. */
static inline __attribute__((always_inline)) void step_rows_f16(dot_step_f16 *step, const uint32_t *a, const uint32_t *b,
                                                                const uint32_t *acc, uint32_t *r, bool saturate)
{
    const uint32_t saturates = saturate;
    uint32_t special = 0;
    EACH_LANE
    {
        uint32_t wide = f16_to_f32_bits(acc[lane]);
        special |= dot_is_special(dot_f16, a[lane], b[lane], wide);
        r[lane] = step(a[lane], b[lane], wide, saturates);
    }
    for (int lane = 0; special && lane < WAVE_LANES; lane++) {
        uint32_t wide = f16_to_f32_bits(acc[lane]);
        if (dot_is_special(dot_f16, a[lane], b[lane], wide))
            r[lane] = dot_narrow_special(dot_f16, dot_special_result(dot_classify(dot_f16, a[lane], b[lane]), wide));
    }
}

/* acc and r are bf16 in the low half: the f32 step, cut to its upper half. */
static inline __attribute__((always_inline)) void step_rows_bf16(dot_rows_function *step, const uint32_t *a,
                                                                 const uint32_t *b, const uint32_t *acc, uint32_t *r)
{
    LANE_ARRAY32(wide);
    LANE_ARRAY32(sum);
    EACH_LANE wide[lane] = acc[lane] << 16;
    step(a, b, wide, sum);
    EACH_LANE r[lane] = sum[lane] == DOT_FACTOR_NAN ? DOT_FACTOR_NAN_BF16 : sum[lane] >> 16;
}

#endif
