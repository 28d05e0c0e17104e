/* tf_exl3_rot_in: rows times suh, rotated in groups of 128, scaled, as f16. Dimensions of a shape: rows, K. */
#include "kernels/forward.h"
#include "kernels/exl3/exl3.h"
#include "kernels/relations.h"

#include <math.h>

enum { X, SUH, OUT };                     /* tensors */
enum { GROUPS_OF_BLOCK = 4, LANES = 32 }; /* a block is 128 threads */

static const struct reg_shape shapes[] = {
    {.label = "1x128", .dim = {1, 128}, .quick = true},
    {.label = "1x512", .dim = {1, 512}},
    {.label = "2x640", .dim = {2, 640}, .quick = true}, /* one group past a block */
    {.label = "3x384", .dim = {3, 384}},
    {.label = "16x5120", .dim = {16, 5120}},
    {.label = "17x256", .dim = {17, 256}},
    {.label = "64x512", .dim = {64, 512}, .quick = true},
};

static bool plan(const struct reg_shape *shape, enum number_format x_format, struct reg_plan *plan, struct error *error)
{
    int64_t rows = shape->dim[0], k = shape->dim[1], groups = k / EXL3_GROUP;
    if (rows < 1 || rows > 65535 || k < EXL3_GROUP || k % EXL3_GROUP != 0)
        return error_set(error, STATUS_USAGE, "rot_in takes 1 to 65535 rows and K a multiple of 128, not %lld x %lld",
                         (long long)rows, (long long)k);
    *plan = (struct reg_plan){
        .n_tensors = 3,
        .tensor = {[X] = {"x", x_format, REG_INPUT, rows, k},
                   [SUH] = {"suh", FORMAT_F16, REG_INPUT, 1, k},
                   [OUT] = {"out", FORMAT_F16, REG_OUTPUT, rows, k}},
        .n_args = 5,
        .arg = {exl3_tensor_arg(X), exl3_tensor_arg(SUH), exl3_tensor_arg(OUT), exl3_scale_arg(), exl3_int_arg(k)},
        .grid = {(uint32_t)((groups + GROUPS_OF_BLOCK - 1) / GROUPS_OF_BLOCK), (uint32_t)rows, 1},
        .block = {GROUPS_OF_BLOCK * LANES, 1, 1},
    };
    return true;
}

static bool plan_f32(const struct reg_shape *shape, struct reg_plan *out, struct error *error)
{
    return plan(shape, FORMAT_F32, out, error);
}

static bool plan_f16(const struct reg_shape *shape, struct reg_plan *out, struct error *error)
{
    return plan(shape, FORMAT_F16, out, error);
}

static bool plan_bf16(const struct reg_shape *shape, struct reg_plan *out, struct error *error)
{
    return plan(shape, FORMAT_BF16, out, error);
}

static struct exl3_rot_in problem(const struct reg_case *c)
{
    return (struct exl3_rot_in){.rows = c->plan->tensor[X].rows,
                                .k = c->plan->tensor[X].columns,
                                .x_format = c->plan->tensor[X].format,
                                .scale = EXL3_SCALE,
                                .x = c->data[X],
                                .suh = c->data[SUH],
                                .n_threads = c->n_threads};
}

/* Integers of 11 bits and either sign. */
static void fill_exact_suh(const struct reg_case *c, uint16_t *suh)
{
    struct random_key key = reg_key(c, SUH);
    for (int64_t i = 0; i < c->plan->tensor[SUH].columns; i++) {
        double magnitude = 1024 + random_below(key, (uint64_t)i, 1024);
        format_store(FORMAT_F16, suh, i, random_bits(key, (uint64_t)i) >> 63 ? -magnitude : magnitude);
    }
}

/* Whether h * scale rounds to another f16 in two steps, by way of f32, than in one. */
static bool rounds_twice_differently(double h)
{
    double exact = h * EXL3_SCALE;
    return format_round(FORMAT_F16, format_round(FORMAT_F32, exact)) != format_round(FORMAT_F16, exact);
}

/* A group with one element that is not 0: its product with suh is an integer for which the number of roundings matters,
 * where one is found. */
static void fill_exact_spike(const struct reg_case *c, void *x, int64_t row, int64_t first, struct random_key key)
{
    const struct reg_tensor *tensor = &c->plan->tensor[X];
    enum { FACTORS = 256 };
    uint64_t at = (uint64_t)(row * tensor->columns + first);
    uint32_t start = random_below(key, at, EXL3_GROUP * FACTORS), place = start;
    for (uint32_t i = 0; i < EXL3_GROUP * FACTORS; i++) {
        uint32_t candidate = (start + i) % (EXL3_GROUP * FACTORS);
        double suh = format_load(FORMAT_F16, c->data[SUH], first + candidate / FACTORS);
        if (!rounds_twice_differently(suh * (candidate % FACTORS + 1)))
            continue;
        place = candidate;
        break;
    }
    for (int i = 0; i < EXL3_GROUP; i++)
        format_store(tensor->format, x, (int64_t)at + i, i == (int)(place / FACTORS) ? place % FACTORS + 1 : 0);
}

/* Small integers, none 0, so that no sum of zeros of unclear sign arises. */
static void fill_exact_dense(const struct reg_case *c, void *x, int64_t row, int64_t first, struct random_key key)
{
    const struct reg_tensor *tensor = &c->plan->tensor[X];
    for (int64_t i = row * tensor->columns + first, end = i + EXL3_GROUP; i < end; i++) {
        double magnitude = 1 + random_below(key, (uint64_t)i, 8);
        format_store(tensor->format, x, i, random_bits(key, (uint64_t)i) >> 63 ? -magnitude : magnitude);
    }
}

static void fill_exact_x(const struct reg_case *c, void *x)
{
    const struct reg_tensor *tensor = &c->plan->tensor[X];
    struct random_key key = reg_key(c, X);
    for (int64_t row = 0; row < tensor->rows; row++)
        for (int64_t first = 0; first < tensor->columns; first += EXL3_GROUP)
            if ((row + first / EXL3_GROUP) % 2)
                fill_exact_spike(c, x, row, first, key);
            else
                fill_exact_dense(c, x, row, first, key);
}

/* The edges of f16, which the result is stored in, and of x's own format towards zero; nothing that overflows f32. */
static void fill_edges_x(const struct reg_case *c, void *x)
{
    const struct reg_tensor *tensor = &c->plan->tensor[X];
    const struct format_facts *own = format_facts(tensor->format), *f16 = format_facts(FORMAT_F16);
    struct random_key key = reg_key(c, X);
    double edges[] = {0,       2 * own->half_subnormal, ldexp(1, own->exponent_min), 2 * f16->half_subnormal,
                      0x1p-14, f16->largest / 4};
    enum { N_EDGES = sizeof edges / sizeof edges[0] };
    for (int64_t i = 0; i < tensor->rows * tensor->columns; i++) {
        uint32_t which = random_below(key, (uint64_t)i, 2 * N_EDGES);
        double value = which < N_EDGES ? edges[which] : random_unit(key, (uint64_t)i);
        format_store(tensor->format, x, i, random_bits(key, (uint64_t)i) & 1 ? -value : value);
    }
}

/* Finite but for one NaN in the last of several groups: it reaches every row there, and none elsewhere. */
static void fill_classes_suh(const struct reg_case *c, void *suh)
{
    int64_t k = c->plan->tensor[SUH].columns;
    struct random_key key = reg_key(c, SUH);
    for (int64_t i = 0; i < k; i++)
        format_store(FORMAT_F16, suh, i, 2 * random_unit(key, (uint64_t)i) - 1);
    if (k > 2 * EXL3_GROUP)
        format_store(FORMAT_F16, suh, k - 1 - random_below(key, (uint64_t)k, EXL3_GROUP), NAN);
}

static void fill(const struct reg_case *c, int tensor, void *data)
{
    if (c->pattern == REG_PATTERN_CLASSES && tensor == SUH)
        fill_classes_suh(c, data);
    else if (c->pattern == REG_PATTERN_EDGES && tensor == X)
        fill_edges_x(c, data);
    else if (c->pattern != REG_PATTERN_EXACT)
        reg_fill(c, tensor, data);
    else if (tensor == SUH)
        fill_exact_suh(c, data);
    else
        fill_exact_x(c, data);
}

/* Rows of twelve scales. */
static void fill_scales(const struct reg_case *c, int tensor, void *data)
{
    const struct reg_tensor *t = &c->plan->tensor[tensor];
    struct random_key key = reg_key(c, tensor);
    for (int64_t i = 0; i < t->rows * t->columns; i++)
        format_store(t->format, data, i, ldexp(2 * random_unit(key, (uint64_t)i) - 1, (int)(i / t->columns % 12) - 6));
}

static bool expect_steps(const struct reg_case *c, int tensor, void *bytes)
{
    (void)tensor;
    struct exl3_rot_in p = problem(c);
    exl3_rot_in_bytes(&p, bytes);
    return true;
}

#define RELATION(...)                                                                                                      \
    {                                                                                                                      \
        __VA_ARGS__, .shape = {.label = "5x640", .dim = {5, 640}, .quick = true}, .fill = reg_fill_scalable                \
    }

#define BESIDE .beside_unit = EXL3_SCALE_UNIT

/* 130,048 values in each of the three formats of x. */
static const struct reg_bytes bytes[] = {
    {.name = "roundings",
     .what = "f32 steps, then two roundings, bit for bit",
     .shape = {.label = "254x512", .dim = {254, 512}, .quick = true},
     .fill = fill_scales,
     .expect = expect_steps},
    RELATION(SCALE("x", 1u << X, 1u << OUT, 1u << X | 1u << SUH, BESIDE)),
    RELATION(SCALE("suh", 1u << SUH, 1u << OUT, 1u << X | 1u << SUH, BESIDE)),
    RELATION(PERMUTE("rows", 0, .row_tensors = 1u << X | 1u << OUT)),
    RELATION(PERMUTE("groups", 1, .group = EXL3_GROUP, .column_tensors = 1u << X | 1u << SUH | 1u << OUT))};

FORWARD_OUTPUTS(exl3_rot_in)
FORWARD_DEPTH(exl3_rot_in)
FORWARD_AUDIT(exl3_rot_in, k)

#define ROT_IN(variable, kernel, plan_of_format)                                                                           \
    static const struct registration variable = {                                                                          \
        .name = #kernel,                                                                                                   \
        .family = "exl3",                                                                                                  \
        .source = "kernels/exl3/rot_in.hip",                                                                               \
        .symbol = #kernel,                                                                                                 \
        REG_SHAPES(shapes),                                                                                                \
        .shape_note = EXL3_SHAPE_NOTE,                                                                                     \
        .patterns = 1u << REG_PATTERN_EDGES,                                                                               \
        .plan = plan_of_format,                                                                                            \
        .fill = fill,                                                                                                      \
        .weights = &exl3_rot_in_weights,                                                                                   \
        FORWARDED,                                                                                                         \
        .depth = depth,                                                                                                    \
        .blind_teeth = "drop_tail",                                                                                        \
        .blind_reason = "a group has 128 terms, a multiple of every tile: there is no tail to drop",                       \
        REG_BYTES(bytes),                                                                                                  \
    };                                                                                                                     \
    REG_KERNEL(&variable)

ROT_IN(rot_in_f32, tf_exl3_rot_in, plan_f32);
ROT_IN(rot_in_f16, tf_exl3_rot_in_f16, plan_f16);
ROT_IN(rot_in_bf16, tf_exl3_rot_in_bf16, plan_bf16);
