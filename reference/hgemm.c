#include "reference/hgemm.h"

#include <math.h>
#include <stdlib.h>

#include "contract/base/divide.h"
#include "contract/base/memory_needed.h"
#include "contract/base/parallel.h"
#include "reference/wide_sum.h"

int64_t hgemm_splits(const struct hgemm *p)
{
    return p->k_of_split ? divide_up(p->k, p->k_of_split) : 1;
}

/* Products of the longest chain, zeros of its last tile included. */
static int64_t chain_products(const struct hgemm *p)
{
    int64_t longest = p->k_of_split && p->k_of_split < p->k ? p->k_of_split : p->k;
    return divide_up(longest, p->k_of_tile) * p->k_of_tile;
}

int64_t hgemm_steps(const struct hgemm *p)
{
    return divide_up(chain_products(p), step_products(p->step));
}

static int64_t split_additions(const struct hgemm *p)
{
    return hgemm_splits(p) - 1;
}

void hgemm_depth(const struct hgemm *p, struct depth *depth)
{
    depth_add(depth, step_depth(p->step, hgemm_steps(p)), "the chain over a range of k, in whole tiles");
    if (split_additions(p) > 0)
        depth_add(depth, split_additions(p), "the splits' sums");
}

/* Factors as doubles; `plain` where each is finite and none is zero or subnormal. */
struct factors {
    double *at;
    bool plain;
};

static bool is_plain(double x)
{
    return isfinite(x) && fabs(x) >= step_smallest(FORMAT_BF16);
}

static void factors_load(struct factors *factors, const uint16_t *from, int64_t k)
{
    factors->plain = true;
    for (int64_t t = 0; t < k; t++) {
        factors->at[t] = format_load(FORMAT_BF16, from, t);
        factors->plain &= is_plain(factors->at[t]);
    }
}

/* Of two plain rows the magnitudes are all that step_terms_add would count. Products of bf16 are exact in float64. */
static struct step_terms plain_terms(const double *a, const double *b, int64_t k)
{
    double sum_abs = 0;
    struct wide_sum sum = {0, 0};
    for (int64_t t = 0; t < k; t++) {
        wide_add(&sum, a[t] * b[t]);
        sum_abs += fabs(a[t] * b[t]);
    }
    return (struct step_terms){
        .n_products = k, .sum = wide_value(&sum), .sum_abs = sum_abs, .finite_abs = sum_abs, .sum_aligned = sum_abs};
}

static struct step_terms any_terms(const double *a, const double *b, int64_t k)
{
    struct step_terms terms = {0};
    struct wide_sum sum = {0, 0};
    for (int64_t t = 0; t < k; t++) {
        step_terms_add(&terms, FORMAT_BF16, a[t], b[t]);
        wide_add(&sum, a[t] * b[t]);
    }
    if (isfinite(terms.sum))
        terms.sum = wide_value(&sum);
    return terms;
}

static struct bound output(const struct hgemm *p, const struct factors *a, const struct factors *b)
{
    struct step_terms terms = (a->plain && b->plain ? plain_terms : any_terms)(a->at, b->at, p->k);
    terms.n_products = hgemm_splits(p) * chain_products(p); /* zeros take part in steps */
    struct bound sum = step_chain(p->step, &terms, hgemm_steps(p), split_additions(p));
    return p->c_format == FORMAT_F32 ? sum : bound_convert(p->c_format, sum);
}

/* Rows of A, and room for a column of each thread's own. */
struct job {
    const struct hgemm *p;
    struct factors *a; /* [m] */
    struct bound *out;
    const struct policy *policy;
    double *model; /* with policy: in the place of out */
};

static double model_element(const struct hgemm *p, const struct policy *policy, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t t = 0, n = policy_terms(policy, p->k); t < n; t++)
        sum = policy_add(policy, sum, policy_product(policy, a[t], b[t]));
    return policy_result(policy, sum);
}

static void column(void *context, int64_t j)
{
    const struct job *job = context;
    const struct hgemm *p = job->p;
    struct factors b = {.at = memory_needed(calloc((size_t)p->k, sizeof(double)))};
    factors_load(&b, p->b + j * p->k, p->k);
    for (int64_t i = 0; i < p->m; i++)
        if (job->policy)
            job->model[i * p->n + j] = model_element(p, job->policy, job->a[(i + job->policy->row_shift) % p->m].at, b.at);
        else
            job->out[i * p->n + j] = output(p, &job->a[i], &b);
    free(b.at);
}

/* All outputs, column by column. */
static void columns(struct job *job)
{
    const struct hgemm *p = job->p;
    struct factors *a = memory_needed(calloc((size_t)p->m, sizeof *a));
    double *rows = memory_needed(calloc((size_t)(p->m * p->k), sizeof *rows));
    for (int64_t i = 0; i < p->m; i++) {
        a[i].at = rows + i * p->k;
        factors_load(&a[i], p->a + i * p->k, p->k);
    }
    job->a = a;
    parallel_for(p->n_threads, p->n, column, job);
    free(rows);
    free(a);
}

void hgemm_reference(const struct hgemm *p, struct bound *out)
{
    columns(&(struct job){.p = p, .out = out});
}

void hgemm_model(const struct hgemm *p, const struct policy *policy, double *out)
{
    columns(&(struct job){.p = p, .policy = policy, .model = out});
}

void hgemm_audit(const struct hgemm *p, int64_t row, int64_t column, struct audit *audit)
{
    audit_set(audit, 0, 0);
    for (int64_t t = 0; t < p->k; t++)
        audit_accumulate(audit, 0, format_load(FORMAT_BF16, p->a, row * p->k + t),
                         format_load(FORMAT_BF16, p->b, column * p->k + t));
}

static struct exact_sum exact_element(const struct hgemm *p, int64_t row, int64_t column)
{
    struct exact_sum sum = {.products_exact = true};
    for (int64_t t = 0; t < p->k; t++)
        exact_add(&sum, format_load(FORMAT_BF16, p->a, row * p->k + t) * format_load(FORMAT_BF16, p->b, column * p->k + t));
    sum.one_signed = llabs(sum.sum) == sum.sum_abs;
    sum.expected = format_round(p->c_format, (double)sum.sum);
    return sum;
}

void hgemm_exact(const struct hgemm *p, int64_t first, int64_t n, struct exact_sum *sums)
{
    for (int64_t i = 0; i < n; i++)
        sums[i] = exact_element(p, (first + i) / p->n, (first + i) % p->n);
}
