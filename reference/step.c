#include "reference/step.h"

#include <math.h>

#define U 0x1p-24 /* unit roundoff of f32 */

/*
 * The error of one step. With A = |accumulator|, t = sum |products| and q = sum step_magnitude products of the step, each
 * model ends within
 *
 *     accumulator A + aligned q + products t + tiny
 *
 * of the exact accumulator + products. Each row is a derivation from the rule of docs/numerics.md, "Steps":
 *
 * FMA_F32. One rounding to nearest of accumulator + product: u (A + t) + eta.
 *
 * DOT2_GFX10. Two fma: u (A + |p0|), then u (A + |p0| + |p1|) (1 + u): below u (2 + u) (A + t). Products rounded apart and
 * added is no worse: f16 products are exact in f32, so u t + u (A + t (1 + u)). Flushed in and out: 2^-126 four times.
 *
 * DOT2_GFX11. Let P = max (ea + eb) over the non-zero products, so that 2^P <= q, and |p| < 4 2^P. The grid is
 * 2^G = max (2^(P-24), 2^(L-26)) with 2^L <= max (A, |p0|, |p1|); a product's L is at most P + 1, so it never decides:
 * 2^G = max (2^(P-24), 2^(lead of A - 26)). Each of the three terms ends at most one unit 2^G from itself, and always
 * towards the same side: with the accumulator's sign by the cut, with the other sign by the cut and the missing one of the
 * complement (floor (x) + 1 - x <= 1). Where G comes from the accumulator, that has no bit below the grid and only two
 * units remain. So before rounding at most 3 2^-24 q + 2 2^-26 A, after it (1 + u) as much and u (A + t). A subnormal
 * accumulator is dropped and so is a subnormal result: 2^-126 twice.
 *
 * DOT2_GFX12. The product that has P is exact on the grid 2^(P-24) (22 bits of fraction from f16), the other is floored to
 * it: 2^(P-24). If G = P-24 the pair needs no second floor and the accumulator loses one unit: 2 2^-24 q. Else G is from
 * the accumulator, which then has no bit below it, and the pair loses one unit 2^(lead of A - 26) <= 2^-26 max (A, 2^-126)
 * and the product its own. So at most 2 2^-24 q + 2^-26 A + 2^-152 before rounding; gradual underflow: 2^-150.
 *
 * WMMA_GFX12. As DOT2_GFX12 with two pairs. A pair is floored twice, to its own grid 2^g and to 2^G, and loses less than
 *
 *     2^g + (2^G - 2^g) = 2^G.
 *
 * If G = P-24: a unit each of two pairs and of the accumulator, 3 2^-24 q. Else the accumulator is exact and the pairs lose
 * 2 2^-26 max (A, 2^-126).
 *
 * MFMA_GFX90A. Products of normal f16 factors are exact in f32. (p0 + p1) + (p2 + p3) is off by u t (2 + u), and is at most
 * t (1 + u)^2; the addition to the accumulator adds u (A + t (1 + u)^2): in all u A + u t (3 + 3 u + u^2). Each of the up
 * to nine numbers on the way that is subnormal counts as zero: 2^-126 each, five of them where one product is not zero.
 * Products with a subnormal factor count as zero.
 *
 * MFMA_GFX942. Each of eight products is cut to 2^(P-24), but for one that has P = max (ea + eb), which is exact: 7 2^-24
 * q. A zero factor takes part with the exponent -126, hence sum_zeros. Then E = max (P, exponent of the accumulator); the
 * cut sum is floored to 2^(E-31), which it is a multiple of if E = P, and the accumulator to 2^(E-24), which it is a
 * multiple of if not: 2^-31 max (A, 2^-126) or 2^-24 q. At most 8 2^-24 q + 2^-31 A + 2^-157 before rounding; gradual
 * underflow: 2^-150.
 */
enum {
    FLUSHES_BF16 = 1, /* products with a subnormal bf16 factor count as zero */
    FLUSHES_ALL = 2,  /* with a subnormal factor of either format */
    ALIGNS_ZEROS = 4,
};

struct step_error {
    int n_products;      /* of a step */
    int roundings, once; /* that the accumulator passes in each step; that products pass before */
    double accumulator, aligned, products, tiny;
    unsigned flags;
};

static const struct step_error step_errors[] = {
    [STEP_FMA_F32] = {1, 1, 0, U, 0, U, 0x1p-150, 0},
    [STEP_DOT2_GFX10] = {2, 2, 0, U *(2 + U), 0, U *(2 + U), 0x1p-124, 0},
    [STEP_DOT2_GFX11] = {2, 1, 0, 2 * 0x1p-26 * (1 + U) + U, 3 * 0x1p-24 * (1 + U), U, 0x1p-124, FLUSHES_BF16},
    [STEP_DOT2_GFX12] = {2, 1, 0, 0x1p-26 * (1 + U) + U, 2 * 0x1p-24 * (1 + U), U, 0x1p-149, 0},
    [STEP_WMMA_GFX12] = {4, 1, 0, 2 * 0x1p-26 * (1 + U) + U, 3 * 0x1p-24 * (1 + U), U, 0x1p-149, 0},
    [STEP_MFMA_GFX90A] = {4, 1, 2, U, 0, U *(3 + 4 * U), 0x1p-123, FLUSHES_ALL},
    [STEP_MFMA_GFX942] = {8, 1, 0, 0x1p-31 * (1 + U) + U, 8 * 0x1p-24 * (1 + U), U, 0x1p-149, ALIGNS_ZEROS},
};

/* What a model is the worst of; its steps are the first one's. */
struct step_set {
    int n_models;
    enum step_model model[STEP_MOST_MODELS];
};

#define ALONE(name) [STEP_##name] = {1, {STEP_##name}}
static const struct step_set step_sets[STEP_COUNT] = {
    ALONE(FMA_F32),
    ALONE(DOT2_GFX10),
    ALONE(DOT2_GFX11),
    ALONE(DOT2_GFX12),
    ALONE(WMMA_GFX12),
    ALONE(MFMA_GFX90A),
    ALONE(MFMA_GFX942),
    [STEP_DOT2_ANY] = {3, {STEP_DOT2_GFX10, STEP_DOT2_GFX11, STEP_DOT2_GFX12}},
    [STEP_WMMA_ANY] = {2, {STEP_DOT2_GFX11, STEP_WMMA_GFX12}},
    [STEP_MFMA_ANY] = {3, {STEP_MFMA_GFX90A, STEP_MFMA_GFX942, STEP_FMA_F32}},
};

void step_terms_add(struct step_terms *terms, enum number_format format, double a, double b)
{
    double product = a * b;
    double smallest = step_smallest(format);
    bool subnormal = fabs(a) < smallest || fabs(b) < smallest;
    terms->n_products++;
    terms->sum += product;
    terms->sum_abs += fabs(product);
    terms->finite_abs += isfinite(product) ? fabs(product) : 0;
    terms->sum_aligned += step_magnitude(format, a) * step_magnitude(format, b);
    if (subnormal)
        terms->sum_subnormal += fabs(product);
    if (format == FORMAT_BF16 && subnormal)
        terms->sum_flushed += fabs(product);
    if (product == 0)
        terms->sum_zeros += 0x1p-126 * fmax(0x1p-126, fmax(step_magnitude(format, a), step_magnitude(format, b)));
}

/*
 * Errors of N steps of one chain. The accumulator after k steps is at most T_k + e_k, T_k the products' absolute sum so far
 * and e_k the error so far, and T_0 = e_0 = 0, so with c the factor of the accumulator
 *
 *     e_k <= e_(k-1) (1 + c) + c T_(k-1) + products t_k + aligned q_k + tiny
 *     e_N <= (1 + c)^N (c (N - 1) T + products T + aligned Q + N tiny)
 *     (1 + c)^N <= 1 / (1 - N c) (Higham, lemma 3.1).
 *
 * The sums over all chains of an output take T and Q of all products.
 */
static struct step_factors factors_of(const struct step_error *e, int64_t n_products, int64_t n_steps)
{
    double nc = (double)n_steps * e->accumulator;
    return (struct step_factors){.carried = (n_steps > 1 ? (double)(n_steps - 1) : 0) * e->accumulator,
                                 .products = e->products,
                                 .aligned = e->aligned,
                                 .tiny = (double)n_products * e->tiny,
                                 .divisor = nc < 1 ? 1 - nc : 0,
                                 .flushes_bf16 = e->flags & FLUSHES_BF16,
                                 .flushes_all = e->flags & FLUSHES_ALL,
                                 .aligns_zeros = e->flags & ALIGNS_ZEROS};
}

int step_products(enum step_model model)
{
    return step_errors[step_sets[model].model[0]].n_products;
}

/* Steps of one of a set's models that take as many products as n_steps of the set's. */
static int64_t own_steps(enum step_model model, const struct step_error *own, int64_t n_steps)
{
    return (n_steps * step_products(model) + own->n_products - 1) / own->n_products;
}

int64_t step_depth(enum step_model model, int64_t n_steps)
{
    const struct step_set *set = &step_sets[model];
    int64_t deepest = 0;
    for (int i = 0; i < set->n_models; i++) {
        const struct step_error *e = &step_errors[set->model[i]];
        int64_t depth = e->once + e->roundings * own_steps(model, e, n_steps);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}

int step_factors(enum step_model model, int64_t n_products, int64_t steps_longest_chain,
                 struct step_factors factors[STEP_MOST_MODELS])
{
    const struct step_set *set = &step_sets[model];
    for (int i = 0; i < set->n_models; i++) {
        const struct step_error *e = &step_errors[set->model[i]];
        factors[i] = factors_of(e, n_products, own_steps(model, e, steps_longest_chain));
    }
    return set->n_models;
}

static double flushed_of(const struct step_factors *f, const struct step_terms *terms)
{
    return f->flushes_all ? terms->sum_subnormal : f->flushes_bf16 ? terms->sum_flushed : 0;
}

static double chain_error(const struct step_factors *f, const struct step_terms *terms)
{
    double aligned = terms->sum_aligned + (f->aligns_zeros ? terms->sum_zeros : 0);
    double own = f->products * terms->sum_abs + f->aligned * aligned;
    double error = f->carried * terms->sum_abs + own + flushed_of(f, terms) + f->tiny;
    return f->divisor > 0 ? error / f->divisor : INFINITY;
}

static struct bound not_finite(const struct step_terms *terms, const struct step_factors *factors, int n_models)
{
    bool is_open = terms->finite_abs >= BOUND_NEAR_OVERFLOW;
    for (int i = 0; i < n_models; i++)
        is_open |= isinf(flushed_of(&factors[i], terms));
    return is_open && !isnan(terms->sum) ? (struct bound){terms->sum, INFINITY} : bound_exact(terms->sum);
}

struct bound step_chain(enum step_model model, const struct step_terms *terms, int64_t steps_longest_chain,
                        int64_t more_additions)
{
    struct step_factors factors[STEP_MOST_MODELS] = {0};
    int n_models = step_factors(model, terms->n_products, steps_longest_chain, factors);
    double worst = 0;
    if (!isfinite(terms->sum))
        return not_finite(terms, factors, n_models);
    for (int i = 0; i < n_models; i++)
        worst = fmax(worst, chain_error(&factors[i], terms));
    return bound_sum(FORMAT_F32, terms->n_products, terms->sum, terms->sum_abs, worst, more_additions);
}
