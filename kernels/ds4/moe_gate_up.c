/* moe_gate_up_mid_g8, _g16 and _iq2. Dimensions of a shape: tokens, slots, experts, rows of a matrix, N. */
#include "kernels/ds4/moe.h"

#include <string.h>

#include "kernels/forward.h"
#include "kernels/relations.h"

enum { X, SELECTED, GATE_WEIGHTS, UP_WEIGHTS, MID }; /* tensors */

static const struct reg_shape shapes[] = {
    {.label = "1x6x8x33x64", .dim = {1, 6, 8, 33, 64}, .quick = true}, /* one row past a block of 32 */
    {.label = "1x6x6x16x704", .dim = {1, 6, 6, 16, 704}},              /* 22 blocks */
    {.label = "1x1x3x9x47", .dim = {1, 1, 3, 9, 47}},
    {.label = "2x3x5x17x100", .dim = {2, 3, 5, 17, 100}},
    {.label = "3x1x2x31x33", .dim = {3, 1, 2, 31, 33}, .quick = true}, /* one weight in the last block */
    {.label = "9x2x4x5x1027", .dim = {9, 2, 4, 5, 1027}},
    {.label = "1x1x2x3x38", .dim = {1, 1, 2, 3, 38}}, /* a vector and two weights in the last block */
    {.label = "1x6x8x512x4096", .dim = {1, 6, 8, 512, 4096}, .heavy = true},
};

static const struct reg_shape shapes_iq2[] = {
    {.label = "1x6x8x33x256", .dim = {1, 6, 8, 33, 256}, .quick = true},
    {.label = "2x3x5x17x512", .dim = {2, 3, 5, 17, 512}},
    {.label = "1x1x3x9x1024", .dim = {1, 1, 3, 9, 1024}},
    {.label = "9x2x4x5x768", .dim = {9, 2, 4, 5, 768}},
    {.label = "1x6x8x512x4096", .dim = {1, 6, 8, 512, 4096}, .heavy = true},
};

static bool plan(const struct reg_shape *shape, const struct ds4_moe_variant *variant, struct reg_plan *plan,
                 struct error *error)
{
    const struct ds4_format *format = variant->format;
    int64_t tokens = shape->dim[0], slots = shape->dim[1], experts = shape->dim[2], n_mid = shape->dim[3],
            n = shape->dim[4];
    int64_t words = ds4_row_words(format, n), rows_of_block = DS4_THREADS / variant->lanes;
    if (tokens < 1 || slots < 1 || slots > experts || tokens * slots > 65535 || n_mid < 1 || n < 1 ||
        n_mid > INT32_MAX - rows_of_block || n > INT32_MAX - DS4_THREADS)
        return error_set(error, STATUS_USAGE,
                         "moe_gate_up_mid takes 1 to 65535 tokens times slots, as many experts as slots at least, and a "
                         "weight, not %lld "
                         "tokens, %lld slots, %lld experts and %lld x %lld weights",
                         (long long)tokens, (long long)slots, (long long)experts, (long long)n_mid, (long long)n);
    if (!ds4_rows_fit(format, n, error))
        return false;
    *plan = (struct reg_plan){
        .n_tensors = 5,
        .tensor = {[X] = {"x", FORMAT_F32, REG_INPUT, tokens, n},
                   [SELECTED] = {"selected", FORMAT_I32, REG_INPUT, tokens, slots},
                   [GATE_WEIGHTS] = {"gate_weights", FORMAT_U16, REG_INPUT, experts * n_mid, words},
                   [UP_WEIGHTS] = {"up_weights", FORMAT_U16, REG_INPUT, experts * n_mid, words},
                   [MID] = {"mid", FORMAT_F32, REG_OUTPUT, tokens * slots, n_mid}},
        .n_args = 8,
        .arg = {ds4_tensor_arg(X), ds4_tensor_arg(SELECTED), ds4_tensor_arg(GATE_WEIGHTS), ds4_tensor_arg(UP_WEIGHTS),
                ds4_tensor_arg(MID), ds4_int_arg(slots), ds4_int_arg(n_mid), ds4_int_arg(n)},
        .grid = {(uint32_t)((n_mid + rows_of_block - 1) / rows_of_block), (uint32_t)(tokens * slots), 1},
        .block = {DS4_THREADS, 1, 1},
    };
    return true;
}

static struct ds4_gate_up problem(const struct reg_case *c)
{
    const struct ds4_moe_variant *variant = c->registration->variant;
    const struct reg_plan *p = c->plan;
    return (struct ds4_gate_up){.tokens = p->tensor[X].rows,
                                .slots = p->tensor[SELECTED].columns,
                                .mid = p->tensor[MID].columns,
                                .n = p->tensor[X].columns,
                                .format = variant->format,
                                .lanes = variant->lanes,
                                .x = c->data[X],
                                .selected = c->data[SELECTED],
                                .gate = c->data[GATE_WEIGHTS],
                                .up = c->data[UP_WEIGHTS],
                                .n_threads = c->n_threads};
}

/* Edges: sizes at which no product of gate and up overflows, down to the smallest. Exact: small and positive, so that gates
 * are large. */
static double activation(const struct reg_case *c, struct random_key key, uint64_t i)
{
    static const double edges[] = {0, 0x1p-149, 0x1p-126, 1, 0x1p20};
    if (c->pattern == REG_PATTERN_EXACT)
        return 1 + random_below(key, i, 4);
    double sign = random_bits(key, i) & 1 ? -1 : 1;
    return sign * edges[random_below(key, i, sizeof edges / sizeof edges[0])] * (1 + random_unit(key, i) / 2);
}

static void fill_x(const struct reg_case *c, float *x)
{
    const struct reg_tensor *t = &c->plan->tensor[X];
    if (c->pattern != REG_PATTERN_EXACT && c->pattern != REG_PATTERN_EDGES) {
        ds4_fill_x(c, X, x);
        return;
    }
    for (int64_t i = 0; i < t->rows * t->columns; i++)
        x[i] = (float)activation(c, reg_key(c, X), (uint64_t)i);
}

static void fill(const struct reg_case *c, int tensor, void *data)
{
    const struct ds4_moe_variant *variant = c->registration->variant;
    if (tensor == X)
        fill_x(c, data);
    else if (tensor == SELECTED)
        ds4_fill_selected(c, tensor, c->plan->tensor[GATE_WEIGHTS].rows / c->plan->tensor[MID].columns, data);
    else if (variant->format == &ds4_iq2_xxs)
        ds4_fill_iq2_xxs(c, tensor, tensor == GATE_WEIGHTS, data);
    else
        ds4_fill_q8_0(c, tensor, data);
}

FORWARD_OUTPUTS(ds4_gate_up)
FORWARD_DEPTH(ds4_gate_up)
FORWARD_AUDIT(ds4_gate_up, mid)

/* Blocks and experts as in every case. */
static void fill_scalable(const struct reg_case *c, int tensor, void *data)
{
    (format_facts(c->plan->tensor[tensor].format)->is_float ? reg_fill_scalable : fill)(c, tensor, data);
}

#define RELATION(...)                                                                                                      \
    {                                                                                                                      \
        __VA_ARGS__, .shape = {.label = "5x3x5x33x256", .dim = {5, 3, 5, 33, 256}, .quick = true}, .fill = fill_scalable   \
    }

static const struct reg_bytes bytes[] = {
    RELATION(PERMUTE("tokens", 0, .row_tensors = 1u << X | 1u << SELECTED | 1u << MID)),
    RELATION(PAD("columns", .shape = {.label = "5x3x5x33x768", .dim = {5, 3, 5, 33, 768}})),
};

#define GATE_UP(suffix, of_format, n_lanes, of_shapes, of_source, ...)                                                     \
    static const struct ds4_moe_variant variant_##suffix = {&(of_format), n_lanes};                                        \
    static bool plan_##suffix(const struct reg_shape *shape, struct reg_plan *out, struct error *error)                    \
    {                                                                                                                      \
        return plan(shape, &variant_##suffix, out, error);                                                                 \
    }                                                                                                                      \
    static const struct registration gate_up_##suffix = {.name = "moe_gate_up_mid_" #suffix,                               \
                                                         .family = "ds4",                                                  \
                                                         .source = "kernels/ds4/" of_source,                               \
                                                         .symbol = "moe_gate_up_mid_" #suffix,                             \
                                                         REG_SHAPES(of_shapes),                                            \
                                                         .patterns = 1u << REG_PATTERN_EDGES,                              \
                                                         .variant = &variant_##suffix,                                     \
                                                         .plan = plan_##suffix,                                            \
                                                         .fill = fill,                                                     \
                                                         FORWARDED,                                                        \
                                                         .depth = depth,                                                   \
                                                         REG_BYTES(bytes),                                                 \
                                                         __VA_ARGS__};                                                     \
    REG_KERNEL(&gate_up_##suffix)

GATE_UP(g8, ds4_q8_0, 8, shapes, "moe_gate_up.hip", );
GATE_UP(g16, ds4_q8_0, 16, shapes, "moe_gate_up.hip", .twin = "moe_gate_up_mid_g8");
GATE_UP(iq2, ds4_iq2_xxs, 8, shapes_iq2, "moe_gate_up_iq2.hip", .blind_teeth = "drop_tail",
        .blind_reason = DS4_WHOLE_BLOCKS);
