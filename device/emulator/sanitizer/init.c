#include "device/emulator/sanitizer/init.h"

#include <stdlib.h>
#include <string.h>

bool init_group_open(const struct dispatch *dispatch, struct group_checks *checks)
{
    checks->init = calloc(1, sizeof *checks->init);
    if (!checks->init)
        return false;
    checks->init->lds_bytes = dispatch->lds_bytes;
    checks->init->lds = malloc(dispatch->lds_bytes + 1);
    return checks->init->lds != NULL;
}

void init_group_close(struct group_checks *checks)
{
    if (checks->init)
        free(checks->init->lds);
    free(checks->init);
}

void init_group_start(struct workgroup *group, bool poisoned)
{
    struct init_group *init = group->checks->init;
    memset(init->lds, !poisoned, init->lds_bytes);
}

bool init_wave_open(const struct dispatch *dispatch, struct wave_checks *checks)
{
    checks->init = calloc(1, sizeof *checks->init);
    if (!checks->init)
        return false;
    checks->init->scratch_bytes = (size_t)dispatch->private_bytes * dispatch->code->n_lanes;
    checks->init->scratch = malloc(checks->init->scratch_bytes + 1);
    return checks->init->scratch != NULL;
}

void init_wave_close(struct wave_checks *checks)
{
    if (checks->init)
        free(checks->init->scratch);
    free(checks->init);
}

enum { START_ROWS = 3 /* that the hardware may set: the work-item's ids */ };

/* What the wave's start has set differs from the poison: ids, addresses and counts never are NaNs. */
static void start_poisoned(struct wave *wave, const struct start_poison *poison)
{
    struct init_wave *init = wave->checks->init;
    for (unsigned i = 0; i < SREG_COUNT; i++)
        init->scalars[i] = wave->sgpr[i] == poison->sgpr ? UINT32_MAX : 0;
    init->scalars[SREG_COUNT] = 1;
    memset(init->rows, 0xff, sizeof init->rows);
    for (unsigned row = 0; row < START_ROWS; row++)
        for (unsigned lane = 0; lane < wave->n_lanes; lane++)
            if (wave->vgpr[row * wave->n_lanes + lane] != poison->vgpr)
                for (unsigned b = 0; b < ROW_BYTES; b++)
                    init->rows[row][b] &= ~(UINT64_C(1) << lane);
    for (unsigned row = 0; row < VGPR_ROWS; row++)
        for (unsigned b = 0; b < ROW_BYTES; b++)
            init->rows[row][b] &= wave->full_exec;
}

void init_wave_start(struct wave *wave, const struct start_poison *poison)
{
    struct init_wave *init = wave->checks->init;
    memset(init->origin, 0, sizeof init->origin);
    memset(init->scratch, !poison, init->scratch_bytes);
    memset(init->scalars, 0, sizeof init->scalars);
    if (poison)
        start_poisoned(wave, poison);
    else
        memset(init->rows, 0, sizeof init->rows);
    init->scalars[SREG_EXEC_LO] = init->scalars[SREG_EXEC_HI] = 0;
}

static bool place_undefined(const struct init_wave *init, unsigned place)
{
    return place < FLOW_SCALAR ? row_any(init->rows[place]) != 0 : init->scalars[place - FLOW_SCALAR] != 0;
}

void init_pass_origin(struct init_wave *init, const struct flow *flow)
{
    struct init_origin origin = {0};
    for (unsigned k = 0; k < flow->n_reads && !origin.in; k++)
        for (unsigned i = 0; i < flow->reads[k].n && !origin.in; i++)
            if (place_undefined(init, flow->reads[k].first + i))
                origin = init->origin[flow->reads[k].first + i];
    for (unsigned k = 0; k < flow->n_writes; k++)
        for (unsigned i = 0; i < flow->writes[k].n; i++)
            init->origin[flow->writes[k].first + i] = origin;
}

void init_report(struct wave *wave, unsigned place, int lane, const char *use)
{
    static const char *const spaces[] = {[ACCESS_GLOBAL] = "memory", [ACCESS_LDS] = "LDS", [ACCESS_SCRATCH] = "scratch"};
    const struct init_wave *init = wave->checks->init;
    char name[24];
    flow_place_name(place, name, sizeof name);
    const struct init_origin *from = &init->origin[place];
    if (!from->in) {
        wave_finding(wave, FINDING_INIT, lane, "%s comes from %s, which nobody has set", use, name);
        return;
    }
    struct wave_place origin = wave_place_of(wave, lane);
    origin.in = from->in;
    wave_finding_with(wave, FINDING_INIT, lane, &origin, "%s comes from %s, loaded from %s that %s", use, name,
                      spaces[from->space],
                      from->state == BYTE_UNWRITTEN ? "nobody has written" : "holds a copy of what nobody has set");
}

/* Addresses: reported once, and defined from then on. */
static void check_addresses(struct wave *wave, const struct flow *flow)
{
    struct init_wave *init = wave->checks->init;
    uint64_t exec = wave_exec(wave);
    for (unsigned k = 0; k < flow->n_src; k++) {
        if (!(flow->address_reads >> k & 1))
            continue;
        for (unsigned i = 0; i < flow->reads[k].n; i++) {
            unsigned place = flow->reads[k].first + i;
            uint64_t lanes = place < FLOW_SCALAR ? row_any(init->rows[place]) & exec : 0;
            bool scalar =
                place >= FLOW_SCALAR && init->scalars[place - FLOW_SCALAR] && (exec || wave->current->class == CLASS_SMEM);
            if (__builtin_expect(!lanes && !scalar, 1))
                continue;
            init_report(wave, place, lanes ? __builtin_ctzll(lanes) : -1, "the address");
            if (scalar)
                init->scalars[place - FLOW_SCALAR] = 0;
            for (unsigned b = 0; b < ROW_BYTES && lanes; b++)
                init->rows[place][b] &= ~lanes;
        }
    }
}

/* Lanes that a buffer's descriptor clips load 0, which no access reports; the access that is reported says what else is
 * undefined. */
static void define_results(struct wave *wave, const struct flow *flow)
{
    uint64_t exec = wave_exec(wave);
    for (unsigned k = 0; k < flow->n_writes; k++)
        for (unsigned i = 0; i < flow->writes[k].n && flow->writes[k].first < FLOW_SCALAR; i++)
            for (unsigned b = 0; b < ROW_BYTES; b++)
                wave->checks->init->rows[flow->writes[k].first + i][b] &= ~exec;
}

/* A mask whose defined bits hold a 1 is not zero, whatever the others are. */
static void check_branch(struct wave *wave, const struct flow *flow)
{
    struct init_wave *init = wave->checks->init;
    for (unsigned k = 0; k < flow->n_reads; k++) {
        unsigned index = flow->reads[k].first - FLOW_SCALAR;
        uint32_t undefined = 0, surely = 0;
        for (unsigned i = 0; i < flow->reads[k].n; i++) {
            undefined |= init->scalars[index + i];
            surely |= index == SREG_COUNT ? 0 : wave->sgpr[index + i] & ~init->scalars[index + i];
        }
        if (!undefined || (index == SREG_VCC_LO && surely))
            continue;
        init_report(wave, flow->reads[k].first, -1, "the branch");
        for (unsigned i = 0; i < flow->reads[k].n; i++)
            init->scalars[index + i] = 0;
    }
}

static bool is_scalar(uint8_t class)
{
    return class == CLASS_SALU || class == CLASS_BRANCH || class == CLASS_CONTROL || class == CLASS_BARRIER;
}

static void one(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    if (flow->rule == RULE_MEMORY)
        check_addresses(wave, flow);
    else if (flow->flags & FLOW_BRANCHES)
        check_branch(wave, flow);
    if (flow->rule == RULE_MEMORY && in->class == CLASS_BUFFER)
        define_results(wave, flow);
    if (flow->rule == RULE_MEMORY || flow->n_writes == 0)
        return;
    if (is_scalar(in->class))
        init_scalar(wave, in, flow);
    else
        init_vector(wave, in, flow);
}

/* Both halves of a VOPD read what was there before it: the second's result waits for the first. */
static void pair(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    struct init_wave *init = wave->checks->init;
    const struct flow_range *to = &flow->pair[1].writes[0];
    uint64_t before[ROW_BYTES], after[ROW_BYTES];
    bool has_row = flow->pair[1].n_writes && to->first < FLOW_SCALAR;
    if (has_row)
        memcpy(before, init->rows[to->first], sizeof before);
    one(wave, &in->pair[1], &flow->pair[1]);
    if (has_row) {
        memcpy(after, init->rows[to->first], sizeof after);
        memcpy(init->rows[to->first], before, sizeof before);
    }
    one(wave, &in->pair[0], &flow->pair[0]);
    if (has_row)
        memcpy(init->rows[to->first], after, sizeof after);
}

void init_before(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    if (flow->pair)
        pair(wave, in, flow);
    else
        one(wave, in, flow);
}
