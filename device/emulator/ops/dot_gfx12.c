/* Rows of gfx12's dot step of two products, specials included. */
#include "device/emulator/dot_rows.h"
#include "device/emulator/dot_special.h"
#include "device/emulator/dot_step_gfx12.h"

static inline __attribute__((always_inline)) void dot12_rows(struct dot_format f, const uint32_t *a, const uint32_t *b,
                                                             const uint32_t *acc, uint32_t *r)
{
    uint32_t special = 0;
    EACH_LANE
    {
        struct dot12_pair pair = dot12_multiply(f, a[lane], b[lane]);
        special |= dot_is_special(f, a[lane], b[lane], acc[lane]);
        r[lane] = dot12_round_f32(dot12_add(f, pair, dot12_no_pair, acc[lane], DOT12_LEAST_F32));
    }
    for (int lane = 0; special && lane < WAVE_LANES; lane++) {
        if (dot_is_special(f, a[lane], b[lane], acc[lane]))
            r[lane] = dot_special_result(dot_classify(f, a[lane], b[lane]), acc[lane]);
    }
}

void VARIANT(dot12_rows_f16)(const uint32_t *a, const uint32_t *b, const uint32_t *acc, uint32_t *r)
{
    dot12_rows(dot_f16, a, b, acc, r);
}

void VARIANT(dot12_rows_bf16)(const uint32_t *a, const uint32_t *b, const uint32_t *acc, uint32_t *r)
{
    dot12_rows(dot12_bf16, a, b, acc, r);
}

/* acc and r are f16 in the low half. */
void VARIANT(dot12_rows_f16_f16)(const uint32_t *a, const uint32_t *b, const uint32_t *acc, uint32_t *r, bool saturate)
{
    const uint32_t saturates = saturate;
    uint32_t special = 0;
    EACH_LANE
    {
        uint32_t wide = f16_to_f32_bits(acc[lane]);
        struct dot12_pair pair = dot12_multiply(dot_f16, a[lane], b[lane]);
        special |= dot_is_special(dot_f16, a[lane], b[lane], wide);
        r[lane] = dot12_round_f16(dot12_add(dot_f16, pair, dot12_no_pair, wide, DOT12_LEAST_F16), saturates);
    }
    for (int lane = 0; special && lane < WAVE_LANES; lane++) {
        uint32_t wide = f16_to_f32_bits(acc[lane]);
        if (dot_is_special(dot_f16, a[lane], b[lane], wide))
            r[lane] = dot_narrow_special(dot_f16, dot_special_result(dot_classify(dot_f16, a[lane], b[lane]), wide));
    }
}

/* The f32 step, cut to its upper half. */
void VARIANT(dot12_rows_bf16_bf16)(const uint32_t *a, const uint32_t *b, const uint32_t *acc, uint32_t *r)
{
    LANE_ARRAY32(wide);
    LANE_ARRAY32(sum);
    EACH_LANE wide[lane] = acc[lane] << 16;
    VARIANT(dot12_rows_bf16)(a, b, wide, sum);
    EACH_LANE r[lane] = sum[lane] == DOT_FACTOR_NAN ? DOT_FACTOR_NAN_BF16 : sum[lane] >> 16;
}
