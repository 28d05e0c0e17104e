#include "reference/ds4_q8_0_batch.h"

#include <math.h>
#include <stdlib.h>

#include "contract/base/parallel.h"

enum { BLOCK = Q8_0_WEIGHTS };

/* x as it is multiplied, in blocks of 32 that are filled up with zeros; careful: the block has a subnormal half. */
struct activations {
    double *value; /* [rows][blocks][32] */
    bool *careful; /* [rows][blocks] */
};

static double activation(const struct ds4_q8_0_batch *p, int64_t row, int64_t k)
{
    float x = p->x[row * p->k + k];
    return p->x_format == FORMAT_F32 ? x : format_round(p->x_format, x);
}

static bool activations_open(struct activations *x, const struct ds4_q8_0_batch *p)
{
    int64_t blocks = q8_0_blocks(p->k);
    *x = (struct activations){calloc((size_t)(p->rows * blocks * BLOCK), sizeof *x->value),
                              calloc((size_t)(p->rows * blocks), sizeof *x->careful)};
    for (int64_t row = 0; x->value && x->careful && row < p->rows; row++)
        for (int64_t k = 0; k < p->k; k++) {
            double value = activation(p, row, k);
            x->value[row * blocks * BLOCK + k] = value;
            x->careful[row * blocks + k / BLOCK] |= value != 0 && fabs(value) < step_smallest(FORMAT_F16);
        }
    return x->value && x->careful;
}

static void activations_close(struct activations *x)
{
    free(x->value);
    free(x->careful);
}

/* Weights of one block without their scale, and how many of them there are. */
struct weights {
    double q[BLOCK], magnitude[BLOCK];
    int n;
};

static struct weights weights_of(const struct ds4_q8_0_batch *p, const struct block_q8_0 *block, int64_t b)
{
    struct weights w = {.n = p->k - b * BLOCK < BLOCK ? (int)(p->k - b * BLOCK) : BLOCK};
    for (int i = 0; i < w.n; i++) {
        w.q[i] = block->q[i];
        w.magnitude[i] = fabs(w.q[i]);
    }
    return w;
}

/* Where no factor is subnormal all sums of sizes are sum_abs, and what q = 0 adds to sum_zeros is below this. */
#define MOST_ZEROS (BLOCK * 0x1p-126 * 0x1p16)

static struct step_terms terms_of(const struct weights *w, const double *x, bool careful)
{
    struct step_terms terms = {0};
    for (int i = 0; careful && i < w->n; i++)
        step_terms_add(&terms, FORMAT_F16, x[i], w->q[i]);
    if (careful)
        return terms;
    for (int i = 0; i < w->n; i++) {
        terms.sum += x[i] * w->q[i];
        terms.sum_abs += fabs(x[i]) * w->magnitude[i];
    }
    terms.n_products = w->n;
    terms.sum_aligned = terms.sum_abs;
    terms.sum_zeros = MOST_ZEROS;
    return terms;
}

/* A chain of steps over all of a block, whatever there is of it. */
static struct bound block_sum(const struct ds4_q8_0_batch *p, const struct step_terms *terms)
{
    if (!isfinite(terms->sum))
        return bound_exact(terms->sum);
    return step_chain(p->step, terms, BLOCK / step_products(p->step), 0);
}

/* A sum of exact products in two doubles: terms of very different sizes may cancel, and the value must still be good to far
 * below a spacing of the output. */
struct wide_sum {
    double high, low;
};

static void wide_add(struct wide_sum *sum, double term)
{
    double high = sum->high + term, from_sum = high - term; /* Knuth's sum: high + low is exact (Muller et al., 4.3.2) */
    sum->low += (sum->high - from_sum) + (term - (high - from_sum));
    sum->high = high;
}

struct job {
    const struct ds4_q8_0_batch *p;
    const struct activations *x;
    struct bound *out;
};

/* The sum of x q scale: each product has 24 + 8 + 11 bits, and is exact. */
static double wide_value(const struct job *job, int64_t row, int64_t column)
{
    int64_t blocks = q8_0_blocks(job->p->k);
    struct wide_sum sum = {0, 0};
    for (int64_t b = 0; b < blocks; b++) {
        const struct block_q8_0 *block = &job->p->w[column * blocks + b];
        const double *x = job->x->value + (row * blocks + b) * BLOCK;
        double scale = q8_0_scale(block);
        for (int i = 0; i < BLOCK; i++) /* x is 0 past k */
            wide_add(&sum, x[i] * block->q[i] * scale);
    }
    return sum.high + sum.low;
}

static void reference_column(void *context, int64_t column)
{
    const struct job *job = context;
    const struct ds4_q8_0_batch *p = job->p;
    int64_t blocks = q8_0_blocks(p->k);
    for (int64_t row = 0; row < p->rows; row++)
        job->out[row * p->n + column] = bound_exact(0);
    for (int64_t b = 0; b < blocks; b++) {
        const struct block_q8_0 *block = &p->w[column * blocks + b];
        struct weights w = weights_of(p, block, b);
        struct bound scale = bound_exact(q8_0_scale(block));
        for (int64_t row = 0; row < p->rows; row++) {
            int64_t at = row * blocks + b;
            struct step_terms terms = terms_of(&w, job->x->value + at * BLOCK, job->x->careful[at]);
            struct bound *sum = &job->out[row * p->n + column];
            *sum = bound_fma(FORMAT_F32, scale, block_sum(p, &terms), *sum);
        }
    }
    for (int64_t row = 0; row < p->rows; row++) {
        struct bound *sum = &job->out[row * p->n + column];
        if (isfinite(sum->value) && isfinite(sum->error))
            sum->value = wide_value(job, row, column);
    }
}

void ds4_q8_0_batch_reference(const struct ds4_q8_0_batch *problem, struct bound *out)
{
    struct activations x;
    struct job job = {problem, &x, out};
    if (activations_open(&x, problem))
        parallel_for(problem->n_threads, problem->n, reference_column, &job);
    else
        for (int64_t i = 0; i < problem->rows * problem->n; i++)
            out[i] = (struct bound){0, INFINITY};
    activations_close(&x);
}

void ds4_q8_0_batch_audit(const struct ds4_q8_0_batch *p, int64_t row, int64_t column, struct audit *audit)
{
    const struct block_q8_0 *w = p->w + column * q8_0_blocks(p->k);
    audit_set(audit, 0, 0);
    for (int64_t k = 0; k < p->k; k++)
        audit_accumulate(audit, 0, activation(p, row, k), q8_0_weight(w, k));
}

struct model_job {
    const struct ds4_q8_0_batch *p;
    const struct activations *x;
    const struct policy *policy;
    double *out;
};

static double model_output(const struct model_job *job, int64_t row, int64_t column)
{
    const struct ds4_q8_0_batch *p = job->p;
    int64_t blocks = q8_0_blocks(p->k), terms = policy_terms(job->policy, p->k);
    const struct block_q8_0 *w = p->w + column * blocks;
    const double *x = job->x->value + (row + job->policy->row_shift) % p->rows * blocks * BLOCK;
    double sum = 0;
    for (int64_t b = 0; b * BLOCK < terms; b++) {
        double of_block = 0;
        for (int64_t k = b * BLOCK; k < terms && k < (b + 1) * BLOCK; k++)
            of_block = policy_add(job->policy, of_block, policy_product(job->policy, x[k], w[b].q[k % BLOCK]));
        sum = policy_add(job->policy, sum, q8_0_scale(&w[b]) * of_block);
    }
    return policy_result(job->policy, sum);
}

static void model_column(void *context, int64_t column)
{
    const struct model_job *job = context;
    for (int64_t row = 0; row < job->p->rows; row++)
        job->out[row * job->p->n + column] = model_output(job, row, column);
}

void ds4_q8_0_batch_model(const struct ds4_q8_0_batch *problem, const struct policy *policy, double *out)
{
    struct activations x;
    struct model_job job = {problem, &x, policy, out};
    if (activations_open(&x, problem))
        parallel_for(problem->n_threads, problem->n, model_column, &job);
    else
        for (int64_t i = 0; i < problem->rows * problem->n; i++)
            out[i] = NAN;
    activations_close(&x);
}

enum { EXACT_EXPONENT = -6 };

static struct exact_sum exact_output(const struct ds4_q8_0_batch *p, int64_t row, int64_t column)
{
    struct exact_sum sum = {.exponent = EXACT_EXPONENT, .products_exact = true};
    const struct block_q8_0 *w = p->w + column * q8_0_blocks(p->k);
    for (int64_t k = 0; k < p->k; k++) {
        const struct block_q8_0 *block = &w[k / BLOCK];
        double x = p->x[row * p->k + k], scale = ldexp(q8_0_scale(block), -EXACT_EXPONENT);
        double product = x * block->q[k % BLOCK] * scale;
        sum.products_exact &= x == rint(x) && fabs(x) <= 2048 && scale == rint(scale) && fabs(product) < 0x1p24;
        sum.sum += (int64_t)product;
        sum.sum_abs += (int64_t)fabs(product);
    }
    sum.one_signed = llabs(sum.sum) == sum.sum_abs;
    sum.expected = ldexp((double)sum.sum, EXACT_EXPONENT);
    return sum;
}

void ds4_q8_0_batch_exact(const struct ds4_q8_0_batch *p, int64_t first, int64_t n, struct exact_sum *sums)
{
    for (int64_t i = 0; i < n; i++)
        sums[i] = exact_output(p, (first + i) / p->n, (first + i) % p->n);
}
