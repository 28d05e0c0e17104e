/*
 * Plausible wrong arithmetics ("teeth"): a family's model evaluates its kernel's formula on the host with these hooks, and
 * the harness shows which gate would catch each. With policy_true the model is the plain float64 formula.
 */
#ifndef REFERENCE_POLICY_H
#define REFERENCE_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "reference/format.h"

struct policy {
    enum number_format sum_format;     /* every partial sum is rounded to it; FORMAT_F64: kept */
    enum number_format product_format; /* every product before it is summed */
    enum number_format result_format;  /* the result before the store (an extra rounding; F64: none) */
    bool drop_last_term;               /* the last term of each sum is left out */
    int tail_tile;                     /* 0, or: terms past the last whole multiple of it are left out */
    int row_shift;                     /* rows are read that many late */
};

static const struct policy policy_true = {FORMAT_F64, FORMAT_F64, FORMAT_F64, false, 0, 0};

static inline double policy_product(const struct policy *policy, double a, double b)
{
    return policy->product_format == FORMAT_F64 ? a * b : format_round(policy->product_format, a * b);
}

static inline double policy_add(const struct policy *policy, double sum, double term)
{
    return policy->sum_format == FORMAT_F64 ? sum + term : format_round(policy->sum_format, sum + term);
}

static inline double policy_result(const struct policy *policy, double value)
{
    return policy->result_format == FORMAT_F64 ? value : format_round(policy->result_format, value);
}

/* How many of n_terms a sum takes. */
static inline int64_t policy_terms(const struct policy *policy, int64_t n_terms)
{
    int64_t kept = policy->tail_tile ? n_terms / policy->tail_tile * policy->tail_tile : n_terms;
    return policy->drop_last_term && kept > 0 ? kept - 1 : kept;
}

#endif
