/*
 * Gate 4: exact sums. The premise is proved in integers for each output, then the output must equal the exact value bit for
 * bit, and sums kept in fp16 and in bf16 are computed to show by how much they would miss on the very same inputs.
 */
#include "contract/gates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/parallel.h"
#include "contract/harness_fault.h"

enum { CHUNK_ELEMENTS = 64 };

/* What is found in one chunk of an output tensor's elements. */
struct chunk {
    int64_t n_wrong, first_wrong; /* bits differ */
    int64_t first_refused;        /* premise violated; -1: none */
    int64_t first_disagreeing;    /* the exact value lies outside the reference's bound; -1: none */
};

struct exact_loop {
    const struct host_case *host;
    int tensor;
    const void *data;
    struct chunk *chunks;
};

static uint64_t expected_bits(enum number_format format, double expected)
{
    uint64_t stored = 0;
    format_store(format, &stored, 0, expected);
    return format_bits(format, &stored, 0);
}

static void judge_element(const struct exact_loop *loop, int64_t i, const struct exact_sum *sum, struct chunk *chunk)
{
    const struct registration *r = loop->host->c.registration;
    enum number_format format = loop->host->plan.tensor[loop->tensor].format;
    bool holds = exact_premise_holds(sum, r->exact_needs_one_sign) || harness_has(HARNESS_PREMISE_HOLDS);
    if (!holds && chunk->first_refused < 0)
        chunk->first_refused = i;
    const struct bound *bound = &loop->host->bounds[loop->tensor][i];
    if (bound_ratio(sum->expected, bound) > 1 && chunk->first_disagreeing < 0)
        chunk->first_disagreeing = i;
    if (format_bits(format, loop->data, i) != expected_bits(format, sum->expected) && chunk->n_wrong++ == 0)
        chunk->first_wrong = i;
}

static void judge_chunk(void *context, int64_t item)
{
    const struct exact_loop *loop = context;
    struct chunk *chunk = &loop->chunks[item];
    int64_t n = tensor_elements(&loop->host->plan.tensor[loop->tensor]);
    int64_t first = item * CHUNK_ELEMENTS, end = first + CHUNK_ELEMENTS < n ? first + CHUNK_ELEMENTS : n;
    struct exact_sum sums[CHUNK_ELEMENTS] = {0};
    *chunk = (struct chunk){0, -1, -1, -1};
    loop->host->c.registration->exact(&loop->host->c, loop->tensor, first, end - first, sums);
    for (int64_t i = first; i < end; i++)
        judge_element(loop, i, &sums[i - first], chunk);
}

/* A registration whose inputs cannot prove anything is refused, whatever the kernel did. */
static void refuse(struct verdict *verdict, int64_t element, const char *why)
{
    verdict->status = VERDICT_INVALID;
    verdict_reason(verdict, "gate 4's inputs are refused at output %lld: %s", (long long)element, why);
}

static void note_wrong(struct verdict *verdict, const struct exact_loop *loop, const struct chunk *chunk)
{
    if (verdict->status == VERDICT_FAIL)
        return;
    const struct reg_case *c = &loop->host->c;
    struct exact_sum sum = {0};
    c->registration->exact(c, loop->tensor, chunk->first_wrong, 1, &sum);
    verdict->status = VERDICT_FAIL;
    verdict_element(verdict, loop->host, loop->tensor, chunk->first_wrong, loop->data);
    verdict->worst.reference = sum.expected;
    verdict->worst.bound = 0;
    verdict_reason(verdict, "output %lld is not the exact sum", (long long)chunk->first_wrong);
}

static void fold_chunks(const struct exact_loop *loop, int64_t n_chunks, struct verdict *verdict)
{
    for (int64_t i = 0; i < n_chunks; i++) {
        const struct chunk *chunk = &loop->chunks[i];
        if (chunk->first_refused >= 0)
            return refuse(verdict, chunk->first_refused,
                          "the partial sums are not proved to be integers below 2^24 (times a power of two)");
        if (chunk->first_disagreeing >= 0)
            return refuse(verdict, chunk->first_disagreeing, "the exact value lies outside the reference's bound");
        verdict->n_wrong += chunk->n_wrong;
        if (chunk->n_wrong)
            note_wrong(verdict, loop, chunk);
    }
}

void gate4_judge(const struct host_case *host, const struct outputs *outputs, struct verdict *verdict)
{
    const struct reg_plan *plan = &host->plan;
    verdict->n_compared = plan_outputs(plan);
    for (int t = next_output(plan, 0); t >= 0 && verdict->status != VERDICT_INVALID; t = next_output(plan, t + 1)) {
        int64_t n_chunks = (tensor_elements(&plan->tensor[t]) + CHUNK_ELEMENTS - 1) / CHUNK_ELEMENTS;
        struct exact_loop loop = {host, t, outputs->data[t], calloc((size_t)n_chunks, sizeof(struct chunk))};
        if (!loop.chunks) {
            refuse(verdict, 0, "out of host memory");
            return;
        }
        parallel_for(host->c.n_threads, n_chunks, judge_chunk, &loop);
        fold_chunks(&loop, n_chunks, verdict);
        free(loop.chunks);
    }
}

/* The largest |model - value| / error over one output tensor, the model rounded to the stored format. */
static double worst_miss(const struct host_case *host, int t, const double *model)
{
    enum number_format format = host->plan.tensor[t].format;
    double worst = 0;
    for (int64_t i = 0; i < tensor_elements(&host->plan.tensor[t]); i++) {
        double stored = format_facts(format)->is_float ? format_round(format, model[i]) : model[i];
        double ratio = isnan(stored) ? RATIO_UNBOUNDED : bound_ratio(stored, &host->bounds[t][i]);
        worst = fmax(worst, ratio);
    }
    return worst;
}

bool gate4_misses(const struct host_case *host, struct verdict *verdict, struct error *error)
{
    const struct reg_plan *plan = &host->plan;
    struct policy fp16 = policy_true, bf16 = policy_true;
    fp16.sum_format = FORMAT_F16;
    bf16.sum_format = FORMAT_BF16;
    for (int t = next_output(plan, 0); t >= 0; t = next_output(plan, t + 1)) {
        double *model = calloc((size_t)tensor_elements(&plan->tensor[t]), sizeof *model);
        if (!model)
            return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the models of gate 4");
        host->c.registration->model(&host->c, t, &fp16, model);
        verdict->miss_fp16 = fmax(verdict->miss_fp16, worst_miss(host, t, model));
        host->c.registration->model(&host->c, t, &bf16, model);
        verdict->miss_bf16 = fmax(verdict->miss_bf16, worst_miss(host, t, model));
        free(model);
    }
    return true;
}
