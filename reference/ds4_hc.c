#include "reference/ds4_norm.h"

#include <math.h>
#include <stdlib.h>

#include "contract/base/memory_needed.h"

static double stream_at(const struct ds4_hc *p, int64_t row, int stream, int64_t column)
{
    return p->streams[(row * DS4_STREAMS + stream) * p->n + column];
}

static double split_at(const struct ds4_hc *p, int64_t row, int stream)
{
    return p->split[row * DS4_STREAMS + stream];
}

/* A product, then three fma. */
static struct bound mixed_bound(const struct ds4_hc *p, int64_t row, int64_t column)
{
    struct bound sum = bound_mul(FORMAT_F32, bound_exact(stream_at(p, row, 0, column)), bound_exact(split_at(p, row, 0)));
    for (int s = 1; s < DS4_STREAMS; s++)
        sum = bound_fma(FORMAT_F32, bound_exact(stream_at(p, row, s, column)), bound_exact(split_at(p, row, s)), sum);
    return sum;
}

void ds4_hc_depth(const struct ds4_hc *p, bool normed, struct depth *depth)
{
    depth_add(depth, DS4_STREAMS - 1, "the mix of streams");
    if (normed)
        ds4_norm_depth(p->n, depth);
}

void ds4_hc_reference(const struct ds4_hc *p, bool normed, struct bound *out)
{
    for (int64_t row = 0; row < p->rows; row++) {
        struct bound *own = out + row * p->n;
        for (int64_t i = 0; i < p->n; i++)
            own[i] = mixed_bound(p, row, i);
        if (normed)
            ds4_norm_row(own, p->weight, p->n, p->eps, own);
    }
}

/* Leaves the mixed element in slot `to`. */
static void audit_mixed(const struct ds4_hc *p, int64_t row, int64_t column, struct audit *audit, int to)
{
    audit_set(audit, to, 0);
    for (int s = 0; s < DS4_STREAMS; s++)
        audit_accumulate(audit, to, stream_at(p, row, s, column), split_at(p, row, s));
}

void ds4_hc_audit(const struct ds4_hc *p, bool normed, int64_t row, int64_t column, struct audit *audit)
{
    audit_mixed(p, row, column, audit, 0);
    if (!normed)
        return;
    audit_set(audit, 1, 0);
    for (int64_t i = 0; i < p->n; i++) {
        audit_mixed(p, row, i, audit, 2);
        audit_fma(audit, 1, 2, 2, 1);
    }
    audit_copy(audit, 2, 0);
    ds4_norm_audit(audit, p->n, p->eps, p->weight[column]);
}

static double mixed_model(const struct ds4_hc *p, const struct policy *policy, int64_t row, int64_t column)
{
    double sum = 0;
    for (int s = 0; s < policy_terms(policy, DS4_STREAMS); s++)
        sum = policy_add(policy, sum, policy_product(policy, stream_at(p, row, s, column), split_at(p, row, s)));
    return sum;
}

void ds4_hc_model(const struct ds4_hc *p, bool normed, const struct policy *policy, double *out)
{
    double *mixed = memory_needed(calloc((size_t)p->n, sizeof *mixed));
    struct policy of_streams = *policy;
    of_streams.tail_tile = 0; /* a tail is one of the row's width */
    for (int64_t row = 0; row < p->rows; row++) {
        for (int64_t i = 0; i < p->n; i++)
            mixed[i] = mixed_model(p, &of_streams, (row + policy->row_shift) % p->rows, i);
        if (normed)
            ds4_norm_model_row(policy, mixed, p->weight, p->n, p->eps, out + row * p->n);
        for (int64_t i = 0; !normed && i < p->n; i++)
            out[row * p->n + i] = policy_result(policy, mixed[i]);
    }
    free(mixed);
}

static void mixed_exact(const struct ds4_hc *p, int64_t row, int64_t column, struct exact_sum *sum)
{
    *sum = (struct exact_sum){.products_exact = true};
    for (int s = 0; s < DS4_STREAMS; s++) {
        exact_add(sum, stream_at(p, row, s, column) * split_at(p, row, s));
    }
    sum->one_signed = llabs(sum->sum) == sum->sum_abs;
    sum->expected = (double)sum->sum;
}

/* The sum of squares of a mixed row in units of 2^12; false where it is not the sum of squares of integers times 64. */
static bool mixed_squares(const struct ds4_hc *p, int64_t row, int64_t *squares)
{
    bool integers = true;
    *squares = 0;
    for (int64_t i = 0; i < p->n; i++) {
        struct exact_sum mixed;
        mixed_exact(p, row, i, &mixed);
        integers &= exact_premise_holds(&mixed, false) && ds4_add_integer_square(mixed.expected, squares);
    }
    return integers;
}

void ds4_hc_exact(const struct ds4_hc *p, bool normed, int64_t first, int64_t n, struct exact_sum *sums)
{
    int64_t squares = 0;
    bool integers = true;
    for (int64_t i = 0; i < n; i++) {
        int64_t row = (first + i) / p->n, column = (first + i) % p->n;
        mixed_exact(p, row, column, &sums[i]);
        if (!normed)
            continue;
        if (i == 0 || column == 0)
            integers = mixed_squares(p, row, &squares);
        ds4_norm_exact(sums[i].expected, p->weight[column], p->n, squares, &sums[i]);
        sums[i].products_exact &= integers;
    }
}
