/* moe_combine_gate, bare and through its launcher (moe_combine_staged). Dimensions of a shape: tokens, experts, dim. */
#include "kernels/ds4/combine_case.h"
#include "kernels/ds4/ds4.h"
#include "kernels/forward.h"
#include "kernels/relations.h"

enum { GATE, Y, OUT }; /* tensors */

static const struct reg_shape shapes[] = {
    {.label = "1x6x4096", .dim = {1, 6, 4096}, .quick = true},
    {.label = "2x8x1025", .dim = {2, 8, 1025}, .quick = true}, /* one element past a block */
    {.label = "3x1x33", .dim = {3, 1, 33}},
    {.label = DS4_COMBINE_DEVICES_SHAPE, .dim = {7, 6, 1023}},
    {.label = "64x2x64", .dim = {64, 2, 64}},
    {.label = "5x32x7168", .dim = {5, 32, 7168}},
    {.label = "1x3x6", .dim = {1, 3, 6}}, /* the last vector is half a one */
};

static bool plan(const struct reg_shape *shape, struct reg_plan *plan, struct error *error)
{
    int64_t tokens = shape->dim[0], experts = shape->dim[1], dim = shape->dim[2];
    if (tokens < 1 || tokens > 65535 || experts < 1 || dim < 1)
        return error_set(error, STATUS_USAGE,
                         "moe_combine_gate takes 1 to 65535 tokens and at least one expert and column");
    *plan = (struct reg_plan){
        .n_tensors = 3,
        .tensor = {[GATE] = {"gate", FORMAT_F32, REG_INPUT, tokens, experts},
                   [Y] = {"y", FORMAT_F32, REG_INPUT, tokens, experts * dim},
                   [OUT] = {"out", FORMAT_F32, REG_OUTPUT, tokens, dim}},
        .n_args = 5,
        .arg = {ds4_tensor_arg(GATE), ds4_tensor_arg(Y), ds4_tensor_arg(OUT), ds4_int_arg(experts), ds4_int_arg(dim)},
        .grid = {(uint32_t)((dim + DS4_ELEMENTS_OF_ROUND - 1) / DS4_ELEMENTS_OF_ROUND), (uint32_t)tokens, 1},
        .block = {DS4_THREADS, 1, 1},
    };
    return true;
}

static struct ds4_moe problem(const struct reg_case *c)
{
    const struct reg_plan *p = c->plan;
    return (struct ds4_moe){p->tensor[GATE].rows, p->tensor[GATE].columns, p->tensor[OUT].columns, c->data[GATE],
                            c->data[Y]};
}

/* y at the edges: as large as no sum of products with gates below 1 overflows, and down to the smallest. */
static double edge(struct random_key key, uint64_t i)
{
    static const double sizes[] = {0, 0x1p-149, 0x1p-126 - 0x1p-149, 0x1p-126, 1, 0x1.fffffep121};
    return (random_bits(key, i) & 1 ? -1 : 1) * sizes[random_below(key, i, sizeof sizes / sizeof sizes[0])];
}

/* Exact: integers of either sign below 700, so that 32 products stay below 2^24. */
static void fill(const struct reg_case *c, int tensor, void *data)
{
    const struct reg_tensor *t = &c->plan->tensor[tensor];
    struct random_key key = reg_key(c, tensor);
    float *out = data;
    if (c->pattern != REG_PATTERN_EXACT && c->pattern != REG_PATTERN_EDGES) {
        reg_fill(c, tensor, data);
        return;
    }
    for (int64_t i = 0; i < t->rows * t->columns; i++)
        if (c->pattern == REG_PATTERN_EXACT)
            out[i] = (float)random_below(key, (uint64_t)i, 1399) - 699;
        else
            out[i] = (float)(tensor == Y ? edge(key, (uint64_t)i) : 2 * random_unit(key, (uint64_t)i) - 1);
}

FORWARD_OUTPUTS(ds4_moe)
FORWARD_DEPTH(ds4_moe)
FORWARD_AUDIT(ds4_moe, dim)

#define RELATION(...)                                                                                                      \
    {                                                                                                                      \
        __VA_ARGS__, .shape = {.label = "5x6x1030", .dim = {5, 6, 1030}, .quick = true}, .fill = reg_fill_scalable         \
    }

static const struct reg_bytes bytes[] = {
    RELATION(SCALE("gate", 1u << GATE, 1u << OUT, 1u << GATE | 1u << Y, )),
    RELATION(SCALE("y", 1u << Y, 1u << OUT, 1u << GATE | 1u << Y, )),
    RELATION(PERMUTE("tokens", 0, .row_tensors = 1u << GATE | 1u << Y | 1u << OUT)),
    RELATION(PAD("experts", .shape = {.label = "5x8x1030", .dim = {5, 8, 1030}})),
};

static const struct registration moe_combine_gate = {
    .name = "moe_combine_gate",
    .family = "ds4",
    .source = DS4_SOURCE,
    .symbol = "moe_combine_gate",
    REG_SHAPES(shapes),
    .patterns = 1u << REG_PATTERN_EDGES,
    .plan = plan,
    .fill = fill,
    FORWARDED,
    .depth = depth,
    REG_BYTES(bytes),
};
REG_KERNEL(&moe_combine_gate);

/* The launcher takes the gate weights from host memory; their tensor on the device is not read. */
static bool launch_staged(void *state, const struct reg_call *call, struct error *error)
{
    struct ds4_combine_call combine;
    struct ds4_combine_device *device;
    return ds4_combine_case(state, call, &combine, &device, error) &&
           ds4_combine_launch(device, call->functions[0], &combine, error);
}

static const struct reg_launcher staged_launcher = {
    .kernels = {"moe_combine_gate"},
    .devices_shape = DS4_COMBINE_DEVICES_SHAPE,
    .n_devices = 2,
    .open = ds4_combine_state_open,
    .launch = launch_staged,
    .close = ds4_combine_state_close,
};

static const struct registration moe_combine_staged = {
    .name = "moe_combine_staged",
    .family = "ds4",
    .source = DS4_SOURCE,
    .launcher = &staged_launcher,
    .twin = "moe_combine_gate",
    REG_SHAPES(shapes),
    .patterns = 1u << REG_PATTERN_EDGES,
    .plan = plan,
    .fill = fill,
    FORWARDED,
    .depth = depth,
    REG_BYTES(bytes),
};
REG_KERNEL(&moe_combine_staged);
