#include "reference/exl3.h"

#include <math.h>
#include <stdlib.h>

#include "contract/base/parallel.h"

static double x_at(const struct exl3_rot_in *p, int64_t row, int64_t column)
{
    return format_load(p->x_format, p->x, row * p->k + column);
}

static double suh_at(const struct exl3_rot_in *p, int64_t column)
{
    return format_load(FORMAT_F16, p->suh, column);
}

struct reference_job {
    const struct exl3_rot_in *p;
    struct bound *out;
};

static void reference_row(void *context, int64_t row)
{
    const struct reference_job *job = context;
    const struct exl3_rot_in *p = job->p;
    for (int64_t first = 0; first < p->k; first += HADAMARD_SIZE) {
        struct bound v[HADAMARD_SIZE];
        for (int i = 0; i < HADAMARD_SIZE; i++)
            v[i] = bound_mul(FORMAT_F32, bound_exact(x_at(p, row, first + i)), bound_exact(suh_at(p, first + i)));
        hadamard_bound(FORMAT_F32, v);
        for (int i = 0; i < HADAMARD_SIZE; i++)
            job->out[row * p->k + first + i] =
                bound_convert(FORMAT_F16, bound_mul(FORMAT_F32, v[i], bound_exact(p->scale)));
    }
}

void exl3_rot_in_depth(const struct exl3_rot_in *p, struct depth *depth)
{
    (void)p;
    depth_add(depth, HADAMARD_LEVELS, "the rotation");
}

void exl3_rot_in_reference(const struct exl3_rot_in *problem, struct bound *out)
{
    struct reference_job job = {problem, out};
    parallel_for(problem->n_threads, problem->rows, reference_row, &job);
}

void exl3_rot_in_audit(const struct exl3_rot_in *p, int64_t row, int64_t column, struct audit *audit)
{
    int64_t first = column / HADAMARD_SIZE * HADAMARD_SIZE;
    audit_set(audit, 0, 0);
    for (int i = 0; i < HADAMARD_SIZE; i++)
        audit_accumulate(audit, 0, hadamard_sign((int)(column - first), i) * x_at(p, row, first + i), suh_at(p, first + i));
    audit_set(audit, 1, p->scale);
    audit_mul(audit, 0, 0, 1);
}

void exl3_rot_in_model(const struct exl3_rot_in *p, const struct policy *policy, double *out)
{
    for (int64_t row = 0; row < p->rows; row++)
        for (int64_t first = 0; first < p->k; first += HADAMARD_SIZE) {
            double v[HADAMARD_SIZE];
            int64_t from = (row + policy->row_shift) % p->rows, kept = policy_terms(policy, HADAMARD_SIZE);
            for (int i = 0; i < HADAMARD_SIZE; i++)
                v[i] = i < kept ? policy_product(policy, x_at(p, from, first + i), suh_at(p, first + i)) : 0;
            hadamard_model(policy, v);
            for (int i = 0; i < HADAMARD_SIZE; i++)
                out[row * p->k + first + i] = policy_result(policy, format_round(FORMAT_F32, v[i] * p->scale));
        }
}

static void exact_element(const struct exl3_rot_in *p, int64_t row, int64_t column, struct exact_sum *sum)
{
    int64_t first = column / HADAMARD_SIZE * HADAMARD_SIZE;
    *sum = (struct exact_sum){.products_exact = true};
    for (int i = 0; i < HADAMARD_SIZE; i++) {
        double product = x_at(p, row, first + i) * suh_at(p, first + i);
        exact_add(sum, hadamard_sign((int)(column - first), i) * product);
    }
    sum->one_signed = llabs(sum->sum) == sum->sum_abs;
    sum->expected = format_round(FORMAT_F16, format_round(FORMAT_F32, (double)sum->sum * p->scale));
}

void exl3_rot_in_exact(const struct exl3_rot_in *p, int64_t first, int64_t n, struct exact_sum *sums)
{
    for (int64_t i = 0; i < n; i++)
        exact_element(p, (first + i) / p->k, (first + i) % p->k, &sums[i]);
}
