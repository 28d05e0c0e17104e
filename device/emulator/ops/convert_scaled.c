/*
 * gfx950's conversions with a scale (CDNA4 ISA, "Converts with Scale" and V_CVT_SCALEF32_…): small formats times 2^scale to
 * f32, f16 or bf16, and back with a division by it; one rounding, to nearest or stochastic. The scale is the exponent field
 * of an f32.
 *
 * Modelled: results below the normal range are flushed as MODE has it for their format; a scale whose field is all ones
 * makes every number a NaN; random bits act as in small_float.h.
 */
#include "device/emulator/ops/scaled_forms.h"
#include "device/emulator/small_float.h"

enum { MOST_DWORDS = 32, SCALE_BIAS = 127, SCALE_NAN = 255 };
enum narrowing_kind { PLAIN, PAIR, STOCHASTIC, INTERLEAVED };

/* dwords[d]: the lanes of dword d of a wide operand. */
struct dwords {
    alignas(64) uint32_t lanes[MOST_DWORDS][WAVE_LANES];
};

static int scale_field(uint32_t scale)
{
    return (int)(scale >> 23 & 0xff);
}

/* Copies n dwords of source k; a single one with its modifiers. Packed halves have theirs on both. */
static void read_dwords(struct wave *wave, const struct instruction *in, int k, unsigned n, uint32_t (*lanes)[WAVE_LANES])
{
    const struct operand *operand = &in->src[k];
    if (n == 1) {
        LANES32(row, k);
        bool packed = operand->type == TYPE_PF16 || operand->type == TYPE_PBF16;
        uint32_t keep = packed && operand->modifiers & MODIFIER_ABS ? 0x7fff7fffu : UINT32_MAX;
        uint32_t flip = packed && operand->modifiers & MODIFIER_NEG ? 0x80008000u : 0;
        EACH_LANE lanes[0][lane] = (row[lane] & keep) ^ flip;
        return;
    }
    for (unsigned d = 0; d < n; d++)
        memcpy(lanes[d], vgpr_row(wave, operand_row(operand) + d), sizeof lanes[d]);
}

/* ---- small to wide ---- */

struct widening {
    struct small_format small;
    const struct float_format *wide;
    unsigned n_elements;
};

/* op_sel names the byte or the half that holds the elements of a single dword. */
static unsigned first_bit(const struct widening *form, const struct instruction *in)
{
    unsigned n_bits = form->n_elements * form->small.bits;
    return n_bits > 32 ? 0 : n_bits == 16 ? 16 * (in->op_sel & 1u) : 8 * (in->op_sel & 3u);
}

static struct float_env result_env(const struct wave *wave, const struct float_format *format)
{
    struct float_env env = format == &format_f16 ? env_f16(wave) : env_f32(wave);
    env.rounding = ROUND_NEAREST_EVEN;
    return env;
}

static uint32_t widen_element(const struct widening *form, struct float_env env, uint32_t code, int scale)
{
    uint32_t bits = small_to_f32(form->small, code);
    struct float_env as_is = {0};
    if (scale == SCALE_NAN)
        return (uint32_t)format_made_nan(form->wide);
    if ((bits & 0x7f800000u) == 0x7f800000u)
        return (uint32_t)soft_convert(&format_f32, form->wide, as_is, bits);
    struct exact value = soft_unpack(&format_f32, as_is, bits);
    value.exponent += scale - SCALE_BIAS;
    return (uint32_t)soft_round(form->wide, env, value);
}

static void write_dwords(struct wave *wave, const struct instruction *in, unsigned n, const struct dwords *result)
{
    for (unsigned d = 0; d < n; d++)
        commit_row(wave, operand_row(&in->dst[0]) + d, result->lanes[d]);
}

static void widen(struct wave *wave, const struct instruction *in, const struct widening *form)
{
    struct dwords source, result;
    LANES32(scale, 1);
    const unsigned small_bits = form->small.bits, wide_bits = form->wide->bits, first = first_bit(form, in);
    const unsigned n_dwords = (form->n_elements * wide_bits + 31) / 32;
    read_dwords(wave, in, 0, (form->n_elements * small_bits + 31) / 32, source.lanes);
    memset(result.lanes, 0, n_dwords * sizeof result.lanes[0]);
    const struct float_env env = result_env(wave, form->wide);
    for (unsigned i = 0; i < form->n_elements; i++) {
        for (int lane = 0; lane < WAVE_LANES; lane++) {
            uint32_t code = lane_field(source.lanes, lane, first + i * small_bits, small_bits);
            lane_field_put(result.lanes, lane, i * wide_bits, wide_bits,
                           widen_element(form, env, code, scale_field(scale[lane])));
        }
    }
    if (form->n_elements * wide_bits == 16)
        commit_result16(wave, in, result.lanes[0]);
    else
        write_dwords(wave, in, n_dwords, &result);
}

#define WIDENING_HANDLER(name, signature, small, n, wide)                                                                  \
    HANDLER(cvt_scalef32_##name)                                                                                           \
    {                                                                                                                      \
        const struct widening form = {small_##small, &format_##wide, n};                                                   \
        widen(wave, in, &form);                                                                                            \
    }
SCALED_WIDENING(WIDENING_HANDLER)

/* ---- wide to small ---- */

struct narrowing {
    const struct float_format *wide;
    struct small_format small;
    unsigned n_elements;
    enum narrowing_kind kind;
};

static void read_elements(struct wave *wave, const struct instruction *in, const struct narrowing *form,
                          struct dwords *source)
{
    unsigned n_dwords = (form->n_elements * form->wide->bits + 31) / 32;
    if (form->kind == PAIR) {
        read_dwords(wave, in, 0, 1, source->lanes);
        read_dwords(wave, in, 1, 1, source->lanes + 1);
    } else if (form->kind == INTERLEAVED) {
        for (unsigned i = 0; i < form->n_elements; i++)
            memcpy(source->lanes[i], vgpr_row(wave, operand_row(&in->src[i % 2]) + i / 2), sizeof source->lanes[i]);
    } else {
        read_dwords(wave, in, 0, n_dwords, source->lanes);
    }
}

/* Element i as f32, exactly. */
static uint32_t element_as_f32(const struct narrowing *form, const struct dwords *source, int lane, unsigned i, bool flush)
{
    if (form->wide == &format_f32)
        return f32_flush(flush, source->lanes[i][lane]);
    uint32_t half = source->lanes[i / 2][lane] >> 16 * (i % 2) & 0xffffu;
    return form->wide == &format_f16 ? f16_to_f32_bits(half) : half << 16;
}

/* V_PRNG_B32: what each element after the first has for random bits. */
static uint32_t next_random(uint32_t random)
{
    return random << 1 ^ (random >> 31 ? 197u : 0u);
}

static void narrow_lane(const struct narrowing *form, const struct small_rounding how, const struct dwords *source,
                        int lane, bool flush, uint32_t scale, uint32_t random, struct dwords *result)
{
    int field = scale_field(scale);
    for (unsigned i = 0; i < form->n_elements; i++) {
        uint32_t bits = field == SCALE_NAN ? 0x7fc00000u : element_as_f32(form, source, lane, i, flush);
        lane_field_put(result->lanes, lane, i * form->small.bits, form->small.bits,
                       small_from_f32(form->small, how, random, field - SCALE_BIAS, bits));
        random = next_random(random);
    }
}

/* A byte of the destination, which op_sel's upper bits name. */
static void commit_byte(struct wave *wave, const struct instruction *in, uint32_t *bytes)
{
    const unsigned shift = 8 * (in->op_sel >> 2 & 3u);
    const uint32_t *old = vgpr_row(wave, operand_row(&in->dst[0]));
    EACH_LANE bytes[lane] = (old[lane] & ~(0xffu << shift)) | bytes[lane] << shift;
    commit_result32(wave, in, bytes);
}

static void narrow(struct wave *wave, const struct instruction *in, const struct narrowing *form)
{
    struct dwords source, result;
    LANES32(scale, in->n_src - 1);
    LANES32(random, form->kind == STOCHASTIC ? 1 : in->n_src - 1);
    const unsigned n_bits = form->n_elements * form->small.bits, n_dwords = (n_bits + 31) / 32;
    read_elements(wave, in, form, &source);
    memset(result.lanes, 0, n_dwords * sizeof result.lanes[0]);
    const struct small_rounding how = {
        .saturate = (wave->mode & MODE_FP16_OVFL) != 0, .saturates_infinity = true, .stochastic = form->kind == STOCHASTIC};
    const bool flush = env_f32(wave).flush_in;
    for (int lane = 0; lane < WAVE_LANES; lane++)
        narrow_lane(form, how, &source, lane, flush, scale[lane], random[lane], &result);
    if (n_bits == 8)
        commit_byte(wave, in, result.lanes[0]);
    else if (n_bits == 16)
        commit_result16(wave, in, result.lanes[0]);
    else
        write_dwords(wave, in, n_dwords, &result);
}

#define NARROWING_HANDLER(name, signature, wide, n, small, kind)                                                           \
    HANDLER(cvt_scalef32_##name)                                                                                           \
    {                                                                                                                      \
        const struct narrowing form = {&format_##wide, small_##small, n, kind};                                            \
        narrow(wave, in, &form);                                                                                           \
    }
SCALED_NARROWING(NARROWING_HANDLER)
