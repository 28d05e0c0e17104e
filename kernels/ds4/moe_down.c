/* moe_down_sum6 and _q2k. Dimensions of a shape: tokens, experts, rows of a matrix, N. */
#include "kernels/ds4/moe.h"

#include <math.h>
#include <string.h>

#include "kernels/forward.h"
#include "kernels/relations.h"

enum { MID_ROWS, SELECTED, WEIGHT, DOWN_WEIGHTS, OUT }; /* tensors */

static const struct reg_shape shapes[] = {
    {.label = "1x8x777x64", .dim = {1, 8, 777, 64}},
    {.label = "1x6x33x704", .dim = {1, 6, 33, 704}, .quick = true}, /* 22 blocks; one row past a block of 32 */
    {.label = "2x7x17x100", .dim = {2, 7, 17, 100}},
    {.label = "3x9x31x33", .dim = {3, 9, 31, 33}, .quick = true}, /* one weight in the last block */
    {.label = "1x6x3x34", .dim = {1, 6, 3, 34}},                  /* two */
    {.label = "1x6x2x39", .dim = {1, 6, 2, 39}},                  /* a vector and three */
    {.label = "1x8x4096x2048", .dim = {1, 8, 4096, 2048}, .heavy = true},
};

static const struct reg_shape shapes_q2k[] = {
    {.label = "1x8x777x256", .dim = {1, 8, 777, 256}},
    {.label = "2x6x17x512", .dim = {2, 6, 17, 512}, .quick = true},
    {.label = "3x9x31x768", .dim = {3, 9, 31, 768}},
    {.label = "1x8x4096x2048", .dim = {1, 8, 4096, 2048}, .heavy = true},
};

static bool plan(const struct reg_shape *shape, const struct ds4_moe_variant *variant, struct reg_plan *plan,
                 struct error *error)
{
    const struct ds4_format *format = variant->format;
    int64_t tokens = shape->dim[0], experts = shape->dim[1], out_dim = shape->dim[2], n = shape->dim[3];
    int64_t words = ds4_row_words(format, n), rows_of_block = DS4_THREADS / variant->lanes;
    if (tokens < 1 || tokens > 65535 || experts < DS4_SUMMED_EXPERTS || out_dim < 1 || n < 1 ||
        out_dim > INT32_MAX - rows_of_block || n > INT32_MAX - DS4_THREADS)
        return error_set(error, STATUS_USAGE,
                         "moe_down_sum6 takes 1 to 65535 tokens, six experts at least, and a weight, not %lld tokens, %lld "
                         "experts and %lld x %lld weights",
                         (long long)tokens, (long long)experts, (long long)out_dim, (long long)n);
    if (!ds4_rows_fit(format, n, error))
        return false;
    *plan = (struct reg_plan){
        .n_tensors = 5,
        .tensor = {[MID_ROWS] = {"mid", FORMAT_F32, REG_INPUT, tokens * DS4_SUMMED_EXPERTS, n},
                   [SELECTED] = {"selected", FORMAT_I32, REG_INPUT, tokens, DS4_SUMMED_EXPERTS},
                   [WEIGHT] = {"weight", FORMAT_F32, REG_INPUT, tokens, DS4_SUMMED_EXPERTS},
                   [DOWN_WEIGHTS] = {"down_weights", FORMAT_U16, REG_INPUT, experts * out_dim, words},
                   [OUT] = {"out", FORMAT_F32, REG_OUTPUT, tokens, out_dim}},
        .n_args = 7,
        .arg = {ds4_tensor_arg(MID_ROWS), ds4_tensor_arg(SELECTED), ds4_tensor_arg(WEIGHT), ds4_tensor_arg(DOWN_WEIGHTS),
                ds4_tensor_arg(OUT), ds4_int_arg(out_dim), ds4_int_arg(n)},
        .grid = {(uint32_t)((out_dim + rows_of_block - 1) / rows_of_block), (uint32_t)tokens, 1},
        .block = {DS4_THREADS, 1, 1},
    };
    return true;
}

static struct ds4_down problem(const struct reg_case *c)
{
    const struct ds4_moe_variant *variant = c->registration->variant;
    const struct reg_plan *p = c->plan;
    return (struct ds4_down){.tokens = p->tensor[OUT].rows,
                             .out_dim = p->tensor[OUT].columns,
                             .n = p->tensor[MID_ROWS].columns,
                             .format = variant->format,
                             .lanes = variant->lanes,
                             .mid = c->data[MID_ROWS],
                             .selected = c->data[SELECTED],
                             .weight = c->data[WEIGHT],
                             .down = c->data[DOWN_WEIGHTS],
                             .n_threads = c->n_threads};
}

/* Exact: -2, -1, 1 or 2, and weights of 1 and -1. Classes: finite, */
static double activation(const struct reg_case *c, struct random_key key, uint64_t i)
{
    static const double integers[] = {-2, -1, 1, 2};
    return c->pattern == REG_PATTERN_EXACT ? integers[random_below(key, i, 4)] : 2 * random_unit(key, i) - 1;
}

/* but for one element of every other token. */
static void plant_classes(const struct reg_case *c, struct random_key key, float *mid)
{
    static const float kinds[] = {NAN, INFINITY, -INFINITY, 0x1.fffffep127f};
    int64_t tokens = c->plan->tensor[OUT].rows, of_token = DS4_SUMMED_EXPERTS * c->plan->tensor[MID_ROWS].columns;
    for (int64_t token = 1; token < tokens; token += 2)
        mid[token * of_token + random_below(key, (uint64_t)token, (uint32_t)of_token)] =
            kinds[random_bits(key, (uint64_t)token) % 4];
}

static void fill_mid(const struct reg_case *c, float *mid)
{
    const struct reg_tensor *t = &c->plan->tensor[MID_ROWS];
    struct random_key key = reg_key(c, MID_ROWS);
    if (c->pattern != REG_PATTERN_EXACT && c->pattern != REG_PATTERN_CLASSES) {
        ds4_fill_x(c, MID_ROWS, mid);
        return;
    }
    for (int64_t i = 0; i < t->rows * t->columns; i++)
        mid[i] = (float)activation(c, key, (uint64_t)i);
    if (c->pattern == REG_PATTERN_CLASSES)
        plant_classes(c, key, mid);
}

/* What a router gives: below 1, and finite. */
static void fill_weight(const struct reg_case *c, float *weight)
{
    const struct reg_tensor *t = &c->plan->tensor[WEIGHT];
    for (int64_t i = 0; i < t->rows * t->columns; i++) {
        double unit = random_unit(reg_key(c, WEIGHT), (uint64_t)i);
        weight[i] = (float)(c->pattern == REG_PATTERN_EXACT ? (unit < 0.5 ? -1 : 1) : 0.0625 + unit / 2);
    }
}

static void fill(const struct reg_case *c, int tensor, void *data)
{
    const struct ds4_moe_variant *variant = c->registration->variant;
    if (tensor == MID_ROWS)
        fill_mid(c, data);
    else if (tensor == SELECTED)
        ds4_fill_selected(c, tensor, c->plan->tensor[DOWN_WEIGHTS].rows / c->plan->tensor[OUT].columns, data);
    else if (tensor == WEIGHT)
        fill_weight(c, data);
    else if (variant->format == &ds4_q2_k)
        ds4_fill_q2_k(c, tensor, data);
    else
        ds4_fill_q8_0(c, tensor, data);
}

FORWARD_OUTPUTS(ds4_down)
FORWARD_DEPTH(ds4_down)
FORWARD_AUDIT(ds4_down, out_dim)

/* Blocks and experts as in every case. */
static void fill_scalable(const struct reg_case *c, int tensor, void *data)
{
    (format_facts(c->plan->tensor[tensor].format)->is_float ? reg_fill_scalable : fill)(c, tensor, data);
}

#define RELATION(...)                                                                                                      \
    {                                                                                                                      \
        __VA_ARGS__, .shape = {.label = "5x7x33x256", .dim = {5, 7, 33, 256}, .quick = true}, .fill = fill_scalable        \
    }

static const struct reg_bytes bytes[] = {
    RELATION(SCALE("mid", 1u << MID_ROWS, 1u << OUT, 1u << MID_ROWS | 1u << WEIGHT, BESIDE_BLOCKS)),
    RELATION(SCALE("weight", 1u << WEIGHT, 1u << OUT, 1u << MID_ROWS | 1u << WEIGHT, BESIDE_BLOCKS)),
    RELATION(PERMUTE("tokens", 0, .row_tensors = 1u << MID_ROWS | 1u << SELECTED | 1u << WEIGHT | 1u << OUT)),
    RELATION(PAD("columns", .shape = {.label = "5x7x33x768", .dim = {5, 7, 33, 768}})),
};

#define DOWN(suffix, of_format, n_lanes, of_shapes, ...)                                                                   \
    static const struct ds4_moe_variant variant_of_down##suffix = {&(of_format), n_lanes};                                 \
    static bool plan_of_down##suffix(const struct reg_shape *shape, struct reg_plan *out, struct error *error)             \
    {                                                                                                                      \
        return plan(shape, &variant_of_down##suffix, out, error);                                                          \
    }                                                                                                                      \
    static const struct registration down##suffix = {.name = "moe_down_sum6" #suffix,                                      \
                                                     .family = "ds4",                                                      \
                                                     .source = "kernels/ds4/moe_down" #suffix ".hip",                      \
                                                     .symbol = "moe_down_sum6" #suffix,                                    \
                                                     REG_SHAPES(of_shapes),                                                \
                                                     .patterns = 1u << REG_PATTERN_EDGES,                                  \
                                                     .variant = &variant_of_down##suffix,                                  \
                                                     .plan = plan_of_down##suffix,                                         \
                                                     .fill = fill,                                                         \
                                                     FORWARDED,                                                            \
                                                     .depth = depth,                                                       \
                                                     REG_BYTES(bytes),                                                     \
                                                     __VA_ARGS__};                                                         \
    REG_KERNEL(&down##suffix)

DOWN(, ds4_q8_0, 8, shapes, );
DOWN(_q2k, ds4_q2_k, 16, shapes_q2k, .blind_teeth = "drop_tail", .blind_reason = DS4_WHOLE_BLOCKS);
