/*
 * What each atomic operation makes of the old value: one table for memory and LDS (RDNA3 ISA, "LDS & GDS Instructions" and
 * "FLAT, Scratch and Global Instructions"). The .def files name the rows as each generation does.
 */
#ifndef EMULATOR_ATOMIC_OPS_H
#define EMULATOR_ATOMIC_OPS_H

#include <math.h>

#include "device/emulator/ops/access.h"
#include "device/emulator/softfloat.h"

/* X(name, type, new value); `old`, `data` and `second` have the type. U and I are the unsigned and signed type of b bits.
 */
#define ATOMIC_INTEGERS(X, U, I, b)                                                                                        \
    X(add_u##b, U, old + data)                                                                                             \
    X(sub_u##b, U, old - data)                                                                                             \
    X(inc_u##b, U, old >= data ? 0 : old + 1)                                                                              \
    X(dec_u##b, U, old == 0 || old > data ? data : old - 1)                                                                \
    X(min_i##b, I, data < old ? data : old)                                                                                \
    X(max_i##b, I, data >= old ? data : old)                                                                               \
    X(min_u##b, U, data < old ? data : old)                                                                                \
    X(max_u##b, U, data >= old ? data : old)                                                                               \
    X(and_b##b, U, old &data)                                                                                              \
    X(or_b##b, U, old | data)                                                                                              \
    X(xor_b##b, U, old ^ data)                                                                                             \
    X(swap_b##b, U, data)                                                                                                  \
    X(cmpswap_b##b, U, old == second ? data : old)
#define ATOMIC_FLOATS(X, F, b)                                                                                             \
    X(min_f##b, F, data < old ? data : old)                                                                                \
    X(max_f##b, F, data > old ? data : old)                                                                                \
    X(cmpswap_f##b, F, old == second ? data : old)
#define ATOMICS(X)                                                                                                         \
    ATOMIC_INTEGERS(X, uint32_t, int32_t, 32)                                                                              \
    ATOMIC_INTEGERS(X, uint64_t, int64_t, 64)                                                                              \
    ATOMIC_FLOATS(X, float, 32)                                                                                            \
    ATOMIC_FLOATS(X, double, 64)                                                                                           \
    X(add_f32, float, atomic_sum_f32(old, data, operands->flush.f32))                                                      \
    X(add_f64, double, atomic_sum_f64(old, data))                                                                          \
    X(pk_add_f16, uint32_t, atomic_packed_sum(&format_f16, old, data, operands->flush.f16))                                \
    X(pk_add_bf16, uint32_t, atomic_packed_sum(&format_bf16, old, data, operands->flush.f32))                              \
    X(min_num_f32, float, atomic_number_f32(old, data, atomic_below(data, old)))                                           \
    X(max_num_f32, float, atomic_number_f32(old, data, atomic_below(old, data)))                                           \
    X(sub_clamp_u32, uint32_t, old < data ? 0 : old - data)                                                                \
    X(cond_sub_u32, uint32_t, old >= data ? old - data : old)
#define LDS_ATOMICS(X)                                                                                                     \
    ATOMICS(X)                                                                                                             \
    X(min_num_f64, double, atomic_number_f64(old, data, atomic_below(data, old)))                                          \
    X(max_num_f64, double, atomic_number_f64(old, data, atomic_below(old, data)))                                          \
    X(rsub_u32, uint32_t, data - old)                                                                                      \
    X(rsub_u64, uint64_t, data - old)                                                                                      \
    X(mskor_b32, uint32_t, (old & ~data) | second)                                                                         \
    X(mskor_b64, uint64_t, (old & ~data) | second)                                                                         \
    X(wrap_b32, uint32_t, old >= data ? old - data : old + second)

/* Which denormals sums flush at the place of an atomic; bf16 goes with f32. */
struct atomic_flush {
    bool f32, f16;
};

/* One lane's operands as bits. */
struct atomic_operands {
    uint64_t data, second;
    struct atomic_flush flush;
};

typedef uint64_t atomic_next(uint64_t old_bits, const struct atomic_operands *operands);

/* Sums in the device's terms: f32 denormals flushed where the place does, a NaN operand comes through quieted (the old
 * value's first), and an invalid sum gives the negative quiet NaN, as every operation does here (softfloat.h). */
static inline float atomic_sum_f32(float old, float data, bool flush)
{
    float a = flush && fabsf(old) < 0x1p-126f ? copysignf(0, old) : old;
    float b = flush && fabsf(data) < 0x1p-126f ? copysignf(0, data) : data;
    float sum = a + b;
    if (isnan(sum))
        return bits_f32(isnan(a) ? f32_bits(a) | 0x400000u : isnan(b) ? f32_bits(b) | 0x400000u : 0xffc00000u);
    return flush && fabsf(sum) < 0x1p-126f ? copysignf(0, sum) : sum;
}

static inline double atomic_sum_f64(double old, double data)
{
    const uint64_t quiet = UINT64_C(1) << 51;
    double sum = old + data;
    if (isnan(sum))
        return bits_f64(isnan(old) ? f64_bits(old) | quiet : isnan(data) ? f64_bits(data) | quiet : UINT64_C(0xfff8) << 48);
    return sum;
}

/* a < b, where -0 is below +0. */
static inline bool atomic_below(double a, double b)
{
    return a < b || (a == 0 && b == 0 && signbit(a) && !signbit(b));
}

/* gfx12's minimum and maximum of numbers (RDNA4 ISA): a NaN loses against a number; of two, the operand's comes through
 * quieted. */
static inline float atomic_number_f32(float old, float data, bool takes_data)
{
    if (isnan(old) && isnan(data))
        return bits_f32(f32_bits(data) | 0x400000u);
    return isnan(old) || (takes_data && !isnan(data)) ? data : old;
}

static inline double atomic_number_f64(double old, double data, bool takes_data)
{
    if (isnan(old) && isnan(data))
        return bits_f64(f64_bits(data) | UINT64_C(1) << 51);
    return isnan(old) || (takes_data && !isnan(data)) ? data : old;
}

/* Two 16-bit sums, rounded to nearest even. */
static inline uint32_t atomic_packed_sum(const struct float_format *format, uint32_t old, uint32_t data, bool flush)
{
    struct float_env env = {.rounding = ROUND_NEAREST_EVEN, .flush_in = flush, .flush_out = flush};
    uint32_t low = (uint32_t)soft_add(format, env, old & 0xffff, data & 0xffff);
    return low | (uint32_t)soft_add(format, env, old >> 16, data >> 16) << 16;
}

#define ATOMIC_NEXT(name, T, new_value)                                                                                    \
    static inline uint64_t next_##name(uint64_t old_bits, const struct atomic_operands *operands)                          \
    {                                                                                                                      \
        T old, data, second, result;                                                                                       \
        memcpy(&old, &old_bits, sizeof old);                                                                               \
        memcpy(&data, &operands->data, sizeof data);                                                                       \
        memcpy(&second, &operands->second, sizeof second);                                                                 \
        (void)data;                                                                                                        \
        (void)second;                                                                                                      \
        result = (T)(new_value);                                                                                           \
        uint64_t bits = 0;                                                                                                 \
        memcpy(&bits, &result, sizeof result);                                                                             \
        return bits;                                                                                                       \
    }
LDS_ATOMICS(ATOMIC_NEXT)
#undef ATOMIC_NEXT

static inline uint64_t next_condxchg(uint64_t old, const struct atomic_operands *operands)
{
    const uint64_t low = UINT32_MAX, top = UINT64_C(1) << 31, data = operands->data;
    uint64_t first = data & top ? data & low & ~top : old & low;
    uint64_t second = data >> 32 & top ? data >> 32 & ~top : old >> 32;
    return second << 32 | first;
}

/* Sums in LDS follow the MODE register's denormal bits. */
static inline struct atomic_flush atomic_flush_of_mode(const struct wave *wave)
{
    return (struct atomic_flush){.f32 = (wave->mode & MODE_DENORM_F32) != MODE_DENORM_F32,
                                 .f16 = (wave->mode & MODE_DENORM_F16_F64) != MODE_DENORM_F16_F64};
}

/* One lane: replaces n_bytes (4 or 8) at place by next of them and returns the old ones. Memory is shared with the host
 * threads of other workgroups, LDS is not. */
static inline __attribute__((always_inline)) uint64_t atomic_lane(uint8_t *place, unsigned n_bytes, bool shared,
                                                                  atomic_next *next, const struct atomic_operands *operands)
{
    if (!shared) {
        uint64_t old = 0;
        memcpy(&old, place, n_bytes);
        uint64_t new = next(old, operands);
        memcpy(place, &new, n_bytes);
        return old;
    }
    if (n_bytes == 8) {
        uint64_t old = __atomic_load_n((uint64_t *)place, __ATOMIC_SEQ_CST);
        while (!__atomic_compare_exchange_n((uint64_t *)place, &old, next(old, operands), true, __ATOMIC_SEQ_CST,
                                            __ATOMIC_SEQ_CST))
            continue;
        return old;
    }
    uint32_t old = __atomic_load_n((uint32_t *)place, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n((uint32_t *)place, &old, (uint32_t)next(old, operands), true, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST))
        continue;
    return old;
}

/* Where an atomic instruction's operands lie: rows of registers. */
struct atomic_rows {
    unsigned data, second;
    bool has_second, returns;
    unsigned result;
};

static inline uint64_t lane_value(const struct wave *wave, unsigned row, unsigned n_bytes, int lane)
{
    uint64_t low = vgpr_row(wave, row)[lane];
    return n_bytes == 8 ? (uint64_t)vgpr_row(wave, row + 1)[lane] << 32 | low : low;
}

static __attribute__((noinline, cold)) void report_atomic(struct wave *wave, const struct access *access,
                                                          const struct atomic_rows *rows, unsigned n_bytes, bool replaces)
{
    access_report(wave, access, 0,
                  &(struct access_record){.registers = REGISTERS_VECTOR,
                                          .row = (uint16_t)rows->data,
                                          .second_row = rows->has_second ? (uint16_t)rows->second : UINT16_MAX,
                                          .returns = rows->returns,
                                          .result_row = (uint16_t)rows->result,
                                          .replaces = replaces,
                                          .n_bytes = n_bytes});
}

/* All lanes, lane 0 first. */
static inline __attribute__((always_inline)) void atomic_all_lanes(struct wave *wave, const struct access *access,
                                                                   const struct atomic_rows *rows, unsigned n_bytes,
                                                                   struct atomic_flush flush, atomic_next *next)
{
    if (__builtin_expect(wave->watched, 0))
        report_atomic(wave, access, rows, n_bytes, next == next_swap_b32 || next == next_swap_b64);
    LANE_ARRAY32(low);
    LANE_ARRAY32(high);
    for (int lane = 0; lane < WAVE_LANES; lane++)
        low[lane] = high[lane] = access->missing;
    EACH_LANE_OF(access->lanes)
    {
        struct atomic_operands operands = {.data = lane_value(wave, rows->data, n_bytes, lane), .flush = flush};
        if (rows->has_second)
            operands.second = lane_value(wave, rows->second, n_bytes, lane);
        uint64_t old = atomic_lane(access_at(access, lane), n_bytes, !access->private_bytes, next, &operands);
        low[lane] = (uint32_t)old;
        high[lane] = (uint32_t)(old >> 32);
    }
    if (!rows->returns)
        return;
    commit_row(wave, rows->result, low);
    if (n_bytes == 8)
        commit_row(wave, rows->result + 1, high);
}

#endif
