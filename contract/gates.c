/* What the gates share. */
#include "contract/gates.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contract/harness_fault.h"

double bound_ratio(double got, const struct bound *bound)
{
    if (got == bound->value)
        return 0;
    if (!isfinite(got))
        return RATIO_UNBOUNDED;
    double difference = fabs(got - bound->value);
    return bound->error > 0 ? difference / bound->error : RATIO_UNBOUNDED;
}

struct judgement judge_output(const struct host_case *host, int tensor, int64_t index, const void *data)
{
    enum number_format format = host->plan.tensor[tensor].format;
    const struct bound *bound = &host->bounds[tensor][index];
    struct judgement j = {.value = format_load(format, data, index)};
    j.expected = format_facts(format)->is_float ? bound_class(*bound, format) : CLASS_FINITE;
    j.got = value_class(j.value);
    if (j.expected == CLASS_FINITE)
        j.ratio = bound_ratio(j.value, bound);
    else if (j.expected != CLASS_UNDECIDED && j.expected != j.got)
        j.ratio = RATIO_UNBOUNDED;
    return j;
}

int gate_of_pattern(enum reg_pattern pattern)
{
    return pattern == REG_PATTERN_CLASSES ? GATE_CLASSES : pattern == REG_PATTERN_EXACT ? GATE_EXACT : GATE_BOUND;
}

void gate_judge(const struct host_case *host, const struct outputs *outputs, struct verdict *verdict)
{
    static void (*const judges[])(const struct host_case *, const struct outputs *, struct verdict *) = {
        [GATE_CLASSES] = gate2_judge, [GATE_BOUND] = gate3_judge, [GATE_EXACT] = gate4_judge};
    static const enum harness_fault passes[] = {
        [GATE_CLASSES] = HARNESS_GATE_2_PASSES, [GATE_BOUND] = HARNESS_GATE_3_PASSES, [GATE_EXACT] = HARNESS_GATE_4_PASSES};
    int gate = gate_of_pattern(host->c.pattern);
    if (harness_has(passes[gate]))
        verdict->n_compared = plan_outputs(&host->plan);
    else
        judges[gate](host, outputs, verdict);
}

static void copy_name(char *to, size_t n_bytes, const char *from)
{
    snprintf(to, n_bytes, "%s", from);
}

struct verdict verdict_for_case(const struct host_case *host, const struct launch_target *target, int gate)
{
    struct verdict verdict = {.subject = SUBJECT_GATE, .status = VERDICT_PASS, .gate = gate, .worst.index = -1};
    verdict_registration(&verdict, host->c.registration);
    copy_name(verdict.shape, sizeof verdict.shape, host->c.shape->label);
    copy_name(verdict.pattern, sizeof verdict.pattern, reg_pattern_name(host->c.pattern));
    copy_name(verdict.device, sizeof verdict.device, target ? target->device->kind : "host");
    if (target) {
        copy_name(verdict.chip, sizeof verdict.chip, target->device->chip);
        verdict.code = target->code;
    }
    return verdict;
}

void verdict_element(struct verdict *verdict, const struct host_case *host, int tensor, int64_t index, const void *data)
{
    const struct reg_tensor *output = &host->plan.tensor[tensor];
    struct verdict_element *element = &verdict->worst;
    copy_name(element->tensor, sizeof element->tensor, output->name);
    element->index = index;
    element->got_bits = format_bits(output->format, data, index);
    element->got = format_load(output->format, data, index);
    if (host->bounds[tensor]) {
        element->reference = host->bounds[tensor][index].value;
        element->bound = host->bounds[tensor][index].error;
    }
}
