/* Gate 2: the class of every output equals the reference's, and planted rows do not disturb the others. */
#include "contract/gates.h"

static const char *class_name(enum value_class class)
{
    static const char *const names[] = {[CLASS_FINITE] = "finite",
                                        [CLASS_NAN] = "NaN",
                                        [CLASS_PLUS_INF] = "+inf",
                                        [CLASS_MINUS_INF] = "-inf",
                                        [CLASS_UNDECIDED] = "undecided"};
    return names[class];
}

static void note_fault(struct verdict *verdict, const struct host_case *host, int t, int64_t i, const void *data,
                       const struct judgement *judgement)
{
    if (verdict->n_wrong++ > 0)
        return;
    verdict->status = VERDICT_FAIL;
    verdict_element(verdict, host, t, i, data);
    if (judgement->expected != judgement->got)
        verdict_reason(verdict, "output %lld is %s, the reference is %s", (long long)i, class_name(judgement->got),
                       class_name(judgement->expected));
    else
        verdict_reason(verdict, "output %lld is finite as it should be, but %.4g times its bound", (long long)i,
                       judgement->ratio);
}

static void judge_tensor(const struct host_case *host, int t, const void *data, struct verdict *verdict)
{
    for (int64_t i = 0; i < tensor_elements(&host->plan.tensor[t]); i++) {
        struct judgement judgement = judge_output(host, t, i, data);
        if (judgement.ratio > 1)
            note_fault(verdict, host, t, i, data, &judgement);
        else if (judgement.expected == CLASS_FINITE)
            verdict->n_finite++;
        else if (judgement.expected == CLASS_UNDECIDED)
            verdict->n_undecided++;
        else
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
