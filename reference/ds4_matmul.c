#include "reference/ds4_matmul.h"

#include <math.h>
#include <stdlib.h>

#include "contract/base/parallel.h"
#include "reference/blocks.h"

static const void *row_of(const struct ds4_matmul *p, int64_t j)
{
    return p->weights == DS4_F16 ? (const void *)((const uint16_t *)p->w + j * p->k)
                                 : (const void *)((const struct block_q8_0 *)p->w + j * q8_0_blocks(p->k));
}

/* w[j][i], exact. */
static double weight(const struct ds4_matmul *p, int64_t j, int64_t i)
{
    return p->weights == DS4_F16 ? format_load(FORMAT_F16, row_of(p, j), i) : q8_0_weight(row_of(p, j), i);
}

/* What a group's chain takes for w[j][i]. */
static double factor(const struct ds4_matmul *p, const void *row, int64_t i)
{
    if (p->weights == DS4_F16)
        return format_load(FORMAT_F16, row, i);
    const struct block_q8_0 *block = (const struct block_q8_0 *)row + i / Q8_0_WEIGHTS;
    return block->q[i % Q8_0_WEIGHTS];
}

struct group {
    int64_t n_terms;
    double sum, sum_abs;
};

static int64_t group_of(const struct ds4_matmul *p, int64_t i)
{
    return i / p->run % p->n_groups;
}

static void fill_groups(const struct ds4_matmul *p, const double *factors, const float *x, struct group *groups)
{
    for (int64_t g = 0; g < p->n_groups; g++)
        groups[g] = (struct group){0};
    for (int64_t i = 0; i < p->k; i++) {
        struct group *group = &groups[group_of(p, i)];
        double product = factors[i] * x[i]; /* exact: at most 11 + 24 bits */
        group->n_terms++;
        group->sum += product;
        group->sum_abs += fabs(product);
    }
}

/* With f16 weights each of the chain's roundings may lose half the smallest subnormal more; a product with an integer q is
 * a multiple of that subnormal, as are sums of such, and loses nothing. */
static struct bound group_sum(const struct ds4_matmul *p, const struct group *group)
{
    double lost = p->weights == DS4_F16 ? (double)group->n_terms * format_facts(FORMAT_F32)->half_subnormal : 0;
    return bound_sum(FORMAT_F32, group->n_terms, group->sum, group->sum_abs, lost, p->roundings_in_group);
}

/* As the group enters the sum of all: times its scale, unrounded but for float64's rounding of the value; then the fma that
 * adds it may underflow. */
static struct bound scaled_sum(const struct ds4_matmul *p, const void *row, int64_t g, struct bound sum)
{
    if (p->weights == DS4_F16)
        return sum;
    const struct block_q8_0 *block = (const struct block_q8_0 *)row + g * p->run / Q8_0_WEIGHTS;
    struct bound scaled = bound_mul(FORMAT_F64, bound_exact(q8_0_scale(block)), sum);
    if (isfinite(scaled.value))
        scaled.error += format_facts(FORMAT_F32)->half_subnormal;
    return scaled;
}

/* The sum of all groups; infinities and NaN among them decide it unless the finite ones may overflow. */
static struct bound output(const struct ds4_matmul *p, const void *row, const struct group *groups)
{
    double sum = 0, sum_abs = 0, error = 0;
    for (int64_t g = 0; g < p->n_groups && groups[g].n_terms > 0; g++) {
        struct bound scaled = scaled_sum(p, row, g, group_sum(p, &groups[g]));
        sum += scaled.value;
        error += scaled.error;
        sum_abs += isfinite(scaled.value) ? fabs(scaled.value) : 0;
    }
    struct bound finite = bound_sum(FORMAT_F32, p->n_groups, isfinite(sum) ? sum : 0, sum_abs, error, p->roundings);
    if (isfinite(sum))
        return finite;
    bool is_open = isinf(error) || (!isnan(sum) && (!isfinite(finite.value) || isinf(finite.error)));
    return is_open ? (struct bound){isnan(sum) ? 0 : sum, INFINITY} : bound_exact(sum);
}

struct job {
    const struct ds4_matmul *p;
    struct bound *out;
};

static const struct bound unknown = {0, INFINITY};

static void reference_column(void *context, int64_t j)
{
    const struct job *job = context;
    const struct ds4_matmul *p = job->p;
    const void *row = row_of(p, j);
    double *factors = calloc((size_t)p->k, sizeof *factors);
    struct group *groups = calloc((size_t)p->n_groups, sizeof *groups);
    bool has_room = factors && groups;
    for (int64_t i = 0; has_room && i < p->k; i++)
        factors[i] = factor(p, row, i);
    for (int64_t r = 0; r < p->rows; r++) {
        if (has_room)
            fill_groups(p, factors, p->x + r * p->k, groups);
        job->out[r * p->n + j] = has_room ? output(p, row, groups) : unknown;
    }
    free(factors);
    free(groups);
}

void ds4_matmul_reference(const struct ds4_matmul *problem, struct bound *out)
{
    struct job job = {problem, out};
    parallel_for(problem->n_threads, problem->n, reference_column, &job);
}

void ds4_matmul_audit(const struct ds4_matmul *p, int64_t row, int64_t column, struct audit *audit)
{
    audit_set(audit, 0, 0);
    for (int64_t i = 0; i < p->k; i++)
        audit_accumulate(audit, 0, p->x[row * p->k + i], weight(p, column, i));
}

static double model_element(const struct ds4_matmul *p, const struct policy *policy, int64_t row, int64_t column)
{
    const float *x = p->x + (row + policy->row_shift) % p->rows * p->k;
    double sum = 0;
    for (int64_t i = 0, n = policy_terms(policy, p->k); i < n; i++)
        sum = policy_add(policy, sum, policy_product(policy, x[i], weight(p, column, i)));
    return policy_result(policy, sum);
}

void ds4_matmul_model(const struct ds4_matmul *p, const struct policy *policy, double *out)
{
    for (int64_t r = 0; r < p->rows; r++)
        for (int64_t j = 0; j < p->n; j++)
            out[r * p->n + j] = model_element(p, policy, r, j);
}

static struct exact_sum exact_element(const struct ds4_matmul *p, int64_t row, int64_t column)
{
    struct exact_sum sum = {.products_exact = true, .exponent = p->exponent};
    for (int64_t i = 0; i < p->k; i++) {
        double product = ldexp(p->x[row * p->k + i] * weight(p, column, i), -p->exponent);
        sum.products_exact &= product == rint(product) && fabs(product) < 0x1p24;
        sum.sum += (int64_t)product;
        sum.sum_abs += (int64_t)fabs(product);
    }
    sum.one_signed = llabs(sum.sum) == sum.sum_abs;
    sum.expected = ldexp((double)sum.sum, p->exponent);
    return sum;
}

void ds4_matmul_exact(const struct ds4_matmul *p, int64_t first, int64_t n, struct exact_sum *sums)
{
    for (int64_t i = 0; i < n; i++)
        sums[i] = exact_element(p, (first + i) / p->n, (first + i) % p->n);
}

static float ordered_element(const struct ds4_matmul *p, int64_t row, int64_t column, float *groups)
{
    for (int64_t g = 0; g < p->n_groups; g++)
        groups[g] = 0;
    for (int64_t i = 0; i < p->k; i++) {
        float *group = &groups[group_of(p, i)];
        *group = fmaf((float)weight(p, column, i), p->x[row * p->k + i], *group);
    }
    float sum = groups[0];
    for (int64_t g = 1; g < p->n_groups; g++)
        sum += groups[g];
    return sum;
}

void ds4_matmul_ordered_bytes(const struct ds4_matmul *p, float *out)
{
    float *groups = calloc((size_t)p->n_groups, sizeof *groups);
    for (int64_t i = 0; i < p->rows * p->n; i++)
        out[i] = groups ? ordered_element(p, i / p->n, i % p->n, groups) : NAN;
    free(groups);
}
