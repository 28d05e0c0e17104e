/*
 * Counts through vector instructions whose lanes are each for themselves: of each half of the result the largest of the
 * halves that it comes from, and one more where it is an addition that rounds.
 */
#include <string.h>

#include "device/emulator/depth/depth_state.h"

enum { LOW = 1, HIGH = 2, WHOLE = LOW | HIGH, MOVED_DWORDS = 2 };

struct view {
    struct wave *wave;
    const struct instruction *in;
    const struct flow *flow;
    const struct depth_opcode *opcode;
    uint64_t lanes; /* that are written */
    bool dpp;
    uint32_t moved[MOVED_DWORDS][MAX_LANES]; /* source 0 as DPP moves it */
};

/* Counts of one half of a result: `all` in every lane, or more in some. */
struct tally {
    uint32_t all;
    bool mixed;
    uint32_t lane[MAX_LANES];
};

/* Where one dword of a source has its counts: one for all lanes where lanes is NULL. */
struct dword {
    uint32_t all;
    const uint32_t *lanes;
    uint8_t halves; /* that are read of it: LOW, HIGH or both */
};

/* The halves that the operand names by itself. */
static uint8_t halves_read(const struct view *view, unsigned k)
{
    static const uint8_t of_part[] = {[FLOW_WHOLE] = WHOLE, [FLOW_LOW] = LOW, [FLOW_HIGH] = HIGH};
    static const uint8_t of_select[] = {
        [SDWA_DWORD] = WHOLE, [SDWA_BYTE_0] = LOW, [SDWA_BYTE_1] = LOW, [SDWA_BYTE_2] = HIGH,
        [SDWA_BYTE_3] = HIGH, [SDWA_WORD_0] = LOW, [SDWA_WORD_1] = HIGH};
    if (view->in->form == FORM_SDWA && k < view->flow->n_src)
        return of_select[view->in->src[k].sdwa_select];
    return of_part[view->flow->reads[k].part];
}

static struct dword dword_of(const struct view *view, unsigned k, unsigned i)
{
    const struct flow_range *range = &view->flow->reads[k];
    const struct depth_wave *depth = view->wave->checks->depth;
    struct dword dword = {.all = DEPTH_CONSTANT, .halves = halves_read(view, k)};
    unsigned row = range->first + i;
    if (range->n == 0)
        return dword;
    if (range->first >= FLOW_SCALAR)
        dword.all = depth->scalars[row - FLOW_SCALAR];
    else if (view->dpp && k == 0)
        dword.lanes = view->moved[i < MOVED_DWORDS ? i : 0];
    else if (depth->mixed[row])
        dword.lanes = depth->lanes + (size_t)row * view->wave->n_lanes;
    else
        dword.all = depth->all[row];
    return dword;
}

static uint32_t count_in(uint32_t halves, uint8_t which)
{
    return which == WHOLE ? depth_any(halves) : which == LOW ? halves & 0xffff : halves >> 16;
}

/* A chosen half stands for both of the operand's. */
static void take(const struct view *view, const struct dword *dword, uint8_t which, struct tally *tally)
{
    which = dword->halves == WHOLE ? which : dword->halves;
    if (!dword->lanes) {
        tally->all = depth_larger(tally->all, count_in(dword->all, which));
        return;
    }
    if (!tally->mixed)
        memset(tally->lane, 0, sizeof tally->lane);
    tally->mixed = true;
    for (unsigned lane = 0; lane < view->wave->n_lanes; lane++)
        tally->lane[lane] = depth_larger(tally->lane[lane], count_in(dword->lanes[lane], which));
}

static uint32_t tally_at(const struct tally *tally, unsigned lane)
{
    return tally->mixed ? depth_larger(tally->all, tally->lane[lane]) : tally->all;
}

/* ---- zeros of the code's ---- */

static bool is_half_type(const struct instruction *in, unsigned k)
{
    uint8_t type = in->src[k].type;
    return type == TYPE_F16 || type == TYPE_BF16 || type == TYPE_PF16 || (type == TYPE_MIX && in->op_sel_hi >> k & 1);
}

static bool constant_is_zero(const struct instruction *in, unsigned k)
{
    uint64_t bits = in->src[k].constant;
    if (is_half_type(in, k))
        return (bits & 0x7fff7fff) == 0;
    return in->src[k].type == TYPE_F64 ? bits << 1 == 0 : (bits & 0x7fffffff) == 0;
}

static bool value_is_zero(uint32_t value, uint8_t which)
{
    return (value & (which == WHOLE ? 0x7fffffff : which == LOW ? 0x7fff : 0x7fff0000)) == 0;
}

/* The values of a dword of a vector source, as DPP moves them. */
static const uint32_t *values_of(const struct view *view, unsigned k, unsigned i, uint32_t scratch[MAX_LANES])
{
    const uint32_t *values = view->wave->vgpr + (size_t)(view->flow->reads[k].first + i) * view->wave->n_lanes;
    if (!view->dpp || k != 0)
        return values;
    depth_dpp(view->wave, view->in, values, scratch);
    return scratch;
}

static uint64_t vector_zeros(const struct view *view, unsigned k, unsigned i, uint8_t which)
{
    struct dword dword = dword_of(view, k, i);
    which = dword.halves == WHOLE ? which : dword.halves;
    if (!dword.lanes && count_in(dword.all, which) != DEPTH_CONSTANT)
        return 0;
    uint32_t scratch[MAX_LANES];
    const uint32_t *values = values_of(view, k, i, scratch);
    uint64_t zeros = 0;
    for (unsigned lane = 0; lane < view->wave->n_lanes; lane++) {
        uint32_t halves = dword.lanes ? dword.lanes[lane] : dword.all;
        zeros |= (uint64_t)(count_in(halves, which) == DEPTH_CONSTANT && value_is_zero(values[lane], which)) << lane;
    }
    return zeros;
}

/* Lanes whose operand is a zero that the code put there. A pair of dwords is an f64, whose sign is in the second. */
static uint64_t zeros_of(const struct view *view, unsigned k, unsigned i, unsigned n, uint8_t which)
{
    const struct flow_range *range = &view->flow->reads[k];
    const struct wave *wave = view->wave;
    if (range->n == 0)
        return k < view->flow->n_src && constant_is_zero(view->in, k) ? UINT64_MAX : 0;
    uint64_t zeros = UINT64_MAX;
    for (unsigned d = i; d < i + n && d < range->n; d++) {
        unsigned place = range->first + d;
        if (place < FLOW_SCALAR)
            zeros &= vector_zeros(view, k, d, which);
        else if (count_in(wave->checks->depth->scalars[place - FLOW_SCALAR], which) != DEPTH_CONSTANT ||
                 !value_is_zero(wave->sgpr[place - FLOW_SCALAR], which))
            zeros = 0;
    }
    return zeros;
}

/* ---- results ---- */

static void add(const struct view *view, uint64_t exact, uint32_t n, struct tally *tally)
{
    if (!tally->mixed && (exact & view->lanes) == 0) {
        tally->all = depth_plus(tally->all, n);
        return;
    }
    for (unsigned lane = 0; lane < view->wave->n_lanes; lane++) {
        uint32_t count = tally_at(tally, lane);
        tally->lane[lane] = exact >> lane & 1 ? count : depth_plus(count, n);
    }
    tally->mixed = true;
    tally->all = DEPTH_CONSTANT;
}

/* Which dword of each source an operation takes, n of them, and which halves. */
struct operands {
    unsigned dword[FLOW_MAX_READS], n;
    uint8_t which[FLOW_MAX_READS];
};

/* The addition of the operation whose operands' counts are in the tally. */
static void add_operation(const struct view *view, const struct operands *at, struct tally *tally)
{
    const struct flow *flow = view->flow;
    uint64_t exact = 0;
    if (view->opcode->kind == DEPTH_STEPS && view->opcode->steps) {
        add(view, 0, view->opcode->steps, tally);
    } else if (view->opcode->kind == DEPTH_SUM) {
        for (unsigned k = 0; k < 2 && k < flow->n_src; k++)
            exact |= zeros_of(view, k, at->dword[k], at->n, at->which[k]);
        add(view, exact, 1, tally);
    } else if (view->opcode->kind == DEPTH_FMA) {
        unsigned k = flow->n_src > 2 ? 2 : flow->n_src; /* the addend, or the destination */
        if (k < flow->n_reads)
            exact = zeros_of(view, k, at->dword[k], at->n, at->which[k]);
        add(view, exact, 1, tally);
    }
}

/* The halves of a result register that are written, and what the other one becomes. */
struct placing {
    uint8_t written;
    bool keeps, mixes; /* the other half stays; of the written one some bits stay */
    bool copies;       /* the sign goes up into the other half */
};

static struct placing placing_of(const struct view *view, const struct flow_range *range)
{
    const struct instruction *in = view->in;
    unsigned select = in->form == FORM_SDWA && range == &view->flow->writes[0] ? in->dst_sdwa_select : SDWA_DWORD;
    if (select == SDWA_DWORD)
        return (struct placing){.written = range->part == FLOW_WHOLE ? WHOLE
                                           : range->part == FLOW_LOW ? LOW
                                                                     : HIGH,
                                .keeps = true};
    bool keeps = in->flags & FLAG_DST_UNUSED_PRESERVE;
    return (struct placing){.written = select == SDWA_WORD_1 || select == SDWA_BYTE_2 || select == SDWA_BYTE_3 ? HIGH : LOW,
                            .keeps = keeps,
                            .mixes = keeps && select < SDWA_WORD_0,
                            .copies = in->flags & FLAG_DST_UNUSED_SEXT};
}

static uint32_t placed(const struct placing *placing, uint32_t old, uint32_t low, uint32_t high)
{
    if (placing->written == WHOLE)
        return low | high << 16;
    uint32_t count = depth_larger(low, high);
    uint32_t other = placing->keeps ? old : placing->copies ? depth_both(count) : 0;
    uint32_t mask = placing->written == LOW ? 0xffff : 0xffff0000;
    uint32_t own = placing->mixes ? depth_larger_halves(depth_both(count), old) : depth_both(count);
    return (own & mask) | (other & ~mask);
}

static void put(const struct view *view, const struct flow_range *range, unsigned i, const struct tally *low,
                const struct tally *high)
{
    struct wave *wave = view->wave;
    struct depth_wave *depth = wave->checks->depth;
    unsigned row = range->first + i;
    const struct placing placing = placing_of(view, range);
    if (!low->mixed && !high->mixed && (placing.written == WHOLE || !depth->mixed[row])) {
        depth_set_all(wave, row, view->lanes, placed(&placing, depth->all[row], low->all, high->all));
        return;
    }
    uint32_t halves[MAX_LANES];
    for (unsigned lane = 0; lane < wave->n_lanes; lane++)
        halves[lane] = placed(&placing, depth_lane(wave, row, lane), tally_at(low, lane), tally_at(high, lane));
    depth_set_lanes(wave, row, view->lanes, halves);
}

/* ---- the ways in which dwords meet ---- */

static unsigned last_dword(const struct view *view, unsigned k, unsigned i)
{
    unsigned n = view->flow->reads[k].n;
    return n && i >= n ? n - 1 : i;
}

/* Results of whole dwords, each from one dword of each source. */
static void by_dwords(const struct view *view, unsigned n_results, const struct operands *of_result)
{
    struct tally tally[2];
    for (unsigned i = 0; i < n_results; i++) {
        tally[i].all = DEPTH_CONSTANT;
        tally[i].mixed = false;
        for (unsigned k = 0; k < view->flow->n_reads; k++) {
            if (!of_result[i].which[k])
                continue;
            struct dword dword = dword_of(view, k, of_result[i].dword[k]);
            take(view, &dword, of_result[i].which[k], &tally[i]);
        }
        add_operation(view, &of_result[i], &tally[i]);
    }
    for (unsigned i = 0; i < n_results && i < view->flow->writes[0].n; i++)
        put(view, &view->flow->writes[0], i, &tally[i], &tally[i]);
}

/* v_pk_*_f32: each source's dword by op_sel; of an accumulator its own. */
static void packed_dwords(const struct view *view)
{
    const struct instruction *in = view->in;
    struct operands operands[2] = {{.n = 1}, {.n = 1}};
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < view->flow->n_reads && k < FLOW_MAX_READS; k++) {
            unsigned bits = i ? in->op_sel_hi : in->op_sel;
            operands[i].dword[k] = last_dword(view, k, k < view->flow->n_src ? bits >> k & 1 : i);
            operands[i].which[k] = WHOLE;
        }
    by_dwords(view, 2, operands);
}

/* v_pk_mov_b32: a dword of source 0, and one of source 1. */
static void paired_dwords(const struct view *view)
{
    struct operands operands[2] = {{.n = 1, .which = {[0] = WHOLE}}, {.n = 1, .which = {[1] = WHOLE}}};
    operands[0].dword[0] = last_dword(view, 0, view->in->op_sel & 1);
    operands[1].dword[1] = last_dword(view, 1, view->in->op_sel >> 1 & 1);
    by_dwords(view, 2, operands);
}

/* The lanes whose bit of v_cndmask's mask is 1 take source 1. */
static void select_lanes(const struct view *view)
{
    const struct flow_range *range = &view->flow->reads[2];
    const uint32_t *sgpr = view->wave->sgpr + (range->first - FLOW_SCALAR);
    uint64_t mask = range->n ? sgpr[0] | (range->n > 1 ? (uint64_t)sgpr[1] << 32 : 0) : view->in->src[2].constant;
    struct dword from[2] = {dword_of(view, 0, 0), dword_of(view, 1, 0)};
    struct tally halves[2];
    for (unsigned half = 0; half < 2; half++) {
        const uint8_t which = half ? HIGH : LOW;
        struct tally sources[2] = {{.all = 0}, {.all = 0}};
        take(view, &from[0], which, &sources[0]);
        take(view, &from[1], which, &sources[1]);
        halves[half].all = sources[0].all;
        halves[half].mixed = sources[0].mixed || sources[1].mixed || sources[0].all != sources[1].all;
        for (unsigned lane = 0; halves[half].mixed && lane < view->wave->n_lanes; lane++)
            halves[half].lane[lane] = tally_at(&sources[mask >> lane & 1], lane);
        halves[half].all = halves[half].mixed ? DEPTH_CONSTANT : halves[half].all;
    }
    put(view, &view->flow->writes[0], 0, &halves[0], &halves[1]);
}

/* Registers as they are, one after another. */
static void copy(const struct view *view)
{
    for (unsigned i = 0; i < view->flow->writes[0].n; i++) {
        struct dword dword = dword_of(view, 0, last_dword(view, 0, i));
        struct tally halves[2] = {{.all = 0}, {.all = 0}};
        take(view, &dword, LOW, &halves[0]);
        take(view, &dword, HIGH, &halves[1]);
        put(view, &view->flow->writes[0], i, &halves[0], &halves[1]);
    }
}

/* The halves of source k in a half of the result; of numbers of several dwords all of them. */
static void take_source(const struct view *view, unsigned k, uint8_t which, struct tally *tally)
{
    unsigned n = view->flow->reads[k].n;
    for (unsigned i = 0; i < (n ? n : 1); i++) {
        struct dword dword = dword_of(view, k, i);
        take(view, &dword, n > 1 ? WHOLE : which, tally);
    }
}

static void tally_half(const struct view *view, uint8_t from, struct tally *tally)
{
    struct operands operands = {.n = 1};
    tally->all = DEPTH_CONSTANT;
    tally->mixed = false;
    for (unsigned k = 0; k < view->flow->n_reads && k < 4; k++) {
        operands.which[k] = from >> 2 * k & WHOLE;
        operands.n = depth_larger(operands.n, view->flow->reads[k].n);
        if (operands.which[k])
            take_source(view, k, operands.which[k], tally);
    }
    add_operation(view, &operands, tally);
}

static void by_halves(const struct view *view)
{
    const struct flow *flow = view->flow;
    struct depth_halves halves = depth_halves_of(view->wave, view->in, flow, view->opcode->kind);
    struct tally low, high;
    bool same = halves.from[0] == halves.from[1];
    tally_half(view, halves.from[0], &low);
    if (!same)
        tally_half(view, halves.from[1], &high);
    for (unsigned k = 0; k < flow->n_writes; k++)
        for (unsigned i = 0; i < flow->writes[k].n && flow->writes[k].first < FLOW_SCALAR; i++)
            put(view, &flow->writes[k], i, &low, same ? &low : &high);
}

/* Lane masks, and what gfx12's scalar forms of vector instructions give. */
static void put_scalars(const struct view *view)
{
    const struct flow *flow = view->flow;
    uint32_t count = DEPTH_DATA;
    if (view->in->class == CLASS_TRANSCENDENTAL && flow->n_reads)
        count = depth_any(dword_of(view, 0, 0).all);
    for (unsigned k = 0; k < flow->n_writes; k++)
        for (unsigned i = 0; i < flow->writes[k].n && flow->writes[k].first >= FLOW_SCALAR; i++)
            view->wave->checks->depth->scalars[flow->writes[k].first + i - FLOW_SCALAR] = depth_both(count);
}

static void move_source(struct view *view)
{
    const struct flow_range *range = &view->flow->reads[0];
    if (!view->flow->n_src || !range->n || range->first >= FLOW_SCALAR)
        return;
    view->dpp = true;
    for (unsigned i = 0; i < range->n && i < MOVED_DWORDS; i++) {
        bool was_mixed = view->wave->checks->depth->mixed[range->first + i];
        const uint32_t *lanes = depth_spread(view->wave, range->first + i);
        view->lanes &= depth_dpp(view->wave, view->in, lanes, view->moved[i]);
        view->wave->checks->depth->mixed[range->first + i] = was_mixed;
    }
}

void depth_vector(struct wave *wave, const struct instruction *in, const struct flow *flow,
                  const struct depth_opcode *opcode)
{
    struct view view;
    view.wave = wave;
    view.in = in;
    view.flow = flow;
    view.opcode = opcode;
    view.lanes = depth_exec(wave);
    view.dpp = false;
    put_scalars(&view);
    if (flow->writes[0].first >= FLOW_SCALAR && (flow->n_writes < 2 || flow->writes[1].first >= FLOW_SCALAR))
        return;
    if (in->form == FORM_DPP16 || in->form == FORM_DPP8)
        move_source(&view);
    if (flow->rule == RULE_SELECT && flow->n_src > 2)
        select_lanes(&view);
    else if (flow->rule == RULE_COPY)
        copy(&view);
    else if (flow->rule == RULE_PACKED && flow->detail == 32)
        packed_dwords(&view);
    else if (flow->rule == RULE_PACK_DWORDS)
        paired_dwords(&view);
    else
        by_halves(&view);
}
