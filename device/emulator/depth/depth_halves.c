/*
 * Which halves of its sources a result's halves come from. Constants and scalar registers of masks, shifts and selectors
 * are known when the instruction runs; where one is a vector register, every half may come from every half.
 */
#include "device/emulator/depth/depth_state.h"

enum { LOW, HIGH };

#define HALF(k, half) (1u << (2 * (k) + (half)))
#define WHOLE(k)      (HALF(k, LOW) | HALF(k, HIGH))

/* The bits of a constant or scalar source; false for a vector register. */
static bool scalar_bits(const struct wave *wave, const struct instruction *in, const struct flow *flow, unsigned k,
                        uint32_t *bits)
{
    const struct flow_range *range = &flow->reads[k];
    if (range->n == 0)
        *bits = (uint32_t)in->src[k].constant;
    else if (range->first >= FLOW_SCALAR && range->first != FLOW_SCC)
        *bits = wave->sgpr[range->first - FLOW_SCALAR];
    else
        return false;
    return true;
}

static struct depth_halves whole_of(unsigned first, unsigned end)
{
    unsigned from = 0;
    for (unsigned k = first; k < end; k++)
        from |= WHOLE(k);
    return (struct depth_halves){{(uint8_t)from, (uint8_t)from}};
}

/* Whether a result bit of the truth table depends on source k where the sources in `known` have these bits. */
static bool depends_on(unsigned table, unsigned k, unsigned known, unsigned bits)
{
    const unsigned flip = 4u >> k;
    for (unsigned row = 0; row < 8; row++) {
        bool possible = true;
        for (unsigned j = 0; j < 3; j++)
            possible &= !(known >> j & 1) || (row & 4u >> j) == (bits >> j & 1 ? 4u >> j : 0);
        if (possible && ((table >> row ^ table >> (row ^ flip)) & 1))
            return true;
    }
    return false;
}

/* A half of ones or zeros in a known source decides which others matter there. */
static struct depth_halves bitwise(const struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    struct depth_halves halves = {{0, 0}};
    for (unsigned half = 0; half < 2; half++) {
        unsigned known = 0, bits = 0;
        for (unsigned k = 0; k < flow->n_src && k < 3; k++) {
            uint32_t value;
            if (!scalar_bits(wave, in, flow, k, &value))
                continue;
            value = value >> 16 * half & 0xffff;
            known |= (unsigned)(value == 0 || value == 0xffff) << k;
            bits |= (unsigned)(value == 0xffff) << k;
        }
        for (unsigned k = 0; k < flow->n_src && k < 3; k++)
            if (!(known >> k & 1) && depends_on(flow->detail, k, known, bits))
                halves.from[half] |= (uint8_t)HALF(k, half);
    }
    return halves;
}

/* Vector shifts name the amount first. */
static struct depth_halves shift(const struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    uint32_t amount;
    if (!scalar_bits(wave, in, flow, 0, &amount))
        return whole_of(0, 2);
    if ((amount & 31) != 16)
        return whole_of(1, 2);
    if (flow->rule == RULE_SHIFT_LEFT)
        return (struct depth_halves){{0, HALF(1, LOW)}};
    bool sign = flow->rule == RULE_SHIFT_SIGNED;
    return (struct depth_halves){{HALF(1, HIGH), sign ? HALF(1, HIGH) : 0}};
}

/* v_lshl_or_b32: (a << b) | c. */
static struct depth_halves shift_or(const struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    uint32_t amount;
    if (!scalar_bits(wave, in, flow, 1, &amount) || (amount & 31) != 16)
        return (struct depth_halves){{WHOLE(0) | HALF(2, LOW), WHOLE(0) | HALF(2, HIGH)}};
    return (struct depth_halves){{HALF(2, LOW), HALF(2, HIGH) | HALF(0, LOW)}};
}

static struct depth_halves field(const struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    uint32_t first, width;
    if (!scalar_bits(wave, in, flow, 1, &first) || !scalar_bits(wave, in, flow, 2, &width))
        return whole_of(0, 1);
    first &= 31;
    width &= 31;
    uint8_t from = first >= 16 ? HALF(0, HIGH) : first + width <= 16 ? HALF(0, LOW) : WHOLE(0);
    return (struct depth_halves){{from, from}};
}

/* v_perm_b32: selectors 0 to 3 take bytes of source 1, 4 to 7 of source 0, 8 to 11 signs, others constants. */
static struct depth_halves permute_bytes(const struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    static const uint8_t halves_of[] = {
        HALF(1, LOW),  HALF(1, LOW),  HALF(1, HIGH), HALF(1, HIGH), HALF(0, LOW), HALF(0, LOW),
        HALF(0, HIGH), HALF(0, HIGH), HALF(1, LOW),  HALF(1, HIGH), HALF(0, LOW), HALF(0, HIGH),
    };
    struct depth_halves halves = {{0, 0}};
    uint32_t selectors;
    if (!scalar_bits(wave, in, flow, 2, &selectors))
        return whole_of(0, 2);
    for (unsigned b = 0; b < 4; b++) {
        unsigned select = selectors >> 8 * b & 0xff;
        halves.from[b / 2] |= select < sizeof halves_of ? halves_of[select] : 0;
    }
    return halves;
}

/* v_alignbit_b32, v_alignbyte_b32: the 32 bits from a number on of source 0 above source 1. */
static struct depth_halves align_bits(const struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    uint32_t amount, unit = flow->detail ? flow->detail : 1;
    if (!scalar_bits(wave, in, flow, 2, &amount))
        return whole_of(0, 2);
    amount = (amount & (32 / unit - 1)) * unit;
    if (amount == 0)
        return (struct depth_halves){{HALF(1, LOW), HALF(1, HIGH)}};
    if (amount == 16)
        return (struct depth_halves){{HALF(1, HIGH), HALF(0, LOW)}};
    return whole_of(0, 2);
}

/* What a source gives as one 16-bit number: take_part has put a chosen half into both. */
static struct depth_halves pack(const struct instruction *in, const struct flow *flow)
{
    bool chosen = in->src[0].type != TYPE_B32; /* v_pack_b32_f16: the operands are halves already */
    unsigned low = chosen ? LOW : flow->detail & 1, high = chosen ? LOW : flow->detail >> 1 & 1;
    return (struct depth_halves){{(uint8_t)HALF(0, low), (uint8_t)HALF(1, high)}};
}

/* Each half of the result from the halves that op_sel and op_sel_hi choose; an accumulator's from its own. */
static struct depth_halves packed(const struct instruction *in, const struct flow *flow)
{
    struct depth_halves halves = {{0, 0}};
    for (unsigned k = 0; k < flow->n_reads && k < 4; k++) {
        bool is_source = k < flow->n_src;
        halves.from[0] |= (uint8_t)HALF(k, is_source ? in->op_sel >> k & 1 : LOW);
        halves.from[1] |= (uint8_t)HALF(k, is_source ? in->op_sel_hi >> k & 1 : HIGH);
    }
    return halves;
}

static struct depth_halves all_sources(const struct flow *flow)
{
    unsigned from = 0;
    for (unsigned k = 0; k < flow->n_reads && k < 4; k++)
        if (k < flow->n_src || flow->reads[k].first < FLOW_SCALAR)
            from |= WHOLE(k);
    return (struct depth_halves){{(uint8_t)from, (uint8_t)from}};
}

struct depth_halves depth_halves_of(const struct wave *wave, const struct instruction *in, const struct flow *flow,
                                    uint8_t kind)
{
    if (kind == DEPTH_QUOTIENT)
        return whole_of(1, 3);
    if (kind == DEPTH_PAIR)
        return (struct depth_halves){{WHOLE(0), WHOLE(1)}};
    switch ((enum flow_rule)flow->rule) {
    case RULE_COPY:
        return (struct depth_halves){{HALF(0, LOW), HALF(0, HIGH)}};
    case RULE_BITWISE:
        return bitwise(wave, in, flow);
    case RULE_SHIFT_LEFT:
    case RULE_SHIFT_RIGHT:
    case RULE_SHIFT_SIGNED:
        return shift(wave, in, flow);
    case RULE_SHIFT_OR:
        return shift_or(wave, in, flow);
    case RULE_FIELD:
        return field(wave, in, flow);
    case RULE_PERMUTE_BYTES:
        return permute_bytes(wave, in, flow);
    case RULE_ALIGN_BITS:
        return align_bits(wave, in, flow);
    case RULE_PACK:
        return pack(in, flow);
    case RULE_PACKED:
        return packed(in, flow);
    case RULE_DEFINES:
    case RULE_NONE:
        return (struct depth_halves){{0, 0}};
    default:
        return all_sources(flow);
    }
}
