#include <math.h>
#include <stdlib.h>

#include "contract/base/parallel.h"
#include "reference/ds4_dot.h"

/*
 * silu. The kernel computes e = v_exp_f32(fl(-v * L)), L = f32(log2 e), then v / fl(1 + e). Its argument is
 *
 *     fl(-v L) = -v log2 e (1 + t), |t| <= (1 + u)^2 - 1 < THETA.
 *
 * v_exp_f32 is accurate to 1 ulp (AMD, "RDNA3 Instruction Set Architecture", V_EXP_F32: 1 ULP accuracy, denormals are
 * flushed): a factor 1 + 2 u, and what lies below 2^-126 may become 0. The division is correctly rounded.
 */
#define U       0x1p-24
#define THETA   (2.0001 * U)
#define ULP_EXP (2 * U)
#define FLUSHED 0x1p-126

/* From here on e may overflow f32; the quotient is below |v| * 2^-122 whether it does or not. */
#define LARGE_EXP 0x1p125
/* The exponent of e is not known well enough for the derivation beside it: v / (1 + e) only lies between 0 and v. */
#define VAGUE 0.25

/* The denominator 1 + e, e = exp(-v), where the kernel's e is within a factor exp(exponent) (1 + 2 u): a relative error r
 * of e is r e / (1 + e) of 1 + e. float64 adds its own. */
static struct bound denominator(double e, double exponent)
{
    double of_exp = exponent + exponent * exponent; /* exp(x) - 1 <= x + x^2 for x <= 1 */
    double relative = (of_exp * (1 + ULP_EXP) + ULP_EXP) * (e / (1 + e)) + FLUSHED;
    return (struct bound){1 + e, (1 + e) * (relative * (1 + U) + U + 0x1p-51)};
}

struct bound ds4_silu(struct bound v)
{
    if (isnan(v.value) || (v.value == -INFINITY && v.error == 0)) /* -inf / inf */
        return bound_exact(NAN);
    if (isinf(v.error) || isinf(v.value))
        return v;
    double reach = fabs(v.value) + v.error, exponent = v.error + reach * THETA;
    double e = v.value < -700 ? INFINITY : v.value > 700 ? 0 : correct_exp(-v.value), value = v.value / (1 + e);
    if (exponent > VAGUE)
        return (struct bound){value, (fabs(value) + reach) * (1 + 2 * U)};
    if (e > LARGE_EXP)
        return (struct bound){value, fabs(value) + reach * 0x1p-122 + 0x1p-149};
    return bound_div(FORMAT_F32, v, denominator(e, exponent));
}

/* The two rows of weights behind an output, and their activations. */
struct place {
    const uint16_t *gate, *up;
    const float *x;
};

static struct place place_of(const struct ds4_gate_up *p, int64_t row, int64_t column, int row_shift)
{
    int64_t token = row / p->slots, words = ds4_row_words(p->format, p->n);
    int64_t weights = (p->selected[row] * p->mid + column) * words;
    return (struct place){p->gate + weights, p->up + weights, p->x + (token + row_shift) % p->tokens * p->n};
}

/* Of one of the two products. */
static int64_t sum_depth(const struct ds4_gate_up *p)
{
    return ds4_dot_additions(p->format, p->n, p->lanes) + ds4_dot_levels(p->lanes);
}

void ds4_gate_up_depth(const struct ds4_gate_up *p, struct depth *depth)
{
    ds4_dot_depth(p->format, depth);
    depth_add(depth, sum_depth(p), "runs and lanes");
    depth_add(depth, 1, "silu's 1 + exp");
}

static struct bound product_with(const struct ds4_gate_up *p, const uint16_t *row, const float *x)
{
    struct ds4_dot dot = ds4_dot_of(p->format, row, x, p->n);
    return ds4_dot_bound(&dot, sum_depth(p));
}

struct job {
    const struct ds4_gate_up *p;
    const struct policy *policy;
    struct bound *out;
    double *model;
};

static void reference_row(void *context, int64_t row)
{
    const struct job *job = context;
    for (int64_t i = 0; i < job->p->mid; i++) {
        struct place at = place_of(job->p, row, i, 0);
        struct bound gate = product_with(job->p, at.gate, at.x), up = product_with(job->p, at.up, at.x);
        job->out[row * job->p->mid + i] = bound_mul(FORMAT_F32, ds4_silu(gate), up);
    }
}

void ds4_gate_up_reference(const struct ds4_gate_up *p, struct bound *out)
{
    struct job job = {.p = p, .out = out};
    parallel_for(p->n_threads, p->tokens * p->slots, reference_row, &job);
}

void ds4_gate_up_audit(const struct ds4_gate_up *p, int64_t row, int64_t column, struct audit *audit)
{
    enum { OUT, GATE, UP, MINUS, ONE };
    struct place at = place_of(p, row, column, 0);
    ds4_dot_audit(p->format, at.gate, at.x, p->n, audit, GATE);
    ds4_dot_audit(p->format, at.up, at.x, p->n, audit, UP);
    audit_set(audit, OUT, 0);
    audit_sub(audit, MINUS, OUT, GATE);
    audit_exp(audit, MINUS, MINUS);
    audit_set(audit, ONE, 1);
    audit_add(audit, MINUS, MINUS, ONE);
    audit_div(audit, OUT, GATE, MINUS);
    audit_mul(audit, OUT, OUT, UP);
}

static double model_silu(double v)
{
    return v < -700 ? 0 : v > 700 ? v : v / (1 + correct_exp(-v));
}

static void model_row(void *context, int64_t row)
{
    const struct job *job = context;
    const struct ds4_gate_up *p = job->p;
    for (int64_t i = 0; i < p->mid; i++) {
        struct place at = place_of(p, row, i, job->policy->row_shift);
        double gate = ds4_dot_model(p->format, at.gate, at.x, p->n, job->policy);
        double up = ds4_dot_model(p->format, at.up, at.x, p->n, job->policy);
        job->model[row * p->mid + i] = policy_result(job->policy, model_silu(gate) * up);
    }
}

void ds4_gate_up_model(const struct ds4_gate_up *p, const struct policy *policy, double *out)
{
    struct job job = {.p = p, .policy = policy};
    job.model = out;
    parallel_for(p->n_threads, p->tokens * p->slots, model_row, &job);
}

static void exact_element(const struct ds4_gate_up *p, int64_t row, int64_t column, struct exact_sum *sum)
{
    struct place at = place_of(p, row, column, 0);
    struct ds4_integers gate = ds4_dot_integers(p->format, at.gate, at.x, p->n);
    struct ds4_integers up = ds4_dot_integers(p->format, at.up, at.x, p->n);
    struct ds4_integers longer = gate.sum_abs > up.sum_abs ? gate : up;
    double gate_value = ldexp((double)gate.sum, DS4_EXACT_EXPONENT), up_value = ldexp((double)up.sum, DS4_EXACT_EXPONENT);
    *sum = (struct exact_sum){.sum = longer.sum,
                              .sum_abs = longer.sum_abs,
                              .exponent = DS4_EXACT_EXPONENT,
                              .products_exact = gate.exact && up.exact && gate_value >= 20,
                              .one_signed = llabs(longer.sum) == longer.sum_abs,
                              .expected = format_round(FORMAT_F32, gate_value * up_value)};
}

void ds4_gate_up_exact(const struct ds4_gate_up *p, int64_t first, int64_t n, struct exact_sum *sums)
{
    for (int64_t i = 0; i < n; i++)
        exact_element(p, (first + i) / p->mid, (first + i) % p->mid, &sums[i]);
}
