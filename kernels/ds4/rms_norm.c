/* rms_norm_rows. Dimensions of a shape: rows, n. */
#include "kernels/ds4/ds4.h"
#include "kernels/forward.h"
#include "kernels/relations.h"

enum { X, WEIGHT, OUT }; /* tensors */

static const struct reg_shape shapes[] = {
    {.label = "1x1", .dim = {1, 1}},
    {.label = "1x64", .dim = {1, 64}},
    {.label = "2x33", .dim = {2, 33}, .quick = true},
    {.label = "3x1025", .dim = {3, 1025}}, /* one element past a round of the block */
    {.label = "4x4096", .dim = {4, 4096}, .quick = true},
    {.label = "5x2047", .dim = {5, 2047}},
    {.label = "64x128", .dim = {64, 128}},
    {.label = "1x7168", .dim = {1, 7168}, .quick = true},
    {.label = "2x16384", .dim = {2, 16384}},
    {.label = "1x6", .dim = {1, 6}}, /* the last vector is half a one */
};

static bool plan(const struct reg_shape *shape, struct reg_plan *plan, struct error *error)
{
    int64_t rows = shape->dim[0], n = shape->dim[1];
    if (rows < 1 || n < 1 || n > INT32_MAX - DS4_ELEMENTS_OF_ROUND)
        return error_set(error, STATUS_USAGE, "rms_norm_rows takes at least one row and column, not %lld x %lld",
                         (long long)rows, (long long)n);
    *plan = (struct reg_plan){
        .n_tensors = 3,
        .tensor = {[X] = {"x", FORMAT_F32, REG_INPUT, rows, n},
                   [WEIGHT] = {"weight", FORMAT_F32, REG_INPUT, 1, n},
                   [OUT] = {"out", FORMAT_F32, REG_OUTPUT, rows, n}},
        .n_args = 5,
        .arg = {ds4_tensor_arg(X), ds4_tensor_arg(WEIGHT), ds4_tensor_arg(OUT), ds4_eps_arg(), ds4_int_arg(n)},
        .grid = {(uint32_t)rows, 1, 1},
        .block = {DS4_THREADS, 1, 1},
    };
    return true;
}

static struct ds4_rms_norm problem(const struct reg_case *c)
{
    return (struct ds4_rms_norm){c->plan->tensor[X].rows, c->plan->tensor[X].columns, DS4_EPS, c->data[X], c->data[WEIGHT]};
}

static void fill(const struct reg_case *c, int tensor, void *data)
{
    const struct reg_tensor *t = &c->plan->tensor[tensor];
    if (tensor == X && c->pattern == REG_PATTERN_EDGES)
        ds4_fill_edges(c, tensor, data);
    else if (tensor == X && c->pattern == REG_PATTERN_EXACT)
        for (int64_t row = 0; row < t->rows; row++)
            ds4_exact_row(reg_key(c, X), row, t->columns, (float *)data + row * t->columns);
    else if (c->pattern == REG_PATTERN_EDGES)
        for (int64_t i = 0; i < t->columns; i++)
            ((float *)data)[i] = (float)(2 * random_unit(reg_key(c, tensor), (uint64_t)i) - 1);
    else
        reg_fill(c, tensor, data);
}

FORWARD_OUTPUTS(ds4_rms_norm)
FORWARD_DEPTH(ds4_rms_norm)
FORWARD_AUDIT(ds4_rms_norm, n)

/* A row of 1025 begins on any element of four in the launch of all, and on a first one alone. */
static const struct reg_window windows[] = {{0, 1}, {8, 1}, {3, 2}, {1, 7}, {0, 9}};

#define RELATION(...)                                                                                                      \
    {                                                                                                                      \
        __VA_ARGS__, .shape = {.label = "5x1026", .dim = {5, 1026}, .quick = true}, .fill = reg_fill_scalable              \
    }

static const struct reg_bytes byte_contracts[] = {
    {.name = "rows",
     .what = "a row's bytes do not depend on the rows beside it",
     .shape = {.label = "9x1025", .dim = {9, 1025}, .quick = true},
     .pattern = REG_PATTERN_SIGNED,
     .windows = windows,
     .n_windows = sizeof windows / sizeof windows[0],
     .row_dim = 0,
     .row_tensors = 1u << X | 1u << OUT},
    RELATION(SCALE("weight", 1u << WEIGHT, 1u << OUT, 1u << X | 1u << WEIGHT, DS4_BESIDE_NORM)),
    RELATION(PERMUTE("rows", 0, .row_tensors = 1u << X | 1u << OUT)),
};

static const struct registration rms_norm_rows = {
    .name = "rms_norm_rows",
    .family = "ds4",
    .source = DS4_SOURCE,
    .symbol = "rms_norm_rows",
    REG_SHAPES(shapes),
    .patterns = 1u << REG_PATTERN_EDGES,
    .plan = plan,
    .fill = fill,
    FORWARDED,
    .depth = depth,
    REG_BYTES(byte_contracts),
};
REG_KERNEL(&rms_norm_rows);
