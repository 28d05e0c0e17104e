/* selftest_sums. Dimensions of a shape: rows, columns. */
#include <math.h>

#include "contract/selftest.h"

enum { THREADS = 256 }; /* as in the kernel */

static const struct reg_shape shapes[] = {
    {.label = "1x33", .dim = {1, 33}}, {.label = "6x65", .dim = {6, 65}}, {.label = "9x300", .dim = {9, 300}}};
const struct reg_shape selftest_probe_shape = {.label = "6x65", .dim = {6, 65}};

static bool plan(const struct reg_shape *shape, struct reg_plan *plan, struct error *error)
{
    (void)error;
    int64_t rows = shape->dim[0], columns = shape->dim[1];
    *plan = (struct reg_plan){
        .n_tensors = 3,
        .tensor = {[SELFTEST_X] = {"x", FORMAT_F32, REG_INPUT, rows, columns},
                   [SELFTEST_W] = {"w", FORMAT_F32, REG_INPUT, 1, columns},
                   [SELFTEST_OUT] = {"out", FORMAT_F32, REG_OUTPUT, rows, 1}},
        .n_args = 4,
        .arg = {{.tensor = SELFTEST_X},
                {.tensor = SELFTEST_W},
                {.tensor = SELFTEST_OUT},
                {.kind = REG_ARG_I32, .integer = columns}},
        .grid = {(uint32_t)rows, 1, 1},
        .block = {THREADS, 1, 1},
    };
    return true;
}

static double x_at(const struct reg_case *c, int64_t row, int64_t j)
{
    return format_load(FORMAT_F32, c->data[SELFTEST_X], row * c->shape->dim[1] + j);
}

static double w_at(const struct reg_case *c, int64_t j)
{
    return format_load(FORMAT_F32, c->data[SELFTEST_W], j);
}

/* EXACT: integers whose sums f32 holds, and fp16 and bf16 do not. CLASSES: w is finite, so that rows are. */
static void fill(const struct reg_case *c, int tensor, void *data)
{
    const struct reg_tensor *t = &c->plan->tensor[tensor];
    struct reg_case plain = *c;
    if (tensor == SELFTEST_W && c->pattern == REG_PATTERN_CLASSES)
        plain.pattern = REG_PATTERN_SIGNED;
    if (c->pattern != REG_PATTERN_EXACT)
        reg_fill(&plain, tensor, data);
    else
        for (int64_t i = 0; i < t->rows * t->columns; i++)
            format_store(FORMAT_F32, data, i, 1 + random_below(reg_key(c, tensor), (uint64_t)i, 63));
}

int64_t selftest_additions(const struct reg_case *c)
{
    int64_t columns = c->shape->dim[1], chain = (columns + THREADS - 1) / THREADS;
    return chain - 1 + (columns < THREADS ? columns : THREADS) - 1;
}

static void depth(const struct reg_case *c, int tensor, struct depth *depth)
{
    (void)tensor;
    depth_add(depth, selftest_additions(c), "a thread's chain, and that of the threads");
}

static void reference(const struct reg_case *c, int tensor, struct bound *out)
{
    (void)tensor;
    for (int64_t row = 0; row < c->shape->dim[0]; row++) {
        long double sum = 0, sum_abs = 0;
        for (int64_t j = 0; j < c->shape->dim[1]; j++) {
            double product = x_at(c, row, j) * w_at(c, j); /* exact in float64 */
            sum += product;
            sum_abs += fabs(product);
        }
        out[row] = bound_sum(FORMAT_F32, c->shape->dim[1], (double)sum, (double)sum_abs, 0,
                             1 + selftest_additions(c)); /* and the first product */
    }
}

static void audit(const struct reg_case *c, int tensor, int64_t element, struct audit *audit)
{
    (void)tensor;
    audit_set(audit, 0, 0);
    for (int64_t j = 0; j < c->shape->dim[1]; j++)
        audit_accumulate(audit, 0, x_at(c, element, j), w_at(c, j));
}

static void model(const struct reg_case *c, int tensor, const struct policy *policy, double *out)
{
    (void)tensor;
    for (int64_t row = 0; row < c->shape->dim[0]; row++) {
        int64_t from = (row + policy->row_shift) % c->shape->dim[0];
        double sum = 0;
        for (int64_t j = 0; j < policy_terms(policy, c->shape->dim[1]); j++)
            sum = policy_add(policy, sum, policy_product(policy, x_at(c, from, j), w_at(c, j)));
        out[row] = policy_result(policy, sum);
    }
}

static void exact(const struct reg_case *c, int tensor, int64_t first, int64_t n, struct exact_sum *sums)
{
    (void)tensor;
    for (int64_t i = 0; i < n; i++) {
        struct exact_sum sum = {.products_exact = true, .one_signed = true};
        for (int64_t j = 0; j < c->shape->dim[1]; j++) {
            double term = x_at(c, first + i, j) * w_at(c, j);
            sum.products_exact &= term == floor(term);
            sum.sum += (int64_t)term;
            sum.sum_abs += (int64_t)fabs(term);
        }
        sum.expected = (double)sum.sum;
        sums[i] = sum;
    }
}

static const struct reg_window windows[] = {{0, 1}, {5, 1}, {2, 3}};

#define ON_6X50 .shape = {.label = "6x50", .dim = {6, 50}}, .fill = reg_fill_scalable

static const struct reg_bytes bytes[] = {
    {.name = "rows",
     .what = "a row's bytes are its own",
     ON_6X50,
     .windows = windows,
     .n_windows = sizeof windows / sizeof *windows,
     .row_tensors = 1u << SELFTEST_X | 1u << SELFTEST_OUT},
    {.name = "scale x",
     .what = "outputs scale with x",
     ON_6X50,
     .scaling = &(const struct reg_scaling){.inputs = 1u << SELFTEST_X,
                                            .outputs = 1u << SELFTEST_OUT,
                                            .factors = 1u << SELFTEST_X | 1u << SELFTEST_W,
                                            .sums = FORMAT_F32}},
};

const struct registration selftest_sums = {.name = "selftest_sums",
                                           .family = "selftest",
                                           .source = "contract/selftest.hip",
                                           .symbol = "selftest_sums",
                                           REG_SHAPES(shapes),
                                           .plan = plan,
                                           .fill = fill,
                                           .reference = reference,
                                           .depth = depth,
                                           .audit = audit,
                                           .model = model,
                                           .exact = exact,
                                           REG_BYTES(bytes)};
