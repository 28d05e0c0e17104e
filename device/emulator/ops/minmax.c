/*
 * min, max and what is built of them, f16, f32 and f64 (RDNA3.5 ISA, V_MIN_F32 and its kin; RDNA4 ISA for _NUM_ and
 * MINIMUM). -0 is below +0. Denormals are flushed as MODE says; nothing is rounded.
 *
 * Which number a NaN gives is the instruction's rule:
 * BY_MODE: with MODE.IEEE a signalling NaN comes out quieted, first operand first; else the other operand.
 * NUMBER (gfx12): the other operand, if that is a number; both NaN: the first, quieted.
 * PROPAGATE (gfx12): the first signalling NaN quieted, else the first NaN.
 */
#include "device/emulator/float_lanes.h"

enum nan_rule { BY_MODE, NUMBER, PROPAGATE };

/* What the lane functions need of a format and of MODE. f16 stands in the high half of 32 bits, where it orders as f32
 * does. */
struct order {
    uint64_t infinity, quiet; /* exponent mask, quiet bit */
    uint64_t ieee;            /* 0 or 1 */
    uint64_t flush;           /* 0 or 1 */
};

#define DEFINE_ORDER(bits, uint, sint)                                                                                     \
    static inline uint flush##bits(struct order o, uint a)                                                                 \
    {                                                                                                                      \
        uint sign = (uint)1 << (bits - 1);                                                                                 \
        return (uint)o.flush && !(a & (uint)o.infinity) ? a & sign : a;                                                    \
    }                                                                                                                      \
                                                                                                                           \
    static inline uint is_nan##bits(struct order o, uint a)                                                                \
    {                                                                                                                      \
        return (a & ~((uint)1 << (bits - 1))) > (uint)o.infinity;                                                          \
    }                                                                                                                      \
                                                                                                                           \
    static inline uint is_signalling##bits(struct order o, uint a)                                                         \
    {                                                                                                                      \
        return is_nan##bits(o, a) & !(a & (uint)o.quiet);                                                                  \
    }                                                                                                                      \
                                                                                                                           \
    /* Two's complement order of the numbers: -0 just below +0. */                                                         \
    static inline sint key##bits(uint a)                                                                                   \
    {                                                                                                                      \
        sint value = (sint)a;                                                                                              \
        return value < 0 ? (sint)(value ^ (sint)(((uint)1 << (bits - 1)) - 1)) : value;                                    \
    }                                                                                                                      \
                                                                                                                           \
    static inline uint pick##bits(struct order o, enum nan_rule rule, int want_max, uint a, uint b)                        \
    {                                                                                                                      \
        uint a_nan = is_nan##bits(o, a), b_nan = is_nan##bits(o, b);                                                       \
        uint first = want_max ? key##bits(a) > key##bits(b) : key##bits(a) < key##bits(b);                                 \
        uint chosen = first ? a : b;                                                                                       \
        if (rule == PROPAGATE) {                                                                                           \
            chosen = b_nan ? b : chosen;                                                                                   \
            chosen = a_nan ? a : chosen;                                                                                   \
        } else {                                                                                                           \
            chosen = a_nan ? b : chosen;                                                                                   \
            chosen = b_nan ? a : chosen;                                                                                   \
        }                                                                                                                  \
        uint quiets = rule == PROPAGATE || (rule == BY_MODE && o.ieee);                                                    \
        chosen = quiets & is_signalling##bits(o, b) ? b | (uint)o.quiet : chosen;                                          \
        chosen = quiets & is_signalling##bits(o, a) ? a | (uint)o.quiet : chosen;                                          \
        if (rule == NUMBER)                                                                                                \
            chosen = a_nan & b_nan ? a | (uint)o.quiet : chosen;                                                           \
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
        return a == b || (uint)((a | b) << 1) == 0;                                                                        \
    }                                                                                                                      \
                                                                                                                           \
    static inline uint median##bits(struct order o, enum nan_rule rule, uint a, uint b, uint c)                            \
    {                                                                                                                      \
        uint any_nan = is_nan##bits(o, a) | is_nan##bits(o, b) | is_nan##bits(o, c);                                       \
        uint largest = pick3_##bits(o, rule, 1, 1, a, b, c);                                                               \
        uint median = pick##bits(o, rule, 1, a, b);                                                                        \
        median = equal##bits(largest, b) ? pick##bits(o, rule, 1, a, c) : median;                                          \
        median = equal##bits(largest, a) ? pick##bits(o, rule, 1, b, c) : median;                                          \
        return any_nan ? pick3_##bits(o, rule, 0, 0, a, b, c) : median;                                                    \
    }

DEFINE_ORDER(32, uint32_t, int32_t)
DEFINE_ORDER(64, uint64_t, int64_t)

static struct order order_f32(const struct wave *wave)
{
    struct float_env env = env_f32(wave);
    return (struct order){0x7f800000u, 0x400000u, (wave->mode & MODE_IEEE) != 0, env.flush_in | env.flush_out};
}

static struct order order_f16(const struct wave *wave)
{
    struct float_env env = env_f16(wave);
    return (struct order){0x7c000000u, 0x2000000u, (wave->mode & MODE_IEEE) != 0, env.flush_in | env.flush_out};
}

static struct order order_f64(const struct wave *wave)
{
    struct float_env env = env_f64(wave);
    return (struct order){UINT64_C(0x7ff) << 52, UINT64_C(1) << 51, (wave->mode & MODE_IEEE) != 0,
                          env.flush_in | env.flush_out};
}

#define OP2_32(expression, suffix)                                                                                         \
    EACH_LANE                                                                                                              \
    {                                                                                                                      \
        uint32_t a = flush32(o, x[lane] << (suffix)), b = flush32(o, y[lane] << (suffix));                                 \
        r[lane] = (expression) >> (suffix);                                                                                \
    }

#define OP3_32(expression, suffix)                                                                                         \
    EACH_LANE                                                                                                              \
    {                                                                                                                      \
        uint32_t a = flush32(o, x[lane] << (suffix)), b = flush32(o, y[lane] << (suffix)),                                 \
                 c = flush32(o, z[lane] << (suffix));                                                                      \
        r[lane] = (expression) >> (suffix);                                                                                \
    }

#define SELECT2_F32(name, expression)                                                                                      \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        LANES32(x, 0);                                                                                                     \
        LANES32(y, 1);                                                                                                     \
        LANE_ARRAY32(r);                                                                                                   \
        const struct order o = order_f32(wave);                                                                            \
        OP2_32(expression, 0)                                                                                              \
        finish_f32(wave, in, r);                                                                                           \
    }

#define SELECT3_F32(name, expression)                                                                                      \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        LANES32(x, 0);                                                                                                     \
        LANES32(y, 1);                                                                                                     \
        LANES32(z, 2);                                                                                                     \
        LANE_ARRAY32(r);                                                                                                   \
        const struct order o = order_f32(wave);                                                                            \
        OP3_32(expression, 0)                                                                                              \
        finish_f32(wave, in, r);                                                                                           \
    }

#define SELECT2_F16(name, expression)                                                                                      \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        LANES16(x, 0);                                                                                                     \
        LANES16(y, 1);                                                                                                     \
        LANE_ARRAY32(r);                                                                                                   \
        const struct order o = order_f16(wave);                                                                            \
        OP2_32(expression, 16)                                                                                             \
        finish_f16(wave, in, r);                                                                                           \
    }

#define SELECT3_F16(name, expression)                                                                                      \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        LANES16(x, 0);                                                                                                     \
        LANES16(y, 1);                                                                                                     \
        LANES16(z, 2);                                                                                                     \
        LANE_ARRAY32(r);                                                                                                   \
        const struct order o = order_f16(wave);                                                                            \
        OP3_32(expression, 16)                                                                                             \
        finish_f16(wave, in, r);                                                                                           \
    }

#define SELECT2_F64(name, expression)                                                                                      \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        LANES64(x, 0);                                                                                                     \
        LANES64(y, 1);                                                                                                     \
        LANE_ARRAY64(r);                                                                                                   \
        const struct order o = order_f64(wave);                                                                            \
        EACH_LANE                                                                                                          \
        {                                                                                                                  \
            uint64_t a = flush64(o, x[lane]), b = flush64(o, y[lane]);                                                     \
            r[lane] = expression;                                                                                          \
        }                                                                                                                  \
        finish_f64(wave, in, r);                                                                                           \
    }

/* X(suffix, rule): the three families of names; handlers min_f32, min_num_f32, minimum_f32 and so on. */
#define SELECT_FAMILY(infix_min, infix_max, rule)                                                                          \
    SELECT2_F32(infix_min##_f32, pick32(o, rule, 0, a, b))                                                                 \
    SELECT2_F32(infix_max##_f32, pick32(o, rule, 1, a, b))                                                                 \
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
