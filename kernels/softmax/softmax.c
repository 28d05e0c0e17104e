/* softmax_rows. Dimensions of a shape: rows, n. */
#include <math.h>

#include "contract/registry.h"
#include "kernels/forward.h"
#include "kernels/relations.h"
#include "reference/softmax.h"

enum { X, OUT };                /* tensors */
enum { LANES = SOFTMAX_LANES }; /* threads of a block, one block a row */
enum { ELEMENTS_OF_ROUND = 4 * LANES };

static const struct reg_shape shapes[] = {
    {.label = "1x1", .dim = {1, 1}},       {.label = "2x33", .dim = {2, 33}, .quick = true},
    {.label = "3x1023", .dim = {3, 1023}}, {.label = "4x1024", .dim = {4, 1024}},
    {.label = "2x1025", .dim = {2, 1025}}, /* one element past a round of the block */
    {.label = "64x257", .dim = {64, 257}}, {.label = "3x5000", .dim = {3, 5000}, .quick = true},
    {.label = "1x8193", .dim = {1, 8193}}, {.label = "1x6", .dim = {1, 6}}, /* the last vector is half a one */
};

static bool plan(const struct reg_shape *shape, struct reg_plan *plan, struct error *error)
{
    int64_t rows = shape->dim[0], n = shape->dim[1];
    if (rows < 1 || n < 1 || n > INT32_MAX - ELEMENTS_OF_ROUND)
        return error_set(error, STATUS_USAGE, "softmax_rows takes at least one row and column, not %lld x %lld",
                         (long long)rows, (long long)n);
    struct reg_arg x = {.kind = REG_ARG_TENSOR, .tensor = X}, out = {.kind = REG_ARG_TENSOR, .tensor = OUT};
    *plan = (struct reg_plan){
        .n_tensors = 2,
        .tensor = {[X] = {"x", FORMAT_F32, REG_INPUT, rows, n}, [OUT] = {"out", FORMAT_F32, REG_OUTPUT, rows, n}},
        .n_args = 3,
        .arg = {x, out, {.kind = REG_ARG_I32, .integer = n}},
        .grid = {(uint32_t)rows, 1, 1},
        .block = {LANES, 1, 1},
    };
    return true;
}

static struct softmax problem(const struct reg_case *c)
{
    return (struct softmax){c->plan->tensor[X].rows, c->plan->tensor[X].columns, c->data[X], c->n_threads};
}

/* Logits: of either sign up to 16, so that terms of a row differ by up to e^32. */
static void fill_logits(const struct reg_case *c, float *x)
{
    const struct reg_tensor *t = &c->plan->tensor[X];
    for (int64_t i = 0; i < t->rows * t->columns; i++)
        x[i] = (float)(32 * random_unit(reg_key(c, X), (uint64_t)i) - 16);
}

/* Five of eight elements are the row's largest, the others 256 below: their exp is 0 in f32. The first is always large. */
static void fill_exact(const struct reg_case *c, float *x)
{
    const struct reg_tensor *t = &c->plan->tensor[X];
    for (int64_t i = 0; i < t->rows * t->columns; i++) {
        bool large = i % t->columns == 0 || random_below(reg_key(c, X), (uint64_t)i, 8) < 5;
        x[i] = (float)(i / t->columns % 7) + (large ? 0.5f : 0.5f - 256.0f);
    }
}

static void fill(const struct reg_case *c, int tensor, void *data)
{
    if (c->pattern == REG_PATTERN_SIGNED)
        fill_logits(c, data);
    else if (c->pattern == REG_PATTERN_EXACT)
        fill_exact(c, data);
    else
        reg_fill(c, tensor, data);
}

FORWARD_OUTPUTS(softmax)
FORWARD_DEPTH(softmax)

static void audit(const struct reg_case *c, int tensor, int64_t element, struct audit *audit)
{
    (void)tensor;
    struct softmax p = problem(c);
    softmax_audit(&p, reg_key(c, X).value, element / p.n, element % p.n, audit);
}

/* It waits for memory: every place for a wave is wanted, 16 on RDNA and 8 on CDNA. */
static const struct reg_budget budgets[] = {{.no_scratch = true, .least_waves = 8},
                                            {.chips = "gfx1030,gfx1100,gfx1151,gfx1201", .least_waves = 16}};

#define RELATION(...)                                                                                                      \
    {                                                                                                                      \
        __VA_ARGS__, .shape = {.label = "5x1022", .dim = {5, 1022}, .quick = true }                                        \
    }

static const struct reg_bytes bytes[] = {
    RELATION(PERMUTE("rows", 0, .row_tensors = 1u << X | 1u << OUT)),
    RELATION(PAD("columns", .shape = {.label = "5x1500", .dim = {5, 1500}}, .number = -INFINITY)),
};

static const struct registration softmax_rows = {
    .name = "softmax_rows",
    .family = "softmax",
    .source = "kernels/softmax/softmax.hip",
    .symbol = "softmax_rows",
    REG_SHAPES(shapes),
    .patterns = 1u << REG_PATTERN_EDGES,
    .plan = plan,
    .fill = fill,
    FORWARDED,
    REG_BYTES(bytes),
    REG_BUDGETS(budgets),
    .depth = depth,
};
REG_KERNEL(&softmax_rows);
