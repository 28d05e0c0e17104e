#include <math.h>
#include <stdlib.h>

#include "contract/base/parallel.h"
#include "reference/ds4_dot.h"

/* One expert's part of an output: a row of weights, its activations and what the product counts. */
struct part {
    const uint16_t *down;
    const float *mid;
    double weight;
};

static struct part part_of(const struct ds4_down *p, int64_t token, int64_t column, int slot, int row_shift)
{
    int64_t own = token * DS4_SUMMED_EXPERTS + slot, from = (token + row_shift) % p->tokens * DS4_SUMMED_EXPERTS + slot;
    int64_t words = ds4_row_words(p->format, p->n);
    return (struct part){p->down + (p->selected[own] * p->out_dim + column) * words, p->mid + from * p->n, p->weight[own]};
}

/* A lane chains its runs, then six fma of its sums, then the lanes are added. */
static int64_t sum_depth(const struct ds4_down *p)
{
    return ds4_dot_additions(p->format, p->n, p->lanes) + DS4_SUMMED_EXPERTS + ds4_dot_levels(p->lanes);
}

void ds4_down_depth(const struct ds4_down *p, struct depth *depth)
{
    ds4_dot_depth(p->format, depth);
    depth_add(depth, sum_depth(p), "runs, experts and lanes");
}

static struct bound element(const struct ds4_down *p, int64_t token, int64_t column)
{
    struct ds4_dot sum = {0};
    for (int slot = 0; slot < DS4_SUMMED_EXPERTS; slot++) {
        struct part part = part_of(p, token, column, slot, 0);
        struct ds4_dot dot = ds4_dot_of(p->format, part.down, part.mid, p->n);
        ds4_dot_add(&sum, part.weight, &dot, p->lanes);
    }
    return ds4_dot_bound(&sum, sum_depth(p));
}

struct job {
    const struct ds4_down *p;
    const struct policy *policy;
    struct bound *out;
    double *model;
};

static void reference_column(void *context, int64_t column)
{
    const struct job *job = context;
    for (int64_t token = 0; token < job->p->tokens; token++)
        job->out[token * job->p->out_dim + column] = element(job->p, token, column);
}

void ds4_down_reference(const struct ds4_down *p, struct bound *out)
{
    struct job job = {.p = p, .out = out};
    parallel_for(p->n_threads, p->out_dim, reference_column, &job);
}

void ds4_down_audit(const struct ds4_down *p, int64_t token, int64_t column, struct audit *audit)
{
    enum { OUT, DOT, WEIGHT };
    audit_set(audit, OUT, 0);
    for (int slot = 0; slot < DS4_SUMMED_EXPERTS; slot++) {
        struct part part = part_of(p, token, column, slot, 0);
        ds4_dot_audit(p->format, part.down, part.mid, p->n, audit, DOT);
        audit_set(audit, WEIGHT, part.weight);
        audit_fma(audit, OUT, DOT, WEIGHT, OUT);
    }
}

static void model_column(void *context, int64_t column)
{
    const struct job *job = context;
    const struct ds4_down *p = job->p;
    for (int64_t token = 0; token < p->tokens; token++) {
        double sum = 0;
        for (int slot = 0; slot < DS4_SUMMED_EXPERTS; slot++) {
            struct part part = part_of(p, token, column, slot, job->policy->row_shift);
            double dot = ds4_dot_model(p->format, part.down, part.mid, p->n, job->policy);
            sum = policy_add(job->policy, sum, policy_product(job->policy, dot, part.weight));
        }
        job->model[token * p->out_dim + column] = policy_result(job->policy, sum);
    }
}

void ds4_down_model(const struct ds4_down *p, const struct policy *policy, double *out)
{
    struct job job = {.p = p, .policy = policy};
    job.model = out;
    parallel_for(p->n_threads, p->out_dim, model_column, &job);
}

/* Weights are integers and none is 0, so that no expert's own sum is longer than its part of the output's. */
static void exact_element(const struct ds4_down *p, int64_t token, int64_t column, struct exact_sum *sum)
{
    *sum = (struct exact_sum){.exponent = DS4_EXACT_EXPONENT, .products_exact = true};
    for (int slot = 0; slot < DS4_SUMMED_EXPERTS; slot++) {
        struct part part = part_of(p, token, column, slot, 0);
        struct ds4_integers integers = ds4_dot_integers(p->format, part.down, part.mid, p->n);
        bool is_factor = part.weight == rint(part.weight) && part.weight != 0 && fabs(part.weight) < 0x1p12;
        int64_t weight = is_factor ? (int64_t)part.weight : 0;
        sum->sum += weight * integers.sum;
        sum->sum_abs += llabs(weight) * integers.sum_abs;
        sum->products_exact &= integers.exact && is_factor;
    }
    sum->one_signed = llabs(sum->sum) == sum->sum_abs;
    sum->expected = ldexp((double)sum->sum, DS4_EXACT_EXPONENT);
}

void ds4_down_exact(const struct ds4_down *p, int64_t first, int64_t n, struct exact_sum *sums)
{
    for (int64_t i = 0; i < n; i++)
        exact_element(p, (first + i) / p->out_dim, (first + i) % p->out_dim, &sums[i]);
}
