/*
 * Handlers of integer instructions as one expression a lane. In the expression, a, b and c are the sources (as the type
 * that the macro names); wide results are masked by the macro. DEFINE_…_CLAMP takes a second expression that stands under
 * `clamp`.
 */
#ifndef EMULATOR_INT_LOOPS_H
#define EMULATOR_INT_LOOPS_H

#include "device/emulator/lanes.h"

/* One lane loop over sources named a, b, c of type `in_type`, results `out_type` (uint16_t zero-extends a 16-bit result).
 */
#define LOOP_1(in_type, out_type, expression)                                                                              \
    EACH_LANE                                                                                                              \
    {                                                                                                                      \
        in_type a = (in_type)a_lanes[lane];                                                                                \
        d[lane] = (out_type)(expression);                                                                                  \
    }
#define LOOP_2(in_type, out_type, expression)                                                                              \
    EACH_LANE                                                                                                              \
    {                                                                                                                      \
        in_type a = (in_type)a_lanes[lane], b = (in_type)b_lanes[lane];                                                    \
        d[lane] = (out_type)(expression);                                                                                  \
    }
#define LOOP_3(in_type, out_type, expression)                                                                              \
    EACH_LANE                                                                                                              \
    {                                                                                                                      \
        in_type a = (in_type)a_lanes[lane], b = (in_type)b_lanes[lane], c = (in_type)c_lanes[lane];                        \
        d[lane] = (out_type)(expression);                                                                                  \
    }

#define SOURCES_1 LANES32(a_lanes, 0)
#define SOURCES_2                                                                                                          \
    SOURCES_1;                                                                                                             \
    LANES32(b_lanes, 1)
#define SOURCES_3                                                                                                          \
    SOURCES_2;                                                                                                             \
    LANES32(c_lanes, 2)

#define ROWS_1 const uint32_t *a_lanes = vgpr_row(wave, in->plain_row[0])
#define ROWS_2                                                                                                             \
    ROWS_1;                                                                                                                \
    const uint32_t *b_lanes = vgpr_row(wave, in->plain_row[1])
#define ROWS_3                                                                                                             \
    ROWS_2;                                                                                                                \
    const uint32_t *c_lanes = vgpr_row(wave, in->plain_row[2])

/* Whole registers, no modifier, every lane on: rows are read and written as they stand. */
static inline bool is_common_row(const struct wave *wave, const struct instruction *in, unsigned n_sources)
{
    unsigned wanted = PLAIN_RESULT | ((1u << n_sources) - 1);
    return __builtin_expect((in->plain & wanted) == wanted && exec_read(wave) == wave->full_exec, 1);
}

/* A register's worth of loop for the common case, and a function for all others. */
#define DEFINE_COMMON(name, n, in_type, out_type, expression)                                                              \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        if (is_common_row(wave, in, n)) {                                                                                  \
            ROWS_##n;                                                                                                      \
            uint32_t *d = vgpr_row(wave, in->plain_result_row);                                                            \
            LOOP_##n(in_type, out_type, expression)                                                                        \
        } else {                                                                                                           \
            name##_general(wave, in);                                                                                      \
        }                                                                                                                  \
    }

#define LANES_BODY(n, in_type, out_type, expression)                                                                       \
    {                                                                                                                      \
        SOURCES_##n;                                                                                                       \
        RESULT32(d);                                                                                                       \
        LOOP_##n(in_type, out_type, expression) commit32(wave, in, d);                                                     \
    }

#define LANES_BODY_CLAMP(n, in_type, out_type, expression, clamped)                                                        \
    {                                                                                                                      \
        SOURCES_##n;                                                                                                       \
        RESULT32(d);                                                                                                       \
        if (in->flags & FLAG_CLAMP) {                                                                                      \
            LOOP_##n(in_type, out_type, clamped)                                                                           \
        } else {                                                                                                           \
            LOOP_##n(in_type, out_type, expression)                                                                        \
        }                                                                                                                  \
        commit32(wave, in, d);                                                                                             \
    }

#define GENERAL(name) static __attribute__((noinline)) void name##_general(struct wave *wave, const struct instruction *in)

#define DEFINE_LANES(name, n, in_type, out_type, expression) HANDLER(name) LANES_BODY(n, in_type, out_type, expression)
#define DEFINE_LANES_CLAMP(name, n, in_type, out_type, expression, clamped)                                                \
    HANDLER(name) LANES_BODY_CLAMP(n, in_type, out_type, expression, clamped)
#define DEFINE_WHOLE(name, n, in_type, expression)                                                                         \
    GENERAL(name) LANES_BODY(n, in_type, uint32_t, expression) DEFINE_COMMON(name, n, in_type, uint32_t, expression)
#define DEFINE_WHOLE_CLAMP(name, n, in_type, expression, clamped)                                                          \
    GENERAL(name)                                                                                                          \
    LANES_BODY_CLAMP(n, in_type, uint32_t, expression, clamped) DEFINE_COMMON(name, n, in_type, uint32_t, expression)

#define DEFINE_U32(name, n, expression)                DEFINE_WHOLE(name, n, uint32_t, expression)
#define DEFINE_I32(name, n, expression)                DEFINE_WHOLE(name, n, int32_t, expression)
#define DEFINE_U16(name, n, expression)                DEFINE_LANES(name, n, uint16_t, uint16_t, expression)
#define DEFINE_I16(name, n, expression)                DEFINE_LANES(name, n, int16_t, uint16_t, expression)
#define DEFINE_U32_CLAMP(name, n, expression, clamped) DEFINE_WHOLE_CLAMP(name, n, uint32_t, expression, clamped)
#define DEFINE_I32_CLAMP(name, n, expression, clamped) DEFINE_WHOLE_CLAMP(name, n, int32_t, expression, clamped)
#define DEFINE_U16_CLAMP(name, n, expression, clamped) DEFINE_LANES_CLAMP(name, n, uint16_t, uint16_t, expression, clamped)
#define DEFINE_I16_CLAMP(name, n, expression, clamped) DEFINE_LANES_CLAMP(name, n, int16_t, uint16_t, expression, clamped)

/* Values cut to what a type holds: integer clamp. */
static inline uint32_t saturate_u32(uint64_t value)
{
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static inline uint32_t saturate_i32(int64_t value)
{
    return (uint32_t)(value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value);
}

static inline uint32_t saturate_u16(uint32_t value)
{
    return value > UINT16_MAX ? UINT16_MAX : value;
}

static inline uint32_t saturate_i16(int32_t value)
{
    return (uint32_t)(value > INT16_MAX ? INT16_MAX : value < INT16_MIN ? INT16_MIN : value);
}

static inline uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static inline int32_t min_i32(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static inline int32_t max_i32(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static inline uint32_t med3_u32(uint32_t a, uint32_t b, uint32_t c)
{
    return max_u32(min_u32(a, b), min_u32(max_u32(a, b), c));
}

static inline int32_t med3_i32(int32_t a, int32_t b, int32_t c)
{
    return max_i32(min_i32(a, b), min_i32(max_i32(a, b), c));
}

/* Ones in a word, by sums of neighbours: no table, no branch, and no multiplication, by which gcc would know it as the
 * scalar popcount instruction and not vectorise. */
static inline uint32_t count_ones(uint32_t x)
{
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f;
    x += x >> 8;
    return (x + (x >> 16)) & 0x3f;
}

/* Zeros above the highest one; 32 for 0. */
static inline uint32_t leading_zeros(uint32_t x)
{
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    return count_ones(~x);
}

static inline uint32_t reverse_bits(uint32_t x)
{
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    x = (x >> 8 & 0x00ff00ff) | (x & 0x00ff00ff) << 8;
    return x >> 16 | x << 16;
}

static inline int32_t sign_extend_24(uint32_t x)
{
    return (int32_t)(x << 8) >> 8;
}

#endif
