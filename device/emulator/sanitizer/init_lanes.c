/*
 * Undefined bytes through vector instructions. Nearly always nothing that an instruction reads is undefined: that is found
 * first, from a few words; else each lane is worked out by the instruction's rule.
 */
#include <string.h>

#include "device/emulator/sanitizer/init.h"

enum { MOVED_ROWS = 2 };

/* What an instruction reads, apart from registers that it names: source 0 as DPP moves it, and the lanes that are written.
 */
struct lane_view {
    struct wave *wave;
    const struct instruction *in;
    const struct flow *flow;
    uint64_t lanes;
    uint64_t moved[MOVED_ROWS][ROW_BYTES];
    bool is_dpp;
};

static bool is_dpp(const struct instruction *in)
{
    return in->form == FORM_DPP16 || in->form == FORM_DPP8;
}

static uint64_t range_lanes(const struct init_wave *init, const struct flow_range *range)
{
    uint64_t lanes = 0;
    if (range->first < FLOW_SCALAR) {
        for (unsigned i = 0; i < range->n; i++)
            lanes |= row_any(init->rows[range->first + i]);
        return lanes;
    }
    for (unsigned i = 0; i < range->n; i++)
        lanes |= init->scalars[range->first - FLOW_SCALAR + i];
    return lanes ? UINT64_MAX : 0;
}

static void clear_row(uint64_t row[ROW_BYTES], uint64_t lanes, unsigned part)
{
    unsigned first = part == FLOW_HIGH ? 2 : 0, end = part == FLOW_LOW ? 2 : 4;
    for (unsigned b = first; b < end; b++)
        row[b] &= ~lanes;
}

static void clear_writes(struct init_wave *init, const struct flow *flow, uint64_t lanes)
{
    for (unsigned k = 0; k < flow->n_writes; k++) {
        const struct flow_range *range = &flow->writes[k];
        for (unsigned i = 0; i < range->n; i++) {
            if (range->first < FLOW_SCALAR)
                clear_row(init->rows[range->first + i], lanes, range->part);
            else
                init->scalars[range->first - FLOW_SCALAR + i] = 0;
        }
    }
}

static uint64_t written_lanes_undefined(const struct init_wave *init, const struct flow *flow)
{
    return flow->n_writes ? range_lanes(init, &flow->writes[0]) : 0;
}

/* 32 bits of one lane of a row: a byte of ones for each undefined byte. */
static uint32_t lane_bits(const uint64_t row[ROW_BYTES], int lane)
{
    uint32_t bits = 0;
    for (unsigned b = 0; b < ROW_BYTES; b++)
        bits |= (row[b] >> lane & 1 ? 0xffu : 0u) << 8 * b;
    return bits;
}

static void set_lane_bits(uint64_t row[ROW_BYTES], int lane, uint32_t bits, unsigned first_byte, unsigned n_bytes)
{
    for (unsigned b = 0; b < n_bytes; b++) {
        uint64_t lane_bit = UINT64_C(1) << lane, *byte = &row[first_byte + b];
        *byte = bits >> 8 * b & 0xff ? *byte | lane_bit : *byte & ~lane_bit;
    }
}

static void read_vector(const struct lane_view *view, unsigned k, int lane, struct init_sources *sources)
{
    const struct wave *wave = view->wave;
    const struct flow_range *range = &view->flow->reads[k];
    bool moved = k == 0 && view->is_dpp;
    for (unsigned i = 0; i < range->n && i < 2; i++) {
        const uint64_t *row = moved ? view->moved[i] : wave->checks->init->rows[range->first + i];
        sources->undefined[k] |= (uint64_t)lane_bits(row, lane) << 32 * i;
        sources->value[k] |= (uint64_t)wave->vgpr[(size_t)(range->first + i) * wave->n_lanes + (unsigned)lane] << 32 * i;
    }
    sources->wide[k] = range->n > 1;
}

static void read_scalar(const struct lane_view *view, unsigned k, int lane, struct init_sources *sources)
{
    const struct flow_range *range = &view->flow->reads[k];
    const struct init_wave *init = view->wave->checks->init;
    unsigned index = range->first - FLOW_SCALAR;
    for (unsigned i = 0; i < range->n && i < 2; i++) {
        sources->undefined[k] |= (uint64_t)init->scalars[index + i] << 32 * i;
        sources->value[k] |= (uint64_t)(index == SREG_COUNT ? view->wave->scc : view->wave->sgpr[index + i]) << 32 * i;
    }
    sources->wide[k] = range->n > 1;
    if (k < view->flow->n_src && view->in->src[k].type != TYPE_MASK)
        return;
    sources->undefined[k] = sources->undefined[k] >> lane & 1;
    sources->value[k] = sources->value[k] >> lane & 1;
}

/* Halves and SDWA selections, shifted down. */
static void take_part(const struct lane_view *view, unsigned k, struct init_sources *sources)
{
    unsigned part = view->flow->reads[k].part,
             select = view->in->form == FORM_SDWA ? view->in->src[k].sdwa_select : SDWA_DWORD;
    unsigned shift = part == FLOW_HIGH ? 16 : 0, bits = part == FLOW_WHOLE ? 64 : 16;
    if (select >= SDWA_WORD_0) {
        shift = 16 * (select - SDWA_WORD_0);
        bits = 16;
    } else if (select != SDWA_DWORD) {
        shift = 8 * (select - SDWA_BYTE_0);
        bits = 8;
    }
    uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    sources->undefined[k] = sources->undefined[k] >> shift & mask;
    sources->value[k] = sources->value[k] >> shift & mask;
}

/* All that is beyond two dwords of the first three sources: the rest of wide operands, results that are read. */
static bool more_undefined(const struct lane_view *view, int lane)
{
    const struct flow *flow = view->flow;
    const struct init_wave *init = view->wave->checks->init;
    uint64_t lanes = 0;
    for (unsigned k = 0; k < flow->n_reads; k++) {
        const struct flow_range *range = &flow->reads[k];
        unsigned first = k < 3 && k < flow->n_src ? 2 : 0;
        for (unsigned i = first; i < range->n; i++) {
            if (range->first < FLOW_SCALAR)
                lanes |= row_part(init->rows[range->first + i], range->part);
            else if (k >= flow->n_src)
                lanes |= (uint64_t)init->scalars[range->first - FLOW_SCALAR + i] << 32 * i; /* VCC, M0 */
        }
    }
    return lanes >> lane & 1;
}

static struct init_sources read_lane(const struct lane_view *view, int lane)
{
    struct init_sources sources = {.any_more = more_undefined(view, lane)};
    const struct flow *flow = view->flow;
    for (unsigned k = 0; k < flow->n_src && k < 3; k++) {
        sources.n = (uint8_t)(k + 1);
        if (flow->reads[k].n == 0)
            sources.value[k] = view->in->src[k].constant;
        else if (flow->reads[k].first < FLOW_SCALAR)
            read_vector(view, k, lane, &sources);
        else
            read_scalar(view, k, lane, &sources);
        take_part(view, k, &sources);
    }
    sources.same01 = flow->n_src > 1 && flow->reads[0].n && flow->reads[0].first == flow->reads[1].first && !view->is_dpp;
    return sources;
}

/* Rules that look at values know them only where DPP does not move them. */
static const struct flow *effective_flow(const struct lane_view *view, struct flow *copy)
{
    *copy = *view->flow;
    bool moves_bytes = copy->rule == RULE_COPY || copy->rule == RULE_UPWARD;
    if ((view->is_dpp && !moves_bytes) || (view->in->form == FORM_SDWA && view->in->dst_sdwa_select != SDWA_DWORD))
        copy->rule = RULE_MIX;
    return copy;
}

static void write_vector(const struct lane_view *view, const struct flow_range *range, int lane, uint64_t bits)
{
    struct init_wave *init = view->wave->checks->init;
    const struct instruction *in = view->in;
    unsigned select = in->form == FORM_SDWA && range == &view->flow->writes[0] ? in->dst_sdwa_select : SDWA_DWORD;
    if (select != SDWA_DWORD) {
        unsigned first = select >= SDWA_WORD_0 ? 2 * (select - SDWA_WORD_0) : select - SDWA_BYTE_0;
        if (!(in->flags & FLAG_DST_UNUSED_PRESERVE))
            set_lane_bits(init->rows[range->first], lane, in->flags & FLAG_DST_UNUSED_SEXT ? (uint32_t)bits : 0, 0, 4);
        set_lane_bits(init->rows[range->first], lane, (uint32_t)bits, first, select >= SDWA_WORD_0 ? 2 : 1);
        return;
    }
    if (range->part != FLOW_WHOLE) {
        set_lane_bits(init->rows[range->first], lane, (uint32_t)bits, range->part == FLOW_HIGH ? 2 : 0, 2);
        return;
    }
    for (unsigned i = 0; i < range->n; i++) {
        uint32_t dword = i == 0 ? (uint32_t)bits : i == 1 ? (uint32_t)(bits >> 32) : bits ? UINT32_MAX : 0;
        set_lane_bits(init->rows[range->first + i], lane, dword, 0, 4);
    }
}

static void write_mask(struct init_wave *init, const struct flow_range *range, uint64_t lanes)
{
    for (unsigned i = 0; i < range->n && i < 2; i++)
        init->scalars[range->first - FLOW_SCALAR + i] = (uint32_t)(lanes >> 32 * i);
}

static void check_exec(struct wave *wave, const struct flow *flow, uint64_t lanes)
{
    struct init_wave *init = wave->checks->init;
    init->scalars[SREG_EXEC_LO] = init->scalars[SREG_EXEC_HI] = 0;
    unsigned place = flow->reads[0].first;
    for (unsigned k = flow->n_reads; k-- > 0;)
        place = range_lanes(init, &flow->reads[k]) ? flow->reads[k].first : place;
    if (lanes)
        init_report(wave, place, __builtin_ctzll(lanes), "the mask of active lanes");
}

static void each_lane(struct lane_view *view)
{
    struct flow copy;
    const struct flow *flow = effective_flow(view, &copy);
    struct init_wave *init = view->wave->checks->init;
    uint64_t undefined_lanes = 0;
    for (uint64_t left = view->lanes; left; left &= left - 1) {
        int lane = __builtin_ctzll(left);
        struct init_sources sources = read_lane(view, lane);
        uint64_t bits = init_result_bits(flow, view->in, &sources);
        undefined_lanes |= (uint64_t)(bits != 0) << lane;
        for (unsigned k = 0; k < view->flow->n_writes; k++)
            if (view->flow->writes[k].first < FLOW_SCALAR)
                write_vector(view, &view->flow->writes[k], lane, bits);
    }
    for (unsigned k = 0; k < flow->n_writes; k++)
        if (flow->writes[k].first >= FLOW_SCALAR)
            write_mask(init, &flow->writes[k], undefined_lanes);
    if (undefined_lanes)
        init_pass_origin(init, view->flow);
    if (flow->flags & FLOW_EXPLICIT_EXEC)
        check_exec(view->wave, view->flow, undefined_lanes);
}

/* v_readlane (from the lane that source 1 names) and v_readfirstlane. */
static void read_one_lane(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    struct init_wave *init = wave->checks->init;
    uint64_t exec = wave_exec(wave);
    unsigned lane = exec ? (unsigned)__builtin_ctzll(exec) : 0;
    if (flow->reads[0].first >= FLOW_SCALAR || !flow->reads[0].n || !flow->n_dst || !flow->writes[0].n)
        return;
    bool select_undefined = false;
    if (flow->n_src > 1) {
        unsigned index = flow->reads[1].first - FLOW_SCALAR;
        bool constant = flow->reads[1].n == 0;
        lane = (unsigned)(constant ? in->src[1].constant : wave->sgpr[index]) & (wave->n_lanes - 1);
        select_undefined = !constant && init->scalars[index] & (wave->n_lanes - 1);
    }
    uint32_t bits = select_undefined ? UINT32_MAX : lane_bits(init->rows[flow->reads[0].first], (int)lane);
    init->scalars[flow->writes[0].first - FLOW_SCALAR] = bits;
    if (bits)
        init_pass_origin(init, flow);
}

/* The bytes that are undefined in every bit. A row knows bytes only, and a lane mask that is spilled into it may well be
 * undefined in single bits: those of lanes that are off, which no use of the mask lets matter. They count as defined. */
static uint32_t wholly_undefined_bytes(uint32_t bits)
{
    uint32_t result = 0;
    for (unsigned b = 0; b < 32; b += 8)
        result |= (bits >> b & 0xff) == 0xff ? UINT32_C(0xff) << b : 0;
    return result;
}

static void write_one_lane(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    struct init_wave *init = wave->checks->init;
    const struct flow_range *data = &flow->reads[0], *select = &flow->reads[1];
    uint32_t lane = select->n ? wave->sgpr[select->first - FLOW_SCALAR] : (uint32_t)in->src[1].constant;
    uint32_t bits = data->n ? wholly_undefined_bytes(init->scalars[data->first - FLOW_SCALAR]) : 0;
    set_lane_bits(init->rows[flow->writes[0].first], (int)(lane & (wave->n_lanes - 1)), bits, 0, 4);
    if (bits)
        init->origin[flow->writes[0].first] = init->origin[data->first];
}

static void swap_bytes(uint64_t *left, uint64_t *right, unsigned n, uint64_t lanes)
{
    for (unsigned i = 0; i < n; i++) {
        uint64_t differs = (left[i] ^ right[i]) & lanes;
        left[i] ^= differs;
        right[i] ^= differs;
    }
}

static void swap_origins(struct init_wave *init, unsigned a, unsigned b)
{
    struct init_origin origin = init->origin[a];
    init->origin[a] = init->origin[b];
    init->origin[b] = origin;
}

static void swap_rows(struct init_wave *init, const struct flow *flow, uint64_t lanes)
{
    const struct flow_range *a = &flow->writes[0], *b = &flow->reads[0];
    unsigned n = a->part == FLOW_WHOLE ? 4 : 2;
    uint64_t *left = init->rows[a->first] + (a->part == FLOW_HIGH ? 2 : 0);
    uint64_t *right = init->rows[b->first] + (b->part == FLOW_HIGH ? 2 : 0);
    swap_bytes(left, right, n, lanes);
    swap_origins(init, a->first, b->first);
}

/* Bits of RULE_RELATIVE's detail: M0 moves the source, the result; an index for each of them; both change places. */
enum { RELATIVE_SOURCE = 1, RELATIVE_RESULT = 2, RELATIVE_TWO = 4, RELATIVE_SWAP = 8 };

/* AGPR_FIRST_ROW: none. */
static unsigned relative_row(unsigned first, uint32_t index)
{
    uint64_t row = (uint64_t)first + index;
    return row < AGPR_FIRST_ROW ? (unsigned)row : AGPR_FIRST_ROW;
}

/* What a relative move reads: v0 past the last register, or what is no register by index. The place that it comes from. */
static unsigned relative_source(const struct init_wave *init, const struct flow_range *range, uint32_t index,
                                uint64_t bytes[ROW_BYTES])
{
    memset(bytes, 0, ROW_BYTES * sizeof *bytes);
    if (!range->n)
        return 0;
    if (range->first < FLOW_SCALAR) {
        unsigned row = relative_row(range->first, index) % AGPR_FIRST_ROW;
        memcpy(bytes, init->rows[row], ROW_BYTES * sizeof *bytes);
        return row;
    }
    for (unsigned b = 0; b < ROW_BYTES; b++)
        bytes[b] = init->scalars[range->first - FLOW_SCALAR] >> 8 * b & 0xff ? UINT64_MAX : 0;
    return range->first;
}

/* v_movreld, v_movrels and their kin: M0's index goes to one side or both. */
static void relative_move(struct wave *wave, const struct flow *flow)
{
    struct init_wave *init = wave->checks->init;
    uint32_t m0 = wave->sgpr[SREG_M0];
    bool two = flow->detail & RELATIVE_TWO;
    uint32_t from_index = !(flow->detail & RELATIVE_SOURCE) ? 0 : two ? m0 & 0x3ff : m0;
    uint32_t to_index = !(flow->detail & RELATIVE_RESULT) ? 0 : two ? m0 >> 16 & 0x3ff : m0;
    unsigned to = relative_row(flow->writes[0].first, to_index), from = relative_row(flow->reads[0].first, from_index);
    uint64_t exec = wave_exec(wave), source[ROW_BYTES];
    if (to == AGPR_FIRST_ROW || (flow->detail & RELATIVE_SWAP && from == AGPR_FIRST_ROW))
        return;
    if (flow->detail & RELATIVE_SWAP) {
        swap_bytes(init->rows[to], init->rows[from], ROW_BYTES, exec);
        swap_origins(init, to, from);
        return;
    }
    unsigned place = relative_source(init, &flow->reads[0], from_index, source);
    for (unsigned b = 0; b < ROW_BYTES; b++)
        init->rows[to][b] = (init->rows[to][b] & ~exec) | (source[b] & exec);
    if (row_any(source) & exec)
        init->origin[to] = init->origin[place];
}

/* Instructions that are no matter of lanes each for itself; false: init_vector's. */
static bool across_lanes(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    switch ((enum flow_rule)flow->rule) {
    case RULE_READ_LANE:
        read_one_lane(wave, in, flow);
        return true;
    case RULE_WRITE_LANE:
        write_one_lane(wave, in, flow);
        return true;
    case RULE_SWAP:
        swap_rows(wave->checks->init, flow, wave_exec(wave));
        return true;
    case RULE_RELATIVE:
        relative_move(wave, flow);
        return true;
    case RULE_PERMUTE:
        init_permute(wave, in, flow);
        return true;
    case RULE_SWAP_LANES:
        init_swap_lanes(wave, in, flow);
        return true;
    default:
        return false;
    }
}

void init_vector(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    struct init_wave *init = wave->checks->init;
    if (across_lanes(wave, in, flow))
        return;
    uint64_t exec = wave_exec(wave), undefined = 0;
    for (unsigned k = 0; k < flow->n_reads; k++)
        undefined |= range_lanes(init, &flow->reads[k]);
    bool dpp = is_dpp(in), keeps_some = dpp || (in->form == FORM_SDWA && flow->flags & FLOW_PARTIAL);
    if (keeps_some && flow->writes[0].first < FLOW_SCALAR)
        undefined |= written_lanes_undefined(init, flow);
    if (__builtin_expect(!(dpp || flow->rule == RULE_MATRIX ? undefined : undefined & exec), 1)) {
        clear_writes(init, flow, exec);
        return;
    }
    if (flow->rule == RULE_MATRIX) {
        init_matrix(wave, in, flow);
        return;
    }
    struct lane_view view = {.wave = wave, .in = in, .flow = flow, .lanes = exec, .is_dpp = dpp};
    if (dpp && flow->n_src && flow->reads[0].n && flow->reads[0].first < FLOW_SCALAR)
        view.lanes &= init_dpp(wave, in, flow->reads[0].first, flow->reads[0].n > 1 ? 2 : 1, view.moved);
    each_lane(&view);
}
