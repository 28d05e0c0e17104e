/* projection_q8_0, through its launcher. Dimensions of a shape: rows, k, n. */
#include "kernels/ds4/projection_case.h"
#include "kernels/forward.h"
#include "kernels/launch/wave_size.h"
#include "kernels/relations.h"
#include "reference/ds4_projection.h"

enum { X, BLOCKS, OUT }; /* tensors */

static const struct reg_shape shapes[] = {
    {.label = "1x64x33", .dim = {1, 64, 33}, .quick = true},
    {.label = "2x33x7", .dim = {2, 33, 7}},                                      /* one weight in the last block */
    {.label = DS4_PROJECTION_DEVICES_SHAPE, .dim = {3, 1057, 9}, .quick = true}, /* a second split, of two blocks */
    {.label = "1x4096x16", .dim = {1, 4096, 16}},
    {.label = "9x96x40", .dim = {9, 96, 40}},
    {.label = "1x34x3", .dim = {1, 34, 3}}, /* two weights in the last block */
    {.label = "1x39x2", .dim = {1, 39, 2}}, /* a vector and three */
};

static bool plan(const struct reg_shape *shape, struct reg_plan *plan, struct error *error)
{
    int64_t rows = shape->dim[0], k = shape->dim[1], n = shape->dim[2];
    if (rows < 1 || k < 1 || n < 1)
        return error_set(error, STATUS_USAGE, "projection_q8_0 takes at least one row, k and n, not %lld, %lld and %lld",
                         (long long)rows, (long long)k, (long long)n);
    *plan = (struct reg_plan){
        .n_tensors = 3,
        .tensor = {[X] = {"x", FORMAT_F32, REG_INPUT, rows, k},
                   [BLOCKS] = {"blocks", FORMAT_U16, REG_INPUT, n, q8_0_blocks(k) * Q8_0_WORDS},
                   [OUT] = {"out", FORMAT_F32, REG_OUTPUT, rows, n}},
    };
    return true;
}

static struct ds4_projection problem(const struct reg_case *c)
{
    return (struct ds4_projection){.rows = c->shape->dim[0],
                                   .k = c->shape->dim[1],
                                   .n = c->shape->dim[2],
                                   .blocks_of_split = ds4_projection_blocks_of_split(c->shape->dim[1]),
                                   .x = c->data[X],
                                   .blocks = c->data[BLOCKS]};
}

/* Weights of order 1: bytes of either sign, or positive; exact: bytes alone. */
static void fill_blocks(const struct reg_case *c, struct block_q8_0 *blocks)
{
    int64_t n_blocks = c->shape->dim[2] * q8_0_blocks(c->shape->dim[1]);
    struct random_key key = reg_key(c, BLOCKS);
    bool positive = c->pattern == REG_PATTERN_ONESIDED, exact = c->pattern == REG_PATTERN_EXACT;
    for (int64_t b = 0; b < n_blocks; b++) {
        double scale = exact ? 1 : (1 + random_unit(key, (uint64_t)b)) / 192;
        format_store(FORMAT_F16, &blocks[b].scale, 0, scale);
        for (int i = 0; i < Q8_0_WEIGHTS; i++) {
            uint32_t size = random_below(key, (uint64_t)(b * Q8_0_WEIGHTS + i), positive ? 64 : 255);
            blocks[b].q[i] = (int8_t)(positive ? 64 + (int)size : (int)size - 127);
        }
    }
}

/* Integers so small that k products with bytes stay below 2^24. */
static void fill_exact_x(const struct reg_case *c, float *x)
{
    int64_t k = c->shape->dim[1];
    uint32_t most = (uint32_t)((1 << 24) / (127 * k));
    for (int64_t i = 0; i < c->shape->dim[0] * k; i++)
        x[i] = (float)random_below(reg_key(c, X), (uint64_t)i, 2 * most - 1) - (float)(most - 1);
}

static void fill(const struct reg_case *c, int tensor, void *data)
{
    if (tensor == BLOCKS)
        fill_blocks(c, data);
    else if (c->pattern == REG_PATTERN_EXACT)
        fill_exact_x(c, data);
    else
        reg_fill(c, tensor, data);
}

FORWARD_OUTPUTS(ds4_projection)
FORWARD_DEPTH(ds4_projection)
FORWARD_AUDIT(ds4_projection, n)

bool ds4_projection_launch_case(const struct reg_call *call, int wave_size, struct launch_scratch *scratch,
                                struct ds4_weight_cache *cache, struct error *error)
{
    const struct ds4_projection_device device = {
        .hip = call->hip, .functions = call->functions, .wave_size = wave_size, .scratch = scratch, .cache = cache};
    const struct ds4_projection_call product = {.blocks = call->tensors[BLOCKS],
                                                .model = call->c->data[BLOCKS],
                                                .x = call->tensors[X],
                                                .out = call->tensors[OUT],
                                                .rows = call->c->shape->dim[0],
                                                .k = call->c->shape->dim[1],
                                                .n = call->c->shape->dim[2]};
    return ds4_projection_launch(&device, &product, error);
}

static bool launch(void *state, const struct reg_call *call, struct error *error)
{
    struct ds4_projection_state *own = state;
    int wave_size;
    if (call->device >= DS4_MOST_DEVICES)
        return error_set(error, STATUS_USAGE, "device %d: the projection keeps state for devices 0 to %d", call->device,
                         DS4_MOST_DEVICES - 1);
    return launch_wave_size(call->hip, call->device, &wave_size, error) &&
           ds4_projection_launch_case(call, wave_size, &own->scratch[call->device], &own->cache[call->device], error);
}

static const struct reg_launcher launcher = {
    .kernels = {DS4_PROJECTION_KERNELS(DS4_KERNEL_NAME)},
    .devices_shape = DS4_PROJECTION_DEVICES_SHAPE,
    .n_devices = 2,
    .open = ds4_projection_open,
    .launch = launch,
    .close = ds4_projection_close,
};

/* Blocks as in every case. */
static void fill_scalable(const struct reg_case *c, int tensor, void *data)
{
    (format_facts(c->plan->tensor[tensor].format)->is_float ? reg_fill_scalable : fill)(c, tensor, data);
}

#define RELATION(...)                                                                                                      \
    {                                                                                                                      \
        __VA_ARGS__, .shape = {.label = "5x64x9", .dim = {5, 64, 9}, .quick = true}, .fill = fill_scalable                 \
    }

static const struct reg_bytes bytes[] = {
    RELATION(SCALE("x", 1u << X, 1u << OUT, 1u << X, BESIDE_BLOCKS)),
    RELATION(PERMUTE("rows", 0, .row_tensors = 1u << X | 1u << OUT)),
    RELATION(PERMUTE("weights", 2, .row_tensors = 1u << BLOCKS, .column_tensors = 1u << OUT)),
    RELATION(PAD("k", .shape = {.label = "5x1100x9", .dim = {5, 1100, 9}})),
};

static const struct registration projection_q8_0 = {
    .name = "projection_q8_0",
    .family = "ds4",
    .source = DS4_PROJECTION_SOURCE,
    .launcher = &launcher,
    REG_SHAPES(shapes),
    .plan = plan,
    .fill = fill,
    FORWARDED,
    .depth = depth,
    REG_BYTES(bytes),
};
REG_KERNEL(&projection_q8_0);
