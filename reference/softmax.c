#include "reference/softmax.h"

#include <math.h>

#include "contract/base/parallel.h"
#include "contract/base/random.h"

/*
 * The kernel computes exp(d), d <= 0, as v_exp_f32(fl(fl(d) * L)), L = f32(log2 e). With d real, fl(d) = d (1 + a), L =
 * log2 e (1 + k) and the product (1 + b), |a|, |b| <= u, |k| <= u, so the argument is d log2 e (1 + t), |t| <= (1 + u)^3 -
 * 1 < THETA. v_exp_f32 is accurate to 1 ulp (AMD, "RDNA3 Instruction Set Architecture", V_EXP_F32: 1 ULP accuracy,
 * denormals are flushed), a factor 1 + e, |e| <= 2 u, and what lies below 2^-126 may become 0.
 */
#define U       0x1p-24
#define THETA   (3.0001 * U)
#define ULP_EXP (2 * U)
#define FLUSHED 0x1p-126

/* Terms far below: float64 keeps exp from here on, f32 does not. */
#define NEGLIGIBLE (-700.0)

enum { NORMAL_ROW, NAN_ROW };

struct row {
    double maximum;
    int kind;
};

/* NaN and +inf make every output NaN (inf - inf), and so does a row of -inf alone (0 / 0). */
static struct row row_facts(const float *x, int64_t n)
{
    struct row row = {-INFINITY, NORMAL_ROW};
    for (int64_t i = 0; i < n; i++) {
        row.maximum = fmax(row.maximum, x[i]);
        if (isnan(x[i]))
            row.kind = NAN_ROW;
    }
    if (isinf(row.maximum))
        row.kind = NAN_ROW;
    return row;
}

static double exp_below(double d)
{
    return d < NEGLIGIBLE ? 0 : correct_exp(d);
}

/* (1 + r) - 1 for the chain of a term: exp(|d| THETA) for the arguments, which add up to d; n_exps evaluations;
 * n_roundings. */
static double chain_relative_error(double d, int64_t n_exps, int64_t n_roundings)
{
    double exponent = -d * THETA + (double)n_exps * ULP_EXP + (double)n_roundings * U; /* 1 + x <= exp(x) */
    return exponent <= 1 ? exponent + exponent * exponent : INFINITY;                  /* exp(x) - 1 <= x + x^2 */
}

static int64_t rounds_of(int64_t n)
{
    return (n + 4 * SOFTMAX_LANES - 1) / (4 * SOFTMAX_LANES);
}

/* Two additions and an fma in the term's round, an fma a later round, 5 additions in the wave, up to 8 fma in the block. */
static int64_t sum_depth(int64_t n)
{
    return 2 + rounds_of(n) + 5 + 8;
}

/* x - maximum is rounded before exp takes it; the output's own exp comes through as little, and the quotient is rounded
 * correctly. */
void softmax_depth(const struct softmax *p, struct depth *depth)
{
    depth_add(depth, 1, "x - max");
    depth_add(depth, sum_depth(p->n), "the sum of a row");
}

/*
 * The sum of a row. A term's exp is rescaled in each later round of its lane, once in its wave and once in the block; it
 * passes sum_depth additions, and a product in the wave. Every exp may lose 2^-126 of what it multiplies, at most n.
 */
static struct bound row_sum(const float *x, int64_t n, double maximum)
{
    int64_t n_exps = rounds_of(n) + 2, n_roundings = sum_depth(n) + 1;
    double sum = 0, error = 0;
    for (int64_t i = 0; i < n; i++) {
        double d = x[i] - maximum, term = exp_below(d);
        sum += term;
        if (term > 0)
            error += term * chain_relative_error(d, n_exps, n_roundings);
    }
    double lost = (double)n * (double)(n_exps + 1) * 2 * FLUSHED;
    return bound_sum(FORMAT_F64, n, sum, sum, error + lost, n); /* the roundings to f32 are in error already */
}

static struct bound element(double d, struct bound inverse)
{
    if (isinf(d))
        return bound_exact(0);
    double value = exp_below(d);
    double relative = value > 0 ? chain_relative_error(d, 1, 0) : 0;
    struct bound exp_of = {value, value * (relative + 0x1p-52) + FLUSHED};
    if (d == 0)
        exp_of = bound_exact(1); /* V_EXP_F32(0) = 1, and (AMD, as above) V_EXP_F32(-0) = 1 */
    return bound_mul(FORMAT_F32, exp_of, inverse);
}

struct job {
    const struct softmax *p;
    struct bound *out;
};

static void reference_row(void *context, int64_t r)
{
    const struct job *job = context;
    int64_t n = job->p->n;
    const float *x = job->p->x + r * n;
    struct row row = row_facts(x, n);
    struct bound inverse = bound_exact(NAN), *out = job->out + r * n;
    if (row.kind == NORMAL_ROW)
        inverse = bound_div(FORMAT_F32, bound_exact(1), row_sum(x, n, row.maximum));
    for (int64_t i = 0; i < n; i++)
        out[i] = row.kind == NORMAL_ROW ? element(x[i] - row.maximum, inverse) : bound_exact(NAN);
}

void softmax_reference(const struct softmax *problem, struct bound *out)
{
    struct job job = {problem, out};
    parallel_for(problem->n_threads, problem->rows, reference_row, &job);
}

/* Slots that outlive a call: a row's sum and whose it is. */
enum { SLOT_SUM = AUDIT_SLOTS - 1, SLOT_OWNER = AUDIT_SLOTS - 2 };

static void audit_exp_of(struct audit *audit, int to, double x, double maximum)
{
    audit_set(audit, 1, x);
    audit_set(audit, 2, maximum);
    audit_sub(audit, 1, 1, 2);
    audit_exp(audit, to, 1);
}

void softmax_audit(const struct softmax *p, uint64_t tag, int64_t row, int64_t column, struct audit *audit)
{
    const float *x = p->x + row * p->n;
    double maximum = row_facts(x, p->n).maximum;
    double owner = (double)(random_bits((struct random_key){tag}, (uint64_t)row) >> 11); /* 53 bits */
    if (audit_get(audit, SLOT_OWNER) != owner) {
        audit_set(audit, SLOT_SUM, 0);
        for (int64_t i = 0; i < p->n; i++) {
            audit_exp_of(audit, 3, x[i], maximum);
            audit_add(audit, SLOT_SUM, SLOT_SUM, 3);
        }
        audit_set(audit, SLOT_OWNER, owner);
    }
    audit_exp_of(audit, 3, x[column], maximum);
    audit_div(audit, 0, 3, SLOT_SUM);
}

void softmax_model(const struct softmax *p, const struct policy *policy, double *out)
{
    for (int64_t r = 0; r < p->rows; r++) {
        const float *x = p->x + (r + policy->row_shift) % p->rows * p->n;
        double maximum = row_facts(x, p->n).maximum, sum = 0;
        for (int64_t i = 0; i < policy_terms(policy, p->n); i++)
            sum = policy_add(policy, sum, policy_product(policy, exp_below(x[i] - maximum), 1));
        for (int64_t i = 0; i < p->n; i++)
            out[r * p->n + i] = policy_result(policy, policy_product(policy, exp_below(x[i] - maximum), 1) / sum);
    }
}

/* The largest element, and how many equal it. */
static struct exact_sum exact_row(const float *x, int64_t n, float *largest)
{
    float maximum = x[0];
    int64_t n_equal = 0;
    bool others_vanish = true;
    for (int64_t i = 1; i < n; i++)
        maximum = x[i] > maximum ? x[i] : maximum;
    for (int64_t i = 0; i < n; i++) {
        n_equal += x[i] == maximum;
        others_vanish &= x[i] == maximum || x[i] < maximum - 200; /* exp(-200) < 2^-288 */
    }
    *largest = maximum;
    return (struct exact_sum){.sum = n_equal, .sum_abs = n_equal, .products_exact = others_vanish, .one_signed = true};
}

void softmax_exact(const struct softmax *p, int64_t first, int64_t n, struct exact_sum *sums)
{
    struct exact_sum of_row = {0};
    float maximum = 0;
    for (int64_t i = 0; i < n; i++) {
        const float *row = p->x + (first + i) / p->n * p->n, *own = p->x + first + i;
        if (i == 0 || own == row)
            of_row = exact_row(row, p->n, &maximum);
        sums[i] = of_row;
        sums[i].expected = *own == maximum ? format_round(FORMAT_F32, 1 / (double)of_row.sum) : 0;
    }
}
