/*
 * Sums with a carry mask, and selection by a mask (ISA, "VOP3SD"). A carry is computed from the sources before the result
 * is written, and is 0 for lanes that are off.
 */
#include "device/emulator/ops/int_loops.h"

/* Writes sums or differences with their carries (all ones or 0); clamp has been applied. */
static void commit_with_carry(struct wave *wave, const struct instruction *in, const uint32_t *result,
                              const uint32_t *carry)
{
    uint64_t mask = mask_of_lanes(carry) & VARIANT(dpp_write_mask)(wave, in);
    commit32(wave, in, result);
    mask_write(wave, &in->dst[1], mask);
}

/* x + y + carry in. Under clamp a carry saturates the sum. */
static void add_lanes(struct wave *wave, const struct instruction *in, const uint32_t *x, const uint32_t *y,
                      const uint32_t *carry_in)
{
    LANE_ARRAY32(carry);
    LANE_ARRAY32(sum);
    EACH_LANE
    {
        uint32_t partial = x[lane] + y[lane], total = partial + (carry_in[lane] & 1);
        carry[lane] = partial < x[lane] || total < partial ? UINT32_MAX : 0;
        sum[lane] = total;
    }
    if (in->flags & FLAG_CLAMP)
        EACH_LANE sum[lane] |= carry[lane];
    commit_with_carry(wave, in, sum, carry);
}

/* x - y - borrow in. Under clamp a borrow makes the difference 0. */
static void subtract_lanes(struct wave *wave, const struct instruction *in, const uint32_t *x, const uint32_t *y,
                           const uint32_t *borrow_in)
{
    LANE_ARRAY32(borrow);
    LANE_ARRAY32(difference);
    EACH_LANE
    {
        uint32_t partial = x[lane] - y[lane], total = partial - (borrow_in[lane] & 1);
        borrow[lane] = x[lane] < y[lane] || partial < total ? UINT32_MAX : 0;
        difference[lane] = total;
    }
    if (in->flags & FLAG_CLAMP)
        EACH_LANE difference[lane] &= ~borrow[lane];
    commit_with_carry(wave, in, difference, borrow);
}

/* The carry mask of source 2 as words; without one (the forms that only produce a carry) all 0. */
static void carry_in_lanes(struct wave *wave, const struct instruction *in, uint32_t *carry_in)
{
    lanes_of_mask(in->n_src > 2 ? mask_read(wave, &in->src[2]) : 0, carry_in);
}

#define DEFINE_CARRY(name, operation, x, y)                                                                                \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        LANES32(a, 0);                                                                                                     \
        LANES32(b, 1);                                                                                                     \
        LANE_ARRAY32(carry_in);                                                                                            \
        carry_in_lanes(wave, in, carry_in);                                                                                \
        operation(wave, in, x, y, carry_in);                                                                               \
    }

DEFINE_CARRY(v_add_co_u32, add_lanes, a, b)
DEFINE_CARRY(v_sub_co_u32, subtract_lanes, a, b)
DEFINE_CARRY(v_subrev_co_u32, subtract_lanes, b, a)

/* The mask that a conditional move selects by: its operand, or VCC where the text has none (VOPD). */
static void select_lanes(struct wave *wave, const struct instruction *in, uint32_t *selected)
{
    lanes_of_mask(in->n_src > 2 ? mask_read(wave, &in->src[2]) : vcc_read(wave), selected);
}

HANDLER(v_cndmask_b32)
{
    LANES32(a, 0);
    LANES32(b, 1);
    LANE_ARRAY32(selected);
    select_lanes(wave, in, selected);
    RESULT32(d);
    EACH_LANE d[lane] = (b[lane] & selected[lane]) | (a[lane] & ~selected[lane]);
    commit32(wave, in, d);
}

/* 32 x 32 + 64 bits; the mask gets bit 64 of the exact sum (for the signed form: its sign). */
HANDLER(v_mad_u64_u32)
{
    LANES32(a, 0);
    LANES32(b, 1);
    LANES64(c, 2);
    LANE_ARRAY32(carry);
    EACH_LANE
    {
        uint64_t product = (uint64_t)a[lane] * b[lane];
        c[lane] += product;
        carry[lane] = c[lane] < product ? UINT32_MAX : 0;
    }
    if (in->flags & FLAG_CLAMP)
        EACH_LANE c[lane] = carry[lane] ? UINT64_MAX : c[lane];
    uint64_t mask = mask_of_lanes(carry) & VARIANT(dpp_write_mask)(wave, in);
    commit64(wave, in, c);
    mask_write(wave, &in->dst[1], mask);
}

HANDLER(v_mad_i64_i32)
{
    LANES32(a, 0);
    LANES32(b, 1);
    LANES64(c, 2);
    LANE_ARRAY32(negative);
    bool clamp = in->flags & FLAG_CLAMP;
    EACH_LANE
    {
        int64_t product = (int64_t)(int32_t)a[lane] * (int32_t)b[lane], sum;
        bool overflow = __builtin_add_overflow(product, (int64_t)c[lane], &sum);
        bool sign = (sum < 0) != overflow;
        negative[lane] = sign ? UINT32_MAX : 0;
        c[lane] = (uint64_t)(clamp && overflow ? (sign ? INT64_MIN : INT64_MAX) : sum);
    }
    uint64_t mask = mask_of_lanes(negative) & VARIANT(dpp_write_mask)(wave, in);
    commit64(wave, in, c);
    mask_write(wave, &in->dst[1], mask);
}
