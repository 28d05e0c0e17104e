#include "reference/ds4_matmul.h"

#include <math.h>
#include <stdlib.h>

#include "contract/base/memory_needed.h"
#include "contract/base/parallel.h"
#include "reference/blocks.h"
#include "reference/wide_sum.h"

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

/* What is multiplied for x[row][i]. */
static double x_at(const struct ds4_matmul *p, int64_t row, int64_t i)
{
    float x = p->x[row * p->k + i];
    return p->x_format == FORMAT_F16 ? format_round(FORMAT_F16, x) : x;
}

/* What a group's chain takes for w[j][i]. */
static double factor(const struct ds4_matmul *p, const void *row, int64_t i)
{
    if (p->weights == DS4_F16)
        return format_load(FORMAT_F16, row, i);
    const struct block_q8_0 *block = (const struct block_q8_0 *)row + i / Q8_0_WEIGHTS;
    return block->q[i % Q8_0_WEIGHTS];
}

static int64_t group_of(const struct ds4_matmul *p, int64_t i)
{
    return i / p->run % p->n_groups;
}

static void fill_groups(const struct ds4_matmul *p, const double *factors, const double *x, struct step_terms *groups)
{
    for (int64_t g = 0; g < p->n_groups; g++)
        groups[g] = (struct step_terms){0};
    for (int64_t i = 0; i < p->k; i++) {
        struct step_terms *group = &groups[group_of(p, i)];
        if (p->step != STEP_FMA_F32) {
            step_terms_add(group, FORMAT_F16, x[i], factors[i]);
            continue;
        }
        double product = factors[i] * x[i]; /* exact: at most 11 + 24 bits */
        group->n_products++;
        group->sum += product;
        group->sum_abs += fabs(product);
    }
}

static int64_t steps_in_group(const struct ds4_matmul *p)
{
    return p->run / step_products(p->step);
}

void ds4_matmul_depth(const struct ds4_matmul *p, struct depth *depth)
{
    bool chains_fma = p->step == STEP_FMA_F32;
    depth_add(depth, chains_fma ? p->roundings_in_group : step_depth(p->step, steps_in_group(p)), "a group's chain");
    depth_add(depth, p->roundings, "the sum of groups");
}

/* With f16 weights each of the chain's roundings may lose half the smallest subnormal more; a product with an integer q is
 * a multiple of that subnormal, as are sums of such, and loses nothing. */
static struct bound group_sum(const struct ds4_matmul *p, const struct step_terms *group)
{
    double lost = p->weights == DS4_F16 ? (double)group->n_products * format_facts(FORMAT_F32)->half_subnormal : 0;
    if (p->step == STEP_FMA_F32)
        return bound_sum(FORMAT_F32, group->n_products, group->sum, group->sum_abs, lost, p->roundings_in_group);
    return step_chain(p->step, group, steps_in_group(p), 0);
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

/* The sum of x w, of which each product is exact: at most 24 + 8 + 11 bits. */
static double exact_value(const struct ds4_matmul *p, const double *factors, const double *x, const void *row)
{
    struct wide_sum sum = {0, 0};
    const struct block_q8_0 *blocks = p->weights == DS4_Q8_0 ? row : NULL;
    for (int64_t i = 0; i < p->k; i++)
        wide_add(&sum, x[i] * factors[i] * (blocks ? q8_0_scale(&blocks[i / Q8_0_WEIGHTS]) : 1));
    return wide_value(&sum);
}

/* The sum of all groups; infinities and NaN among them decide it unless the finite ones may overflow. */
static struct bound output(const struct ds4_matmul *p, const void *row, const struct step_terms *groups)
{
    double sum = 0, sum_abs = 0, error = 0;
    for (int64_t g = 0; g < p->n_groups && groups[g].n_products > 0; g++) {
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

/* Room for one column: its factors, a row of x, and the groups of one output. */
struct scratch {
    double *factors, *x;
    struct step_terms *groups;
};

static struct scratch scratch_open(const struct ds4_matmul *p)
{
    return (struct scratch){memory_needed(calloc((size_t)p->k, sizeof(double))),
                            memory_needed(calloc((size_t)p->k, sizeof(double))),
                            memory_needed(calloc((size_t)p->n_groups, sizeof(struct step_terms)))};
}

static void scratch_close(struct scratch *s)
{
    free(s->factors);
    free(s->x);
    free(s->groups);
}

static void reference_column(void *context, int64_t j)
{
    const struct job *job = context;
    const struct ds4_matmul *p = job->p;
    const void *row = row_of(p, j);
    struct scratch s = scratch_open(p);
    for (int64_t i = 0; i < p->k; i++)
        s.factors[i] = factor(p, row, i);
    for (int64_t r = 0; r < p->rows; r++) {
        struct bound *out = &job->out[r * p->n + j];
        for (int64_t i = 0; i < p->k; i++)
            s.x[i] = x_at(p, r, i);
        fill_groups(p, s.factors, s.x, s.groups);
        *out = output(p, row, s.groups);
        if (isfinite(out->value) && isfinite(out->error))
            out->value = exact_value(p, s.factors, s.x, row);
    }
    scratch_close(&s);
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
        audit_accumulate(audit, 0, x_at(p, row, i), weight(p, column, i));
}

static double model_element(const struct ds4_matmul *p, const struct policy *policy, int64_t row, int64_t column)
{
    int64_t from = (row + policy->row_shift) % p->rows;
    double sum = 0;
    for (int64_t i = 0, n = policy_terms(policy, p->k); i < n; i++)
        sum = policy_add(policy, sum, policy_product(policy, x_at(p, from, i), weight(p, column, i)));
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
        exact_add(&sum, ldexp(x_at(p, row, i) * weight(p, column, i), -p->exponent));
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

bool ds4_matmul_ordered_bytes(const struct ds4_matmul *p, float *out)
{
    float *groups = calloc((size_t)p->n_groups, sizeof *groups);
    for (int64_t i = 0; groups && i < p->rows * p->n; i++)
        out[i] = ordered_element(p, i / p->n, i % p->n, groups);
    free(groups);
    return groups != NULL;
}
