#include "reference/exl3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/memory_needed.h"
#include "contract/base/parallel.h"
#include "reference/exl3_trellis.h"
#include "reference/lanes.h"
#include "reference/step.h"

enum { GROUP = HADAMARD_SIZE };

/* x in float64, and what decides which way its sums take. */
struct rows_of_x {
    double *value, *magnitude; /* [rows][k] */
    uint16_t *subnormals;      /* [rows][k/16]: bits of the elements that adders of dot steps align as larger ones */
    bool *is_finite;           /* [rows] */
};

static void rows_of_x_close(struct rows_of_x *x)
{
    free(x->value);
    free(x->magnitude);
    free(x->subnormals);
    free(x->is_finite);
}

/* Bits of the subnormal ones of 16 f16 numbers. */
static uint16_t subnormals_of(const uint16_t *x)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < EXL3_TILE; i++)
        bits |= (unsigned)((x[i] & 0x7c00) == 0 && (x[i] & 0x3ff) != 0) << i;
    return (uint16_t)bits;
}

static bool all_finite(const uint16_t *x, int64_t n)
{
    bool finite = true;
    for (int64_t i = 0; i < n; i++)
        finite &= (x[i] & 0x7c00) != 0x7c00;
    return finite;
}

static void rows_of_x_open(struct rows_of_x *x, const struct exl3_linear *p)
{
    size_t n = (size_t)(p->rows * p->k);
    *x = (struct rows_of_x){memory_needed(calloc(n, sizeof *x->value)), memory_needed(calloc(n, sizeof *x->magnitude)),
                            memory_needed(calloc(n / EXL3_TILE, sizeof *x->subnormals)),
                            memory_needed(calloc((size_t)p->rows, sizeof *x->is_finite))};
    lanes_of_host()->load_f16(p->x, (int64_t)n, x->value);
    for (size_t i = 0; i < n; i++)
        x->magnitude[i] = fabs(x->value[i]);
    for (size_t tile = 0; tile < n / EXL3_TILE; tile++)
        x->subnormals[tile] = subnormals_of(p->x + tile * EXL3_TILE);
    for (int64_t row = 0; row < p->rows; row++)
        x->is_finite[row] = all_finite(p->x + row * p->k, p->k);
}

/* The first of the eight tiles of a tile row under a group of columns, which follow one another in either layout. */
const uint16_t *exl3_tiles_of_group(const struct exl3_linear *p, int64_t tile_row, int64_t group)
{
    int64_t tile = p->strips ? (group * (p->k / EXL3_TILE) + tile_row) * EXL3_TILES_OF_GROUP
                             : tile_row * (p->n / EXL3_TILE) + group * EXL3_TILES_OF_GROUP;
    return p->w + tile * exl3_tile_words(p->bits);
}

/* The part of sum_aligned that sum_abs lacks: few elements of x are subnormal. */
static void add_excess(const double *slice, const double *magnitude, unsigned subnormals, struct lanes_sums *sums)
{
    for (; subnormals; subnormals &= subnormals - 1) {
        int k = __builtin_ctz(subnormals);
        double excess = step_magnitude(FORMAT_F16, magnitude[k]) - magnitude[k];
        for (int place = 0; place < GROUP; place++)
            sums->excess[place] += excess * fabs(slice[k * GROUP + place]);
    }
}

struct job {
    const struct exl3_linear *p;
    const struct lanes *lanes;
    const struct rows_of_x *x;
    struct lanes_finish finish;
    struct bound *out;
};

/* Sums over K of one group of columns, all rows. */
static void sum_group(const struct job *job, int64_t group, struct lanes_sums *sums)
{
    const struct exl3_linear *p = job->p;
    double slice[EXL3_TILE * GROUP];
    for (int64_t tile_row = 0; tile_row < p->k / EXL3_TILE; tile_row++) {
        const double *x = job->x->value + tile_row * EXL3_TILE, *magnitude = job->x->magnitude + tile_row * EXL3_TILE;
        job->lanes->decode(exl3_tiles_of_group(p, tile_row, group), p->bits, slice);
        job->lanes->products(slice, x, magnitude, p->k, p->rows, sums);
        for (int64_t row = 0; row < p->rows; row++)
            add_excess(slice, magnitude + row * p->k, job->x->subnormals[row * (p->k / EXL3_TILE) + tile_row], &sums[row]);
    }
}

/* Each wave chains K / waves / 2 dot2 steps, and waves - 1 additions join them. */
static int64_t steps_of_chain(const struct exl3_linear *p)
{
    return p->k / p->n_waves / 2;
}

static int64_t more_additions(const struct exl3_linear *p)
{
    return p->n_waves - 1;
}

void exl3_linear_depth(const struct exl3_linear *p, struct depth *depth)
{
    depth_add(depth, 1, "the codebook's fma, which the reference rounds alike");
    depth_add(depth, step_depth(STEP_DOT2_ANY, steps_of_chain(p)), "a wave's chain");
    depth_add(depth, more_additions(p), "the waves");
    depth_add(depth, HADAMARD_LEVELS, "the rotation");
}

static struct lanes_finish finish_of(const struct exl3_linear *p)
{
    struct lanes_finish finish = {
        .n_products = p->k, .more_additions = more_additions(p), .scale = p->scale, .format = p->out_format};
    finish.n_models = step_factors(STEP_DOT2_ANY, p->k, steps_of_chain(p), finish.models);
    return finish;
}

static struct bound column_sum(const struct exl3_linear *p, const struct lanes_sums *sums, int column)
{
    int place = lanes_place(column);
    struct step_terms terms = {.n_products = p->k,
                               .sum = sums->value[place],
                               .sum_abs = sums->magnitude[place],
                               .sum_aligned = sums->magnitude[place] + sums->excess[place]};
    return step_chain(STEP_DOT2_ANY, &terms, steps_of_chain(p), more_additions(p));
}

/* What lanes->finish does, where x or svh is not all finite. */
static void finish_classes(const struct exl3_linear *p, const double *svh, const struct lanes_sums *sums, struct bound *out)
{
    struct bound v[GROUP];
    for (int c = 0; c < GROUP; c++)
        v[c] = column_sum(p, sums, c);
    hadamard_bound(FORMAT_F32, v);
    for (int c = 0; c < GROUP; c++) {
        struct bound scaled = bound_mul(FORMAT_F32, v[c], bound_exact(p->scale));
        struct bound f32 = bound_mul(FORMAT_F32, scaled, bound_exact(svh[c]));
        out[c] = p->out_format == FORMAT_F32 ? f32 : bound_convert(p->out_format, f32);
    }
}

static void reference_group(void *context, int64_t group)
{
    const struct job *job = context;
    const struct exl3_linear *p = job->p;
    double svh[GROUP];
    bool svh_is_finite = all_finite(p->svh + group * GROUP, GROUP);
    job->lanes->load_f16(p->svh + group * GROUP, GROUP, svh);
    struct lanes_sums *sums = memory_needed(calloc((size_t)p->rows, sizeof *sums));
    sum_group(job, group, sums);
    for (int64_t row = 0; row < p->rows; row++) {
        struct bound *out = job->out + row * p->n + group * GROUP;
        if (job->x->is_finite[row] && svh_is_finite)
            job->lanes->finish(&job->finish, svh, &sums[row], out);
        else
            finish_classes(p, svh, &sums[row], out);
    }
    free(sums);
}

void exl3_linear_reference(const struct exl3_linear *problem, struct bound *out)
{
    struct rows_of_x x;
    rows_of_x_open(&x, problem);
    struct job job = {problem, lanes_of_host(), &x, finish_of(problem), out};
    parallel_for(problem->n_threads, problem->n / GROUP, reference_group, &job);
    rows_of_x_close(&x);
}

/* sum over the group's columns of H[own][c] W[k][c]: one of 128 f16 values within 2^-17 ... 4, exact in float64. */
static double rotated_weight(const double *weight, const double *signs)
{
    double sum = 0;
    for (int c = 0; c < GROUP; c++)
        sum += signs[c] * weight[c];
    return sum;
}

void exl3_linear_audit(const struct exl3_linear *p, int64_t row, int64_t column, struct audit *audit)
{
    const struct lanes *lanes = lanes_of_host();
    double slice[EXL3_TILE * GROUP], signs[GROUP];
    for (int c = 0; c < GROUP; c++)
        signs[lanes_place(c)] = hadamard_sign((int)(column % GROUP), c);
    audit_set(audit, 1, 0);
    for (int64_t k = 0; k < p->k; k++) {
        if (k % EXL3_TILE == 0)
            lanes->decode(exl3_tiles_of_group(p, k / EXL3_TILE, column / GROUP), p->bits, slice);
        audit_accumulate(audit, 1, format_load(FORMAT_F16, p->x, row * p->k + k),
                         rotated_weight(slice + k % EXL3_TILE * GROUP, signs));
    }
    audit_set(audit, 2, p->scale);
    audit_set(audit, 3, format_load(FORMAT_F16, p->svh, column));
    audit_mul(audit, 0, 1, 2);
    audit_mul(audit, 0, 0, 3);
}

struct model_job {
    struct job job;
    const struct policy *policy;
    double *out;
};

/* Column sums of all rows under the policy, in rising k, at the columns' places. */
static void model_sums(const struct model_job *model, int64_t group, double (*sums)[GROUP])
{
    const struct exl3_linear *p = model->job.p;
    const struct policy *policy = model->policy;
    double slice[EXL3_TILE * GROUP];
    for (int64_t k = 0, kept = policy_terms(policy, p->k); k < kept; k += EXL3_TILE) {
        int n = kept - k < EXL3_TILE ? (int)(kept - k) : EXL3_TILE;
        model->job.lanes->decode(exl3_tiles_of_group(p, k / EXL3_TILE, group), p->bits, slice);
        for (int64_t row = 0; row < p->rows; row++) {
            const double *x = model->job.x->value + (row + policy->row_shift) % p->rows * p->k + k;
            model->job.lanes->chain(policy->sum_format, policy->product_format, slice, x, n, sums[row]);
        }
    }
}

static void model_row(const struct model_job *model, const double *svh, const double *sums, double *out)
{
    const struct lanes *lanes = model->job.lanes;
    for (int c = 0; c < GROUP; c++)
        out[c] = sums[lanes_place(c)];
    lanes->hadamard(model->policy->sum_format, out);
    for (int c = 0; c < GROUP; c++)
        out[c] *= model->job.p->scale;
    lanes->round(FORMAT_F32, GROUP, out);
    for (int c = 0; c < GROUP; c++)
        out[c] *= svh[c];
    lanes->round(FORMAT_F32, GROUP, out);
    lanes->round(model->policy->result_format, GROUP, out);
}

static void model_group(void *context, int64_t group)
{
    const struct model_job *model = context;
    const struct exl3_linear *p = model->job.p;
    double svh[GROUP], (*sums)[GROUP] = memory_needed(calloc((size_t)p->rows, sizeof *sums));
    model->job.lanes->load_f16(p->svh + group * GROUP, GROUP, svh);
    model_sums(model, group, sums);
    for (int64_t row = 0; row < p->rows; row++) {
        double *out = model->out + row * p->n + group * GROUP;
        model_row(model, svh, sums[row], out);
    }
    free(sums);
}

void exl3_linear_model(const struct exl3_linear *problem, const struct policy *policy, double *out)
{
    struct rows_of_x x;
    rows_of_x_open(&x, problem);
    struct model_job model = {.job = {.p = problem, .lanes = lanes_of_host(), .x = &x}, .policy = policy};
    model.out = out;
    parallel_for(problem->n_threads, problem->n / GROUP, model_group, &model);
    rows_of_x_close(&x);
}

/* An f16 that is an integer (zero counts as none here: exact inputs have no zeros); 0 where it is no integer. */
static int f16_integer(uint16_t bits)
{
    int exponent = bits >> 10 & 31, significand = (bits & 1023) | 1024; /* value = significand * 2^(exponent - 25) */
    int below = 25 - exponent, above = below < 0 ? -below : 0;
    if (exponent == 31 || below > 10 || (below > 0 && significand & ((1 << below) - 1)))
        return 0;
    int magnitude = below > 0 ? significand >> below : significand << above;
    return bits & 0x8000 ? -magnitude : magnitude;
}

/* The sum over K of a row under all-ones windows, whose weight is -667 / 1024; each column has the same. */
static struct exact_sum exact_row(const struct exl3_linear *p, int64_t row)
{
    int64_t integers = 0, magnitudes = 0;
    bool exact = exl3_weight(p->w[0]) * 1024 == -667; /* each window is any of the tile's 16-bit words */
    for (int64_t k = 0; k < p->k; k++) {
        int x = f16_integer(p->x[row * p->k + k]);
        exact &= x != 0 && x % 16 == 0;
        integers += x / 16;
        magnitudes += abs(x / 16);
    }
    return (struct exact_sum){.sum = -667 * integers,
                              .sum_abs = 667 * magnitudes,
                              .exponent = 4 - 10,
                              .products_exact = exact,
                              .one_signed = llabs(integers) == magnitudes};
}

void exl3_linear_exact(const struct exl3_linear *p, int64_t first, int64_t n, struct exact_sum *sums)
{
    struct exact_sum of_row = {0};
    for (int64_t i = 0; i < n; i++) {
        int64_t column = (first + i) % p->n;
        if (i == 0 || column == 0)
            of_row = exact_row(p, (first + i) / p->n);
        double rotated = column % GROUP == 0 ? ldexp((double)of_row.sum, of_row.exponent) * GROUP : 0;
        double scaled = format_round(FORMAT_F32, rotated * p->scale);
        double f32 = format_round(FORMAT_F32, scaled * format_load(FORMAT_F16, p->svh, column));
        sums[i] = of_row;
        sums[i].expected = p->out_format == FORMAT_F32 ? f32 : format_round(p->out_format, f32);
    }
}
