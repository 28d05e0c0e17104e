#include "reference/ds4_projection.h"

#include <math.h>
#include <stdlib.h>

#include "contract/base/memory_needed.h"

enum { WEIGHTS_OF_LANE = 8 };

/* The product of scale and byte is exact, and rounded once. */
static double weight_at(const struct ds4_projection *p, int64_t column, int64_t k)
{
    return format_round(FORMAT_F16, q8_0_weight(p->blocks + column * q8_0_blocks(p->k), k));
}

static double x_at(const struct ds4_projection *p, int64_t row, int64_t k)
{
    return p->x[row * p->k + k];
}

/* Roundings that a term passes through where 2^levels lanes share a row: its lane's chain of fma, an addition a level, the
 * other splits. */
static int64_t depth_of(const struct ds4_projection *p, int levels)
{
    int64_t n_blocks = q8_0_blocks(p->k), n_splits = (n_blocks + p->blocks_of_split - 1) / p->blocks_of_split;
    int64_t blocks = n_blocks < p->blocks_of_split ? n_blocks : p->blocks_of_split, lanes = INT64_C(1) << levels;
    int64_t parts = blocks * (Q8_0_WEIGHTS / WEIGHTS_OF_LANE);
    return (parts + lanes - 1) / lanes * WEIGHTS_OF_LANE + levels + n_splits - 1;
}

/* For either variant. */
static int64_t depth_of_either(const struct ds4_projection *p)
{
    int64_t of_32 = depth_of(p, 5), of_64 = depth_of(p, 6);
    return of_32 > of_64 ? of_32 : of_64;
}

void ds4_projection_depth(const struct ds4_projection *p, struct depth *depth)
{
    depth_add(depth, depth_of_either(p), "chain, lanes and splits");
}

/* A fused product adds nothing but eta of its own. */
static struct bound output(const struct ds4_projection *p, const double *weights, int64_t row)
{
    double sum = 0, sum_abs = 0;
    for (int64_t k = 0; k < p->k; k++) {
        double term = x_at(p, row, k) * weights[k];
        sum += term;
        sum_abs += fabs(term);
    }
    return bound_sum(FORMAT_F32, p->k, sum, sum_abs, (double)p->k * format_facts(FORMAT_F32)->half_subnormal,
                     depth_of_either(p));
}

void ds4_projection_reference(const struct ds4_projection *p, struct bound *out)
{
    double *weights = memory_needed(calloc((size_t)p->k, sizeof *weights));
    for (int64_t column = 0; column < p->n; column++) {
        for (int64_t k = 0; k < p->k; k++)
            weights[k] = weight_at(p, column, k);
        for (int64_t row = 0; row < p->rows; row++)
            out[row * p->n + column] = output(p, weights, row);
    }
    free(weights);
}

void ds4_projection_audit(const struct ds4_projection *p, int64_t row, int64_t column, struct audit *audit)
{
    audit_set(audit, 0, 0);
    for (int64_t k = 0; k < p->k; k++)
        audit_accumulate(audit, 0, x_at(p, row, k), weight_at(p, column, k));
}

void ds4_projection_model(const struct ds4_projection *p, const struct policy *policy, double *out)
{
    for (int64_t row = 0; row < p->rows; row++)
        for (int64_t column = 0; column < p->n; column++) {
            double sum = 0;
            for (int64_t k = 0; k < policy_terms(policy, p->k); k++)
                sum = policy_add(
                    policy, sum,
                    policy_product(policy, x_at(p, (row + policy->row_shift) % p->rows, k), weight_at(p, column, k)));
            out[row * p->n + column] = policy_result(policy, sum);
        }
}

static void exact_element(const struct ds4_projection *p, int64_t row, int64_t column, struct exact_sum *sum)
{
    *sum = (struct exact_sum){.products_exact = true};
    for (int64_t k = 0; k < p->k; k++) {
        exact_add(sum, x_at(p, row, k) * weight_at(p, column, k));
    }
    sum->one_signed = llabs(sum->sum) == sum->sum_abs;
    sum->expected = (double)sum->sum;
}

void ds4_projection_exact(const struct ds4_projection *p, int64_t first, int64_t n, struct exact_sum *sums)
{
    for (int64_t i = 0; i < n; i++)
        exact_element(p, (first + i) / p->n, (first + i) % p->n, &sums[i]);
}
