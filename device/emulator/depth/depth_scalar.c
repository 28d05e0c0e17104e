/* Counts through scalar instructions: a register's two halves share one, and lane masks have DEPTH_DATA like any integer.
 */
#include "device/emulator/depth/depth_state.h"

static uint32_t count_of(const struct depth_wave *depth, const struct flow_range *range)
{
    uint32_t count = 0;
    for (unsigned i = 0; i < range->n; i++)
        count = depth_larger(count, depth_any(depth->scalars[range->first - FLOW_SCALAR + i]));
    return count;
}

/* A zero that the code put there. */
static bool is_zero(const struct wave *wave, const struct instruction *in, const struct flow *flow, unsigned k)
{
    const struct flow_range *range = &flow->reads[k];
    if (range->n == 0)
        return k < flow->n_src && (uint32_t)(in->src[k].constant << 1) == 0;
    return !count_of(wave->checks->depth, range) && (wave->sgpr[range->first - FLOW_SCALAR] & 0x7fffffff) == 0;
}

/* The chosen operand's where SCC chooses; of others the largest. */
static uint32_t sources(const struct wave *wave, const struct flow *flow)
{
    const struct depth_wave *depth = wave->checks->depth;
    uint32_t count = 0;
    if (flow->rule == RULE_SELECT)
        return count_of(depth, &flow->reads[wave->scc ? 0 : 1]);
    for (unsigned k = 0; k < flow->n_reads; k++)
        if (flow->reads[k].first != FLOW_SCC || k < flow->n_src)
            count = depth_larger(count, count_of(depth, &flow->reads[k]));
    return count;
}

void depth_scalar(struct wave *wave, const struct instruction *in, const struct flow *flow,
                  const struct depth_opcode *opcode)
{
    struct depth_wave *depth = wave->checks->depth;
    uint32_t count = sources(wave, flow);
    if (opcode->kind == DEPTH_SUM && !is_zero(wave, in, flow, 0) && !is_zero(wave, in, flow, 1))
        count = depth_plus(count, 1);
    if (opcode->kind == DEPTH_FMA && !is_zero(wave, in, flow, 2))
        count = depth_plus(count, 1);
    for (unsigned k = 0; k < flow->n_writes; k++)
        for (unsigned i = 0; i < flow->writes[k].n; i++)
            depth->scalars[flow->writes[k].first - FLOW_SCALAR + i] = depth_both(count);
}
