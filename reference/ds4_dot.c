#include "reference/ds4_dot.h"

#include <math.h>
#include <stdlib.h>

#include "reference/blocks.h"
#include "reference/blocks_iq2.h"
#include "reference/blocks_q2k.h"

#define ETA 0x1p-150 /* half the smallest subnormal of f32 */

enum { Q8_0_RUN = 4, Q2_K_RUN = 4 };

static void decode_q8_0(const void *row, int64_t run, struct ds4_run *out)
{
    const struct block_q8_0 *block = (const struct block_q8_0 *)row + run * Q8_0_RUN / Q8_0_WEIGHTS;
    const int8_t *q = block->q + run * Q8_0_RUN % Q8_0_WEIGHTS;
    *out = (struct ds4_run){.scale = q8_0_scale(block), .q = {q[0], q[1], q[2], q[3]}};
}

static void decode_iq2_xxs(const void *row, int64_t run, struct ds4_run *out)
{
    enum { RUNS = IQ2_XXS_WEIGHTS / IQ2_XXS_RUN };
    const struct block_iq2_xxs *block = (const struct block_iq2_xxs *)row + run / RUNS;
    int8_t q[IQ2_XXS_RUN];
    iq2_xxs_run(block, (int)(run % RUNS), q);
    *out = (struct ds4_run){.scale = iq2_xxs_scale(block, (int)(run % RUNS))};
    for (int i = 0; i < IQ2_XXS_RUN; i++)
        out->q[i] = q[i];
}

static void decode_q2_k(const void *row, int64_t run, struct ds4_run *out)
{
    const struct block_q2_k *block = (const struct block_q2_k *)row + run * Q2_K_RUN / Q2_K_WEIGHTS;
    int k = (int)(run * Q2_K_RUN % Q2_K_WEIGHTS);
    *out = (struct ds4_run){.scale = q2_k_scale(block, k), .minimum = q2_k_minimum(block, k)};
    for (int i = 0; i < Q2_K_RUN; i++)
        out->q[i] = q2_k_bits(block, k + i);
}

const struct ds4_format ds4_q8_0 = {"Q8_0", Q8_0_WEIGHTS, Q8_0_WORDS, Q8_0_RUN, false, decode_q8_0};
const struct ds4_format ds4_iq2_xxs = {"IQ2_XXS", IQ2_XXS_WEIGHTS, IQ2_XXS_WORDS, IQ2_XXS_RUN, false, decode_iq2_xxs};
const struct ds4_format ds4_q2_k = {"Q2_K", Q2_K_WEIGHTS, Q2_K_WORDS, Q2_K_RUN, true, decode_q2_k};

static int64_t runs_of(const struct ds4_format *format, int64_t n)
{
    return (n + format->run - 1) / format->run;
}

static int length_of(const struct ds4_format *format, int64_t run, int64_t n)
{
    int64_t left = n - run * format->run;
    return left < format->run ? (int)left : format->run;
}

/* A product, then fma: each product passes through at most `length` roundings (Higham, 4.2). None of them underflows:
 * products with integers are multiples of x's smallest subnormal. Where the sum may overflow, or something is not finite,
 * step by step. */
static struct bound run_sum(const double *q, const float *x, int length)
{
    double sum = 0, sum_abs = 0;
    for (int i = 0; i < length; i++) {
        sum += q[i] * x[i];
        sum_abs += fabs(q[i] * x[i]);
    }
    if (sum_abs < 0x1p126)
        return bound_sum(FORMAT_F32, length, sum, sum_abs, 0, length);
    struct bound chain = bound_mul(FORMAT_F32, bound_exact(q[0]), bound_exact(x[0]));
    for (int i = 1; i < length; i++)
        chain = bound_fma(FORMAT_F32, bound_exact(q[i]), bound_exact(x[i]), chain);
    return chain;
}

/* Adds factor times a run's sum; the rounding of the fma that does it is the depth's, but for what underflows. */
static void add_term(struct ds4_dot *dot, double factor, struct bound sum)
{
    struct bound term = bound_mul(FORMAT_F64, bound_exact(factor), sum);
    dot->sum += term.value;
    dot->sum_abs += fabs(term.value);
    dot->error += term.error + ETA;
    dot->finite_abs += isfinite(term.value) ? fabs(term.value) + term.error : 0;
    dot->is_nan |= isnan(term.value);
    dot->n++;
}

struct ds4_dot ds4_dot_of(const struct ds4_format *format, const void *row, const float *x, int64_t n)
{
    static const double ones[DS4_LONGEST_RUN] = {1, 1, 1, 1, 1, 1, 1, 1};
    struct ds4_dot dot = {0};
    for (int64_t i = 0; i < runs_of(format, n); i++) {
        struct ds4_run run;
        format->decode(row, i, &run);
        const float *own = x + i * format->run;
        add_term(&dot, run.scale, run_sum(run.q, own, length_of(format, i, n)));
        if (format->has_minimum)
            add_term(&dot, -run.minimum, run_sum(ones, own, length_of(format, i, n)));
    }
    return dot;
}

/* What a lane holds of the other may have overflowed before it meets the weight, and an infinite weight meets each lane's
 * sum apart, whose signs are not known. The fma of each lane may underflow. */
void ds4_dot_add(struct ds4_dot *dot, double weight, const struct ds4_dot *other, int lanes)
{
    double magnitude = fabs(weight), rounding = isfinite(other->sum_abs) ? 0x1p-52 * other->sum_abs : 0;
    bool is_known = isfinite(weight) && other->finite_abs < BOUND_NEAR_OVERFLOW;
    dot->sum += weight * other->sum;
    dot->sum_abs += magnitude * other->sum_abs;
    dot->error += is_known ? magnitude * (other->error + rounding) + lanes * ETA : INFINITY;
    dot->finite_abs += magnitude * other->finite_abs;
    dot->is_nan |= other->is_nan || isnan(weight);
    dot->n += other->n;
}

struct bound ds4_dot_bound(const struct ds4_dot *dot, int64_t depth)
{
    /* Else infinities of both signs may meet. */
    bool is_known = isfinite(dot->sum) || dot->finite_abs < BOUND_NEAR_OVERFLOW;
    if (dot->is_nan)
        return bound_exact(NAN);
    return bound_sum(FORMAT_F32, dot->n, dot->sum, dot->sum_abs, is_known && !isnan(dot->error) ? dot->error : INFINITY,
                     depth);
}

void ds4_dot_depth(const struct ds4_format *format, struct depth *depth)
{
    depth_add(depth, format->run, "a run");
}

int64_t ds4_dot_additions(const struct ds4_format *format, int64_t n, int lanes)
{
    return (runs_of(format, n) + lanes - 1) / lanes * (format->has_minimum ? 2 : 1);
}

int ds4_dot_levels(int lanes)
{
    return __builtin_ctz((unsigned)lanes);
}

void ds4_dot_audit(const struct ds4_format *format, const void *row, const float *x, int64_t n, struct audit *audit,
                   int slot)
{
    audit_set(audit, slot, 0);
    for (int64_t k = 0; k < n; k++) {
        struct ds4_run run;
        format->decode(row, k / format->run, &run);
        audit_accumulate(audit, slot, run.scale * run.q[k % format->run], x[k]);
        audit_accumulate(audit, slot, -run.minimum, x[k]);
    }
}

double ds4_dot_model(const struct ds4_format *format, const void *row, const float *x, int64_t n,
                     const struct policy *policy)
{
    double sum = 0;
    struct ds4_run run = {0};
    for (int64_t k = 0, end = policy_terms(policy, n); k < end; k++) {
        if (k % format->run == 0)
            format->decode(row, k / format->run, &run);
        sum = policy_add(policy, sum, policy_product(policy, run.scale * run.q[k % format->run] - run.minimum, x[k]));
    }
    return sum;
}

static void add_integer(struct ds4_integers *integers, double term)
{
    double units = ldexp(term, -DS4_EXACT_EXPONENT);
    if (!exact_is_term(units)) {
        integers->exact = false;
        return;
    }
    integers->sum += (int64_t)units;
    integers->sum_abs += (int64_t)fabs(units);
}

struct ds4_integers ds4_dot_integers(const struct ds4_format *format, const void *row, const float *x, int64_t n)
{
    struct ds4_integers integers = {.exact = true};
    struct ds4_run run = {0};
    for (int64_t k = 0; k < n; k++) {
        if (k % format->run == 0)
            format->decode(row, k / format->run, &run);
        add_integer(&integers, run.scale * run.q[k % format->run] * x[k]);
        add_integer(&integers, -run.minimum * x[k]);
        integers.exact &= run.scale >= ldexp(1, DS4_EXACT_EXPONENT); /* so the run's own sum is no larger in its units */
    }
    return integers;
}
