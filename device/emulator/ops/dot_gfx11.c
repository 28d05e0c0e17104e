/* Rows of gfx11's dot step, specials included. */
#include "device/emulator/dot_rows.h"
#include "device/emulator/dot_special.h"

static void mend_specials(struct dot_format f, const uint32_t *a, const uint32_t *b, const uint32_t *acc, uint32_t *r)
{
    for (int lane = 0; lane < WAVE_LANES; lane++) {
        if (dot_is_special(f, a[lane], b[lane], acc[lane]))
            r[lane] = dot_special_result(dot_classify(f, a[lane], b[lane]), acc[lane]);
    }
}

/* f must be one of the constants, for the loop to be compiled for it. */
static inline __attribute__((always_inline)) void dot_rows(struct dot_format f, const uint32_t *a, const uint32_t *b,
                                                           const uint32_t *acc, uint32_t *r)
{
    uint32_t special = 0;
    EACH_LANE
    {
        special |= dot_is_special(f, a[lane], b[lane], acc[lane]);
        r[lane] = dot_round_f32(dot_add(f, a[lane], b[lane], acc[lane], DOT_NONE));
    }
    if (__builtin_expect(special != 0, 0))
        mend_specials(f, a, b, acc, r);
}

void VARIANT(dot_rows_f16)(const uint32_t *a, const uint32_t *b, const uint32_t *acc, uint32_t *r)
{
    dot_rows(dot_f16, a, b, acc, r);
}

void VARIANT(dot_rows_bf16)(const uint32_t *a, const uint32_t *b, const uint32_t *acc, uint32_t *r)
{
    dot_rows(dot_bf16, a, b, acc, r);
}

/* acc and r are f16 in the low half. */
void VARIANT(dot_rows_f16_f16)(const uint32_t *a, const uint32_t *b, const uint32_t *acc, uint32_t *r, bool saturate)
{
    const uint32_t saturates = saturate;
    uint32_t special = 0;
    EACH_LANE
    {
        uint32_t wide = f16_to_f32_bits(acc[lane]);
        special |= dot_is_special(dot_f16, a[lane], b[lane], wide);
        r[lane] = dot_round_f16(dot_add(dot_f16, a[lane], b[lane], wide, -14), saturates);
    }
    for (int lane = 0; special && lane < WAVE_LANES; lane++) {
        uint32_t wide = f16_to_f32_bits(acc[lane]);
        if (dot_is_special(dot_f16, a[lane], b[lane], wide))
            r[lane] = dot_narrow_special(dot_f16, dot_special_result(dot_classify(dot_f16, a[lane], b[lane]), wide));
    }
}

/* The f32 step, cut to its upper half. */
void VARIANT(dot_rows_bf16_bf16)(const uint32_t *a, const uint32_t *b, const uint32_t *acc, uint32_t *r)
{
    LANE_ARRAY32(wide);
    LANE_ARRAY32(sum);
    EACH_LANE wide[lane] = acc[lane] << 16;
    VARIANT(dot_rows_bf16)(a, b, wide, sum);
    EACH_LANE r[lane] = sum[lane] == DOT_FACTOR_NAN ? DOT_FACTOR_NAN_BF16 : sum[lane] >> 16;
}
