#include "reference/ds4_indexer.h"

#include <math.h>
#include <stdlib.h>

#include "contract/base/memory_needed.h"
#include "contract/base/parallel.h"

enum { WIDTH = DS4_INDEXER_WIDTH };

/* Rows of 128 numbers as doubles. */
static double *rows_loaded(enum number_format format, const uint16_t *rows, int64_t n_rows)
{
    double *loaded = memory_needed(malloc((size_t)n_rows * WIDTH * sizeof *loaded));
    for (int64_t i = 0; i < n_rows * WIDTH; i++)
        loaded[i] = format_load(format, rows, i);
    return loaded;
}

/* q of all heads of one token. */
static double *token_loaded(const struct ds4_indexer *p, int64_t token)
{
    return rows_loaded(p->format, p->q + token * p->heads * WIDTH, p->heads);
}

static double weight_at(const struct ds4_indexer *p, int64_t token, int64_t head)
{
    return p->w[token * p->heads + head];
}

static int64_t steps_of_dot(const struct ds4_indexer *p)
{
    return WIDTH / step_products(p->step);
}

void ds4_indexer_depth(const struct ds4_indexer *p, struct depth *depth)
{
    depth_add(depth, step_depth(p->step, steps_of_dot(p)), "a head's dot product");
    depth_add(depth, p->heads, "the sum over heads");
}

/* Products of f16 and bf16 are exact in float64. Their sum is compensated (Neumaier), since max may leave little of large
 * terms that cancel, and no rounding of f32 comes between that would hide a plain sum's error. */
static struct bound dot_bound(const struct ds4_indexer *p, const double *q, const double *k)
{
    struct step_terms terms = {0};
    double sum = 0, lost = 0;
    for (int i = 0; i < WIDTH; i++) {
        double product = q[i] * k[i], next = sum + product;
        step_terms_add(&terms, p->format, q[i], k[i]);
        lost += fabs(sum) >= fabs(product) ? sum - next + product : product - next + sum;
        sum = next;
    }
    if (isfinite(sum))
        terms.sum = sum + lost;
    return step_chain(p->step, &terms, steps_of_dot(p), 0);
}

/* max(0, x) of an x within the error: where the value is not above 0, what the interval has above it. */
static struct bound rectified(struct bound x)
{
    if (isnan(x.value) || x.value > 0)
        return x;
    if (isinf(x.error))
        return (struct bound){0, INFINITY};
    return (struct bound){0, fmax(0, (x.value + x.error) * BOUND_OUTWARD)};
}

struct reference_job {
    const struct ds4_indexer *p;
    const double *k; /* of all keys */
    struct bound *out;
};

static struct bound score_bound(const struct ds4_indexer *p, int64_t token, const double *q, const double *k)
{
    struct bound sum = bound_exact(0);
    for (int64_t head = 0; head < p->heads; head++)
        sum = bound_fma(FORMAT_F32, bound_exact(weight_at(p, token, head)), rectified(dot_bound(p, q + head * WIDTH, k)),
                        sum);
    return sum;
}

static void reference_token(void *context, int64_t token)
{
    const struct reference_job *job = context;
    const struct ds4_indexer *p = job->p;
    double *q = token_loaded(p, token);
    for (int64_t key = 0; key < p->keys; key++)
        job->out[token * p->keys + key] = score_bound(p, token, q, job->k + key * WIDTH);
    free(q);
}

void ds4_indexer_reference(const struct ds4_indexer *p, struct bound *out)
{
    double *k = rows_loaded(p->format, p->k, p->keys);
    struct reference_job job = {p, k, out};
    parallel_for(p->n_threads, p->tokens, reference_token, &job);
    free(k);
}

/* Slot 0 the score, slot 1 a head's dot, slots 2 and 3 the head's weight and its product. */
void ds4_indexer_audit(const struct ds4_indexer *p, int64_t token, int64_t key, struct audit *audit)
{
    audit_set(audit, 0, 0);
    for (int64_t head = 0; head < p->heads; head++) {
        const uint16_t *q = p->q + (token * p->heads + head) * WIDTH, *k = p->k + key * WIDTH;
        audit_set(audit, 1, 0);
        for (int i = 0; i < WIDTH; i++)
            audit_accumulate(audit, 1, format_load(p->format, q, i), format_load(p->format, k, i));
        if (audit_get(audit, 1) < 0)
            audit_set(audit, 1, 0);
        audit_set(audit, 2, weight_at(p, token, head));
        audit_mul(audit, 3, 1, 2);
        audit_add(audit, 0, 0, 3);
    }
}

static double dot_model(const struct policy *policy, const double *q, const double *k)
{
    double sum = 0;
    for (int64_t i = 0; i < policy_terms(policy, WIDTH); i++)
        sum = policy_add(policy, sum, policy_product(policy, q[i], k[i]));
    return sum < 0 ? 0 : sum;
}

struct model_job {
    const struct ds4_indexer *p;
    const double *k; /* of all keys */
    const struct policy *policy;
    double *out;
};

static void model_token(void *context, int64_t token)
{
    const struct model_job *job = context;
    const struct ds4_indexer *p = job->p;
    const struct policy *policy = job->policy;
    int64_t from = (token + policy->row_shift) % p->tokens;
    double *q = token_loaded(p, from);
    for (int64_t key = 0; key < p->keys; key++) {
        double sum = 0;
        for (int64_t head = 0; head < policy_terms(policy, p->heads); head++) {
            double dot = dot_model(policy, q + head * WIDTH, job->k + key * WIDTH);
            sum = policy_add(policy, sum, policy_product(policy, weight_at(p, from, head), dot));
        }
        job->out[token * p->keys + key] = policy_result(policy, sum);
    }
    free(q);
}

void ds4_indexer_model(const struct ds4_indexer *p, const struct policy *policy, double *out)
{
    double *k = rows_loaded(p->format, p->k, p->keys);
    struct model_job job = {.p = p, .k = k, .policy = policy};
    job.out = out;
    parallel_for(p->n_threads, p->tokens, model_token, &job);
    free(k);
}

/* Adds a head's term, and its score to `expected`. The sums are of magnitudes: they bound the partial sums of dots, also of
 * those that max drops, and of scores. What may not mix signs is a dot. False where a factor or product is no term. */
static bool exact_head(const struct ds4_indexer *p, int64_t row_of_q, double weight, int64_t key, struct exact_sum *sum)
{
    int64_t dot = 0, dot_abs = 0;
    if (!exact_is_term(weight) || weight == 0 || fabs(weight) >= 0x1p10)
        return false;
    for (int i = 0; i < WIDTH; i++) {
        double q = format_load(p->format, p->q, row_of_q * WIDTH + i), k = format_load(p->format, p->k, key * WIDTH + i);
        if (!exact_is_term(q) || !exact_is_term(k) || !exact_is_term(q * k) || q * k == 0)
            return false;
        dot += (int64_t)(q * k);
        dot_abs += (int64_t)fabs(q * k);
    }
    sum->sum += llabs((int64_t)weight * dot);
    sum->sum_abs += llabs((int64_t)weight) * dot_abs;
    sum->expected += weight * (double)(dot > 0 ? dot : 0);
    return true;
}

void ds4_indexer_exact(const struct ds4_indexer *p, int64_t first, int64_t n, struct exact_sum *sums)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t token = (first + i) / p->keys, key = (first + i) % p->keys;
        sums[i] = (struct exact_sum){.products_exact = true};
        for (int64_t head = 0; head < p->heads; head++)
            sums[i].products_exact &= exact_head(p, token * p->heads + head, weight_at(p, token, head), key, &sums[i]);
        sums[i].one_signed = sums[i].sum == sums[i].sum_abs;
    }
}
