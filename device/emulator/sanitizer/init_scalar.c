/*
 * Undefined bits through scalar instructions, bit by bit, so that lane masks stay exact.
 */
#include "device/emulator/sanitizer/init.h"

static uint64_t scalar_value(const struct wave *wave, unsigned index, unsigned n)
{
    if (index == SREG_COUNT)
        return wave->scc;
    return wave->sgpr[index] | (n > 1 ? (uint64_t)wave->sgpr[index + 1] << 32 : 0);
}

static uint64_t scalar_undefined(const struct init_wave *init, unsigned index, unsigned n)
{
    return init->scalars[index] | (n > 1 ? (uint64_t)init->scalars[index + 1] << 32 : 0);
}

static void read_sources(const struct wave *wave, const struct instruction *in, const struct flow *flow,
                         struct init_sources *sources)
{
    const struct init_wave *init = wave->checks->init;
    for (unsigned k = 0; k < flow->n_reads; k++) {
        const struct flow_range *range = &flow->reads[k];
        bool constant = k < flow->n_src && range->n == 0;
        unsigned index = range->first - FLOW_SCALAR;
        if (k >= 3 || (k >= flow->n_src && flow->rule != RULE_SELECT)) {
            sources->any_more |= range->n && scalar_undefined(init, index, range->n) != 0;
            continue;
        }
        sources->n = (uint8_t)(k + 1);
        sources->value[k] = constant ? in->src[k].constant : scalar_value(wave, index, range->n);
        sources->undefined[k] = constant ? 0 : scalar_undefined(init, index, range->n);
        sources->wide[k] = range->n > 1;
    }
    sources->same01 = flow->n_src > 1 && flow->reads[0].n && flow->reads[0].first == flow->reads[1].first;
}

static bool any_undefined(const struct init_wave *init, const struct flow *flow)
{
    uint32_t all = 0;
    for (unsigned k = 0; k < flow->n_reads; k++)
        for (unsigned i = 0; i < flow->reads[k].n; i++)
            all |= init->scalars[flow->reads[k].first - FLOW_SCALAR + i];
    return all != 0;
}

static void write_results(struct init_wave *init, const struct flow *flow, uint64_t undefined, bool scc)
{
    for (unsigned k = 0; k < flow->n_writes; k++) {
        unsigned index = flow->writes[k].first - FLOW_SCALAR;
        for (unsigned i = 0; i < flow->writes[k].n; i++)
            init->scalars[index + i] = index == SREG_COUNT ? scc
                                       : i == 0            ? (uint32_t)undefined
                                                           : (uint32_t)(undefined >> 32);
    }
}

/* EXEC must be defined: reported, and defined from then on. */
static void check_exec(struct wave *wave, const struct flow *flow)
{
    struct init_wave *init = wave->checks->init;
    uint64_t undefined = scalar_undefined(init, SREG_EXEC_LO, 2) & wave->full_exec;
    init->scalars[SREG_EXEC_LO] = init->scalars[SREG_EXEC_HI] = 0;
    if (undefined)
        init_report(wave, flow->reads[0].first, __builtin_ctzll(undefined), "the mask of active lanes");
}

/* The destination gets EXEC, old or new, which is always defined; EXEC gets what the truth table makes of both. */
static void save_exec(struct wave *wave, const struct flow *flow, struct init_sources *sources)
{
    struct init_wave *init = wave->checks->init;
    struct flow logic = {.rule = RULE_BITWISE, .detail = flow->detail};
    sources->n = 2;
    sources->any_more = false;
    sources->value[1] = wave->exec;
    sources->undefined[1] = 0;
    sources->same01 = false;
    uint64_t undefined = init_result_bits(&logic, NULL, sources) & wave->full_exec;
    bool scc = undefined && !init_surely_nonzero(&logic, sources);
    write_results(init, flow, 0, scc);
    init->scalars[SREG_EXEC_LO] = (uint32_t)undefined;
    init->scalars[SREG_EXEC_HI] = (uint32_t)(undefined >> 32);
}

void init_scalar(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    struct init_wave *init = wave->checks->init;
    if (__builtin_expect(!any_undefined(init, flow), 1)) {
        write_results(init, flow, 0, false);
        return;
    }
    struct init_sources sources = {0};
    read_sources(wave, in, flow, &sources);
    if (flow->rule == RULE_SAVE_EXEC) {
        save_exec(wave, flow, &sources);
    } else {
        uint64_t undefined = init_result_bits(flow, in, &sources);
        write_results(init, flow, undefined, undefined && !init_surely_nonzero(flow, &sources));
    }
    init_pass_origin(init, flow);
    if (flow->flags & FLOW_EXPLICIT_EXEC)
        check_exec(wave, flow);
}
