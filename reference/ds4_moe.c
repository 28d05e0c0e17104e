#include "reference/ds4.h"

#include <math.h>
#include <stdlib.h>

static double gate_at(const struct ds4_moe *p, int64_t token, int64_t expert)
{
    return p->gate[token * p->experts + expert];
}

static double y_at(const struct ds4_moe *p, int64_t token, int64_t expert, int64_t column)
{
    return p->y[(token * p->experts + expert) * p->dim + column];
}

void ds4_moe_depth(const struct ds4_moe *p, struct depth *depth)
{
    depth_add(depth, p->experts - 1, "the sum over experts");
}

/* A product, then one fma an expert. */
void ds4_moe_reference(const struct ds4_moe *p, struct bound *out)
{
    for (int64_t token = 0; token < p->tokens; token++)
        for (int64_t i = 0; i < p->dim; i++) {
            struct bound sum = bound_mul(FORMAT_F32, bound_exact(y_at(p, token, 0, i)), bound_exact(gate_at(p, token, 0)));
            for (int64_t e = 1; e < p->experts; e++)
                sum = bound_fma(FORMAT_F32, bound_exact(y_at(p, token, e, i)), bound_exact(gate_at(p, token, e)), sum);
            out[token * p->dim + i] = sum;
        }
}

void ds4_moe_audit(const struct ds4_moe *p, int64_t token, int64_t column, struct audit *audit)
{
    audit_set(audit, 0, 0);
    for (int64_t e = 0; e < p->experts; e++)
        audit_accumulate(audit, 0, y_at(p, token, e, column), gate_at(p, token, e));
}

void ds4_moe_model(const struct ds4_moe *p, const struct policy *policy, double *out)
{
    for (int64_t token = 0; token < p->tokens; token++)
        for (int64_t i = 0; i < p->dim; i++) {
            int64_t from = (token + policy->row_shift) % p->tokens;
            double sum = 0;
            for (int64_t e = 0; e < policy_terms(policy, p->experts); e++)
                sum = policy_add(policy, sum, policy_product(policy, y_at(p, from, e, i), gate_at(p, from, e)));
            out[token * p->dim + i] = policy_result(policy, sum);
        }
}

static void exact_element(const struct ds4_moe *p, int64_t token, int64_t column, struct exact_sum *sum)
{
    *sum = (struct exact_sum){.products_exact = true};
    for (int64_t e = 0; e < p->experts; e++) {
        exact_add(sum, y_at(p, token, e, column) * gate_at(p, token, e));
    }
    sum->one_signed = llabs(sum->sum) == sum->sum_abs;
    sum->expected = (double)sum->sum;
}

void ds4_moe_exact(const struct ds4_moe *p, int64_t first, int64_t n, struct exact_sum *sums)
{
    for (int64_t i = 0; i < n; i++)
        exact_element(p, (first + i) / p->dim, (first + i) % p->dim, &sums[i]);
}
