/*
 * How undefined bits go from the sources of one lane to its result. A result bit is undefined where some choice of the
 * undefined source bits would change it; rules that cannot tell say so for more bits, never for fewer.
 */
#include "device/emulator/sanitizer/init.h"

static uint64_t any(uint64_t undefined)
{
    return undefined ? ALL_UNDEFINED : 0;
}

static uint64_t mix(const struct init_sources *s)
{
    uint64_t all = s->any_more ? 1 : 0;
    for (unsigned k = 0; k < s->n; k++)
        all |= s->undefined[k];
    return any(all);
}

/* Where a bit can be 1 and where it can be 0, over the truth table's rows. */
static void bitwise(unsigned table, const struct init_sources *s, uint64_t *can_be_1, uint64_t *can_be_0)
{
    *can_be_1 = *can_be_0 = 0;
    for (unsigned row = 0; row < 8; row++) {
        unsigned bit[] = {row >> 2 & 1, row >> 1 & 1, row & 1};
        uint64_t possible = s->same01 && bit[0] != bit[1] ? 0 : UINT64_MAX;
        for (unsigned k = 0; k < s->n && k < sizeof bit / sizeof *bit; k++)
            possible &= (bit[k] ? s->value[k] : ~s->value[k]) | s->undefined[k];
        *(table >> row & 1 ? can_be_1 : can_be_0) |= possible;
    }
}

static uint64_t logic(unsigned table, const struct init_sources *s)
{
    uint64_t can_be_1, can_be_0;
    bitwise(table, s, &can_be_1, &can_be_0);
    return can_be_1 & can_be_0;
}

/* From the lowest undefined byte up. */
static uint64_t upward(const struct init_sources *s)
{
    uint64_t all = s->any_more ? ALL_UNDEFINED : 0;
    for (unsigned k = 0; k < s->n; k++)
        all |= s->undefined[k];
    return all ? UINT64_MAX << (__builtin_ctzll(all) & ~7) : 0;
}

static unsigned width_of_shift(const struct instruction *in, bool wide)
{
    uint8_t type = in->dst[0].type;
    return wide ? 64 : type == TYPE_B16 || type == TYPE_I16 || type == TYPE_U16 ? 16 : 32;
}

static uint64_t shift(const struct flow *flow, const struct instruction *in, const struct init_sources *s)
{
    unsigned value = flow->detail ? 0 : 1, amount = 1 - value; /* scalar shifts name the value first */
    unsigned width = width_of_shift(in, s->wide[value]), by = (unsigned)s->value[amount] & (width - 1);
    uint64_t all = UINT64_MAX >> (64 - width), undefined = s->undefined[value] & all;
    if (s->undefined[amount] & (width - 1))
        return all;
    if (flow->rule == RULE_SHIFT_LEFT)
        return undefined << by & all;
    bool sign = flow->rule == RULE_SHIFT_SIGNED && undefined >> (width - 1) & 1;
    return undefined >> by | (sign ? all & ~(all >> by) : 0);
}

/* v_lshl_or_b32: (a << b) | c, a defined one of either side hiding the other. */
static uint64_t shift_or(const struct init_sources *s)
{
    if (s->undefined[1] & 31)
        return ALL_UNDEFINED;
    unsigned by = (unsigned)s->value[1] & 31;
    struct init_sources parts = {.n = 2,
                                 .value = {(uint32_t)(s->value[0] << by), s->value[2]},
                                 .undefined = {(uint32_t)(s->undefined[0] << by), s->undefined[2]}};
    return logic(0xfc, &parts);
}

static uint64_t field(const struct instruction *in, const struct init_sources *s)
{
    unsigned first = (unsigned)s->value[1] & 31, width = (unsigned)s->value[2] & 31;
    if ((s->undefined[1] | s->undefined[2]) & 31)
        return ALL_UNDEFINED;
    uint64_t undefined = (uint32_t)s->undefined[0] >> first & ((UINT64_C(1) << width) - 1);
    bool is_signed = in->dst[0].type == TYPE_I32, sign = width && undefined >> (width - 1) & 1;
    return undefined | (is_signed && sign ? UINT64_MAX << width : 0);
}

/* v_perm_b32: selectors 0 to 3 take bytes of source 1, 4 to 7 of source 0, 8 to 11 signs, others constants. */
static uint64_t permute_bytes(const struct init_sources *s)
{
    uint64_t bytes = s->undefined[0] << 32 | (uint32_t)s->undefined[1], result = 0;
    for (unsigned b = 0; b < 4; b++) {
        unsigned select = s->value[2] >> 8 * b & 0xff;
        static const uint8_t sign_bit[] = {15, 31, 47, 63};
        uint64_t byte = select < 8 ? bytes >> 8 * select & 0xff : select < 12 ? bytes >> sign_bit[select - 8] & 1 : 0;
        result |= (s->undefined[2] >> 8 * b & 0xff ? UINT64_C(0xff) : byte) << 8 * b;
    }
    return result;
}

static uint64_t align_bits(const struct flow *flow, const struct init_sources *s)
{
    unsigned unit = flow->detail ? flow->detail : 1, mask = 32 / unit - 1;
    if (s->undefined[2] & mask)
        return ALL_UNDEFINED;
    return (s->undefined[0] << 32 | (uint32_t)s->undefined[1]) >> ((s->value[2] & mask) * unit);
}

static uint64_t pack(const struct flow *flow, const struct instruction *in, const struct init_sources *s)
{
    bool halves_chosen = in->src[0].type != TYPE_B32; /* v_pack_b32_f16: the operands are halves already */
    uint64_t low = s->undefined[0], high = s->undefined[1];
    low = !halves_chosen && flow->detail & 1 ? low >> 16 : low;
    high = !halves_chosen && flow->detail & 2 ? high >> 16 : high;
    return (low & 0xffff) | (high & 0xffff) << 16;
}

static uint64_t pack_dwords(const struct instruction *in, const struct init_sources *s)
{
    uint64_t low = s->undefined[0] >> (in->op_sel & 1 ? 32 : 0), high = s->undefined[1] >> (in->op_sel & 2 ? 32 : 0);
    return (uint32_t)low | high << 32;
}

/* Each half of the result, of so many bits, from the halves that op_sel and op_sel_hi choose. */
static uint64_t packed(const struct flow *flow, const struct instruction *in, const struct init_sources *s)
{
    const uint64_t half = (UINT64_C(1) << flow->detail) - 1;
    uint64_t result = s->any_more ? ALL_UNDEFINED : 0;
    for (unsigned k = 0; k < s->n; k++) {
        uint64_t low = s->undefined[k] >> (in->op_sel >> k & 1 ? flow->detail : 0) & half;
        uint64_t high = s->undefined[k] >> (in->op_sel_hi >> k & 1 ? flow->detail : 0) & half;
        result |= (low ? half : 0) | (high ? half << flow->detail : 0);
    }
    return result;
}

/* s_cselect, with SCC as source 2, and v_cndmask, with its lane's bit: the second where it is 1 for lanes, the first for
 * scalars. */
static uint64_t select(const struct instruction *in, const struct init_sources *s)
{
    if (s->undefined[2])
        return s->undefined[0] | s->undefined[1] | (s->value[0] ^ s->value[1]);
    bool scalar = in->class == CLASS_SALU;
    return s->undefined[(s->value[2] != 0) == scalar ? 0 : 1];
}

uint64_t init_result_bits(const struct flow *flow, const struct instruction *in, const struct init_sources *s)
{
    switch ((enum flow_rule)flow->rule) {
    case RULE_COPY:
        return s->undefined[0];
    case RULE_BITWISE:
        return logic(flow->detail, s);
    case RULE_SELECT:
        return select(in, s);
    case RULE_UPWARD:
        return upward(s);
    case RULE_SHIFT_LEFT:
    case RULE_SHIFT_RIGHT:
    case RULE_SHIFT_SIGNED:
        return shift(flow, in, s);
    case RULE_SHIFT_OR:
        return shift_or(s);
    case RULE_FIELD:
        return field(in, s);
    case RULE_PERMUTE_BYTES:
        return permute_bytes(s);
    case RULE_ALIGN_BITS:
        return align_bits(flow, s);
    case RULE_PACK:
        return pack(flow, in, s);
    case RULE_PACKED:
        return packed(flow, in, s);
    case RULE_PACK_DWORDS:
        return pack_dwords(in, s);
    case RULE_BYTE:
        return any(s->undefined[0] >> 8 * flow->detail & 0xff);
    case RULE_BIT:
        return s->undefined[1] ? ALL_UNDEFINED : s->undefined[0] >> (s->value[1] & (s->wide[0] ? 63 : 31)) & 1;
    case RULE_DEFINES:
    case RULE_NONE:
        return 0;
    default:
        return mix(s);
    }
}

bool init_surely_nonzero(const struct flow *flow, const struct init_sources *s)
{
    uint64_t can_be_1, can_be_0;
    if (flow->rule != RULE_BITWISE)
        return false;
    bitwise(flow->detail, s, &can_be_1, &can_be_0);
    uint64_t width = s->wide[0] ? UINT64_MAX : UINT32_MAX;
    return (can_be_1 & ~can_be_0 & width) != 0;
}
