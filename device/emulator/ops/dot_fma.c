/*
 * Dot products as chains of fused multiply-adds in f32, products in rising order: the rule of gfx9 and gfx10 (modelled),
 * and of any chip with the IEEE matrix model, where f16 and bf16 results are rounded once, at the end.
 */
#include "device/emulator/dot_rows.h"
#include "device/emulator/matrix_format.h"

/* A NaN acc comes through quieted; every other NaN is the one that operations make. */
static inline uint32_t settle(float sum, uint32_t acc)
{
    uint32_t nan = f32_is_nan(acc) ? f32_quiet(acc) : F32_MADE_NAN;
    return f32_is_nan(f32_bits(sum)) ? nan : f32_bits(sum);
}

static inline float widen_half(bool is_bf16, uint32_t bits)
{
    return is_bf16 ? bits_f32(bits << 16) : f16_to_f32(bits & 0xffffu);
}

static inline __attribute__((always_inline)) void chain_rows(bool is_bf16, bool flush, const uint32_t *a, const uint32_t *b,
                                                             const uint32_t *acc, uint32_t *r)
{
    EACH_LANE
    {
        float sum = flush_float(bits_f32(acc[lane]), flush);
        sum = fma_f32(widen_half(is_bf16, a[lane]), widen_half(is_bf16, b[lane]), sum);
        sum = flush_float(sum, flush);
        sum = fma_f32(widen_half(is_bf16, a[lane] >> 16), widen_half(is_bf16, b[lane] >> 16), sum);
        r[lane] = settle(flush_float(sum, flush), acc[lane]);
    }
}

void VARIANT(dot_fma_rows_f16)(const uint32_t *a, const uint32_t *b, const uint32_t *acc, uint32_t *r)
{
    chain_rows(false, true, a, b, acc, r);
}

void VARIANT(dot_fma_rows_bf16)(const uint32_t *a, const uint32_t *b, const uint32_t *acc, uint32_t *r)
{
    chain_rows(true, true, a, b, acc, r);
}

void VARIANT(dot_ieee_rows_f16)(const uint32_t *a, const uint32_t *b, const uint32_t *acc, uint32_t *r)
{
    chain_rows(false, false, a, b, acc, r);
}

void VARIANT(dot_ieee_rows_bf16)(const uint32_t *a, const uint32_t *b, const uint32_t *acc, uint32_t *r)
{
    chain_rows(true, false, a, b, acc, r);
}

void VARIANT(dot_ieee_rows_f16_f16)(const uint32_t *a, const uint32_t *b, const uint32_t *acc, uint32_t *r, bool saturate)
{
    LANE_ARRAY32(wide);
    LANE_ARRAY32(sum);
    EACH_LANE wide[lane] = f16_to_f32_bits(acc[lane] & 0xffffu);
    chain_rows(false, false, a, b, wide, sum);
    EACH_LANE r[lane] = dot_narrow(false, saturate, sum[lane]);
}

void VARIANT(dot_ieee_rows_bf16_bf16)(const uint32_t *a, const uint32_t *b, const uint32_t *acc, uint32_t *r)
{
    LANE_ARRAY32(wide);
    LANE_ARRAY32(sum);
    EACH_LANE wide[lane] = acc[lane] << 16;
    chain_rows(true, false, a, b, wide, sum);
    EACH_LANE r[lane] = dot_narrow(true, false, sum[lane]);
}

/* ---- four products of 8-bit factors (gfx12) ---- */

static inline __attribute__((always_inline)) void chain_bytes(enum factor_id a_format, enum factor_id b_format,
                                                              const uint32_t *a, const uint32_t *b, const uint32_t *acc,
                                                              uint32_t *r)
{
    for (int lane = 0; lane < WAVE_LANES; lane++) {
        float sum = bits_f32(acc[lane]);
        for (int shift = 0; shift < 32; shift += 8)
            sum = fma_f32(factor_value(factor_formats[a_format], a[lane] >> shift & 0xff),
                          factor_value(factor_formats[b_format], b[lane] >> shift & 0xff), sum);
        r[lane] = settle(sum, acc[lane]);
    }
}

/* neg_hi takes the magnitude of the addend, then neg_lo negates it (LLVM, VOP3PDOTF8Inst); no other modifier exists. */
static const uint32_t *addend(struct wave *wave, const struct instruction *in, int k, uint32_t *scratch)
{
    const uint32_t *lanes = source32(wave, in, k, scratch);
    uint32_t keep = in->neg_hi >> k & 1 ? 0x7fffffffu : UINT32_MAX, flip = in->neg_lo >> k & 1 ? 0x80000000u : 0;
    if (keep == UINT32_MAX && !flip)
        return lanes;
    EACH_LANE scratch[lane] = (lanes[lane] & keep) ^ flip;
    return scratch;
}

#define DOT4_F32(name, a_format, b_format)                                                                                 \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        LANES32(a, 0);                                                                                                     \
        LANES32(b, 1);                                                                                                     \
        LANE_ARRAY32(acc_scratch);                                                                                         \
        LANE_ARRAY32(r);                                                                                                   \
        chain_bytes(a_format, b_format, a, b, addend(wave, in, 2, acc_scratch), r);                                        \
        finish_f32(wave, in, r);                                                                                           \
    }

DOT4_F32(dot4_f32_fp8_fp8, FACTOR_FP8, FACTOR_FP8)
DOT4_F32(dot4_f32_fp8_bf8, FACTOR_FP8, FACTOR_BF8)
DOT4_F32(dot4_f32_bf8_fp8, FACTOR_BF8, FACTOR_FP8)
DOT4_F32(dot4_f32_bf8_bf8, FACTOR_BF8, FACTOR_BF8)
