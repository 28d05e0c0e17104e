/* matmul_f16_ordered_t32, _t64. Dimensions of a shape: rows of x, rows of W, K. */
#include "kernels/ds4/ds4.h"
#include "kernels/forward.h"
#include "kernels/relations.h"
#include "reference/ds4_matmul.h"

enum { X, WEIGHTS, OUT };       /* tensors */
enum { STRANDS = 64, RUN = 8 }; /* as in the kernel */

static const struct reg_shape shapes[] = {
    {.label = "1x9x33", .dim = {1, 9, 33}, .quick = true},
    {.label = "2x15x1027", .dim = {2, 15, 1027}, .quick = true}, /* ragged, in a third round of the strands */
    {.label = "3x23x520", .dim = {3, 23, 520}},
    {.label = "7x3x511", .dim = {7, 3, 511}},
    {.label = "1x256x4096", .dim = {1, 256, 4096}},
    {.label = "1x3x14", .dim = {1, 3, 14}}, /* a run and six */
    {.label = "1x2x13", .dim = {1, 2, 13}}, /* and five */
};

static bool plan(const struct reg_shape *shape, uint32_t threads, struct reg_plan *plan, struct error *error)
{
    int64_t rows = shape->dim[0], n = shape->dim[1], k = shape->dim[2];
    if (rows < 1 || rows > 65535 || n < 1 || n > INT32_MAX || k < 1 || k > INT32_MAX - STRANDS * RUN)
        return error_set(error, STATUS_USAGE,
                         "matmul_f16_ordered takes 1 to 65535 rows of x and at least one weight, not %lld x %lld x %lld",
                         (long long)rows, (long long)n, (long long)k);
    *plan = (struct reg_plan){
        .n_tensors = 3,
        .tensor = {[X] = {"x", FORMAT_F32, REG_INPUT, rows, k},
                   [WEIGHTS] = {"weights", FORMAT_F16, REG_INPUT, n, k},
                   [OUT] = {"out", FORMAT_F32, REG_OUTPUT, rows, n}},
        .n_args = 5,
        .arg = {ds4_tensor_arg(X), ds4_tensor_arg(WEIGHTS), ds4_tensor_arg(OUT), ds4_int_arg(k), ds4_int_arg(n)},
        .grid = {(uint32_t)n, (uint32_t)rows, 1},
        .block = {threads, 1, 1},
    };
    return true;
}

static bool plan_t32(const struct reg_shape *shape, struct reg_plan *out, struct error *error)
{
    return plan(shape, 32, out, error);
}

static bool plan_t64(const struct reg_shape *shape, struct reg_plan *out, struct error *error)
{
    return plan(shape, 64, out, error);
}

static int64_t at_most(int64_t value, int64_t limit)
{
    return value < limit ? value : limit;
}

/* A strand chains its runs; strands that hold any term are then added in a chain. */
static struct ds4_matmul problem(const struct reg_case *c)
{
    int64_t k = c->plan->tensor[X].columns, runs = (k + RUN - 1) / RUN;
    return (struct ds4_matmul){.rows = c->plan->tensor[X].rows,
                               .n = c->plan->tensor[OUT].columns,
                               .k = k,
                               .x = c->data[X],
                               .weights = DS4_F16,
                               .w = c->data[WEIGHTS],
                               .run = RUN,
                               .n_groups = STRANDS,
                               .roundings_in_group = at_most(k, (runs + STRANDS - 1) / STRANDS * RUN),
                               .roundings = at_most(runs, STRANDS) - 1,
                               .n_threads = c->n_threads};
}

/* Exact: weights of 1 to 255 to integers of either sign, so that sums pass what f16 counts. */
static void fill(const struct reg_case *c, int tensor, void *data)
{
    const struct reg_tensor *t = &c->plan->tensor[tensor];
    if (tensor == X)
        ds4_fill_x(c, tensor, data);
    else if (c->pattern != REG_PATTERN_EXACT)
        reg_fill(c, tensor, data);
    else
        for (int64_t i = 0; i < t->rows * t->columns; i++)
            format_store(FORMAT_F16, data, i, 1 + random_below(reg_key(c, tensor), (uint64_t)i, 255));
}

static bool expect_order(const struct reg_case *c, int tensor, void *bytes)
{
    (void)tensor;
    struct ds4_matmul p = problem(c);
    return ds4_matmul_ordered_bytes(&p, bytes);
}

#define RELATION(...)                                                                                                      \
    {                                                                                                                      \
        __VA_ARGS__, .shape = {.label = "5x11x515", .dim = {5, 11, 515}, .quick = true}, .fill = reg_fill_scalable         \
    }

static const struct reg_bytes bytes[] = {
    {.name = "order",
     .what = "64 strands, then their sums in rising order, bit for bit",
     .shape = {.label = "2x33x1500", .dim = {2, 33, 1500}, .quick = true},
     .expect = expect_order},
    RELATION(SCALE("x", 1u << X, 1u << OUT, 1u << X | 1u << WEIGHTS, )),
    RELATION(SCALE("weights", 1u << WEIGHTS, 1u << OUT, 1u << X | 1u << WEIGHTS, )),
    RELATION(PERMUTE("rows", 0, .row_tensors = 1u << X | 1u << OUT)),
    RELATION(PERMUTE("weights", 1, .row_tensors = 1u << WEIGHTS, .column_tensors = 1u << OUT)),
    RELATION(PAD("columns", .shape = {.label = "5x11x600", .dim = {5, 11, 600}}))};

FORWARD_OUTPUTS(ds4_matmul)
FORWARD_DEPTH(ds4_matmul)
FORWARD_AUDIT(ds4_matmul, n)

#define ORDERED(threads)                                                                                                   \
    static const struct registration ordered_##threads = {                                                                 \
        .name = "matmul_f16_ordered_" #threads,                                                                            \
        .family = "ds4",                                                                                                   \
        .source = "kernels/ds4/f16_ordered.hip",                                                                           \
        .symbol = "matmul_f16_ordered_" #threads,                                                                          \
        REG_SHAPES(shapes),                                                                                                \
        .patterns = 1u << REG_PATTERN_EDGES,                                                                               \
        .plan = plan_##threads,                                                                                            \
        .fill = fill,                                                                                                      \
        FORWARDED,                                                                                                         \
        .depth = depth,                                                                                                    \
        REG_BYTES(bytes),                                                                                                  \
    };                                                                                                                     \
    REG_KERNEL(&ordered_##threads)

ORDERED(t32);
ORDERED(t64);
