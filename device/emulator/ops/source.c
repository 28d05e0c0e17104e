#include "device/emulator/ops/dpp.h"

/* The bit that neg and abs act on, or 0 for types that they leave alone (integers, packed and mix types). */
static uint64_t sign_bit(const struct operand *operand)
{
    switch ((enum operand_type)operand->type) {
    case TYPE_B16:
    case TYPE_F16:
    case TYPE_BF16:
        return UINT64_C(1) << 15;
    case TYPE_B32:
    case TYPE_F32:
        return UINT64_C(1) << 31;
    case TYPE_B64:
    case TYPE_F64:
        return UINT64_C(1) << 63;
    default:
        return 0;
    }
}

/* abs comes before neg (ISA, "Input modifiers"); both act on the sign bit alone, of NaNs too. */
static void sign_masks(const struct operand *operand, uint64_t *keep, uint64_t *flip)
{
    uint64_t sign = sign_bit(operand);
    *keep = operand->modifiers & MODIFIER_ABS ? ~sign : UINT64_MAX;
    *flip = operand->modifiers & MODIFIER_NEG ? sign : 0;
}

/* How far right an SDWA selection lies and how wide it is, in bits. */
static unsigned sdwa_shift(unsigned select)
{
    return select >= SDWA_WORD_0 ? 16 * (select - SDWA_WORD_0) : select == SDWA_DWORD ? 0 : 8 * (select - SDWA_BYTE_0);
}

static unsigned sdwa_bits(unsigned select)
{
    return select >= SDWA_WORD_0 ? 16 : select == SDWA_DWORD ? 32 : 8;
}

static void sdwa_pick(const struct operand *operand, const uint32_t *row, uint32_t *result)
{
    unsigned right = sdwa_shift(operand->sdwa_select);
    unsigned unused = 32 - sdwa_bits(operand->sdwa_select);
    if (operand->modifiers & MODIFIER_SEXT)
        EACH_LANE result[lane] = (uint32_t)((int32_t)(row[lane] >> right << unused) >> unused);
    else
        EACH_LANE result[lane] = row[lane] >> right << unused >> unused;
    if (is_16_bits(operand))
        EACH_LANE result[lane] &= 0xffff;
}

static const uint32_t *whole_source(struct wave *wave, const struct operand *operand, uint32_t *scratch)
{
    if (operand->kind == OPERAND_VGPR || operand->kind == OPERAND_AGPR)
        return vgpr_row(wave, operand_row(operand));
    uint32_t value = scalar_read32(wave, operand);
    EACH_LANE scratch[lane] = value;
    return scratch;
}

const uint32_t *VARIANT(source32_slow)(struct wave *wave, const struct instruction *in, int k, uint32_t *scratch)
{
    const struct operand *operand = &in->src[k];
    const uint32_t *row = whole_source(wave, operand, scratch);
    if (k == 0 && (in->form == FORM_DPP16 || in->form == FORM_DPP8) && row != scratch) {
        struct dpp_sources sources;
        VARIANT(dpp_find_sources)(wave, in, &sources);
        VARIANT(dpp_gather)(&sources, row, scratch);
        row = scratch;
    }
    if (in->form == FORM_SDWA) {
        sdwa_pick(operand, row, scratch);
        row = scratch;
    } else if (operand->half == HALF_HIGH) {
        EACH_LANE scratch[lane] = row[lane] >> 16;
        row = scratch;
    } else if (operand->half == HALF_LOW || is_16_bits(operand)) {
        EACH_LANE scratch[lane] = row[lane] & 0xffff;
        row = scratch;
    }
    if (operand->modifiers & (MODIFIER_NEG | MODIFIER_ABS)) {
        uint64_t keep, flip;
        sign_masks(operand, &keep, &flip);
        EACH_LANE scratch[lane] = (row[lane] & (uint32_t)keep) ^ (uint32_t)flip;
        row = scratch;
    }
    return row;
}

static void fill_pair(struct wave *wave, const struct instruction *in, int k, uint64_t *scratch)
{
    const uint32_t *low = vgpr_row(wave, operand_row(&in->src[k]));
    const uint32_t *high = low + WAVE_LANES;
    LANE_ARRAY32(low_moved);
    LANE_ARRAY32(high_moved);
    if (k == 0 && (in->form == FORM_DPP16 || in->form == FORM_DPP8)) {
        struct dpp_sources sources;
        VARIANT(dpp_find_sources)(wave, in, &sources);
        VARIANT(dpp_gather)(&sources, low, low_moved);
        VARIANT(dpp_gather)(&sources, high, high_moved);
        low = low_moved;
        high = high_moved;
    }
    EACH_LANE scratch[lane] = (uint64_t)high[lane] << 32 | low[lane];
}

void VARIANT(source64_fill)(struct wave *wave, const struct instruction *in, int k, uint64_t *scratch)
{
    const struct operand *operand = &in->src[k];
    if (operand->kind == OPERAND_VGPR || operand->kind == OPERAND_AGPR) {
        fill_pair(wave, in, k, scratch);
    } else {
        uint64_t value = scalar_read64(wave, operand);
        EACH_LANE scratch[lane] = value;
    }
    if (operand->modifiers & (MODIFIER_NEG | MODIFIER_ABS)) {
        uint64_t keep, flip;
        sign_masks(operand, &keep, &flip);
        EACH_LANE scratch[lane] = (scratch[lane] & keep) ^ flip;
    }
}

/* SDWA destination: the result's low bits go to the selected byte or word; dst_unused says what the rest becomes. */
static void sdwa_place(const struct instruction *in, const uint32_t *row, const uint32_t *result, uint32_t *value)
{
    unsigned left = sdwa_shift(in->dst_sdwa_select), bits = sdwa_bits(in->dst_sdwa_select);
    uint32_t field = UINT32_MAX >> (32 - bits) << left;
    if (in->flags & FLAG_DST_UNUSED_PRESERVE)
        EACH_LANE value[lane] = (result[lane] << left & field) | (row[lane] & ~field);
    else if (in->flags & FLAG_DST_UNUSED_SEXT)
        EACH_LANE value[lane] = (uint32_t)((int32_t)(result[lane] << (32 - bits)) >> (32 - bits)) << left;
    else
        EACH_LANE value[lane] = result[lane] << left & field;
}

static void half_place(const struct instruction *in, const uint32_t *row, const uint32_t *result, uint32_t *value)
{
    uint32_t others = in->flags & FLAG_ZERO_OTHER_HALF ? 0 : UINT32_MAX;
    if (in->dst[0].half == HALF_HIGH)
        EACH_LANE value[lane] = result[lane] << 16 | (row[lane] & 0xffff & others);
    else
        EACH_LANE value[lane] = (result[lane] & 0xffff) | (row[lane] & 0xffff0000 & others);
}

void VARIANT(commit32_slow)(struct wave *wave, const struct instruction *in, const uint32_t *result)
{
    uint32_t *row = vgpr_row(wave, operand_row(&in->dst[0]));
    LANE_ARRAY32(value);
    LANE_ARRAY32(lanes);
    if (in->form == FORM_SDWA)
        sdwa_place(in, row, result, value);
    else if (in->dst[0].half)
        half_place(in, row, result, value);
    else
        memcpy(value, result, sizeof value);
    lanes_of_mask(VARIANT(dpp_write_mask)(wave, in), lanes);
    blend32(row, value, lanes);
}
