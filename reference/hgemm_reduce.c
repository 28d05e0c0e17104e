#include "reference/hgemm_reduce.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Partial sum `split` of output i, counted row by row. */
static float partial_at(const struct hgemm_reduce *p, int64_t split, int64_t i)
{
    return p->partial[split * p->rows * p->n + i];
}

int64_t hgemm_reduce_additions(int64_t splits)
{
    return splits - 1;
}

void hgemm_reduce_depth(const struct hgemm_reduce *p, struct depth *depth)
{
    depth_add(depth, hgemm_reduce_additions(p->splits), "the splits' partial sums, in a chain");
}

/* Infinities and NaN among the partial sums decide the output, unless the finite ones may overflow. */
static struct bound sum_of(const struct hgemm_reduce *p, int64_t i)
{
    double sum = 0, finite_sum = 0, finite_abs = 0;
    for (int64_t split = 0; split < p->splits; split++) {
        double partial = partial_at(p, split, i);
        sum += partial;
        finite_sum += isfinite(partial) ? partial : 0;
        finite_abs += isfinite(partial) ? fabs(partial) : 0;
    }
    struct bound finite = bound_sum(FORMAT_F32, p->splits, finite_sum, finite_abs, 0, hgemm_reduce_additions(p->splits));
    if (isfinite(sum))
        return finite;
    bool is_open = isinf(sum) && (!isfinite(finite.value) || isinf(finite.error));
    return is_open ? (struct bound){sum, INFINITY} : bound_exact(sum);
}

void hgemm_reduce_reference(const struct hgemm_reduce *p, struct bound *out)
{
    for (int64_t i = 0; i < p->rows * p->n; i++) {
        struct bound sum = sum_of(p, i);
        out[i] = p->format == FORMAT_F32 ? sum : bound_convert(p->format, sum);
    }
}

void hgemm_reduce_audit(const struct hgemm_reduce *p, int64_t row, int64_t column, struct audit *audit)
{
    audit_set(audit, 0, 0);
    for (int64_t split = 0; split < p->splits; split++)
        audit_accumulate(audit, 0, partial_at(p, split, row * p->n + column), 1);
}

void hgemm_reduce_model(const struct hgemm_reduce *p, const struct policy *policy, double *out)
{
    for (int64_t i = 0; i < p->rows * p->n; i++) {
        int64_t from = (i + policy->row_shift * p->n) % (p->rows * p->n);
        double sum = 0;
        for (int64_t split = 0, n = policy_terms(policy, p->splits); split < n; split++)
            sum = policy_add(policy, sum, policy_product(policy, partial_at(p, split, from), 1));
        out[i] = policy_result(policy, sum);
    }
}

static struct exact_sum exact_element(const struct hgemm_reduce *p, int64_t i)
{
    struct exact_sum sum = {.products_exact = true};
    for (int64_t split = 0; split < p->splits; split++)
        exact_add(&sum, partial_at(p, split, i));
    sum.one_signed = llabs(sum.sum) == sum.sum_abs;
    sum.expected = format_round(p->format, (double)sum.sum);
    return sum;
}

void hgemm_reduce_exact(const struct hgemm_reduce *p, int64_t first, int64_t n, struct exact_sum *sums)
{
    for (int64_t i = 0; i < n; i++)
        sums[i] = exact_element(p, first + i);
}

void hgemm_reduce_bytes(const struct hgemm_reduce *p, void *out)
{
    for (int64_t i = 0; i < p->rows * p->n; i++) {
        float sum = partial_at(p, 0, i);
        for (int64_t split = 1; split < p->splits; split++)
            sum += partial_at(p, split, i);
        format_store(p->format, out, i, sum);
    }
}
