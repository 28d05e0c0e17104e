/*
 * Vector compares (ISA, "VOPC"). Each type has one function that finds how source 0 lies to source 1 in every lane; the
 * conditions are formulas over those masks (conditions.h). Lanes that are off give 0. Floats are compared as integers, so
 * that the host's floating-point state has no say.
 */
#include "device/emulator/lanes.h"
#include "device/emulator/ops/conditions.h"

struct relation {
    uint64_t less, equal, unordered;
};

static void write_compare(struct wave *wave, const struct instruction *in, uint64_t lanes)
{
    mask_write(wave, &in->dst[0], lanes & VARIANT(dpp_write_mask)(wave, in));
}

/* v_cmpx: exec, and the mask where the generation has one. Never turns a lane on. */
static void write_compare_exec(struct wave *wave, const struct instruction *in, uint64_t lanes)
{
    uint64_t mask = lanes & VARIANT(dpp_write_mask)(wave, in);
    if (in->n_dst)
        mask_write(wave, &in->dst[0], mask);
    wave->exec = mask;
}

/* Sources as `type`; 16-bit ones are sign- or zero-extended by the conversion. */
#define DEFINE_INTEGER_RELATION(name, type, SOURCE)                                                                        \
    static struct relation relate_##name(struct wave *wave, const struct instruction *in)                                  \
    {                                                                                                                      \
        SOURCE(a, 0);                                                                                                      \
        SOURCE(b, 1);                                                                                                      \
        LANE_ARRAY32(less);                                                                                                \
        LANE_ARRAY32(equal);                                                                                               \
        EACH_LANE less[lane] = (type)a[lane] < (type)b[lane] ? UINT32_MAX : 0;                                             \
        EACH_LANE equal[lane] = (type)a[lane] == (type)b[lane] ? UINT32_MAX : 0;                                           \
        return (struct relation){mask_of_lanes(less), mask_of_lanes(equal), 0};                                            \
    }

DEFINE_INTEGER_RELATION(i16, int16_t, LANES32)
DEFINE_INTEGER_RELATION(u16, uint16_t, LANES32)
DEFINE_INTEGER_RELATION(i32, int32_t, LANES32)
DEFINE_INTEGER_RELATION(u32, uint32_t, LANES32)
DEFINE_INTEGER_RELATION(i64, int64_t, LANES64)
DEFINE_INTEGER_RELATION(u64, uint64_t, LANES64)

/* A format by its bit patterns, in a word that may be wider. */
#define F16_SIGN     0x8000u
#define F16_INFINITY 0x7c00u
#define F16_NORMAL   0x0400u /* smallest normal number */
#define F16_QUIET    0x0200u
#define F32_SIGN     0x80000000u
#define F32_INFINITY 0x7f800000u
#define F32_NORMAL   0x00800000u
#define F32_QUIET    0x00400000u
#define F64_SIGN     UINT64_C(0x8000000000000000)
#define F64_INFINITY UINT64_C(0x7ff0000000000000)
#define F64_NORMAL   UINT64_C(0x0010000000000000)
#define F64_QUIET    UINT64_C(0x0008000000000000)

enum { MODE_KEEP_INPUT_F32 = 0x10, MODE_KEEP_INPUT_F16_F64 = 0x40 };

/* Magnitudes with their sign order as the numbers do; both zeros, and denormals that MODE flushes, are 0. */
#define DEFINE_FLOAT_RELATION(name, FORMAT, word, sword, SOURCE, keep_bit)                                                 \
    static struct relation relate_##name(struct wave *wave, const struct instruction *in)                                  \
    {                                                                                                                      \
        SOURCE(a, 0);                                                                                                      \
        SOURCE(b, 1);                                                                                                      \
        LANE_ARRAY32(less);                                                                                                \
        LANE_ARRAY32(equal);                                                                                               \
        LANE_ARRAY32(unordered);                                                                                           \
        word smallest = wave->mode & (keep_bit) ? 0 : FORMAT##_NORMAL;                                                     \
        EACH_LANE                                                                                                          \
        {                                                                                                                  \
            word size_a = a[lane] & (FORMAT##_SIGN - 1), size_b = b[lane] & (FORMAT##_SIGN - 1);                           \
            sword flushed_a = size_a < smallest ? 0 : (sword)size_a, flushed_b = size_b < smallest ? 0 : (sword)size_b;    \
            sword key_a = a[lane] & FORMAT##_SIGN ? -flushed_a : flushed_a;                                                \
            sword key_b = b[lane] & FORMAT##_SIGN ? -flushed_b : flushed_b;                                                \
            less[lane] = key_a < key_b ? UINT32_MAX : 0;                                                                   \
            equal[lane] = key_a == key_b ? UINT32_MAX : 0;                                                                 \
            unordered[lane] = size_a > FORMAT##_INFINITY || size_b > FORMAT##_INFINITY ? UINT32_MAX : 0;                   \
        }                                                                                                                  \
        uint64_t nan = mask_of_lanes(unordered);                                                                           \
        return (struct relation){mask_of_lanes(less) & ~nan, mask_of_lanes(equal) & ~nan, nan};                            \
    }

DEFINE_FLOAT_RELATION(f16, F16, uint32_t, int32_t, LANES32, MODE_KEEP_INPUT_F16_F64)
DEFINE_FLOAT_RELATION(f32, F32, uint32_t, int32_t, LANES32, MODE_KEEP_INPUT_F32)
DEFINE_FLOAT_RELATION(f64, F64, uint64_t, int64_t, LANES64, MODE_KEEP_INPUT_F16_F64)

#define DEFINE_COMPARE(condition, lanes, type)                                                                             \
    HANDLER(v_cmp_##condition##_##type)                                                                                    \
    {                                                                                                                      \
        struct relation relation = relate_##type(wave, in);                                                                \
        write_compare(wave, in, condition_lanes_##condition(relation));                                                    \
    }                                                                                                                      \
    HANDLER(v_cmpx_##condition##_##type)                                                                                   \
    {                                                                                                                      \
        struct relation relation = relate_##type(wave, in);                                                                \
        write_compare_exec(wave, in, condition_lanes_##condition(relation));                                               \
    }

/* One formula a condition, shared by all types; ne is the one that only integers have. */
#define DEFINE_CONDITION(condition, lanes, unused)                                                                         \
    static inline uint64_t condition_lanes_##condition(struct relation relation)                                           \
    {                                                                                                                      \
        uint64_t less = relation.less, equal = relation.equal, unordered = relation.unordered;                             \
        uint64_t greater = ~(less | equal | unordered);                                                                    \
        (void)greater;                                                                                                     \
        return (lanes);                                                                                                    \
    }
FLOAT_CONDITIONS(DEFINE_CONDITION, )
DEFINE_CONDITION(ne, ~equal, )

FLOAT_CONDITIONS(DEFINE_COMPARE, f16)
FLOAT_CONDITIONS(DEFINE_COMPARE, f32)
FLOAT_CONDITIONS(DEFINE_COMPARE, f64)
INTEGER_CONDITIONS(DEFINE_COMPARE, i16)
INTEGER_CONDITIONS(DEFINE_COMPARE, u16)
INTEGER_CONDITIONS(DEFINE_COMPARE, i32)
INTEGER_CONDITIONS(DEFINE_COMPARE, u32)
INTEGER_CONDITIONS(DEFINE_COMPARE, i64)
INTEGER_CONDITIONS(DEFINE_COMPARE, u64)

/* The bit of the class mask: 0 signalling NaN, 1 quiet NaN, 2 -inf, 3 -normal, 4 -denormal, 5 -0, 6 +0, 7 +denormal, 8
 * +normal, 9 +inf. MODE does not flush here. */
#define DEFINE_CLASS(name, FORMAT, word, SOURCE)                                                                           \
    static uint64_t class_##name(struct wave *wave, const struct instruction *in)                                          \
    {                                                                                                                      \
        SOURCE(a, 0);                                                                                                      \
        LANES32(classes, 1);                                                                                               \
        LANE_ARRAY32(found);                                                                                               \
        EACH_LANE                                                                                                          \
        {                                                                                                                  \
            word size = a[lane] & (FORMAT##_SIGN - 1);                                                                     \
            uint32_t positive = size == 0 ? 6 : size < FORMAT##_NORMAL ? 7 : size < FORMAT##_INFINITY ? 8 : 9;             \
            uint32_t nan = a[lane] & FORMAT##_QUIET ? 1 : 0;                                                               \
            uint32_t number = a[lane] & FORMAT##_SIGN ? 11 - positive : positive;                                          \
            uint32_t bit = size > FORMAT##_INFINITY ? nan : number;                                                        \
            found[lane] = classes[lane] >> bit & 1 ? UINT32_MAX : 0;                                                       \
        }                                                                                                                  \
        return mask_of_lanes(found);                                                                                       \
    }                                                                                                                      \
    HANDLER(v_cmp_class_##name)                                                                                            \
    {                                                                                                                      \
        write_compare(wave, in, class_##name(wave, in));                                                                   \
    }                                                                                                                      \
    HANDLER(v_cmpx_class_##name)                                                                                           \
    {                                                                                                                      \
        write_compare_exec(wave, in, class_##name(wave, in));                                                              \
    }

DEFINE_CLASS(f16, F16, uint32_t, LANES32)
DEFINE_CLASS(f32, F32, uint32_t, LANES32)
DEFINE_CLASS(f64, F64, uint64_t, LANES64)
