/* From the sums of a group of columns to the bounds of its outputs. */
#include "reference/lanes/bounds.h"
#include "reference/lanes/butterflies.h"

static inline void transform(struct roundoff r, struct bounds v[N_VECTORS])
{
#define WITHIN_VECTORS(away, ...)                                                                                          \
    for (int i = 0; i < N_VECTORS; i++)                                                                                    \
        v[i] = bounds_add(r, (struct bounds){swapped_##away(v[i].value), swapped_##away(v[i].error)},                      \
                          (struct bounds){negated_upper(v[i].value, away), v[i].error});
    LANE_SWAPS(WITHIN_VECTORS)
#undef WITHIN_VECTORS
    for (int h = 1; h < N_VECTORS; h *= 2)
        for (int i = 0; i < N_VECTORS; i++) {
            if (i & h)
                continue;
            struct bounds low = v[i], high = v[i + h];
            v[i] = bounds_add(r, low, high);
            v[i + h] = bounds_sub(r, low, high);
        }
}

void AT_LEVEL(hadamard_bound)(enum number_format format, double *values, double *errors)
{
    struct bounds v[N_VECTORS];
    for (int i = 0; i < N_VECTORS; i++)
        v[i] = (struct bounds){load(values + i * N_LANES), load(errors + i * N_LANES)};
    transform(roundoff_of(format), v);
    for (int i = 0; i < N_VECTORS; i++) {
        store(values + i * N_LANES, v[i].value);
        store(errors + i * N_LANES, v[i].error);
    }
}

/* The error of step_chain: the worst of its chains, then bound_sum. */
struct chain_error {
    const struct lanes_finish *finish;
    double gamma, float64_gamma;
};

static inline f64s error_of(const struct chain_error *chain, f64s sum_abs, f64s sum_aligned)
{
    f64s worst = {0};
    for (int i = 0; i < chain->finish->n_models; i++) {
        const struct step_factors *f = &chain->finish->models[i];
        f64s own = f->products * sum_abs + f->aligned * sum_aligned;
        worst = larger(worst, (f->carried * sum_abs + own + f->tiny) / f->divisor);
    }
    double above = 1 + 2 * chain->float64_gamma;
    f64s abs_above = sum_abs * above, error_above = worst * above;
    return outward(error_above * (1 + chain->gamma) + chain->gamma * abs_above + chain->float64_gamma * abs_above);
}

/* In the order of columns. */
static void load_sums(const struct lanes_finish *finish, const struct lanes_sums *sums, struct bounds v[N_VECTORS])
{
    double value[LANES_GROUP], error[LANES_GROUP], places[LANES_GROUP];
    struct chain_error chain = {finish, bound_gamma(FORMAT_F32, finish->more_additions),
                                bound_gamma(FORMAT_F64, finish->n_products)};
    for (int at = 0; at < LANES_GROUP; at += N_LANES) {
        f64s sum_abs = load(&sums->magnitude[at]);
        store(places + at, error_of(&chain, sum_abs, sum_abs + load(&sums->excess[at])));
    }
    for (int column = 0; column < LANES_GROUP; column++) {
        value[column] = sums->value[lanes_place(column)];
        error[column] = places[lanes_place(column)];
    }
    for (int i = 0; i < N_VECTORS; i++)
        v[i] = (struct bounds){load(value + i * N_LANES), load(error + i * N_LANES)};
}

void AT_LEVEL(finish)(const struct lanes_finish *finish, const double *svh, const struct lanes_sums *sums,
                      struct bound *out)
{
    struct roundoff f32 = roundoff_of(FORMAT_F32);
    struct bounds v[N_VECTORS];
    load_sums(finish, sums, v);
    transform(f32, v);
    for (int i = 0; i < N_VECTORS; i++) {
        struct bounds scaled = bounds_scale(f32, v[i], all(finish->scale));
        struct bounds result = bounds_scale(f32, scaled, load(svh + i * N_LANES));
        if (finish->format != FORMAT_F32)
            result = bounds_convert(finish->format, result);
        for (int lane = 0; lane < N_LANES; lane++)
            out[i * N_LANES + lane] = (struct bound){result.value[lane], result.error[lane]};
    }
}
