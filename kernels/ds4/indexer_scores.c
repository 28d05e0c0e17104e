/* indexer_scores in f16 and bf16, for every chip and by matrix instructions. Dimensions of a shape: tokens, heads, keys. */
#include <math.h>
#include <string.h>

#include "kernels/ds4/chips.h"
#include "kernels/ds4/ds4.h"
#include "kernels/forward.h"
#include "kernels/relations.h"
#include "reference/ds4_indexer.h"

enum { Q, K, W, OUT }; /* tensors */
enum { TOKENS_OF_BLOCK = 16, KEYS_OF_BLOCK = 8 * 16, GRID_LARGEST = 65535 };

static const struct reg_shape shapes[] = {
    {.label = "1x64x33", .dim = {1, 64, 33}},
    {.label = "2x3x129", .dim = {2, 3, 129}, .quick = true}, /* one key past a block */
    {.label = "3x1x16", .dim = {3, 1, 16}, .quick = true},
    {.label = "9x8x40", .dim = {9, 8, 40}},
    {.label = "15x1x127", .dim = {15, 1, 127}},
    {.label = "17x2x151", .dim = {17, 2, 151}}, /* one token past a block */
    {.label = "33x64x513", .dim = {33, 64, 513}, .heavy = true},
};

static bool plan(const struct reg_shape *shape, enum number_format format, struct reg_plan *plan, struct error *error)
{
    int64_t tokens = shape->dim[0], heads = shape->dim[1], keys = shape->dim[2];
    if (tokens < 1 || tokens > (int64_t)GRID_LARGEST * TOKENS_OF_BLOCK || heads < 1 || heads > INT32_MAX || keys < 1 ||
        keys > INT32_MAX - KEYS_OF_BLOCK)
        return error_set(error, STATUS_USAGE, "indexer_scores takes 1 to %d tokens and at least one head and key",
                         GRID_LARGEST * TOKENS_OF_BLOCK);
    *plan = (struct reg_plan){
        .n_tensors = 4,
        .tensor = {[Q] = {"q", format, REG_INPUT, tokens, heads * DS4_INDEXER_WIDTH},
                   [K] = {"k", format, REG_INPUT, keys, DS4_INDEXER_WIDTH},
                   [W] = {"w", FORMAT_F32, REG_INPUT, tokens, heads},
                   [OUT] = {"out", FORMAT_F32, REG_OUTPUT, tokens, keys}},
        .n_args = 7,
        .arg = {ds4_tensor_arg(Q), ds4_tensor_arg(K), ds4_tensor_arg(W), ds4_tensor_arg(OUT), ds4_int_arg(tokens),
                ds4_int_arg(heads), ds4_int_arg(keys)},
        .grid = {(uint32_t)((keys + KEYS_OF_BLOCK - 1) / KEYS_OF_BLOCK),
                 (uint32_t)((tokens + TOKENS_OF_BLOCK - 1) / TOKENS_OF_BLOCK), 1},
        .block = {DS4_THREADS, 1, 1},
    };
    return true;
}

static bool plan_f16(const struct reg_shape *shape, struct reg_plan *result, struct error *error)
{
    return plan(shape, FORMAT_F16, result, error);
}

static bool plan_bf16(const struct reg_shape *shape, struct reg_plan *result, struct error *error)
{
    return plan(shape, FORMAT_BF16, result, error);
}

/* By which steps a variant sums. */
static enum step_model step_of(const char *name)
{
    return strstr(name, "_wmma") ? STEP_WMMA_ANY : strstr(name, "_mfma") ? STEP_MFMA_ANY : STEP_DOT2_ANY;
}

static struct ds4_indexer problem(const struct reg_case *c)
{
    const struct reg_plan *p = c->plan;
    return (struct ds4_indexer){.tokens = p->tensor[W].rows,
                                .heads = p->tensor[W].columns,
                                .keys = p->tensor[K].rows,
                                .format = p->tensor[Q].format,
                                .step = step_of(c->registration->name),
                                .q = c->data[Q],
                                .k = c->data[K],
                                .w = c->data[W],
                                .n_threads = c->n_threads};
}

/* Integers: k is positive and all of a head's q have one sign, so that every dot has one, and some are negative. 64 heads
 * of 128 products up to 15 * 15 and weights up to 9 stay below 2^24. */
static double exact_number(struct random_key key, int tensor, uint64_t i)
{
    static const uint32_t largest[] = {[Q] = 15, [K] = 15, [W] = 9};
    double magnitude = 1 + (double)random_below(key, i, largest[tensor]);
    uint64_t of_sign = tensor == Q ? i / DS4_INDEXER_WIDTH : i;
    return tensor != K && random_bits(key, ~of_sign) >> 63 ? -magnitude : magnitude;
}

/* Zeros, subnormal numbers, the smallest normal ones, some around 1, and some so large that just no score overflows. */
static double edge_number(struct random_key key, enum number_format format, uint64_t i)
{
    static const double f16[] = {0, 0x1p-24, 0x1p-15, 0x1p-14, 1, 0x1.8p15},
                        bf16[] = {0, 0x1p-133, 0x1p-127, 0x1p-126, 1, 0x1p55},
                        f32[] = {0, 0x1p-149, 0x1p-127, 0x1p-126, 1, 8};
    const double *sizes = format == FORMAT_F16 ? f16 : format == FORMAT_BF16 ? bf16 : f32;
    double size = sizes[random_below(key, i, sizeof f32 / sizeof f32[0])] * (1 + random_unit(key, ~i) / 2);
    return (random_bits(key, i) & 1 ? -1 : 1) * fmin(size, format_facts(format)->largest);
}

static void fill(const struct reg_case *c, int tensor, void *data)
{
    const struct reg_tensor *t = &c->plan->tensor[tensor];
    struct random_key key = reg_key(c, tensor);
    if (c->pattern != REG_PATTERN_EXACT && c->pattern != REG_PATTERN_EDGES) {
        reg_fill(c, tensor, data);
        return;
    }
    for (int64_t i = 0; i < t->rows * t->columns; i++)
        format_store(t->format, data, i,
                     c->pattern == REG_PATTERN_EXACT ? exact_number(key, tensor, (uint64_t)i)
                                                     : edge_number(key, t->format, (uint64_t)i));
}

FORWARD_OUTPUTS(ds4_indexer)
FORWARD_DEPTH(ds4_indexer)
FORWARD_AUDIT(ds4_indexer, keys)

#define RELATION(...)                                                                                                      \
    {                                                                                                                      \
        __VA_ARGS__, .shape = {.label = "18x2x131", .dim = {18, 2, 131}, .quick = true}, .fill = reg_fill_scalable         \
    }

#define FACTORS (1u << Q | 1u << K | 1u << W)

static const struct reg_bytes bytes[] = {
    RELATION(SCALE("q", 1u << Q, 1u << OUT, FACTORS, )),
    RELATION(SCALE("k", 1u << K, 1u << OUT, FACTORS, )),
    RELATION(SCALE("w", 1u << W, 1u << OUT, FACTORS, )),
    RELATION(PERMUTE("tokens", 0, .row_tensors = 1u << Q | 1u << W | 1u << OUT)),
    RELATION(PERMUTE("keys", 2, .row_tensors = 1u << K, .column_tensors = 1u << OUT)),
    RELATION(PAD("heads", .shape = {.label = "18x3x131", .dim = {18, 3, 131}})),
};

#define INDEXER_SCORES(format, variant, ...)                                                                               \
    static const struct registration indexer_scores_##format##variant = {.name = "indexer_scores_" #format #variant,       \
                                                                         .family = "ds4",                                  \
                                                                         .source =                                         \
                                                                             "kernels/ds4/indexer_scores" #variant ".hip", \
                                                                         .symbol = "indexer_scores_" #format #variant,     \
                                                                         REG_SHAPES(shapes),                               \
                                                                         .patterns = 1u << REG_PATTERN_EDGES,              \
                                                                         .plan = plan_##format,                            \
                                                                         .fill = fill,                                     \
                                                                         FORWARDED,                                        \
                                                                         .depth = depth,                                   \
                                                                         .exact_needs_one_sign = true,                     \
                                                                         REG_BYTES(bytes),                                 \
                                                                         __VA_ARGS__};                                     \
    REG_KERNEL(&indexer_scores_##format##variant)

INDEXER_SCORES(f16, , );
INDEXER_SCORES(bf16, , );
INDEXER_SCORES(f16, _wmma, .chips = DS4_WMMA_CHIPS, .wave_size = 32, .twin = "indexer_scores_f16");
INDEXER_SCORES(bf16, _wmma, .chips = DS4_WMMA_CHIPS, .wave_size = 32, .twin = "indexer_scores_bf16");
INDEXER_SCORES(f16, _mfma, .chips = DS4_CDNA_CHIPS, .wave_size = 64, .twin = "indexer_scores_f16");
INDEXER_SCORES(bf16, _mfma, .chips = DS4_CDNA_CHIPS, .wave_size = 64, .twin = "indexer_scores_bf16");
