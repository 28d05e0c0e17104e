/*
 * Gate 3: |output - value| <= error for every output. NaN and infinities come first: where the reference is finite, a
 * non-finite output is infinitely far; where the reference is not, the class must be the same.
 */
#include "contract/gates.h"

#include "contract/harness_fault.h"

/* Sums of (output - value) / error, for the signed mean. */
struct bias {
    double sum;
    int64_t n;
};

static void note_element(struct verdict *verdict, const struct host_case *host, int t, int64_t i, const void *data,
                         double ratio, bool wrong)
{
    verdict->n_wrong += wrong;
    if (ratio <= verdict->worst_ratio && verdict->worst.index >= 0)
        return;
    verdict->worst_ratio = ratio;
    verdict_element(verdict, host, t, i, data);
}

static void judge_tensor(const struct host_case *host, int t, const void *data, struct bias *bias, struct verdict *verdict)
{
    int64_t n = tensor_elements(&host->plan.tensor[t]) - harness_has(HARNESS_GATE_3_SKIPS_LAST);
    for (int64_t i = 0; i < n; i++) {
        struct judgement judgement = judge_output(host, t, i, data);
        const struct bound *bound = &host->bounds[t][i];
        if (judgement.expected == CLASS_UNDECIDED) {
            verdict->n_undecided++;
            continue;
        }
        note_element(verdict, host, t, i, data, judgement.ratio, judgement.ratio > 1);
        if (judgement.expected == CLASS_FINITE && judgement.got == CLASS_FINITE && bound->error > 0) {
            bias->sum += (judgement.value - bound->value) / bound->error;
            bias->n++;
        }
    }
}

void gate3_judge(const struct host_case *host, const struct outputs *outputs, struct verdict *verdict)
{
    const struct reg_plan *plan = &host->plan;
    struct bias bias = {0};
    verdict->n_compared = plan_outputs(plan);
    for (int t = next_output(plan, 0); t >= 0; t = next_output(plan, t + 1))
        judge_tensor(host, t, outputs->data[t], &bias, verdict);
    verdict->signed_mean = bias.n ? bias.sum / (double)bias.n : 0;
    if (verdict->n_undecided == verdict->n_compared) {
        verdict->status = VERDICT_FAIL;
        verdict_reason(verdict, "the reference decides no output");
    } else if (verdict->n_wrong) {
        verdict->status = VERDICT_FAIL;
        verdict_reason(verdict, "output %lld is %.4g times its bound", (long long)verdict->worst.index,
                       verdict->worst_ratio);
    }
}
