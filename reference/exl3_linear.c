#include "reference/exl3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/parallel.h"
#include "reference/exl3_trellis.h"
#include "reference/step.h"

enum { GROUP = HADAMARD_SIZE };

/* x in float64, and its sizes as the adders of dot steps see them. */
struct rows_of_x {
    double *value, *magnitude, *aligned; /* [rows][k]; aligned is NULL where no element is subnormal */
};

static bool is_subnormal_f16(double value)
{
    return value != 0 && fabs(value) < 0x1p-14;
}

static bool rows_of_x_open(struct rows_of_x *x, const struct exl3_linear *p)
{
    int64_t n = p->rows * p->k;
    bool subnormal = false;
    *x = (struct rows_of_x){calloc((size_t)n, sizeof(double)), calloc((size_t)n, sizeof(double)), NULL};
    if (!x->value || !x->magnitude)
        return false;
    for (int64_t i = 0; i < n; i++) {
        x->value[i] = format_load(FORMAT_F16, p->x, i);
        x->magnitude[i] = fabs(x->value[i]);
        subnormal |= is_subnormal_f16(x->value[i]);
    }
    if (!subnormal)
        return true;
    x->aligned = calloc((size_t)n, sizeof(double));
    for (int64_t i = 0; x->aligned && i < n; i++)
        x->aligned[i] = step_magnitude(FORMAT_F16, x->value[i]);
    return x->aligned != NULL;
}

static void rows_of_x_close(struct rows_of_x *x)
{
    free(x->value);
    free(x->magnitude);
    free(x->aligned);
}

/* The weights of one tile row under one group of columns, and their absolute values. */
struct slice {
    double weight[EXL3_TILE][GROUP], magnitude[EXL3_TILE][GROUP];
};

const uint16_t *exl3_tiles_of_group(const struct exl3_linear *p, int64_t tile_row, int64_t group)
{
    int64_t tile = p->strips ? (group * (p->k / EXL3_TILE) + tile_row) * EXL3_TILES_OF_GROUP
                             : tile_row * (p->n / EXL3_TILE) + group * EXL3_TILES_OF_GROUP;
    return p->w + tile * exl3_tile_words(p->bits);
}

static void decode_slice(const struct exl3_linear *p, const struct exl3_codebook *codebook, int64_t tile_row, int64_t group,
                         struct slice *slice)
{
    const uint16_t *tile = exl3_tiles_of_group(p, tile_row, group);
    for (int i = 0; i < EXL3_TILES_OF_GROUP; i++, tile += exl3_tile_words(p->bits))
        exl3_decode_tile(codebook, tile, p->bits, &slice->weight[0][i * EXL3_TILE], GROUP);
    for (int k = 0; k < EXL3_TILE; k++)
        for (int c = 0; c < GROUP; c++)
            slice->magnitude[k][c] = fabs(slice->weight[k][c]);
}

/* sums[c] += sum over the tile row of x[k] * weight[k][c]. */
static void add_products(const double *x, double weight[EXL3_TILE][GROUP], double *sums)
{
    double partial[GROUP];
    for (int c = 0; c < GROUP; c++)
        partial[c] = x[0] * weight[0][c];
    for (int k = 1; k < EXL3_TILE; k++)
        for (int c = 0; c < GROUP; c++)
            partial[c] += x[k] * weight[k][c];
    for (int c = 0; c < GROUP; c++)
        sums[c] += partial[c];
}

/* Sums over K of one group of columns, all rows. */
struct group_sums {
    double value[GROUP], magnitude[GROUP], aligned[GROUP];
};

static void sum_group(const struct exl3_linear *p, const struct exl3_codebook *codebook, const struct rows_of_x *x,
                      int64_t group, struct group_sums *sums)
{
    struct slice slice;
    for (int64_t tile_row = 0; tile_row < p->k / EXL3_TILE; tile_row++) {
        decode_slice(p, codebook, tile_row, group, &slice);
        for (int64_t row = 0; row < p->rows; row++) {
            int64_t at = row * p->k + tile_row * EXL3_TILE;
            add_products(x->value + at, slice.weight, sums[row].value);
            add_products(x->magnitude + at, slice.magnitude, sums[row].magnitude);
            if (x->aligned)
                add_products(x->aligned + at, slice.magnitude, sums[row].aligned);
        }
    }
}

/* The bounded sum of one column: each wave chains K / waves / 2 dot2 steps, and waves - 1 additions join them. */
static struct bound column_sum(const struct exl3_linear *p, const struct group_sums *sums, bool has_aligned, int column)
{
    struct step_terms terms = {.n_products = p->k,
                               .sum = sums->value[column],
                               .sum_abs = sums->magnitude[column],
                               .sum_aligned = has_aligned ? sums->aligned[column] : sums->magnitude[column]};
    if (!isfinite(terms.sum))
        return bound_exact(terms.sum);
    return step_chain(STEP_DOT2_ANY, &terms, p->k / p->n_waves / 2, p->n_waves - 1);
}

static void finish_group(const struct exl3_linear *p, const struct group_sums *sums, bool has_aligned, int64_t group,
                         struct bound *out)
{
    struct bound v[GROUP];
    for (int c = 0; c < GROUP; c++)
        v[c] = column_sum(p, sums, has_aligned, c);
    hadamard_bound(FORMAT_F32, v);
    for (int c = 0; c < GROUP; c++) {
        struct bound svh = bound_exact(format_load(FORMAT_F16, p->svh, group * GROUP + c));
        struct bound f32 = bound_mul(FORMAT_F32, bound_mul(FORMAT_F32, v[c], bound_exact(p->scale)), svh);
        out[c] = p->out_format == FORMAT_F32 ? f32 : bound_convert(p->out_format, f32);
    }
}

struct job {
    const struct exl3_linear *p;
    const struct exl3_codebook *codebook;
    const struct rows_of_x *x;
    struct bound *out;
};

static const struct bound unknown = {0, INFINITY};

static void reference_group(void *context, int64_t group)
{
    const struct job *job = context;
    const struct exl3_linear *p = job->p;
    struct group_sums *sums = calloc((size_t)p->rows, sizeof *sums);
    if (sums)
        sum_group(p, job->codebook, job->x, group, sums);
    for (int64_t row = 0; row < p->rows; row++) {
        struct bound *out = job->out + row * p->n + group * GROUP;
        if (sums)
            finish_group(p, &sums[row], job->x->aligned != NULL, group, out);
        for (int c = 0; !sums && c < GROUP; c++)
            out[c] = unknown;
    }
    free(sums);
}

void exl3_linear_reference(const struct exl3_linear *problem, struct bound *out)
{
    struct exl3_codebook codebook;
    struct rows_of_x x;
    exl3_codebook_init(&codebook);
    if (rows_of_x_open(&x, problem)) {
        struct job job = {problem, &codebook, &x, out};
        parallel_for(problem->n_threads, problem->n / GROUP, reference_group, &job);
    } else {
        for (int64_t i = 0; i < problem->rows * problem->n; i++)
            out[i] = unknown;
    }
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
    int64_t group = column / GROUP;
    struct exl3_codebook codebook;
    struct slice slice;
    double signs[GROUP];
    exl3_codebook_init(&codebook);
    for (int c = 0; c < GROUP; c++)
        signs[c] = hadamard_sign((int)(column % GROUP), c);
    audit_set(audit, 1, 0);
    for (int64_t k = 0; k < p->k; k++) {
        if (k % EXL3_TILE == 0)
            decode_slice(p, &codebook, k / EXL3_TILE, group, &slice);
        audit_accumulate(audit, 1, format_load(FORMAT_F16, p->x, row * p->k + k),
                         rotated_weight(slice.weight[k % EXL3_TILE], signs));
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

/* Column sums of one row under the policy, in rising k. */
static void model_sums(const struct model_job *model, const struct slice *slice, int64_t k0, int64_t row, double *sums)
{
    const struct exl3_linear *p = model->job.p;
    const double *x = model->job.x->value + (row + model->policy->row_shift) % p->rows * p->k + k0;
    int64_t kept = policy_terms(model->policy, p->k) - k0;
    bool plain = model->policy->sum_format == FORMAT_F64 && model->policy->product_format == FORMAT_F64;
    for (int k = 0; plain && k < EXL3_TILE && k < kept; k++)
        for (int c = 0; c < GROUP; c++)
            sums[c] += x[k] * slice->weight[k][c];
    for (int k = 0; !plain && k < EXL3_TILE && k < kept; k++)
        for (int c = 0; c < GROUP; c++)
            sums[c] = policy_add(model->policy, sums[c], policy_product(model->policy, x[k], slice->weight[k][c]));
}

static void model_group(void *context, int64_t group)
{
    const struct model_job *model = context;
    const struct exl3_linear *p = model->job.p;
    double(*sums)[GROUP] = calloc((size_t)p->rows, sizeof *sums);
    for (int64_t tile_row = 0; sums && tile_row < p->k / EXL3_TILE; tile_row++) {
        struct slice slice;
        decode_slice(p, model->job.codebook, tile_row, group, &slice);
        for (int64_t row = 0; row < p->rows; row++)
            model_sums(model, &slice, tile_row * EXL3_TILE, row, sums[row]);
    }
    for (int64_t row = 0; row < p->rows; row++) {
        if (sums)
            hadamard_model(model->policy, sums[row]);
        for (int c = 0; c < GROUP; c++) {
            double svh = format_load(FORMAT_F16, p->svh, group * GROUP + c);
            double scaled = format_round(FORMAT_F32, sums ? sums[row][c] * p->scale : NAN);
            model->out[row * p->n + group * GROUP + c] =
                policy_result(model->policy, format_round(FORMAT_F32, scaled * svh));
        }
    }
    free(sums);
}

void exl3_linear_model(const struct exl3_linear *problem, const struct policy *policy, double *out)
{
    struct exl3_codebook codebook;
    struct rows_of_x x;
    exl3_codebook_init(&codebook);
    if (rows_of_x_open(&x, problem)) {
        struct model_job model = {{problem, &codebook, &x, NULL}, policy, out};
        parallel_for(problem->n_threads, problem->n / GROUP, model_group, &model);
    } else {
        for (int64_t i = 0; i < problem->rows * problem->n; i++)
            out[i] = NAN;
    }
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
