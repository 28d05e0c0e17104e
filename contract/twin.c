#include "contract/twin.h"

#include <math.h>
#include <stdio.h>

#include "contract/harness_fault.h"

struct twin twin_find(const struct registry *registry, const struct registration *registration, struct builds *builds)
{
    struct twin twin = {.name = registration->twin};
    const struct registration *found = twin.name ? registry_find(registry, twin.name) : NULL;
    if (!found || !registration_is_for(found, builds->device->chip))
        return twin;
    twin.registration = found;
    builds_target(builds, found, NULL, &twin.target, &twin.error);
    return twin;
}

/* An output of each, and what the two references make of them. */
struct pair {
    struct judgement own, twin;
    const struct bound *own_bound, *twin_bound;
};

static bool is_undecided(const struct pair *pair)
{
    return pair->own.expected == CLASS_UNDECIDED || pair->twin.expected == CLASS_UNDECIDED;
}

/* In units of both bounds together. The differences are taken in the order that rounds no pair within its bounds to one
 * outside their sum. Where a reference is not finite, each output has the class of its own. */
static double pair_ratio(const struct pair *pair)
{
    if (pair->own.expected != CLASS_FINITE || pair->twin.expected != CLASS_FINITE)
        return fmax(pair->own.ratio, pair->twin.ratio);
    if (!isfinite(pair->own.value) || !isfinite(pair->twin.value))
        return RATIO_UNBOUNDED;
    double own = pair->own.value - pair->own_bound->value, twin = pair->twin.value - pair->twin_bound->value;
    return bound_ratio(own, &(struct bound){twin, pair->own_bound->error + pair->twin_bound->error});
}

static void note_pair(const struct host_case *host, int t, int64_t i, const void *data, const struct pair *pair,
                      const char *twin, struct verdict *verdict)
{
    double ratio = pair_ratio(pair);
    bool is_worst = ratio > verdict->twin_ratio;
    verdict->n_twin++;
    verdict->twin_ratio = fmax(verdict->twin_ratio, ratio);
    if (ratio <= 1)
        return;
    verdict->status = VERDICT_FAIL;
    verdict->n_wrong++;
    if (!is_worst)
        return;
    verdict_element(verdict, host, t, i, data);
    verdict_reason(verdict,
                   "output %lld is %.4g times both bounds away from twin %s: its %.9g, reference %.17g, bound %.3g",
                   (long long)i, ratio, twin, pair->twin.value, pair->twin_bound->value, pair->twin_bound->error);
}

void twin_compare(const struct host_case *host, const struct outputs *outputs, const struct host_case *twin_host,
                  const struct outputs *twin_outputs, struct verdict *verdict)
{
    const struct reg_plan *plan = &host->plan;
    const char *name = twin_host->c.registration->name;
    for (int t = next_output(plan, 0); t >= 0; t = next_output(plan, t + 1)) {
        int other = plan_tensor(&twin_host->plan, plan->tensor[t].name);
        for (int64_t i = 0; i < tensor_elements(&plan->tensor[t]); i++) {
            struct pair pair = {judge_output(host, t, i, outputs->data[t]),
                                judge_output(twin_host, other, i, twin_outputs->data[other]), &host->bounds[t][i],
                                &twin_host->bounds[other][i]};
            if (!is_undecided(&pair))
                note_pair(host, t, i, outputs->data[t], &pair, name, verdict);
        }
    }
    if (verdict->n_twin == 0) {
        verdict->status = VERDICT_FAIL;
        verdict_reason(verdict, "no output is decided by both its reference and that of twin %s", name);
    }
}

static void run_and_compare(const struct twin *twin, const struct host_case *host, const struct outputs *outputs,
                            struct host_case *twin_host, unsigned checks, struct verdict *verdict)
{
    struct launch_fault fault = launch_as_planned(twin_host);
    struct outputs twin_outputs = {0};
    struct verdict run = verdict_for_case(twin_host, &twin->target, GATE_BYTES);
    gate1_once(&twin->target, twin_host, &fault, checks, &twin_host->arena, &twin_outputs, &run);
    if (run.status != VERDICT_PASS) {
        verdict->status = run.status;
        verdict_reason(verdict, "twin %s: %.1000s", twin->name, run.reason);
        return;
    }
    launch_modelled(&twin->target, verdict->modelled, sizeof verdict->modelled);
    twin_compare(host, outputs, twin_host, &twin_outputs, verdict);
}

bool twin_judge(const struct twin *twin, const struct host_case *host, const struct outputs *outputs, unsigned checks,
                struct verdict *verdict, struct error *error)
{
    if (!twin->name)
        return true;
    snprintf(verdict->twin, sizeof verdict->twin, "%s", twin->name);
    verdict->twin_code = twin->target.code;
    if (!twin->registration || verdict->status != VERDICT_PASS || harness_has(HARNESS_TWIN_PASSES))
        return true;
    if (twin->error.status == STATUS_ENVIRONMENT) {
        *error = twin->error;
        return false;
    }
    if (twin->error.status != STATUS_OK) {
        verdict->status = VERDICT_BUILD_FAILED;
        verdict_reason(verdict, "twin %s: %.1000s", twin->name, twin->error.text);
        return true;
    }
    struct host_case twin_host;
    bool ok = host_case_open_on(&twin_host, twin->registration, host, error) && host_case_reference(&twin_host, error);
    if (ok)
        run_and_compare(twin, host, outputs, &twin_host, checks, verdict);
    host_case_close(&twin_host);
    return ok;
}
