/*
 * min, max and what is built of them, f16, f32 and f64 (RDNA3.5 ISA, V_MIN_F32 and its kin; RDNA4 ISA for _NUM_ and
 * MINIMUM). -0 is below +0. Denormals are flushed as MODE says; nothing is rounded.
 *
 * Which number a NaN gives is the instruction's rule:
 * BY_MODE: with MODE.IEEE a signalling NaN comes out quieted, first operand first; else the other operand.
 * NUMBER (gfx12): the other operand, if that is a number; both NaN: the first, quieted.
 * PROPAGATE (gfx12): the first signalling NaN quieted, else the first NaN.
 */
#include "device/emulator/packed_lanes.h"

enum nan_rule { BY_MODE, NUMBER, PROPAGATE };

/* What the lane functions need of a format and of MODE. f16 stands in the high half of 32 bits, where it orders as f32
 * does. */
struct order {
    uint64_t infinity, quiet; /* exponent mask, quiet bit */
    uint64_t ieee;            /* all ones with MODE.IEEE */
    bool flush;
};

/* Conditions are masks of all ones or zeros, so that the loops vectorise. */
#define DEFINE_ORDER(bits, uint, sint)                                                                                     \
    static inline uint select##bits(uint condition, uint a, uint b)                                                        \
    {                                                                                                                      \
        return (a & condition) | (b & ~condition);                                                                         \
    }                                                                                                                      \
                                                                                                                           \
    static inline uint is_nan##bits(struct order o, uint a)                                                                \
    {                                                                                                                      \
        return -(uint)((sint)(a & ~((uint)1 << (bits - 1))) > (sint)o.infinity);                                           \
    }                                                                                                                      \
                                                                                                                           \
    static inline uint is_signalling##bits(struct order o, uint a)                                                         \
    {                                                                                                                      \
        return is_nan##bits(o, a) & -(uint)((a & (uint)o.quiet) == 0);                                                     \
    }                                                                                                                      \
                                                                                                                           \
    /* Two's complement order of the numbers: -0 just below +0. */                                                         \
    static inline sint key##bits(uint a)                                                                                   \
    {                                                                                                                      \
        return (sint)(a ^ (uint)((sint)a >> (bits - 1)) >> 1);                                                             \
    }                                                                                                                      \
                                                                                                                           \
    static inline uint pick_number##bits(int want_max, uint a, uint b)                                                     \
    {                                                                                                                      \
        uint first = want_max ? -(uint)(key##bits(a) > key##bits(b)) : -(uint)(key##bits(a) < key##bits(b));               \
        return select##bits(first, a, b);                                                                                  \
    }                                                                                                                      \
                                                                                                                           \
    static inline uint pick##bits(struct order o, enum nan_rule rule, int want_max, uint a, uint b)                        \
    {                                                                                                                      \
        uint a_nan = is_nan##bits(o, a), b_nan = is_nan##bits(o, b);                                                       \
        uint chosen = pick_number##bits(want_max, a, b);                                                                   \
        if (rule == PROPAGATE) {                                                                                           \
            chosen = select##bits(b_nan, b, chosen);                                                                       \
            chosen = select##bits(a_nan, a, chosen);                                                                       \
        } else {                                                                                                           \
            chosen = select##bits(a_nan, b, chosen);                                                                       \
            chosen = select##bits(b_nan, a, chosen);                                                                       \
        }                                                                                                                  \
        uint quiets = rule == PROPAGATE ? (uint)-1 : rule == BY_MODE ? (uint)o.ieee : 0;                                   \
        chosen = select##bits(quiets & is_signalling##bits(o, b), b | (uint)o.quiet, chosen);                              \
        chosen = select##bits(quiets & is_signalling##bits(o, a), a | (uint)o.quiet, chosen);                              \
        if (rule == NUMBER)                                                                                                \
            chosen = select##bits(a_nan & b_nan, a | (uint)o.quiet, chosen);                                               \
        return chosen;                                                                                                     \
    }                                                                                                                      \
                                                                                                                           \
    static inline uint pick3_##bits(struct order o, enum nan_rule rule, int max1, int max2, uint a, uint b, uint c)        \
    {                                                                                                                      \
        return pick##bits(o, rule, max2, pick##bits(o, rule, max1, a, b), c);                                              \
    }                                                                                                                      \
                                                                                                                           \
    static inline uint equal##bits(uint a, uint b)                                                                         \
    {                                                                                                                      \
        return -(uint)(a == b) | -(uint)((uint)((a | b) << 1) == 0);                                                       \
    }                                                                                                                      \
                                                                                                                           \
    static inline __attribute__((unused)) uint median##bits(struct order o, enum nan_rule rule, uint a, uint b, uint c)    \
    {                                                                                                                      \
        uint any_nan = is_nan##bits(o, a) | is_nan##bits(o, b) | is_nan##bits(o, c);                                       \
        uint largest = pick3_##bits(o, rule, 1, 1, a, b, c);                                                               \
        uint median = pick##bits(o, rule, 1, a, b);                                                                        \
        median = select##bits(equal##bits(largest, b), pick##bits(o, rule, 1, a, c), median);                              \
        median = select##bits(equal##bits(largest, a), pick##bits(o, rule, 1, b, c), median);                              \
        return select##bits(any_nan, pick3_##bits(o, rule, 0, 0, a, b, c), median);                                        \
    }                                                                                                                      \
                                                                                                                           \
    /* Flushes a row into scratch where MODE says so. */                                                                   \
    static inline const uint *flush_row##bits(struct order o, const uint *row, uint *scratch)                              \
    {                                                                                                                      \
        if (!o.flush)                                                                                                      \
            return row;                                                                                                    \
        EACH_LANE                                                                                                          \
        {                                                                                                                  \
            uint denormal = -(uint)((row[lane] & (uint)o.infinity) == 0);                                                  \
            scratch[lane] = row[lane] & (~denormal | (uint)1 << (bits - 1));                                               \
        }                                                                                                                  \
        return scratch;                                                                                                    \
    }

DEFINE_ORDER(32, uint32_t, int32_t)
DEFINE_ORDER(64, uint64_t, int64_t)

static struct order order_of(const struct wave *wave, struct float_env env, uint64_t infinity, uint64_t quiet)
{
    return (struct order){infinity, quiet, wave->mode & MODE_IEEE ? UINT64_MAX : 0, env.flush_in | env.flush_out};
}

static struct order order_f32(const struct wave *wave)
{
    return order_of(wave, env_f32(wave), 0x7f800000u, 0x400000u);
}

static struct order order_f16(const struct wave *wave)
{
    return order_of(wave, env_f16(wave), 0x7c000000u, 0x2000000u);
}

static struct order order_f64(const struct wave *wave)
{
    return order_of(wave, env_f64(wave), UINT64_C(0x7ff) << 52, UINT64_C(1) << 51);
}

/* The source rows, flushed; f16 moved to the high half. */
#define ORDERED_F32(name, k)                                                                                               \
    LANES32(name##_row, k);                                                                                                \
    LANE_ARRAY32(name##_flushed);                                                                                          \
    const uint32_t *name##_lanes = flush_row32(o, name##_row, name##_flushed);

#define ORDERED_F16(name, k)                                                                                               \
    LANES16(name##_row, k);                                                                                                \
    LANE_ARRAY32(name##_high);                                                                                             \
    LANE_ARRAY32(name##_flushed);                                                                                          \
    EACH_LANE name##_high[lane] = name##_row[lane] << 16;                                                                  \
    const uint32_t *name##_lanes = flush_row32(o, name##_high, name##_flushed);

#define ORDERED_F64(name, k)                                                                                               \
    LANES64(name##_row, k);                                                                                                \
    LANE_ARRAY64(name##_flushed);                                                                                          \
    const uint64_t *name##_lanes = flush_row64(o, name##_row, name##_flushed);

/* quick: the same without regard to NaN, and what to do when no lane has one. */
#define SELECT2_F32(name, expression, quick)                                                                               \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        const struct order o = order_f32(wave);                                                                            \
        ORDERED_F32(a, 0)                                                                                                  \
        ORDERED_F32(b, 1)                                                                                                  \
        LANE_ARRAY32(r);                                                                                                   \
        uint32_t any_nan = 0;                                                                                              \
        EACH_LANE                                                                                                          \
        {                                                                                                                  \
            uint32_t a = a_lanes[lane], b = b_lanes[lane];                                                                 \
            any_nan |= is_nan32(o, a) | is_nan32(o, b);                                                                    \
            r[lane] = quick;                                                                                               \
        }                                                                                                                  \
        if (__builtin_expect(any_nan, 0)) {                                                                                \
            EACH_LANE                                                                                                      \
            {                                                                                                              \
                uint32_t a = a_lanes[lane], b = b_lanes[lane];                                                             \
                r[lane] = expression;                                                                                      \
            }                                                                                                              \
        }                                                                                                                  \
        finish_f32(wave, in, r);                                                                                           \
    }

#define SELECT3_F32(name, expression)                                                                                      \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        const struct order o = order_f32(wave);                                                                            \
        ORDERED_F32(a, 0)                                                                                                  \
        ORDERED_F32(b, 1)                                                                                                  \
        ORDERED_F32(c, 2)                                                                                                  \
        LANE_ARRAY32(r);                                                                                                   \
        EACH_LANE                                                                                                          \
        {                                                                                                                  \
            uint32_t a = a_lanes[lane], b = b_lanes[lane], c = c_lanes[lane];                                              \
            r[lane] = expression;                                                                                          \
        }                                                                                                                  \
        finish_f32(wave, in, r);                                                                                           \
    }

#define SELECT2_F16(name, expression)                                                                                      \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        const struct order o = order_f16(wave);                                                                            \
        ORDERED_F16(a, 0)                                                                                                  \
        ORDERED_F16(b, 1)                                                                                                  \
        LANE_ARRAY32(r);                                                                                                   \
        EACH_LANE                                                                                                          \
        {                                                                                                                  \
            uint32_t a = a_lanes[lane], b = b_lanes[lane];                                                                 \
            r[lane] = (expression) >> 16;                                                                                  \
        }                                                                                                                  \
        finish_f16(wave, in, r);                                                                                           \
    }

#define SELECT3_F16(name, expression)                                                                                      \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        const struct order o = order_f16(wave);                                                                            \
        ORDERED_F16(a, 0)                                                                                                  \
        ORDERED_F16(b, 1)                                                                                                  \
        ORDERED_F16(c, 2)                                                                                                  \
        LANE_ARRAY32(r);                                                                                                   \
        EACH_LANE                                                                                                          \
        {                                                                                                                  \
            uint32_t a = a_lanes[lane], b = b_lanes[lane], c = c_lanes[lane];                                              \
            r[lane] = (expression) >> 16;                                                                                  \
        }                                                                                                                  \
        finish_f16(wave, in, r);                                                                                           \
    }

#define SELECT2_F64(name, expression)                                                                                      \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        const struct order o = order_f64(wave);                                                                            \
        ORDERED_F64(a, 0)                                                                                                  \
        ORDERED_F64(b, 1)                                                                                                  \
        LANE_ARRAY64(r);                                                                                                   \
        EACH_LANE                                                                                                          \
        {                                                                                                                  \
            uint64_t a = a_lanes[lane], b = b_lanes[lane];                                                                 \
            r[lane] = expression;                                                                                          \
        }                                                                                                                  \
        finish_f64(wave, in, r);                                                                                           \
    }

#define SELECT_FAMILY(infix_min, infix_max, rule)                                                                          \
    SELECT2_F32(infix_min##_f32, pick32(o, rule, 0, a, b), pick_number32(0, a, b))                                         \
    SELECT2_F32(infix_max##_f32, pick32(o, rule, 1, a, b), pick_number32(1, a, b))                                         \
    SELECT2_F16(infix_min##_f16, pick32(o, rule, 0, a, b))                                                                 \
    SELECT2_F16(infix_max##_f16, pick32(o, rule, 1, a, b))                                                                 \
    SELECT2_F64(infix_min##_f64, pick64(o, rule, 0, a, b))                                                                 \
    SELECT2_F64(infix_max##_f64, pick64(o, rule, 1, a, b))

SELECT_FAMILY(min, max, BY_MODE)
SELECT_FAMILY(min_num, max_num, NUMBER)
SELECT_FAMILY(minimum, maximum, PROPAGATE)

#define SELECT3_FAMILY(min3, max3, maxmin, minmax, rule)                                                                   \
    SELECT3_F32(min3##_f32, pick3_32(o, rule, 0, 0, a, b, c))                                                              \
    SELECT3_F32(max3##_f32, pick3_32(o, rule, 1, 1, a, b, c))                                                              \
    SELECT3_F32(maxmin##_f32, pick3_32(o, rule, 1, 0, a, b, c))                                                            \
    SELECT3_F32(minmax##_f32, pick3_32(o, rule, 0, 1, a, b, c))                                                            \
    SELECT3_F16(min3##_f16, pick3_32(o, rule, 0, 0, a, b, c))                                                              \
    SELECT3_F16(max3##_f16, pick3_32(o, rule, 1, 1, a, b, c))                                                              \
    SELECT3_F16(maxmin##_f16, pick3_32(o, rule, 1, 0, a, b, c))                                                            \
    SELECT3_F16(minmax##_f16, pick3_32(o, rule, 0, 1, a, b, c))

SELECT3_FAMILY(min3, max3, maxmin, minmax, BY_MODE)
SELECT3_FAMILY(min3_num, max3_num, maxmin_num, minmax_num, NUMBER)
SELECT3_FAMILY(minimum3, maximum3, maximumminimum, minimummaximum, PROPAGATE)

SELECT3_F32(med3_f32, median32(o, BY_MODE, a, b, c))
SELECT3_F16(med3_f16, median32(o, BY_MODE, a, b, c))
SELECT3_F32(med3_num_f32, median32(o, NUMBER, a, b, c))
SELECT3_F16(med3_num_f16, median32(o, NUMBER, a, b, c))

/* Both halves of packed registers; of three sources the pick with the third follows. */
static void pick_packed(struct wave *wave, const struct instruction *in, enum nan_rule rule, int want_max)
{
    const struct order o = order_f16(wave);
    LANE_ARRAY32(scratch);
    LANE_ARRAY32(other);
    LANE_ARRAY32(result[2]);
    for (int k = 0; k < in->n_src; k++) {
        const uint32_t *row = packed_source(wave, in, k, scratch);
        for (int half = 0; half < 2; half++) {
            uint32_t *r = result[half];
            EACH_LANE other[lane] = half ? row[lane] & 0xffff0000u : row[lane] << 16;
            const uint32_t *b = flush_row32(o, other, other);
            if (k == 0)
                EACH_LANE r[lane] = b[lane];
            else
                EACH_LANE r[lane] = pick32(o, rule, want_max, r[lane], b[lane]);
        }
    }
    EACH_LANE result[0][lane] >>= 16;
    EACH_LANE result[1][lane] >>= 16;
    finish_packed_f16(wave, in, result[0], result[1]);
}

#define SELECT_PACKED(name, rule, want_max)                                                                                \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        pick_packed(wave, in, rule, want_max);                                                                             \
    }

SELECT_PACKED(pk_min_f16, BY_MODE, 0)
SELECT_PACKED(pk_max_f16, BY_MODE, 1)
SELECT_PACKED(pk_min_num_f16, NUMBER, 0)
SELECT_PACKED(pk_max_num_f16, NUMBER, 1)
SELECT_PACKED(pk_minimum_f16, PROPAGATE, 0)
SELECT_PACKED(pk_maximum_f16, PROPAGATE, 1)
SELECT_PACKED(pk_minimum3_f16, PROPAGATE, 0)
SELECT_PACKED(pk_maximum3_f16, PROPAGATE, 1)
