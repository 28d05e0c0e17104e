/* Integer dot products in one register: exact sums; clamp saturates the result. */
#include "device/emulator/packed_lanes.h"

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

/* op_sel and op_sel_hi choose the halves that 16-bit factors come from. */
static inline const uint32_t *integer_source(struct wave *wave, const struct instruction *in, int k, int bits,
                                             uint32_t *scratch)
{
    const uint32_t *row = source32(wave, in, k, scratch);
    bool low_from_high = in->op_sel >> k & 1, high_from_high = in->op_sel_hi >> k & 1;
    if (bits != 16 || in->n_src < 3 || (!low_from_high && high_from_high))
        return row;
    EACH_LANE scratch[lane] = rearrange_halves(row[lane], low_from_high, high_from_high, 0);
    return scratch;
}

static inline __attribute__((always_inline)) void dot_integers(struct wave *wave, const struct instruction *in, int bits,
                                                               bool a_signed, bool b_signed, bool is_signed,
                                                               const uint32_t *acc)
{
    LANE_ARRAY32(a_scratch);
    LANE_ARRAY32(b_scratch);
    const uint32_t *a = integer_source(wave, in, 0, bits, a_scratch);
    const uint32_t *b = integer_source(wave, in, 1, bits, b_scratch);
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
