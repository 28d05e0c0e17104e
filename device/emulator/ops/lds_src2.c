/*
 * LDS atomics whose operand lies in LDS too (gfx908, "Vega" ISA, DS_ADD_SRC2_U32 and its kin): a place A is combined with a
 * place B, which lies 4 * D bytes from A. D is a signed number of 15 bits in the offset, or where the offset's top bit is
 * set, the top 15 bits of the address register.
 */
#include "device/emulator/ops/atomic_ops.h"

enum { OFFSET_BITS = 15, ADDRESS_BITS = 17 };

static void find_places(struct wave *wave, const struct instruction *in, uint32_t *a, uint32_t *b)
{
    LANES32(address, 0);
    bool in_address = (uint32_t)in->offset >> OFFSET_BITS & 1;
    int32_t fixed = (int32_t)((uint32_t)in->offset << (32 - OFFSET_BITS)) >> (32 - OFFSET_BITS);
    for (int lane = 0; lane < WAVE_LANES; lane++) {
        int32_t distance = in_address ? (int32_t)address[lane] >> ADDRESS_BITS : fixed;
        a[lane] = in_address ? address[lane] & ((1u << ADDRESS_BITS) - 1) : address[lane];
        b[lane] = a[lane] + 4u * (uint32_t)distance;
    }
}

static void combine(struct wave *wave, const struct instruction *in, unsigned n_bytes, atomic_next *next)
{
    const struct access_record record = {.registers = REGISTERS_NONE, .second_row = UINT16_MAX, .n_bytes = n_bytes};
    LANE_ARRAY32(a);
    LANE_ARRAY32(b);
    struct access to, from;
    find_places(wave, in, a, b);
    resolve_lds(wave, b, n_bytes, ACCESS_LOAD, &from);
    resolve_lds(wave, a, n_bytes, ACCESS_ATOMIC, &to);
    if (__builtin_expect(wave->watched, 0)) {
        access_report(wave, &from, 0, &record);
        access_report(wave, &to, 0, &record);
    }
    EACH_LANE_OF(to.lanes & from.lanes)
    {
        struct atomic_operands operands = {.flush = atomic_flush_of_mode(wave)};
        memcpy(&operands.data, access_at(&from, lane), n_bytes);
        atomic_lane(access_at(&to, lane), n_bytes, false, next, &operands);
    }
}

#define SRC2(name, T, operation)                                                                                           \
    HANDLER(ds_##name)                                                                                                     \
    {                                                                                                                      \
        combine(wave, in, sizeof(T), next_##operation);                                                                    \
    }
#define SRC2_INTEGERS(U, b)                                                                                                \
    SRC2(add_src2_u##b, U, add_u##b)                                                                                       \
    SRC2(sub_src2_u##b, U, sub_u##b)                                                                                       \
    SRC2(rsub_src2_u##b, U, rsub_u##b)                                                                                     \
    SRC2(inc_src2_u##b, U, inc_u##b)                                                                                       \
    SRC2(dec_src2_u##b, U, dec_u##b)                                                                                       \
    SRC2(min_src2_i##b, U, min_i##b)                                                                                       \
    SRC2(max_src2_i##b, U, max_i##b)                                                                                       \
    SRC2(min_src2_u##b, U, min_u##b)                                                                                       \
    SRC2(max_src2_u##b, U, max_u##b)                                                                                       \
    SRC2(and_src2_b##b, U, and_b##b)                                                                                       \
    SRC2(or_src2_b##b, U, or_b##b)                                                                                         \
    SRC2(xor_src2_b##b, U, xor_b##b)                                                                                       \
    SRC2(write_src2_b##b, U, swap_b##b)
SRC2_INTEGERS(uint32_t, 32)
SRC2_INTEGERS(uint64_t, 64)
SRC2(add_src2_f32, float, add_f32)
SRC2(min_src2_f32, float, min_f32)
SRC2(max_src2_f32, float, max_f32)
SRC2(min_src2_f64, double, min_f64)
SRC2(max_src2_f64, double, max_f64)
