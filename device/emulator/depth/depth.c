#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "device/emulator/depth/depth_state.h"

uint8_t depth_kind_of(const char *mnemonic)
{
    static const struct {
        const char *pattern;
        uint8_t kind;
    } rows[] = {
#define DEPTH_ROW(pattern, kind) {pattern, DEPTH_##kind},
#include "device/emulator/depth/depth.def"
#undef DEPTH_ROW
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (fnmatch(rows[i].pattern, mnemonic, 0) == 0)
            return rows[i].kind;
    return DEPTH_CARRY;
}

static void note_opcode(const struct dispatch *dispatch, const struct opcode *opcode)
{
    if (!opcode)
        return;
    struct depth_opcode *to = &dispatch->checks->depth->opcodes[opcode->index];
    *to = (struct depth_opcode){.kind = depth_kind_of(opcode->mnemonic)};
    if (to->kind == DEPTH_STEPS)
        depth_steps(dispatch, opcode, to);
}

/* Each opcode of the code once: `seen` has a byte for each row of the table. */
static void note_code(const struct dispatch *dispatch, uint8_t *seen)
{
    const struct emulated_code *code = dispatch->code;
    for (uint32_t i = 0; i < code->n_instructions; i++) {
        const struct instruction *in = &code->instructions[i];
        const struct opcode *opcodes[] = {in->opcode, in->pair ? in->pair[0].opcode : NULL,
                                          in->pair ? in->pair[1].opcode : NULL};
        for (int k = 0; k < 3; k++)
            if (opcodes[k] && !seen[opcodes[k]->index]++)
                note_opcode(dispatch, opcodes[k]);
    }
}

bool depth_dispatch_open(struct dispatch *dispatch)
{
    size_t n_opcodes;
    opcode_table(&n_opcodes);
    uint8_t *seen = calloc(n_opcodes, 1);
    struct depth_dispatch *depth = calloc(1, sizeof *depth);
    dispatch->checks->depth = depth;
    if (depth)
        depth->opcodes = calloc(n_opcodes, sizeof *depth->opcodes);
    bool ok = seen && depth && depth->opcodes && (!dispatch->memory || memory_count_depth(dispatch->memory));
    if (ok)
        note_code(dispatch, seen);
    free(seen);
    return ok;
}

void depth_dispatch_close(struct dispatch *dispatch)
{
    struct depth_dispatch *depth = dispatch->checks->depth;
    if (depth)
        free(depth->opcodes);
    free(depth);
    dispatch->checks->depth = NULL;
}

bool depth_group_open(const struct dispatch *dispatch, struct group_checks *checks)
{
    checks->depth = calloc(1, sizeof *checks->depth);
    if (!checks->depth)
        return false;
    checks->depth->lds_bytes = dispatch->lds_bytes;
    checks->depth->lds = malloc(dispatch->lds_bytes + sizeof(uint32_t));
    return checks->depth->lds != NULL;
}

void depth_group_close(struct group_checks *checks)
{
    if (checks->depth)
        free(checks->depth->lds);
    free(checks->depth);
}

void depth_group_start(struct workgroup *group)
{
    struct depth_group *depth = group->checks->depth;
    memset(depth->lds, 0, depth->lds_bytes);
    depth->lds_counted = false;
}

bool depth_wave_open(const struct dispatch *dispatch, struct wave_checks *checks)
{
    struct depth_wave *depth = checks->depth = calloc(1, sizeof *depth);
    if (!depth)
        return false;
    depth->lanes = aligned_alloc(64, sizeof(uint32_t) * VGPR_ROWS * dispatch->code->n_lanes);
    depth->scratch_bytes = (size_t)dispatch->private_bytes * dispatch->code->n_lanes;
    depth->scratch = malloc(depth->scratch_bytes + sizeof(uint32_t));
    return depth->lanes && depth->scratch;
}

void depth_wave_close(struct wave_checks *checks)
{
    if (checks->depth) {
        free(checks->depth->lanes);
        free(checks->depth->scratch);
    }
    free(checks->depth);
}

void depth_wave_start(struct wave *wave)
{
    struct depth_wave *depth = wave->checks->depth;
    for (unsigned row = 0; row < VGPR_ROWS; row++) {
        depth->all[row] = depth_both(DEPTH_DATA);
        depth->mixed[row] = false;
    }
    for (unsigned i = 0; i <= SREG_COUNT; i++)
        depth->scalars[i] = depth_both(DEPTH_DATA);
    memset(depth->scratch, 0, depth->scratch_bytes);
    depth->scratch_counted = false;
    depth->carrier = NULL;
}

uint32_t *depth_spread(struct wave *wave, unsigned row)
{
    struct depth_wave *depth = wave->checks->depth;
    uint32_t *lanes = depth->lanes + (size_t)row * wave->n_lanes;
    if (!depth->mixed[row])
        for (unsigned lane = 0; lane < wave->n_lanes; lane++)
            lanes[lane] = depth->all[row];
    depth->mixed[row] = true;
    return lanes;
}

void depth_settle(struct wave *wave, unsigned row)
{
    struct depth_wave *depth = wave->checks->depth;
    const uint32_t *lanes = depth->lanes + (size_t)row * wave->n_lanes;
    uint32_t differs = 0;
    for (unsigned lane = 0; lane < wave->n_lanes; lane++)
        differs |= lanes[lane] ^ lanes[0];
    if (!differs) {
        depth->all[row] = lanes[0];
        depth->mixed[row] = false;
    }
}

void depth_set_all(struct wave *wave, unsigned row, uint64_t lanes, uint32_t halves)
{
    struct depth_wave *depth = wave->checks->depth;
    if (lanes == wave->full_exec) {
        depth->all[row] = halves;
        depth->mixed[row] = false;
        return;
    }
    if (!lanes || (!depth->mixed[row] && depth->all[row] == halves))
        return;
    uint32_t *to = depth_spread(wave, row);
    for (unsigned lane = 0; lane < wave->n_lanes; lane++)
        to[lane] = lanes >> lane & 1 ? halves : to[lane];
}

void depth_set_lanes(struct wave *wave, unsigned row, uint64_t lanes, const uint32_t *halves)
{
    if (!lanes)
        return;
    uint32_t *to = depth_spread(wave, row);
    for (unsigned lane = 0; lane < wave->n_lanes; lane++)
        to[lane] = lanes >> lane & 1 ? halves[lane] : to[lane];
    depth_settle(wave, row);
}

static bool is_scalar(uint8_t class)
{
    return class == CLASS_SALU || class == CLASS_BRANCH || class == CLASS_CONTROL || class == CLASS_BARRIER;
}

/* The halves that a write changes take the count of data. */
static void set_data(struct wave *wave, const struct flow_range *to, unsigned row)
{
    const uint32_t written = to->part == FLOW_WHOLE ? UINT32_MAX : to->part == FLOW_LOW ? 0xffff : 0xffff0000;
    const uint32_t data = depth_both(DEPTH_DATA) & written;
    uint32_t halves[MAX_LANES] = {0};
    if (to->part == FLOW_WHOLE) {
        depth_set_all(wave, row, depth_exec(wave), data);
        return;
    }
    for (unsigned lane = 0; lane < wave->n_lanes; lane++)
        halves[lane] = (depth_lane(wave, row, lane) & ~written) | data;
    depth_set_lanes(wave, row, depth_exec(wave), halves);
}

/* What no access reports: zeros of lanes that a buffer's descriptor clips, and numbers that a format is converted to. */
static void set_results(struct wave *wave, const struct flow *flow)
{
    for (unsigned k = 0; k < flow->n_writes; k++)
        for (unsigned i = 0; i < flow->writes[k].n && flow->writes[k].first < FLOW_SCALAR; i++)
            set_data(wave, &flow->writes[k], flow->writes[k].first + i);
}

static void across_lanes_or_not(struct wave *wave, const struct instruction *in, const struct flow *flow,
                                const struct depth_opcode *opcode)
{
    switch ((enum flow_rule)flow->rule) {
    case RULE_READ_LANE:
        depth_read_lane(wave, in, flow);
        return;
    case RULE_WRITE_LANE:
        depth_write_lane(wave, in, flow);
        return;
    case RULE_SWAP:
    case RULE_RELATIVE:
        depth_move_registers(wave, in, flow);
        return;
    case RULE_PERMUTE:
        depth_permute(wave, in, flow);
        return;
    case RULE_SWAP_LANES:
        depth_swap_lanes(wave, in, flow);
        return;
    case RULE_MATRIX:
        depth_matrix(wave, flow, opcode);
        return;
    default:
        depth_vector(wave, in, flow, opcode);
    }
}

static void one(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    if (flow->rule == RULE_MEMORY && in->class == CLASS_BUFFER)
        set_results(wave, flow);
    if (flow->rule == RULE_MEMORY || flow->n_writes == 0 || !in->opcode)
        return;
    const struct depth_opcode *opcode = &wave->dispatch->checks->depth->opcodes[in->opcode->index];
    if (is_scalar(in->class))
        depth_scalar(wave, in, flow, opcode);
    else
        across_lanes_or_not(wave, in, flow, opcode);
}

/* Both halves of a VOPD read what was there before it: the second's result waits for the first. */
static void pair(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    const struct flow_range *to = &flow->pair[1].writes[0];
    bool has_row = flow->pair[1].n_writes && to->first < FLOW_SCALAR;
    uint32_t before[MAX_LANES] = {0}, after[MAX_LANES] = {0};
    size_t n_bytes = wave->n_lanes * sizeof *before;
    if (has_row)
        memcpy(before, depth_spread(wave, to->first), n_bytes);
    one(wave, &in->pair[1], &flow->pair[1]);
    if (has_row) {
        memcpy(after, depth_spread(wave, to->first), n_bytes);
        depth_set_lanes(wave, to->first, wave->full_exec, before);
    }
    one(wave, &in->pair[0], &flow->pair[0]);
    if (has_row)
        depth_set_lanes(wave, to->first, wave->full_exec, after);
}

void depth_before(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    if (flow->pair)
        pair(wave, in, flow);
    else
        one(wave, in, flow);
}
