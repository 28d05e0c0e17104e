/* Gate 2: the class of every output equals the reference's, and planted rows do not disturb the others. */
#include "contract/gates.h"

#include <math.h>

static const char *class_name(enum value_class class)
{
    static const char *const names[] = {[CLASS_FINITE] = "finite",
                                        [CLASS_NAN] = "NaN",
                                        [CLASS_PLUS_INF] = "+inf",
                                        [CLASS_MINUS_INF] = "-inf",
                                        [CLASS_UNDECIDED] = "undecided"};
    return names[class];
}

/* What is wrong with one output; NULL when nothing is. */
static const char *fault_of(enum value_class expected, enum value_class got, double value, const struct bound *bound)
{
    if (expected == CLASS_UNDECIDED)
        return NULL;
    if (expected != got)
        return "class";
    return got == CLASS_FINITE && bound_ratio(value, bound) > 1 ? "bound" : NULL;
}

static void note_fault(struct verdict *verdict, const struct host_case *host, int t, int64_t i, const void *data,
                       enum value_class expected, enum value_class got)
{
    if (verdict->n_wrong++ > 0)
        return;
    verdict->status = VERDICT_FAIL;
    verdict_element(verdict, host, t, i, data);
    const struct bound *bound = &host->bounds[t][i];
    if (expected != got)
        verdict_reason(verdict, "output %lld is %s, the reference is %s", (long long)i, class_name(got),
                       class_name(expected));
    else
        verdict_reason(verdict, "output %lld of an undisturbed row is %.4g times its bound", (long long)i,
                       bound_ratio(verdict->worst.got, bound));
}

static void judge_tensor(const struct host_case *host, int t, const void *data, struct verdict *verdict)
{
    const struct reg_tensor *tensor = &host->plan.tensor[t];
    bool is_float = format_facts(tensor->format)->is_float;
    for (int64_t i = 0; i < tensor_elements(tensor); i++) {
        double value = format_load(tensor->format, data, i);
        const struct bound *bound = &host->bounds[t][i];
        enum value_class expected = is_float ? bound_class(*bound, tensor->format) : CLASS_FINITE;
        enum value_class got = value_class(value);
        if (fault_of(expected, got, value, bound))
            note_fault(verdict, host, t, i, data, expected, got);
        else if (expected == CLASS_FINITE)
            verdict->n_finite++;
        else if (expected != CLASS_UNDECIDED)
            verdict->n_nonfinite++;
    }
}

void gate2_judge(const struct host_case *host, const struct outputs *outputs, struct verdict *verdict)
{
    const struct reg_plan *plan = &host->plan;
    verdict->n_compared = plan_outputs(plan);
    for (int t = next_output(plan, 0); t >= 0; t = next_output(plan, t + 1))
        judge_tensor(host, t, outputs->data[t], verdict);
    if (verdict->status == VERDICT_PASS && verdict->n_finite + verdict->n_nonfinite == 0) {
        verdict->status = VERDICT_FAIL;
        verdict_reason(verdict, "the reference decides the class of no output");
    }
}
