/*
 * What the float handlers under ops/ share: halves as sources and results, f16 and f32 conversions of whole rows, NaN
 * mending, clamp and omod.
 *
 * A float handler computes its row into scratch with the host's arithmetic and ORs up whether any lane came out a NaN; only
 * then a second pass sets the NaNs by the project's rule (softfloat.h), because hosts and compilers differ in theirs.
 * Results go to scratch first because a destination may be a source.
 */
#ifndef EMULATOR_FLOAT_LANES_H
#define EMULATOR_FLOAT_LANES_H

#include <math.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

#include "device/emulator/fpmode.h"
#include "device/emulator/lanes.h"

#define F16_MADE_NAN 0xfe00u
#define F32_MADE_NAN 0xffc00000u
#define F64_MADE_NAN UINT64_C(0xfff8000000000000)

static inline uint32_t f32_is_nan(uint32_t bits)
{
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

static inline uint32_t f16_is_nan(uint32_t bits)
{
    return (bits & 0x7fffu) > 0x7c00u;
}

static inline uint64_t f64_is_nan(uint64_t bits)
{
    return (bits & ~(UINT64_C(1) << 63)) > UINT64_C(0x7ff0000000000000);
}

static inline uint32_t f32_quiet(uint32_t bits)
{
    return bits | 0x400000u;
}

/* Whether any lane is a NaN. The host's compare takes two rows' vectors at once: unordered where either is a NaN. */
static inline bool any_nan_f32(const uint32_t *row)
{
#if defined(__AVX512F__)
    __mmask16 nans = 0;
    for (int lane = 0; lane < WAVE_LANES; lane += 32)
        nans |= _mm512_cmp_ps_mask(_mm512_load_ps(row + lane), _mm512_load_ps(row + lane + 16), _CMP_UNORD_Q);
    return nans;
#elif defined(__AVX__)
    __m256 nans = _mm256_setzero_ps();
    for (int lane = 0; lane < WAVE_LANES; lane += 16) {
        __m256 a = _mm256_load_ps((const float *)row + lane), b = _mm256_load_ps((const float *)row + lane + 8);
        nans = _mm256_or_ps(nans, _mm256_cmp_ps(a, b, _CMP_UNORD_Q));
    }
    return _mm256_movemask_ps(nans);
#else
    uint32_t nans = 0;
    EACH_LANE nans |= -(uint32_t)((row[lane] & 0x7fffffffu) > 0x7f800000u);
    return nans;
#endif
}

static inline uint32_t f16_quiet(uint32_t bits)
{
    return bits | 0x200u;
}

static inline uint64_t f64_quiet(uint64_t bits)
{
    return bits | UINT64_C(1) << 51;
}

/* A denormal to zero of its sign. */
static inline uint32_t f32_flush(bool flush, uint32_t bits)
{
    return (flush & !(bits & 0x7f800000u)) ? bits & 0x80000000u : bits;
}

static inline float flush_float(float value, bool flush)
{
    return flush && fabsf(value) < 0x1p-126f ? copysignf(0.0f, value) : value;
}

static inline uint32_t f16_flush(bool flush, uint32_t bits)
{
    return (flush & !(bits & 0x7c00u)) ? bits & 0x8000u : bits;
}

/* ---- f16 as f32: exact, and back with one rounding; written so that the loops around them vectorise ---- */

/* Exact for every f16 number; a NaN stays one with its payload on top. */
static inline uint32_t f16_to_f32_bits(uint32_t half)
{
    uint32_t sign = (half & 0x8000u) << 16, magnitude = (half & 0x7fffu) << 13;
    /* As an f32 the pattern is 2^112 too small, denormals included. */
    uint32_t scaled = f32_bits(bits_f32(magnitude) * 0x1p112f);
    uint32_t special = 0x7f800000u | magnitude;
    return sign | ((half & 0x7c00u) == 0x7c00u ? special : scaled);
}

static inline float f16_to_f32(uint32_t half)
{
    return bits_f32(f16_to_f32_bits(half));
}

/* Nearest even; denormals made; NaN gives a NaN of the same sign and top payload, quieted. */
static inline uint32_t f32_to_f16_rne(uint32_t bits)
{
    uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    uint32_t normal = (magnitude - (112u << 23) + 0xfffu + (magnitude >> 13 & 1)) >> 13;
    /* Adding 0.5 puts the last place of f16's denormals at the last place of the sum. */
    uint32_t denormal = f32_bits(bits_f32(magnitude) + 0.5f) - 0x3f000000u;
    uint32_t nan = 0x7e00u | (magnitude >> 13 & 0x3ffu);
    uint32_t half = magnitude < 0x38800000u ? denormal : normal;
    half = magnitude >= 0x477ff000u ? 0x7c00u : half;
    half = magnitude > 0x7f800000u ? nan : half;
    return sign | half;
}

/* Toward zero: no number becomes infinite. keeps_denormals: of the result. */
static inline uint32_t f32_to_f16_rtz(uint32_t bits, bool keeps_denormals)
{
    uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    uint32_t normal = (magnitude - (112u << 23)) >> 13;
    uint32_t below = 126u - (magnitude >> 23); /* how far the significand lies above the denormals' last place */
    uint32_t denormal = keeps_denormals ? ((magnitude & 0x7fffffu) | 0x800000u) >> (below > 31 ? 31 : below) : 0;
    uint32_t nan = 0x7e00u | (magnitude >> 13 & 0x3ffu);
    uint32_t half = magnitude < 0x38800000u ? denormal : normal;
    half = magnitude >= 0x47800000u ? 0x7bffu : half;
    half = magnitude == 0x7f800000u ? 0x7c00u : half;
    half = magnitude > 0x7f800000u ? nan : half;
    return sign | half;
}

/* ---- sums rounded to odd: the f32 (or f64) nearest the exact value with its last bit set where bits were lost, so that a
 * second rounding to a format narrower by two bits or more is as good as one (Boldo and Melquiond, 2008) ---- */

/* x + y; the rounding error is exact (Knuth's two-sum). */
static inline uint32_t sum_f32_odd(float x, float y)
{
    float sum = x + y, virtual_y = sum - x;
    float error = (x - (sum - virtual_y)) + (y - virtual_y);
    uint32_t bits = f32_bits(sum);
    /* The last bit is clear and something was lost: step toward the error, which makes the bit odd. */
    uint32_t away = (f32_bits(error) ^ bits) >> 31;  /* 1: error has the other sign, so the magnitude is smaller */
    uint32_t lost = (error < 0.0f) | (error > 0.0f); /* neither for the NaN that an infinite sum leaves */
    uint32_t step = (lost & ~bits & 1) * (1 - 2 * away);
    return bits + step;
}

static inline uint64_t sum_f64_odd(double x, double y)
{
    double sum = x + y, virtual_y = sum - x;
    double error = (x - (sum - virtual_y)) + (y - virtual_y);
    uint64_t bits = f64_bits(sum);
    uint64_t away = (f64_bits(error) ^ bits) >> 63;
    uint64_t lost = (error < 0.0) | (error > 0.0);
    uint64_t step = (lost & ~bits & 1) * (1 - 2 * away);
    return bits + step;
}

/* An f64, itself rounded to odd or exact, as the f32 rounded to odd. */
static inline uint32_t narrow_f64_odd(uint64_t bits)
{
    double value = bits_f64(bits);
    float nearest = (float)value;
    double error = value - (double)nearest;
    uint32_t rounded = f32_bits(nearest);
    uint32_t away = (uint32_t)(f64_bits(error) >> 63) ^ rounded >> 31;
    uint32_t lost = (error < 0.0) | (error > 0.0);
    return rounded + (lost & ~rounded & 1) * (1 - 2 * away);
}

/* fma in f32, one rounding to nearest even, where the host may lack the instruction: the product of two f32 is exact in
 * f64. */
static inline float fma_f32(float a, float b, float c)
{
#ifdef __FMA__
    return __builtin_fmaf(a, b, c);
#else
    return (float)bits_f64(sum_f64_odd((double)a * b, c));
#endif
}

/* a * b + c of f16, rounded once to nearest even: the product is exact in f32. */
static inline uint32_t fma_f16_rne(uint32_t a, uint32_t b, uint32_t c)
{
    return f32_to_f16_rne(sum_f32_odd(f16_to_f32(a) * f16_to_f32(b), f16_to_f32(c)));
}

/* ---- sources and results of 16 bits ---- */

/* The lanes of a 16-bit source in the low half, high half clear. */
static inline const uint32_t *source16(struct wave *wave, const struct instruction *in, int k, uint32_t *scratch)
{
    const struct operand *operand = &in->src[k];
    if (operand->kind != OPERAND_VGPR || (operand->modifiers | operand->sdwa_select | in->form))
        return source32(wave, in, k, scratch);
    const uint32_t *row = vgpr_row(wave, operand_row(operand));
    unsigned shift = operand->half == HALF_HIGH ? 16 : 0;
    EACH_LANE scratch[lane] = row[lane] >> shift & 0xffffu;
    return scratch;
}

#define LANES16(name, k)                                                                                                   \
    LANE_ARRAY32(name##_scratch);                                                                                          \
    const uint32_t *name = __builtin_assume_aligned(source16(wave, in, (k), name##_scratch), 64)

/* What dst[0] holds, as the accumulator of fmac and its like: whole, or its half in the low bits. */
static inline void accumulator32(struct wave *wave, const struct instruction *in, uint32_t *lanes)
{
    memcpy(lanes, vgpr_row(wave, operand_row(&in->dst[0])), sizeof(uint32_t) * WAVE_LANES);
}

static inline void accumulator16(struct wave *wave, const struct instruction *in, uint32_t *lanes)
{
    const uint32_t *row = vgpr_row(wave, operand_row(&in->dst[0]));
    unsigned shift = in->dst[0].half == HALF_HIGH ? 16 : 0;
    EACH_LANE lanes[lane] = row[lane] >> shift & 0xffffu;
}

/* Where a float handler may put its results before it knows of NaNs: the row itself when every lane is on and no source
 * lies in it (c may be NULL), else scratch. */
static inline uint32_t *float_result(struct wave *wave, const struct instruction *in, uint32_t *scratch, const uint32_t *a,
                                     const uint32_t *b, const uint32_t *c)
{
    uint32_t *row = vgpr_row(wave, operand_row(&in->dst[0]));
    bool direct = writes_whole_row(wave, in) & (row != a) & (row != b) & (row != c);
    return direct ? row : scratch;
}

/* Results that are not in their row yet go there under exec. */
static inline void commit_result32(struct wave *wave, const struct instruction *in, const uint32_t *result)
{
    if (vgpr_row(wave, operand_row(&in->dst[0])) != result)
        commit32(wave, in, result);
}

/* Writes one half of dst[0] and keeps the other one. */
static inline void commit_half(struct wave *wave, const struct instruction *in, const uint32_t *result,
                               enum operand_half half)
{
    uint32_t *row = vgpr_row(wave, operand_row(&in->dst[0]));
    const uint32_t *lanes = exec_lanes(wave);
    LANE_ARRAY32(dpp_lanes);
    if (in->form) {
        uint64_t mask = VARIANT(dpp_write_mask)(wave, in);
        EACH_LANE dpp_lanes[lane] = (mask >> lane & 1) ? UINT32_MAX : 0;
        lanes = dpp_lanes;
    }
    unsigned shift = half == HALF_HIGH ? 16 : 0;
    uint32_t written = 0xffffu << shift;
    EACH_LANE
    {
        uint32_t mask = lanes[lane] & written;
        row[lane] = (row[lane] & ~mask) | (result[lane] << shift & mask);
    }
}

/* A 16-bit result in the half that dst[0] names. */
static inline void commit_result16(struct wave *wave, const struct instruction *in, const uint32_t *result)
{
    if (in->form || (in->flags & FLAG_ZERO_OTHER_HALF))
        commit32(wave, in, result);
    else
        commit_half(wave, in, result, in->dst[0].half);
}

/* ---- NaN rule and output modifiers of whole rows ---- */

/* Sets the NaNs of a row of results; n sources of 32 bits. */
static __attribute__((noinline, cold, unused)) void mend_nans_f32(uint32_t *result, const uint32_t *a, const uint32_t *b,
                                                                  const uint32_t *c)
{
    EACH_LANE
    {
        uint32_t nan = f32_is_nan(result[lane]) ? F32_MADE_NAN : result[lane];
        nan = c && f32_is_nan(c[lane]) ? f32_quiet(c[lane]) : nan;
        nan = b && f32_is_nan(b[lane]) ? f32_quiet(b[lane]) : nan;
        result[lane] = f32_is_nan(a[lane]) ? f32_quiet(a[lane]) : nan;
    }
}

static __attribute__((noinline, cold, unused)) void mend_nans_f16(uint32_t *result, const uint32_t *a, const uint32_t *b,
                                                                  const uint32_t *c)
{
    EACH_LANE
    {
        uint32_t nan = f16_is_nan(result[lane]) ? F16_MADE_NAN : result[lane] & 0xffffu;
        nan = c && f16_is_nan(c[lane]) ? f16_quiet(c[lane]) : nan;
        nan = b && f16_is_nan(b[lane]) ? f16_quiet(b[lane]) : nan;
        result[lane] = (f16_is_nan(a[lane]) ? f16_quiet(a[lane]) : nan) & 0xffffu;
    }
}

static __attribute__((noinline, cold, unused)) void mend_nans_f64(uint64_t *result, const uint64_t *a, const uint64_t *b,
                                                                  const uint64_t *c)
{
    EACH_LANE
    {
        uint64_t nan = f64_is_nan(result[lane]) ? F64_MADE_NAN : result[lane];
        nan = c && f64_is_nan(c[lane]) ? f64_quiet(c[lane]) : nan;
        nan = b && f64_is_nan(b[lane]) ? f64_quiet(b[lane]) : nan;
        result[lane] = f64_is_nan(a[lane]) ? f64_quiet(a[lane]) : nan;
    }
}

/* omod, then clamp, of a row; in ops/rounding.c. */
void VARIANT(modify_f32)(struct wave *wave, const struct instruction *in, uint32_t *result);
void VARIANT(modify_f16)(struct wave *wave, const struct instruction *in, uint32_t *result);
void VARIANT(modify_f64)(struct wave *wave, const struct instruction *in, uint64_t *result);

static inline bool has_output_modifiers(const struct instruction *in)
{
    return (in->flags & FLAG_CLAMP) | in->omod;
}

static inline void finish_f32(struct wave *wave, const struct instruction *in, uint32_t *result)
{
    if (__builtin_expect(has_output_modifiers(in), 0))
        VARIANT(modify_f32)(wave, in, result);
    commit_result32(wave, in, result);
}

static inline void finish_f16(struct wave *wave, const struct instruction *in, uint32_t *result)
{
    if (__builtin_expect(has_output_modifiers(in), 0))
        VARIANT(modify_f16)(wave, in, result);
    commit_result16(wave, in, result);
}

static inline void finish_f64(struct wave *wave, const struct instruction *in, uint64_t *result)
{
    if (__builtin_expect(has_output_modifiers(in), 0))
        VARIANT(modify_f64)(wave, in, result);
    commit64(wave, in, result);
}

#endif
