/* matmul_q8_0_batch and its variants by matrix instructions. Dimensions of a shape: rows, k, n. */
#include "kernels/ds4/ds4.h"

#include <math.h>
#include <string.h>

#include "kernels/ds4/chips.h"
#include "kernels/forward.h"
#include "kernels/relations.h"
#include "reference/ds4_matmul.h"

enum { X, W, OUT }; /* tensors */
enum { TILE = 64, N_WAVES = 4, GRID_LARGEST = 65535 };
enum { EXPONENT = -6 }; /* exact scales are multiples of 2^-6 */

static const struct reg_shape shapes[] = {
    {.label = "1x40x33", .dim = {1, 40, 33}},
    {.label = "2x64x65", .dim = {2, 64, 65}, .quick = true},
    {.label = "3x96x777", .dim = {3, 96, 777}},
    {.label = "9x100x64", .dim = {9, 100, 64}, .quick = true},
    {.label = "15x256x48", .dim = {15, 256, 48}},
    {.label = "23x333x70", .dim = {23, 333, 70}}, /* no row of x starts where a vector may */
    {.label = "151x64x130", .dim = {151, 64, 130}},
    {.label = "65x39x66", .dim = {65, 39, 66}}, /* rows as there, and whole tiles of them */
    {.label = "64x54x3", .dim = {64, 54, 3}},   /* 22 weights in the last block */
    {.label = "64x4096x256", .dim = {64, 4096, 256}, .heavy = true},
};

static bool plan(const struct reg_shape *shape, uint32_t threads, struct reg_plan *plan, struct error *error)
{
    int64_t rows = shape->dim[0], k = shape->dim[1], n = shape->dim[2];
    if (rows < 1 || rows > (int64_t)GRID_LARGEST * TILE || k < 1 || k > INT32_MAX - TILE || n < 1 || n > INT32_MAX - TILE)
        return error_set(error, STATUS_USAGE, "matmul_q8_0_batch takes 1 to %d rows and at least one k and column",
                         GRID_LARGEST * TILE);
    *plan = (struct reg_plan){
        .n_tensors = 3,
        .tensor = {[X] = {"x", FORMAT_F32, REG_INPUT, rows, k},
                   [W] = {"w", FORMAT_U16, REG_INPUT, n, q8_0_blocks(k) * Q8_0_WORDS},
                   [OUT] = {"out", FORMAT_F32, REG_OUTPUT, rows, n}},
        .n_args = 6,
        .arg = {ds4_tensor_arg(X), ds4_tensor_arg(W), ds4_tensor_arg(OUT), ds4_int_arg(rows), ds4_int_arg(k),
                ds4_int_arg(n)},
        .grid = {(uint32_t)((n + TILE - 1) / TILE), (uint32_t)((rows + TILE - 1) / TILE), 1},
        .block = {threads, 1, 1},
    };
    return true;
}

/* Whether x is multiplied as it is or as halves, and by which steps. */
struct variant {
    enum number_format x_format;
    enum step_model step;
};

/* A group is a block: 32 products chained by the variant's steps, then one fma a block. */
static struct ds4_matmul problem(const struct reg_case *c)
{
    const struct reg_plan *p = c->plan;
    const struct variant *v = c->registration->variant;
    int64_t k = p->tensor[X].columns;
    return (struct ds4_matmul){.rows = p->tensor[X].rows,
                               .n = p->tensor[OUT].columns,
                               .k = k,
                               .x = c->data[X],
                               .weights = DS4_Q8_0,
                               .w = c->data[W],
                               .x_format = v->x_format,
                               .run = Q8_0_WEIGHTS,
                               .n_groups = q8_0_blocks(k),
                               .step = v->step,
                               .roundings_in_group = Q8_0_WEIGHTS,
                               .roundings = q8_0_blocks(k),
                               .exponent = EXPONENT,
                               .n_threads = c->n_threads};
}

/* Integers up to the largest that keeps a sum of k products with q <= 127 and scales <= 4 below 2^24; f16 holds them. */
static double exact_x(struct random_key key, uint64_t i, int64_t k)
{
    return 1 + random_below(key, i, (uint32_t)fmin(2048, ((1 << 24) - 1) / (127.0 * 4 * (double)k)));
}

/* What f16 holds, rounds, makes subnormal or loses; the last is beyond f16, and leaves no sum beyond f32. */
static double edge_x(struct random_key key, uint64_t i, enum number_format x_format)
{
    static const double edges[] = {0,       0x1.ffcp15, 0x1.ffdp15, 0x1p-14, 0x1p-14 - 0x1p-24, 0x1.8p-24, 0x1.000002p-25,
                                   0x1p-25, 0x1p-149,   1,          0x1p80};
    uint32_t n = sizeof edges / sizeof edges[0] - (x_format == FORMAT_F16);
    return (random_bits(key, i) & 1 ? -1 : 1) * edges[random_below(key, i, n)];
}

static void fill_x(const struct reg_case *c, float *x)
{
    struct random_key key = reg_key(c, X);
    int64_t k = c->plan->tensor[X].columns;
    const struct variant *variant = c->registration->variant;
    for (int64_t i = 0; i < c->plan->tensor[X].rows * k; i++)
        x[i] = (float)(c->pattern == REG_PATTERN_EXACT ? exact_x(key, (uint64_t)i, k)
                                                       : edge_x(key, (uint64_t)i, variant->x_format));
}

static void fill(const struct reg_case *c, int tensor, void *data)
{
    if (tensor == W)
        ds4_fill_q8_0(c, tensor, data);
    else if (c->pattern == REG_PATTERN_EXACT || c->pattern == REG_PATTERN_EDGES)
        fill_x(c, data);
    else
        reg_fill(c, tensor, data);
}

FORWARD_OUTPUTS(ds4_matmul)
FORWARD_DEPTH(ds4_matmul)
FORWARD_AUDIT(ds4_matmul, n)

/* Blocks as in every case. */
static void fill_scalable(const struct reg_case *c, int tensor, void *data)
{
    (format_facts(c->plan->tensor[tensor].format)->is_float ? reg_fill_scalable : fill)(c, tensor, data);
}

#define RELATION(...)                                                                                                      \
    {                                                                                                                      \
        __VA_ARGS__, .shape = {.label = "67x64x70", .dim = {67, 64, 70}, .quick = true}, .fill = fill_scalable             \
    }

/* Halves are what the variants by matrix instructions round x to; the other's x is in their range too. */
static const struct reg_bytes bytes[] = {
    RELATION(SCALE("x", 1u << X, 1u << OUT, 1u << X, .rounded = FORMAT_F16, BESIDE_BLOCKS)),
    RELATION(PERMUTE("rows", 0, .row_tensors = 1u << X | 1u << OUT)),
    RELATION(PERMUTE("weights", 2, .row_tensors = 1u << W, .column_tensors = 1u << OUT)),
    RELATION(PAD("k", .shape = {.label = "67x100x70", .dim = {67, 100, 70}})),
};

#define BATCH(suffix, threads, of_x, of_step, ...)                                                                         \
    static const struct variant variant_##suffix = {of_x, of_step};                                                        \
    static bool plan_##suffix(const struct reg_shape *shape, struct reg_plan *result, struct error *error)                 \
    {                                                                                                                      \
        return plan(shape, threads, result, error);                                                                        \
    }                                                                                                                      \
    static const struct registration matmul_##suffix = {.name = "matmul_" #suffix,                                         \
                                                        .family = "ds4",                                                   \
                                                        .source = "kernels/ds4/" #suffix ".hip",                           \
                                                        .symbol = "matmul_" #suffix,                                       \
                                                        REG_SHAPES(shapes),                                                \
                                                        .patterns = 1u << REG_PATTERN_EDGES,                               \
                                                        .variant = &variant_##suffix,                                      \
                                                        .plan = plan_##suffix,                                             \
                                                        .fill = fill,                                                      \
                                                        FORWARDED,                                                         \
                                                        .depth = depth,                                                    \
                                                        REG_BYTES(bytes),                                                  \
                                                        __VA_ARGS__};                                                      \
    REG_KERNEL(&matmul_##suffix)

BATCH(q8_0_batch, 256, FORMAT_F32, STEP_FMA_F32, );
BATCH(q8_0_batch_wmma, N_WAVES * 32, FORMAT_F16, STEP_WMMA_ANY, .twin = "matmul_q8_0_batch", .exact_needs_one_sign = true,
      .chips = DS4_WMMA_CHIPS, .wave_size = 32);
BATCH(q8_0_batch_mfma, N_WAVES * 64, FORMAT_F16, STEP_MFMA_ANY, .twin = "matmul_q8_0_batch", .chips = DS4_CDNA_CHIPS,
      .wave_size = 64);
