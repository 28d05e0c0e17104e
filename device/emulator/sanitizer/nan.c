/*
 * Where a NaN or an infinity first appears that no operand held: one note a wave. Values that are loaded or moved are not
 * looked at, arithmetic is, by the operand types of the opcode table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/emulator/sanitizer/checks.h"
#include "device/emulator/sanitizer/flow.h"
#include "device/emulator/softfloat.h"

enum { KEPT_ROWS = 2 };

struct nan_wave {
    bool reported;
    uint64_t had;                          /* lanes with a NaN or infinity among the operands */
    uint32_t before[KEPT_ROWS][MAX_LANES]; /* of dst[0], which may be a source too */
};

bool nan_wave_open(struct wave_checks *checks)
{
    checks->nan = calloc(1, sizeof *checks->nan);
    return checks->nan != NULL;
}

void nan_wave_close(struct wave_checks *checks)
{
    free(checks->nan);
}

void nan_wave_start(struct wave *wave)
{
    wave->checks->nan->reported = false;
}

/* Exponent bits of a format in its word: all ones in a NaN or infinity. n_values packed in the operand. */
struct float_layout {
    uint64_t exponent;
    uint8_t bits, n_values;
};

static const struct float_layout *layout_of(uint8_t type)
{
    static const struct float_layout layouts[TYPE_COUNT] = {
        [TYPE_F16] = {0x7c00, 16, 1},      [TYPE_BF16] = {0x7f80, 16, 1},
        [TYPE_F32] = {0x7f800000, 32, 1},  [TYPE_F64] = {UINT64_C(0x7ff) << 52, 64, 1},
        [TYPE_PF16] = {0x7c00, 16, 2},     [TYPE_PBF16] = {0x7f80, 16, 2},
        [TYPE_PF32] = {0x7f800000, 32, 2},
    };
    return layouts[type].bits ? &layouts[type] : NULL;
}

/* Which of the packed values is a NaN or infinity; n_values where none is. */
static unsigned special_value(const struct float_layout *layout, uint64_t bits)
{
    unsigned i = 0;
    while (i < layout->n_values && (bits >> layout->bits * i & layout->exponent) != layout->exponent)
        i++;
    return i;
}

static bool is_special(const struct float_layout *layout, uint64_t bits)
{
    return special_value(layout, bits) < layout->n_values;
}

/* A source of fma_mix is an f16 half where its bit of op_sel_hi is set. */
static uint8_t type_of_source(const struct instruction *in, unsigned k)
{
    if (in->src[k].type != TYPE_MIX)
        return in->src[k].type;
    return in->op_sel_hi >> k & 1 ? TYPE_F16 : TYPE_F32;
}

static uint64_t take_half(const struct instruction *in, unsigned k, const struct operand *operand, uint64_t bits)
{
    bool mix_high = operand->type == TYPE_MIX && in->op_sel_hi >> k & 1 && in->op_sel >> k & 1;
    return operand->half == HALF_HIGH || mix_high ? bits >> 16 : bits;
}

static uint64_t source_bits(const struct wave *wave, const struct instruction *in, const struct flow *flow, unsigned k,
                            unsigned lane, bool after)
{
    const struct nan_wave *nan = wave->checks->nan;
    const struct flow_range *range = &flow->reads[k];
    uint64_t bits = range->n ? 0 : in->src[k].constant;
    for (unsigned i = 0; i < range->n && i < 2; i++) {
        unsigned place = range->first + i, kept = place - flow->writes[0].first;
        uint64_t word;
        if (place >= FLOW_SCALAR)
            word = place == FLOW_SCC ? wave->scc : wave->sgpr[place - FLOW_SCALAR];
        else if (after && kept < KEPT_ROWS && kept < flow->writes[0].n)
            word = nan->before[kept][lane];
        else
            word = wave->vgpr[(size_t)place * wave->n_lanes + lane];
        bits |= word << 32 * i;
    }
    return take_half(in, k, &in->src[k], bits);
}

/* Arithmetic on floats: the result is one, and so is a source. DPP and SDWA move what lanes read: left out. */
static bool is_arithmetic(const struct instruction *in, const struct flow *flow)
{
    bool vector = flow->n_dst && flow->writes[0].first < FLOW_SCALAR;
    if (!in->opcode || in->form != FORM_PLAIN || !vector || !layout_of(in->dst[0].type))
        return false;
    return flow->rule == RULE_MIX || flow->rule == RULE_PACKED;
}

/* The accumulator of v_fmac and its kin, which the text does not name as a source. */
static bool reads_result(const struct flow *flow)
{
    return flow->n_reads > flow->n_src && flow->reads[flow->n_src].first == flow->writes[0].first;
}

static bool lane_had(const struct wave *wave, const struct instruction *in, const struct flow *flow, unsigned lane)
{
    for (unsigned k = 0; k < in->n_src; k++) {
        const struct float_layout *layout = layout_of(type_of_source(in, k));
        if (layout && is_special(layout, source_bits(wave, in, flow, k, lane, false)))
            return true;
    }
    const struct float_layout *layout = layout_of(in->dst[0].type);
    uint64_t sum = wave->vgpr[(size_t)flow->writes[0].first * wave->n_lanes + lane];
    return layout->bits * layout->n_values <= 32 && reads_result(flow) && is_special(layout, sum);
}

static void before_one(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    struct nan_wave *nan = wave->checks->nan;
    if (nan->reported || !is_arithmetic(in, flow))
        return;
    nan->had = 0;
    for (uint64_t left = wave->exec & wave->full_exec; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        nan->had |= (uint64_t)lane_had(wave, in, flow, lane) << lane;
    }
    for (unsigned i = 0; i < flow->writes[0].n && i < KEPT_ROWS; i++)
        memcpy(nan->before[i], wave->vgpr + (size_t)(flow->writes[0].first + i) * wave->n_lanes, 4 * wave->n_lanes);
}

static double to_double(uint8_t type, uint64_t bits)
{
    const struct float_format *format = type == TYPE_F64                          ? &format_f64
                                        : type == TYPE_F16 || type == TYPE_PF16   ? &format_f16
                                        : type == TYPE_BF16 || type == TYPE_PBF16 ? &format_bf16
                                                                                  : &format_f32;
    double value;
    uint64_t mask = UINT64_MAX >> (64 - format->bits);
    uint64_t wide = soft_convert(format, &format_f64, (struct float_env){0}, bits & mask);
    memcpy(&value, &wide, sizeof value);
    return value;
}

static void report(struct wave *wave, const struct instruction *in, const struct flow *flow, unsigned lane, uint64_t result)
{
    char operands[160] = "";
    size_t used = 0;
    const struct float_layout *layout = layout_of(in->dst[0].type);
    unsigned shift = layout->bits * special_value(layout, result);
    for (unsigned k = 0; k < in->n_src && used < sizeof operands; k++) {
        uint8_t type = type_of_source(in, k);
        if (layout_of(type))
            used += (size_t)snprintf(
                operands + used, sizeof operands - used, "%s%.9g", used ? ", " : "",
                to_double(type, source_bits(wave, in, flow, k, lane, true) >> (layout_of(type)->n_values > 1 ? shift : 0)));
    }
    wave->checks->nan->reported = true;
    wave_finding(wave, FINDING_NAN, (int)lane, "the wave's first NaN or infinity that no operand held: %g from %s",
                 to_double(in->dst[0].type, result >> shift), operands);
}

static void after_one(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    struct nan_wave *nan = wave->checks->nan;
    if (nan->reported || !is_arithmetic(in, flow))
        return;
    const struct float_layout *layout = layout_of(in->dst[0].type);
    for (uint64_t left = wave->exec & wave->full_exec & ~nan->had; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left), row = flow->writes[0].first;
        uint64_t bits = wave->vgpr[(size_t)row * wave->n_lanes + lane];
        if (flow->writes[0].n > 1)
            bits |= (uint64_t)wave->vgpr[(size_t)(row + 1) * wave->n_lanes + lane] << 32;
        bits = in->dst[0].half == HALF_HIGH ? bits >> 16 : bits;
        if (!is_special(layout, bits))
            continue;
        report(wave, in, flow, lane, bits);
        return;
    }
}

/* The halves of a VOPD are looked at as one: the first that is arithmetic. */
void nan_before(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    unsigned half = flow->pair && !is_arithmetic(&in->pair[0], &flow->pair[0]);
    if (flow->pair)
        before_one(wave, &in->pair[half], &flow->pair[half]);
    else
        before_one(wave, in, flow);
}

void nan_after(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    unsigned half = flow->pair && !is_arithmetic(&in->pair[0], &flow->pair[0]);
    if (flow->pair)
        after_one(wave, &in->pair[half], &flow->pair[half]);
    else
        after_one(wave, in, flow);
}
