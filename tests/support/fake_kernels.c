#include "tests/support/fake_kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64 };

/* A launch's arguments. */
struct dot {
    float *x, *w, *y;
    int rows, columns;
};

static struct dot dot_of(const struct fake_launch *launch)
{
    return (struct dot){*(float **)launch->parameters[0], *(float **)launch->parameters[1],
                        *(float **)launch->parameters[2], (int)launch->grid[0], *(int32_t *)launch->parameters[3]};
}

static float row_sum(const struct dot *dot, int row, int first, int end)
{
    float sum = 0;
    for (int c = first; c < end; c++)
        sum += dot->x[row * dot->columns + c] * dot->w[c];
    return sum;
}

static float row_sum_backwards(const struct dot *dot, int row)
{
    float sum = 0;
    for (int c = dot->columns - 1; c >= 0; c--)
        sum += dot->x[row * dot->columns + c] * dot->w[c];
    return sum;
}

static void run_dot(const struct fake_launch *launch)
{
    struct dot dot = dot_of(launch);
    for (int r = 0; r < dot.rows; r++)
        dot.y[r] = row_sum(&dot, r, 0, dot.columns);
}

static void run_writes_after(const struct fake_launch *launch)
{
    struct dot dot = dot_of(launch);
    run_dot(launch);
    if (fake_device_room(&dot.y[dot.rows]) > 0)
        dot.y[dot.rows] = 0;
}

static void run_writes_before(const struct fake_launch *launch)
{
    struct dot dot = dot_of(launch);
    run_dot(launch);
    if (fake_device_room(&dot.y[-1]) > 0)
        dot.y[-1] = 0;
}

static void run_skips_last_row(const struct fake_launch *launch)
{
    struct dot dot = dot_of(launch);
    for (int r = 0; r + 1 < dot.rows; r++)
        dot.y[r] = row_sum(&dot, r, 0, dot.columns);
}

static void run_changes_input(const struct fake_launch *launch)
{
    run_dot(launch);
    dot_of(launch).x[2] += 1;
}

static void run_differs(const struct fake_launch *launch)
{
    run_dot(launch);
    if (launch->n_launches % 5 == 3)
        dot_of(launch).y[0] = nextafterf(dot_of(launch).y[0], INFINITY);
}

/* An address that is summed in 32 bits alone. */
static void run_loses_carry(const struct fake_launch *launch)
{
    run_dot(launch);
    if (launch->straddles)
        dot_of(launch).y[0] += 1;
}

/* A race: the order of two writers follows the schedule. */
static void run_follows_schedule(const struct fake_launch *launch)
{
    run_dot(launch);
    if (launch->schedule)
        dot_of(launch).y[0] = nextafterf(dot_of(launch).y[0], INFINITY);
}

static void run_hides_nan(const struct fake_launch *launch)
{
    struct dot dot = dot_of(launch);
    run_dot(launch);
    for (int r = 0; r < dot.rows; r++)
        dot.y[r] = isnan(dot.y[r]) ? 0 : dot.y[r];
}

/* A planted row spills into the next one. */
static void run_disturbs_neighbour(const struct fake_launch *launch)
{
    struct dot dot = dot_of(launch);
    run_dot(launch);
    for (int r = 0; r + 1 < dot.rows; r++)
        if (!isfinite(dot.y[r]) && isfinite(dot.y[r + 1]))
            dot.y[r + 1] += 1;
}

static void run_drops_last_term(const struct fake_launch *launch)
{
    struct dot dot = dot_of(launch);
    for (int r = 0; r < dot.rows; r++)
        dot.y[r] = row_sum(&dot, r, 0, dot.columns - 1);
}

static void run_off_by_one_unit(const struct fake_launch *launch)
{
    run_dot(launch);
    dot_of(launch).y[0] = nextafterf(dot_of(launch).y[0], INFINITY);
}

/* Reads w[columns]: in the tight layout that is past the allocation, which a checking device reports. */
static void run_reads_past_end(const struct fake_launch *launch)
{
    struct dot dot = dot_of(launch);
    run_dot(launch);
    if (fake_device_room(&dot.w[dot.columns]) < 4)
        fake_device_report(FINDING_MEM, "fake+0x10 load: address is 0 bytes past input w");
}

static void run_reports_sync(const struct fake_launch *launch)
{
    run_dot(launch);
    fake_device_report(FINDING_SYNC, "fake+0x20 s_barrier: wave 1 ended while others wait");
}

/* Sums from the last column on where rows share the launch. */
static void run_order_by_rows(const struct fake_launch *launch)
{
    struct dot dot = dot_of(launch);
    run_dot(launch);
    for (int r = 0; r < dot.rows && dot.rows > 1; r++)
        dot.y[r] = row_sum_backwards(&dot, r);
}

/* Each of the next three stays within every bound, gives integers exactly and the same bytes in every run. */

/* The last row sums from its last column on. */
static void run_order_by_place(const struct fake_launch *launch)
{
    struct dot dot = dot_of(launch);
    run_dot(launch);
    dot.y[dot.rows - 1] = row_sum_backwards(&dot, dot.rows - 1);
}

/* Every row does, where there are more columns than 50. */
static void run_order_by_columns(const struct fake_launch *launch)
{
    struct dot dot = dot_of(launch);
    run_dot(launch);
    for (int r = 0; r < dot.rows && dot.columns > 50; r++)
        dot.y[r] = row_sum_backwards(&dot, r);
}

/* Sums are multiples of 2^-24, which is nearer than f32 has numbers around 1. */
static void run_fixed_point(const struct fake_launch *launch)
{
    struct dot dot = dot_of(launch);
    run_dot(launch);
    for (int r = 0; r < dot.rows; r++)
        dot.y[r] = fabsf(dot.y[r]) < 0x1p20f ? nearbyintf(dot.y[r] * 0x1p24f) * 0x1p-24f : dot.y[r];
}

/* The overrun is that of one row alone. */
static void run_writes_after_one_row(const struct fake_launch *launch)
{
    if (dot_of(launch).rows == 1)
        run_writes_after(launch);
    else
        run_dot(launch);
}

const struct fake_kernel fake_kernels[] = {{"dot", run_dot},
                                           {"writes_after", run_writes_after},
                                           {"writes_before", run_writes_before},
                                           {"skips_last_row", run_skips_last_row},
                                           {"changes_input", run_changes_input},
                                           {"differs", run_differs},
                                           {"follows_schedule", run_follows_schedule},
                                           {"loses_carry", run_loses_carry},
                                           {"hides_nan", run_hides_nan},
                                           {"disturbs_neighbour", run_disturbs_neighbour},
                                           {"drops_last_term", run_drops_last_term},
                                           {"off_by_one_unit", run_off_by_one_unit},
                                           {"reads_past_end", run_reads_past_end},
                                           {"reports_sync", run_reports_sync},
                                           {"order_by_rows", run_order_by_rows},
                                           {"order_by_place", run_order_by_place},
                                           {"order_by_columns", run_order_by_columns},
                                           {"fixed_point", run_fixed_point},
                                           {"writes_after_one_row", run_writes_after_one_row},
                                           {NULL, NULL}};

static const struct reg_shape shapes[] = {{.label = "1x33", .dim = {1, 33}, .quick = true},
                                          {.label = "6x64", .dim = {6, 64}},
                                          {.label = "9x300", .dim = {9, 300}, .quick = true}};

static bool plan(const struct reg_shape *shape, struct reg_plan *p, struct error *error)
{
    int64_t rows = shape->dim[0], columns = shape->dim[1];
    if (columns > 1000)
        return error_set(error, STATUS_USAGE, "at most 1000 columns");
    *p = (struct reg_plan){.n_tensors = 3, .n_args = 4, .grid = {(uint32_t)rows, 1, 1}, .block = {BLOCK, 1, 1}};
    p->tensor[FAKE_X] = (struct reg_tensor){"x", FORMAT_F32, REG_INPUT, rows, columns};
    p->tensor[FAKE_W] = (struct reg_tensor){"w", FORMAT_F32, REG_INPUT, 1, columns};
    p->tensor[FAKE_Y] = (struct reg_tensor){"y", FORMAT_F32, REG_OUTPUT, rows, 1};
    for (int i = 0; i < 3; i++)
        p->arg[i] = (struct reg_arg){.kind = REG_ARG_TENSOR, .tensor = i};
    p->arg[3] = (struct reg_arg){.kind = REG_ARG_I32, .integer = columns};
    return true;
}

/* Weights carry no planted class; exact inputs are one-signed integers whose sums fp16 and bf16 cannot hold. */
static void fill(const struct reg_case *c, int tensor, void *data)
{
    struct reg_case plain = *c;
    if (tensor == FAKE_W && c->pattern == REG_PATTERN_CLASSES)
        plain.pattern = REG_PATTERN_SIGNED;
    if (c->pattern != REG_PATTERN_EXACT) {
        reg_fill(&plain, tensor, data);
        return;
    }
    const struct reg_tensor *t = &c->plan->tensor[tensor];
    struct random_key key = reg_key(c, tensor);
    for (int64_t i = 0; i < t->rows * t->columns; i++)
        format_store(FORMAT_F32, data, i, 1 + random_below(key, (uint64_t)i, 63));
}

static int64_t chain_additions(const struct reg_case *c)
{
    return c->plan->tensor[FAKE_X].columns;
}

static void depth(const struct reg_case *c, int tensor, struct depth *depth)
{
    (void)tensor;
    depth_add(depth, chain_additions(c), "the chain");
}

/* Products rounded once, then a chain of n additions (the first to zero is exact, but counted). */
static void reference(const struct reg_case *c, int tensor, struct bound *out)
{
    (void)tensor;
    const struct reg_tensor *x = &c->plan->tensor[FAKE_X];
    for (int64_t r = 0; r < x->rows; r++) {
        long double sum = 0, sum_abs = 0, sum_error = 0;
        for (int64_t k = 0; k < x->columns; k++) {
            double a = format_load(FORMAT_F32, c->data[FAKE_X], r * x->columns + k),
                   b = format_load(FORMAT_F32, c->data[FAKE_W], k);
            struct bound product = bound_mul(FORMAT_F32, bound_exact(a), bound_exact(b));
            sum += product.value;
            sum_abs += fabs(product.value);
            sum_error += product.error;
        }
        out[r] = bound_sum(FORMAT_F32, x->columns, (double)sum, (double)sum_abs, (double)sum_error, chain_additions(c));
    }
}

static void audit(const struct reg_case *c, int tensor, int64_t element, struct audit *a)
{
    (void)tensor;
    int64_t columns = c->plan->tensor[FAKE_X].columns;
    audit_set(a, 0, 0);
    for (int64_t k = 0; k < columns; k++)
        audit_accumulate(a, 0, format_load(FORMAT_F32, c->data[FAKE_X], element * columns + k),
                         format_load(FORMAT_F32, c->data[FAKE_W], k));
}

static void model(const struct reg_case *c, int tensor, const struct policy *policy, double *out)
{
    (void)tensor;
    const struct reg_tensor *x = &c->plan->tensor[FAKE_X];
    for (int64_t r = 0; r < x->rows; r++) {
        double sum = 0;
        int64_t row = (r + policy->row_shift) % x->rows;
        for (int64_t k = 0; k < policy_terms(policy, x->columns); k++)
            sum = policy_add(policy, sum,
                             policy_product(policy, format_load(FORMAT_F32, c->data[FAKE_X], row * x->columns + k),
                                            format_load(FORMAT_F32, c->data[FAKE_W], k)));
        out[r] = policy_result(policy, sum);
    }
}

static void exact_element(const struct reg_case *c, int64_t element, struct exact_sum *sum)
{
    int64_t columns = c->plan->tensor[FAKE_X].columns;
    *sum = (struct exact_sum){.products_exact = true, .one_signed = true};
    for (int64_t k = 0; k < columns; k++) {
        double term =
            format_load(FORMAT_F32, c->data[FAKE_X], element * columns + k) * format_load(FORMAT_F32, c->data[FAKE_W], k);
        sum->sum += (int64_t)term;
        sum->sum_abs += (int64_t)fabs(term);
    }
    sum->expected = (double)sum->sum;
}

static void exact(const struct reg_case *c, int tensor, int64_t first, int64_t n, struct exact_sum *sums)
{
    (void)tensor;
    for (int64_t i = 0; i < n; i++)
        exact_element(c, first + i, &sums[i]);
}

static void fill_ones(const struct reg_case *c, int tensor, void *data)
{
    for (int64_t i = 0; i < c->plan->tensor[tensor].rows * c->plan->tensor[tensor].columns; i++)
        format_store(FORMAT_F32, data, i, 1);
}

/* Sums of ones, whatever the data hold. */
static bool expect_columns(const struct reg_case *c, int tensor, void *bytes)
{
    for (int64_t r = 0; r < c->plan->tensor[tensor].rows; r++)
        format_store(FORMAT_F32, bytes, r, (double)c->plan->tensor[FAKE_X].columns);
    return true;
}

static const struct reg_window windows[] = {{0, 1}, {5, 1}, {2, 3}, {0, 6}};

const struct reg_bytes fake_bytes[] = {
    {.name = "rows",
     .what = "a row's bytes do not depend on the rows beside it",
     .shape = {.label = "6x50", .dim = {6, 50}, .quick = true},
     .pattern = REG_PATTERN_SIGNED,
     .windows = windows,
     .n_windows = sizeof windows / sizeof *windows,
     .row_dim = 0,
     .row_tensors = 1u << FAKE_X | 1u << FAKE_Y},
    {.name = "ones",
     .what = "sums of ones are counts of columns",
     .shape = {.label = "4x40", .dim = {4, 40}},
     .pattern = REG_PATTERN_ONESIDED,
     .fill = fill_ones,
     .expect = expect_columns},
};
const size_t n_fake_bytes = sizeof fake_bytes / sizeof *fake_bytes;

#define RELATION(of_name, ...)                                                                                             \
    {                                                                                                                      \
        .name = of_name, .what = "the outputs follow", .shape = {.label = "6x50", .dim = {6, 50}, .quick = true},          \
        .fill = reg_fill_scalable, __VA_ARGS__                                                                             \
    }

const struct reg_bytes fake_relations[] = {
    RELATION("scale x", .scaling = &(const struct reg_scaling){.inputs = 1u << FAKE_X,
                                                               .outputs = 1u << FAKE_Y,
                                                               .factors = 1u << FAKE_X | 1u << FAKE_W,
                                                               .sums = FORMAT_F32}),
    RELATION("permute rows", .permutation = &(const struct reg_permutation){.row_tensors = 1u << FAKE_X | 1u << FAKE_Y}),
    RELATION("pad columns", .padding = &(const struct reg_padding){.shape = {.label = "6x77", .dim = {6, 77}}}),
};
const size_t n_fake_relations = sizeof fake_relations / sizeof *fake_relations;

struct registration fake_registration(const char *symbol)
{
    return (struct registration){.name = "fake_dot",
                                 .family = "fake",
                                 .source = "fake.hip",
                                 .symbol = symbol,
                                 .shapes = shapes,
                                 .n_shapes = sizeof shapes / sizeof *shapes,
                                 .plan = plan,
                                 .fill = fill,
                                 .reference = reference,
                                 .depth = depth,
                                 .audit = audit,
                                 .model = model,
                                 .exact = exact};
}

const struct control fake_controls[] = {
    {.name = "fake_row_late",
     .registration = "fake_dot",
     .what = "x one row late",
     .shape = "6x64",
     .pattern = REG_PATTERN_SIGNED,
     .gate = GATE_BOUND,
     .least_factor = 100,
     .how = CONTROL_POINTER,
     .tensor = FAKE_X,
     .offset_rows = 1},
    {.name = "fake_short_grid",
     .registration = "fake_dot",
     .what = "one block short",
     .shape = "6x64",
     .pattern = REG_PATTERN_SIGNED,
     .gate = GATE_BYTES,
     .how = CONTROL_GRID,
     .arg = 0},
    {.name = "fake_short_sum",
     .registration = "fake_dot",
     .what = "one column short",
     .shape = "9x300",
     .pattern = REG_PATTERN_EXACT,
     .gate = GATE_EXACT,
     .how = CONTROL_SCALAR,
     .arg = 3,
     .delta = -1},
    {.name = "fake_stale",
     .registration = "fake_dot",
     .what = "the last case's weights",
     .shape = "6x64",
     .pattern = REG_PATTERN_ONESIDED,
     .gate = GATE_BOUND,
     .least_factor = 100,
     .how = CONTROL_STALE,
     .tensor = FAKE_W},
    {.name = "fake_swap",
     .registration = "fake_dot",
     .what = "x and w exchanged",
     .shape = "6x64",
     .pattern = REG_PATTERN_SIGNED,
     .gate = GATE_BOUND,
     .least_factor = 1,
     .how = CONTROL_SWAP,
     .arg = 0,
     .other_arg = 1},
    {.name = "fake_built_wrongly",
     .registration = "fake_dot",
     .what = "NaN hidden",
     .shape = "6x64",
     .pattern = REG_PATTERN_CLASSES,
     .gate = GATE_CLASSES,
     .how = CONTROL_BUILD,
     .define = "hides_nan"},
};
const size_t n_fake_controls = sizeof fake_controls / sizeof *fake_controls;

/* The bytes of the "code object" name what was built. */
static bool compile(void *context, const struct registration *registration, const char *chip, const char *define,
                    unsigned char **bytes, size_t *n_bytes, struct error *error)
{
    (void)context, (void)chip;
    if (strcmp(registration->source, "broken.hip") == 0)
        return error_set(error, STATUS_RED, "family %s for %s does not compile: expected ';'", registration->family, chip);
    char *text = NULL;
    int length = asprintf(&text, "%s %s", registration->source, define ? define : "");
    *bytes = (unsigned char *)text;
    *n_bytes = (size_t)length;
    return true;
}

struct builder fake_builder(void)
{
    return (struct builder){.compile = compile};
}
