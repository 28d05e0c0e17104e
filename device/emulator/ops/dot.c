/* Dot products of f16, bf16 and integers in one register (RDNA3.5 ISA, VOP3P, VOP3, VOP2; gfx9 and gfx10 names too). */
#include "device/emulator/dot_step.h"
#include "device/emulator/packed_lanes.h"

/* ---- specials, one lane at a time ---- */

static bool factor_is_nan(struct dot_format f, uint32_t bits)
{
    return (bits & 0x7fffu) > f.infinity;
}

static bool factor_is_infinite(struct dot_format f, uint32_t bits)
{
    return (bits & 0x7fffu) == f.infinity;
}

static bool factor_is_zero(struct dot_format f, uint32_t bits)
{
    return f.flush ? !(bits & f.infinity) : !(bits & 0x7fffu);
}

enum { POSITIVE_INFINITY = 1, NEGATIVE_INFINITY = 2, INVALID_PRODUCT = 4 };

static unsigned classify_product(struct dot_format f, uint32_t a, uint32_t b)
{
    if (!factor_is_infinite(f, a) && !factor_is_infinite(f, b))
        return 0;
    if (factor_is_zero(f, a) || factor_is_zero(f, b))
        return INVALID_PRODUCT;
    return (a ^ b) & 0x8000u ? NEGATIVE_INFINITY : POSITIVE_INFINITY;
}

/* First match wins: a NaN factor, infinity times zero, products of both infinities, a NaN acc, both infinities, an
 * infinity. */
static uint32_t special_result(struct dot_format f, uint32_t a, uint32_t b, uint32_t acc)
{
    uint32_t factor[4] = {a & 0xffffu, b & 0xffffu, a >> 16, b >> 16};
    for (int k = 0; k < 4; k++) {
        if (factor_is_nan(f, factor[k]))
            return DOT_FACTOR_NAN;
    }
    unsigned class = classify_product(f, factor[0], factor[1]) | classify_product(f, factor[2], factor[3]);
    if ((class & INVALID_PRODUCT) || class == (POSITIVE_INFINITY | NEGATIVE_INFINITY))
        return F32_MADE_NAN;
    if (f32_is_nan(acc))
        return f32_quiet(acc);
    if ((acc & 0x7fffffffu) == 0x7f800000u)
        class |= acc >> 31 ? NEGATIVE_INFINITY : POSITIVE_INFINITY;
    if (class == (POSITIVE_INFINITY | NEGATIVE_INFINITY))
        return F32_MADE_NAN;
    return class == NEGATIVE_INFINITY ? 0xff800000u : 0x7f800000u;
}

static void mend_specials(struct dot_format f, const uint32_t *a, const uint32_t *b, const uint32_t *acc, uint32_t *r)
{
    for (int lane = 0; lane < WAVE_LANES; lane++) {
        if (dot_is_special(f, a[lane], b[lane], acc[lane]))
            r[lane] = special_result(f, a[lane], b[lane], acc[lane]);
    }
}

/* ---- rows ---- */

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

/* A special f32 result in the result's 16 bits. */
static uint32_t narrow_special(struct dot_format f, uint32_t bits)
{
    if (bits == DOT_FACTOR_NAN)
        return f.flush ? DOT_FACTOR_NAN_BF16 : DOT_FACTOR_NAN_F16;
    return f.flush ? bits >> 16 : (bits >> 16 & 0x8000u) | 0x7c00u | (bits >> 13 & 0x3ffu);
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
            r[lane] = narrow_special(dot_f16, special_result(dot_f16, a[lane], b[lane], wide));
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

/* ---- handlers ---- */

/* neg_lo of an f32 addend negates it. */
static const uint32_t *addend(struct wave *wave, const struct instruction *in, int k, uint32_t *scratch)
{
    const uint32_t *lanes = source32(wave, in, k, scratch);
    if (!(in->neg_lo >> k & 1))
        return lanes;
    EACH_LANE scratch[lane] = lanes[lane] ^ 0x80000000u;
    return scratch;
}

#define DOT_F32(name, rows)                                                                                                \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        PACKED_LANES(a, 0);                                                                                                \
        PACKED_LANES(b, 1);                                                                                                \
        LANE_ARRAY32(acc_scratch);                                                                                         \
        LANE_ARRAY32(r);                                                                                                   \
        VARIANT(rows)(a, b, addend(wave, in, 2, acc_scratch), r);                                                          \
        finish_f32(wave, in, r);                                                                                           \
    }

DOT_F32(dot2_f32_f16, dot_rows_f16)
DOT_F32(dot2_f32_bf16, dot_rows_bf16)

#define DOTACC_F32(name, rows)                                                                                             \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        PACKED_LANES(a, 0);                                                                                                \
        PACKED_LANES(b, 1);                                                                                                \
        LANE_ARRAY32(r);                                                                                                   \
        VARIANT(rows)(a, b, vgpr_row(wave, operand_row(&in->dst[0])), r);                                                  \
        finish_f32(wave, in, r);                                                                                           \
    }

DOTACC_F32(dot2acc_f32_f16, dot_rows_f16)
DOTACC_F32(dot2acc_f32_bf16, dot_rows_bf16)

HANDLER(dot2_f16_f16)
{
    PACKED_LANES(a, 0);
    PACKED_LANES(b, 1);
    LANES16(acc, 2);
    LANE_ARRAY32(r);
    VARIANT(dot_rows_f16_f16)(a, b, acc, r, env_f16(wave).saturate);
    finish_f16(wave, in, r);
}

HANDLER(dot2_bf16_bf16)
{
    PACKED_LANES(a, 0);
    PACKED_LANES(b, 1);
    LANES16(acc, 2);
    LANE_ARRAY32(r);
    VARIANT(dot_rows_bf16_bf16)(a, b, acc, r);
    commit_result16(wave, in, r);
}

/* ---- integers: exact sums; clamp saturates the result ---- */

/* Field `index` of `bits` bits, signed or not. */
static inline int32_t field(uint32_t word, int bits, int index, bool is_signed)
{
    uint32_t top = word << (32 - bits * (index + 1));
    return is_signed ? (int32_t)top >> (32 - bits) : (int32_t)(top >> (32 - bits));
}

static inline int64_t dot_fields(uint32_t a, uint32_t b, int bits, bool a_signed, bool b_signed)
{
    int64_t sum = 0;
    for (int k = 0; k < 32 / bits; k++)
        sum += (int64_t)field(a, bits, k, a_signed) * field(b, bits, k, b_signed);
    return sum;
}

static inline uint32_t saturate(int64_t sum, bool is_signed)
{
    int64_t least = is_signed ? INT32_MIN : 0, most = is_signed ? INT32_MAX : UINT32_MAX;
    return (uint32_t)(sum < least ? least : sum > most ? most : sum);
}

static inline __attribute__((always_inline)) void dot_integers(struct wave *wave, const struct instruction *in, int bits,
                                                               bool a_signed, bool b_signed, bool is_signed,
                                                               const uint32_t *acc)
{
    LANES32(a, 0);
    LANES32(b, 1);
    LANE_ARRAY32(r);
    if (in->flags & FLAG_CLAMP) {
        for (int lane = 0; lane < WAVE_LANES; lane++) {
            int64_t start = is_signed ? (int64_t)(int32_t)acc[lane] : (int64_t)acc[lane];
            r[lane] = saturate(start + dot_fields(a[lane], b[lane], bits, a_signed, b_signed), is_signed);
        }
    } else {
        EACH_LANE
        {
            uint32_t sum = acc[lane];
            for (int k = 0; k < 32 / bits; k++)
                sum += (uint32_t)field(a[lane], bits, k, a_signed) * (uint32_t)field(b[lane], bits, k, b_signed);
            r[lane] = sum;
        }
    }
    commit_result32(wave, in, r);
}

#define DOT_INTEGER(name, bits, a_signed, b_signed, is_signed)                                                             \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        LANES32(acc, 2);                                                                                                   \
        dot_integers(wave, in, bits, a_signed, b_signed, is_signed, acc);                                                  \
    }

#define DOTACC_INTEGER(name, bits, a_signed, b_signed, is_signed)                                                          \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        dot_integers(wave, in, bits, a_signed, b_signed, is_signed, vgpr_row(wave, operand_row(&in->dst[0])));             \
    }

DOT_INTEGER(dot2_i32_i16, 16, true, true, true)
DOT_INTEGER(dot2_u32_u16, 16, false, false, false)
DOT_INTEGER(dot4_i32_i8, 8, true, true, true)
DOT_INTEGER(dot4_u32_u8, 8, false, false, false)
DOT_INTEGER(dot8_i32_i4, 4, true, true, true)
DOT_INTEGER(dot8_u32_u4, 4, false, false, false)
DOTACC_INTEGER(dot2c_i32_i16, 16, true, true, true)
DOTACC_INTEGER(dot4c_i32_i8, 8, true, true, true)
DOTACC_INTEGER(dot8c_i32_i4, 4, true, true, true)

/* neg_lo[0] and neg_lo[1]: source 0 and 1 are signed. */
#define DOT_MIXED_SIGNS(name, bits)                                                                                        \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        LANES32(acc, 2);                                                                                                   \
        switch (in->neg_lo & 3) {                                                                                          \
        case 0:                                                                                                            \
            dot_integers(wave, in, bits, false, false, true, acc);                                                         \
            break;                                                                                                         \
        case 1:                                                                                                            \
            dot_integers(wave, in, bits, true, false, true, acc);                                                          \
            break;                                                                                                         \
        case 2:                                                                                                            \
            dot_integers(wave, in, bits, false, true, true, acc);                                                          \
            break;                                                                                                         \
        default:                                                                                                           \
            dot_integers(wave, in, bits, true, true, true, acc);                                                           \
            break;                                                                                                         \
        }                                                                                                                  \
    }

DOT_MIXED_SIGNS(dot4_i32_iu8, 8)
DOT_MIXED_SIGNS(dot8_i32_iu4, 4)
