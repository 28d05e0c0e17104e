/* hgemm_reduce_fp32, _bf16. Dimensions of a shape: splits, rows, columns. */
#include "contract/registry.h"
#include "kernels/forward.h"
#include "kernels/hgemm/splitk.h"
#include "kernels/relations.h"
#include "reference/hgemm_reduce.h"

enum { PARTIAL, OUT }; /* tensors */

static const struct reg_shape shapes[] = {
    {.label = "1x1x33", .dim = {1, 1, 33}, .quick = true},
    {.label = "7x3x257", .dim = {7, 3, 257}, .quick = true}, /* no partial sums but the first start where a vector may */
    {.label = "2x5x1000", .dim = {2, 5, 1000}},
    {.label = "16x2x1024", .dim = {16, 2, 1024}, .quick = true},
    {.label = "32x3x342", .dim = {32, 3, 342}}, /* two elements past a block */
    {.label = "1x1x7", .dim = {1, 1, 7}},       /* the only partial sums end within a vector */
    {.label = "16x32x2560", .dim = {16, 32, 2560}, .heavy = true},
};

static bool plan(const struct reg_shape *shape, enum number_format format, struct reg_plan *plan, struct error *error)
{
    int64_t splits = shape->dim[0], rows = shape->dim[1], n = shape->dim[2];
    int64_t most = INT32_MAX - HGEMM_REDUCE_OF_BLOCK;
    if (splits < 1 || splits > INT32_MAX || rows < 1 || n < 1 || rows > most / n)
        return error_set(error, STATUS_USAGE,
                         "hgemm_reduce takes at least one split and 1 to %lld outputs, not %lld x %lld x %lld",
                         (long long)most, (long long)splits, (long long)rows, (long long)n);
    *plan = (struct reg_plan){
        .n_tensors = 2,
        .tensor = {[PARTIAL] = {"partial", FORMAT_F32, REG_INPUT, splits * rows, n},
                   [OUT] = {"out", format, REG_OUTPUT, rows, n}},
        .n_args = 4,
        .arg = {{.kind = REG_ARG_TENSOR, .tensor = PARTIAL},
                {.kind = REG_ARG_TENSOR, .tensor = OUT},
                {.kind = REG_ARG_I32, .integer = rows * n},
                {.kind = REG_ARG_I32, .integer = splits}},
        .grid = {(uint32_t)((rows * n - 1) / HGEMM_REDUCE_OF_BLOCK + 1), 1, 1},
        .block = {HGEMM_REDUCE_THREADS, 1, 1},
    };
    return true;
}

static struct hgemm_reduce problem(const struct reg_case *c)
{
    const struct reg_tensor *out = &c->plan->tensor[OUT];
    return (struct hgemm_reduce){.splits = c->shape->dim[0],
                                 .rows = out->rows,
                                 .n = out->columns,
                                 .partial = c->data[PARTIAL],
                                 .format = out->format};
}

/* Integers of either sign, as large as their sum may be: of 24 bits, or of 12, of which many lie half way between two
 * numbers of bf16. */
static float exact_partial(struct random_key key, uint64_t i, int64_t splits, bool few_bits)
{
    uint32_t most = (uint32_t)(((1 << (few_bits ? 12 : 24)) - 1) / splits);
    return (float)((int64_t)random_below(key, i, 2 * most + 1) - most);
}

/* Tiny in one output, huge in the next, and no overflow in 32 splits; float64 adds those of an output exactly. */
static float edge_partial(struct random_key key, uint64_t i, bool huge)
{
    static const float sizes[2][4] = {{0, 0x1p-149f, 0x1p-126f - 0x1p-149f, 0x1p-126f},
                                      {0, 0x1p100f, 0x1p121f, 0x1.fffffep121f}};
    float size = sizes[huge][random_below(key, i, 4)];
    return random_bits(key, i) & 1 ? -size : size;
}

static void fill(const struct reg_case *c, int tensor, void *data)
{
    int64_t splits = c->shape->dim[0], n_outputs = c->plan->tensor[OUT].rows * c->plan->tensor[OUT].columns;
    struct random_key key = reg_key(c, tensor);
    float *partial = data;
    if (c->pattern != REG_PATTERN_EXACT && c->pattern != REG_PATTERN_EDGES) {
        reg_fill(c, tensor, data);
        return;
    }
    for (int64_t i = 0; i < splits * n_outputs; i++)
        partial[i] = c->pattern == REG_PATTERN_EXACT ? exact_partial(key, (uint64_t)i, splits, i % n_outputs % 5 == 3)
                                                     : edge_partial(key, (uint64_t)i, i % n_outputs % 2);
}

static bool expect_order(const struct reg_case *c, int tensor, void *bytes)
{
    (void)tensor;
    struct hgemm_reduce p = problem(c);
    hgemm_reduce_bytes(&p, bytes);
    return true;
}

#define RELATION(...)                                                                                                      \
    {                                                                                                                      \
        __VA_ARGS__, .shape = {.label = "9x3x501", .dim = {9, 3, 501}, .quick = true}, .fill = reg_fill_scalable           \
    }

static const struct reg_bytes bytes[] = {{.name = "order",
                                          .what = "the splits are added in rising order, bit for bit",
                                          .shape = {.label = "9x3x501", .dim = {9, 3, 501}, .quick = true},
                                          .expect = expect_order},
                                         RELATION(SCALE("partial", 1u << PARTIAL, 1u << OUT, 1u << PARTIAL, )),
                                         RELATION(PERMUTE("columns", 2, .column_tensors = 1u << PARTIAL | 1u << OUT)),
                                         RELATION(PAD("splits", .shape = {.label = "12x3x501", .dim = {12, 3, 501}}))};

FORWARD_OUTPUTS(hgemm_reduce)
FORWARD_AUDIT(hgemm_reduce, n)
FORWARD_DEPTH(hgemm_reduce)

#define REDUCE(suffix, format)                                                                                             \
    static bool plan_##suffix(const struct reg_shape *shape, struct reg_plan *result, struct error *error)                 \
    {                                                                                                                      \
        return plan(shape, format, result, error);                                                                         \
    }                                                                                                                      \
    static const struct registration reduce_##suffix = {.name = "hgemm_reduce_" #suffix,                                   \
                                                        .family = "hgemm",                                                 \
                                                        .source = HGEMM_SPLITK_SOURCE,                                     \
                                                        .symbol = "hgemm_reduce_" #suffix,                                 \
                                                        REG_SHAPES(shapes),                                                \
                                                        .patterns = 1u << REG_PATTERN_EDGES,                               \
                                                        .plan = plan_##suffix,                                             \
                                                        .fill = fill,                                                      \
                                                        FORWARDED,                                                         \
                                                        .depth = depth,                                                    \
                                                        REG_BYTES(bytes)};                                                 \
    REG_KERNEL(&reduce_##suffix)

REDUCE(fp32, FORMAT_F32);
REDUCE(bf16, FORMAT_BF16);
