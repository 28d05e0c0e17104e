#include "reference/ds4_norm.h"

#include <math.h>
#include <stdlib.h>

#include "contract/base/memory_needed.h"

/* Roundings that a square passes through: the chain of its lane (4 elements of each round of 1024), 5 additions over the
 * lanes of a wave, 7 over the waves. */
static int64_t depth_of_squares(int64_t n)
{
    int64_t rounds = (n + 4 * DS4_LANES - 1) / (4 * DS4_LANES);
    return 4 * rounds + 5 + DS4_LANES / 32 - 1;
}

void ds4_norm_depth(int64_t n, struct depth *depth)
{
    depth_add(depth, depth_of_squares(n), "the sum of squares");
    depth_add(depth, 1, "eps");
}

void ds4_rms_norm_depth(const struct ds4_rms_norm *p, struct depth *depth)
{
    ds4_norm_depth(p->n, depth);
}

/* Squares have one sign, so whatever the order a sum that is surely above the largest f32 ends as +inf. */
static struct bound sum_of_squares(int64_t n, double sum, double error)
{
    int64_t depth = depth_of_squares(n);
    if (isnan(sum))
        return bound_exact(NAN);
    if ((1 - 2 * bound_gamma(FORMAT_F32, depth)) * sum - error > 0x1p128)
        return bound_exact(INFINITY);
    return bound_sum(FORMAT_F32, n, sum, sum, error, depth);
}

struct bound ds4_norm_scale(const struct bound *x, int64_t n, float eps)
{
    double sum = 0, error = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += x[i].value * x[i].value;
        /* A fused square adds nothing but eta of its own; what x carries gives 2 |x| e + e^2. */
        error += 2 * fabs(x[i].value) * x[i].error + x[i].error * x[i].error + 0x1p-150;
    }
    struct bound mean = bound_div(FORMAT_F32, sum_of_squares(n, sum, error), bound_exact((double)n));
    return bound_div(FORMAT_F32, bound_exact(1), bound_sqrt(FORMAT_F32, bound_add(FORMAT_F32, mean, bound_exact(eps))));
}

void ds4_norm_row(const struct bound *x, const float *weight, int64_t n, float eps, struct bound *out)
{
    struct bound scale = ds4_norm_scale(x, n, eps);
    for (int64_t i = 0; i < n; i++)
        out[i] = bound_mul(FORMAT_F32, bound_mul(FORMAT_F32, x[i], scale), bound_exact(weight[i]));
}

void ds4_norm_model_row(const struct policy *policy, const double *x, const float *weight, int64_t n, float eps,
                        double *out)
{
    double sum = 0;
    for (int64_t i = 0; i < policy_terms(policy, n); i++)
        sum = policy_add(policy, sum, policy_product(policy, x[i], x[i]));
    double scale = 1 / sqrt(sum / (double)n + eps);
    for (int64_t i = 0; i < n; i++)
        out[i] = policy_result(policy, x[i] * scale * weight[i]);
}

void ds4_norm_exact(double own, double weight, int64_t n, int64_t squares, struct exact_sum *sum)
{
    *sum = (struct exact_sum){.exponent = 12, .one_signed = true, .sum = squares, .sum_abs = squares};
    sum->products_exact = squares == 16 * n;
    sum->expected = format_round(FORMAT_F32, format_round(FORMAT_F32, own * 0x1p-8) * weight);
}

void ds4_rms_norm_reference(const struct ds4_rms_norm *p, struct bound *out)
{
    for (int64_t row = 0; row < p->rows; row++) {
        struct bound *own = out + row * p->n;
        for (int64_t i = 0; i < p->n; i++)
            own[i] = bound_exact(p->x[row * p->n + i]);
        ds4_norm_row(own, p->weight, p->n, p->eps, own);
    }
}

/* Slot 0 = x / sqrt(sum / n + eps) * weight, slot 1 holding the sum of squares and slot 2 the element. */
void ds4_norm_audit(struct audit *audit, int64_t n, float eps, float weight)
{
    audit_set(audit, 3, (double)n);
    audit_div(audit, 1, 1, 3);
    audit_set(audit, 3, eps);
    audit_add(audit, 1, 1, 3);
    audit_sqrt(audit, 1, 1);
    audit_div(audit, 0, 2, 1);
    audit_set(audit, 3, weight);
    audit_mul(audit, 0, 0, 3);
}

void ds4_rms_norm_audit(const struct ds4_rms_norm *p, int64_t row, int64_t column, struct audit *audit)
{
    const float *x = p->x + row * p->n;
    audit_set(audit, 1, 0);
    for (int64_t i = 0; i < p->n; i++)
        audit_accumulate(audit, 1, x[i], x[i]);
    audit_set(audit, 2, x[column]);
    ds4_norm_audit(audit, p->n, p->eps, p->weight[column]);
}

void ds4_rms_norm_model(const struct ds4_rms_norm *p, const struct policy *policy, double *out)
{
    double *x = memory_needed(calloc((size_t)p->n, sizeof *x));
    for (int64_t row = 0; row < p->rows; row++) {
        const float *from = p->x + (row + policy->row_shift) % p->rows * p->n;
        for (int64_t i = 0; i < p->n; i++)
            x[i] = from[i];
        ds4_norm_model_row(policy, x, p->weight, p->n, p->eps, out + row * p->n);
    }
    free(x);
}

bool ds4_add_integer_square(double value, int64_t *squares)
{
    double units = value / 64;
    if (units != rint(units) || fabs(units) > 1024)
        return false;
    *squares += (int64_t)(units * units);
    return true;
}

void ds4_rms_norm_exact(const struct ds4_rms_norm *p, int64_t first, int64_t n, struct exact_sum *sums)
{
    int64_t squares = 0;
    bool integers = true;
    for (int64_t i = 0; i < n; i++) {
        int64_t column = (first + i) % p->n;
        const float *row = p->x + first + i - column;
        if (i == 0 || column == 0) {
            squares = 0, integers = true;
            for (int64_t j = 0; j < p->n; j++)
                integers &= ds4_add_integer_square(row[j], &squares);
        }
        ds4_norm_exact(row[column], p->weight[column], p->n, squares, &sums[i]);
        sums[i].products_exact &= integers;
    }
}
