/* tf_exl3_linear_k8_w4 and _w8, f32 and bf16 out: rotated f16 rows times 4-bit trellis weights, rotated back, scaled, times
 * svh. Dimensions of a shape: rows, K, N. */
#include "kernels/exl3/exl3.h"

#include <stdlib.h>
#include <string.h>

#include "contract/base/parallel.h"
#include "kernels/forward.h"
#include "reference/exl3_trellis.h"

enum { X, W, SVH, OUT };                                     /* tensors */
enum { ROWS_OF_PASS = 16, LANES = 32, N_OF_8_WAVES = 8192 }; /* 8 waves from that N up, 4 below */
enum { BITS = 4 };

#define SHAPE(r, k, n, ...)                                                                                                \
    {                                                                                                                      \
        .label = #r "x" #k "x" #n, .dim = {r, k, n}, __VA_ARGS__                                                           \
    }

static const struct reg_shape shapes_w4[] = {
    SHAPE(1, 512, 128, .quick = true), /* the indexer */
    SHAPE(16, 512, 128),
    SHAPE(64, 512, 128),
    SHAPE(4, 1024, 8064),               /* just below the edge of the plan */
    SHAPE(1, 6144, 128, .quick = true), /* the exact-sum shape */
    SHAPE(1, 128, 128),
    SHAPE(15, 128, 256),
    SHAPE(16, 256, 128),
    SHAPE(17, 256, 256, .quick = true),
    SHAPE(64, 128, 256),
};

static const struct reg_shape shapes_w8[] = {
    SHAPE(4, 1024, 8192), /* the edge of the plan */
    SHAPE(16, 1024, 8192),
    SHAPE(1, 6144, 8192, .quick = true), /* the exact-sum shape */
    SHAPE(1, 128, 8192),
    SHAPE(15, 256, 8192),
    SHAPE(17, 128, 8320, .quick = true),
    SHAPE(64, 256, 8192),
    SHAPE(4, 6144, 25600),                 /* Engram */
    SHAPE(1, 5120, 129280, .heavy = true), /* the head */
};

/* Those of f32 but for Engram, whose sums are the same: heavy here. */
static const struct reg_shape shapes_w8_bf16[] = {
    SHAPE(4, 1024, 8192),
    SHAPE(16, 1024, 8192),
    SHAPE(1, 6144, 8192, .quick = true),
    SHAPE(1, 128, 8192),
    SHAPE(15, 256, 8192),
    SHAPE(17, 128, 8320, .quick = true),
    SHAPE(64, 256, 8192),
    SHAPE(4, 6144, 25600, .heavy = true),
    SHAPE(1, 5120, 129280, .heavy = true),
};

static bool plan(const struct reg_shape *shape, int n_waves, enum number_format out, struct reg_plan *plan,
                 struct error *error)
{
    int64_t rows = shape->dim[0], k = shape->dim[1], n = shape->dim[2];
    if (rows < 1 || rows > 65535 * ROWS_OF_PASS || k < EXL3_GROUP || n < EXL3_GROUP || k % EXL3_GROUP != 0 ||
        n % EXL3_GROUP != 0)
        return error_set(error, STATUS_USAGE,
                         "linear takes 1 to 1048560 rows, K and N in multiples of 128, not %lld x %lld", (long long)k,
                         (long long)n);
    if (n_waves != (n >= N_OF_8_WAVES ? 8 : 4))
        return error_set(error, STATUS_USAGE, "N = %lld runs with %d waves a block, not %d", (long long)n,
                         n >= N_OF_8_WAVES ? 8 : 4, n_waves);
    *plan = (struct reg_plan){
        .n_tensors = 4,
        .tensor = {[X] = {"x", FORMAT_F16, REG_INPUT, rows, k},
                   [W] = {"w", FORMAT_U16, REG_INPUT, k / EXL3_TILE, n / EXL3_TILE * exl3_tile_words(BITS)},
                   [SVH] = {"svh", FORMAT_F16, REG_INPUT, 1, n},
                   [OUT] = {"out", out, REG_OUTPUT, rows, n}},
        .n_args = 8,
        .arg = {exl3_tensor_arg(X), exl3_tensor_arg(W), exl3_tensor_arg(SVH), exl3_tensor_arg(OUT), exl3_scale_arg(),
                exl3_int_arg(rows), exl3_int_arg(k), exl3_int_arg(n)},
        .grid = {(uint32_t)(n / EXL3_GROUP), (uint32_t)((rows + ROWS_OF_PASS - 1) / ROWS_OF_PASS), 1},
        .block = {(uint32_t)n_waves * LANES, 1, 1},
    };
    return true;
}

static bool plan_w4(const struct reg_shape *shape, struct reg_plan *out, struct error *error)
{
    return plan(shape, 4, FORMAT_F32, out, error);
}

static bool plan_w8(const struct reg_shape *shape, struct reg_plan *out, struct error *error)
{
    return plan(shape, 8, FORMAT_F32, out, error);
}

static bool plan_w4_bf16(const struct reg_shape *shape, struct reg_plan *out, struct error *error)
{
    return plan(shape, 4, FORMAT_BF16, out, error);
}

static bool plan_w8_bf16(const struct reg_shape *shape, struct reg_plan *out, struct error *error)
{
    return plan(shape, 8, FORMAT_BF16, out, error);
}

static struct exl3_linear problem(const struct reg_case *c)
{
    const struct reg_plan *p = c->plan;
    return (struct exl3_linear){.rows = p->tensor[X].rows,
                                .k = p->tensor[X].columns,
                                .n = p->tensor[OUT].columns,
                                .bits = BITS,
                                .n_waves = (int)p->block[0] / LANES,
                                .out_format = p->tensor[OUT].format,
                                .scale = EXL3_SCALE,
                                .x = c->data[X],
                                .w = c->data[W],
                                .svh = c->data[SVH],
                                .n_threads = c->n_threads};
}

static bool all_positive(const uint16_t *tile)
{
    for (int t = 0; t < EXL3_TILE_WEIGHTS; t++)
        if (exl3_weight(exl3_window(tile, BITS, t)) <= 0)
            return false;
    return true;
}

/* Bits of weight t, which are the last BITS of its window. */
static void set_weight_bits(uint16_t *tile, int t, unsigned bits)
{
    int end = (t + 1) * BITS, word = (end - 1) / 32, half = 2 * word + (32 * (word + 1) - end) / 16;
    int shift = (32 * (word + 1) - end) % 16;
    tile[half] = (uint16_t)((tile[half] & ~(((1u << BITS) - 1) << shift)) | bits << shift);
}

/* A tile whose weights are all positive: each weight's own bits are drawn again until its window gives a positive one; the
 * first windows hold the ring's last bits, so the whole is drawn again where those do not fit. */
static bool positive_tile(struct random_key key, uint64_t *draw, uint16_t *tile)
{
    for (int attempt = 0; attempt < 64; attempt++)
        for (int round = 0; round < 2; round++)
            for (int t = 0; t < EXL3_TILE_WEIGHTS; t++) {
                for (int tries = 0; tries < 64 && exl3_weight(exl3_window(tile, BITS, t)) <= 0; tries++)
                    set_weight_bits(tile, t, random_below(key, (*draw)++, 1u << BITS));
                if (round == 1 && t == EXL3_TILE_WEIGHTS - 1 && all_positive(tile))
                    return true;
            }
    return false;
}

/* One-sided: tiles are taken at random from a pool of positive ones. */
static void fill_positive(const struct reg_case *c, uint16_t *w, int64_t n_tiles)
{
    enum { POOL = 256, WORDS = 16 * BITS };
    uint16_t(*pool)[WORDS] = calloc(POOL, sizeof *pool);
    struct random_key key = reg_key(c, W);
    uint64_t draw = (uint64_t)n_tiles;
    for (int i = 0; pool && i < POOL; i++)
        positive_tile(key, &draw, pool[i]);
    for (int64_t i = 0; pool && i < n_tiles; i++)
        memcpy(w + i * WORDS, pool[random_below(key, (uint64_t)i, POOL)], sizeof *pool);
    free(pool);
}

static void fill_w(const struct reg_case *c, uint16_t *w)
{
    int64_t n = c->plan->tensor[W].rows * c->plan->tensor[W].columns;
    struct random_key key = reg_key(c, W);
    if (c->pattern == REG_PATTERN_EXACT)
        memset(w, 0xff, (size_t)n * sizeof *w);
    else if (c->pattern == REG_PATTERN_ONESIDED)
        fill_positive(c, w, n / exl3_tile_words(BITS));
    else
        for (int64_t i = 0; i < n; i += 4) { /* n is a multiple of 64 */
            uint64_t bits = random_bits(key, (uint64_t)i / 4);
            memcpy(w + i, &bits, sizeof bits);
        }
}

/* Negative multiples of 16: with the weight -667/1024 of an all-ones window every product is positive, and their sum, 667 K
 * times the largest in units of 2^-6, stays below 2^24; half of that overflows f16. */
static void fill_exact_x(const struct reg_case *c, uint16_t *x)
{
    struct random_key key = reg_key(c, X);
    int64_t k = c->plan->tensor[X].columns;
    uint32_t largest = ((1u << 24) - 1) / (667 * (uint32_t)k);
    for (int64_t i = 0; i < c->plan->tensor[X].rows * k; i++)
        format_store(FORMAT_F16, x, i, -16.0 * (1 + random_below(key, (uint64_t)i, largest)));
}

/* Integers of either sign, none 0. */
static void fill_exact_svh(const struct reg_case *c, uint16_t *svh)
{
    struct random_key key = reg_key(c, SVH);
    for (int64_t i = 0; i < c->plan->tensor[SVH].columns; i++) {
        double magnitude = 1 + random_below(key, (uint64_t)i, 8);
        format_store(FORMAT_F16, svh, i, random_bits(key, (uint64_t)i) >> 63 ? -magnitude : magnitude);
    }
}

static void fill(const struct reg_case *c, int tensor, void *data)
{
    if (tensor == W)
        fill_w(c, data);
    else if (tensor == X && c->pattern == REG_PATTERN_EXACT)
        fill_exact_x(c, data);
    else if (tensor == SVH && c->pattern == REG_PATTERN_EXACT)
        fill_exact_svh(c, data);
    else
        reg_fill(c, tensor, data);
}

FORWARD_OUTPUTS(exl3_linear)
FORWARD_AUDIT(exl3_linear, n)

#define LINEAR(kernel, plan_of, shapes_of, ...)                                                                            \
    static const struct registration kernel = {                                                                            \
        .name = "tf_exl3_" #kernel,                                                                                        \
        .family = "exl3",                                                                                                  \
        .source = EXL3_SOURCE,                                                                                             \
        .symbol = "tf_exl3_" #kernel,                                                                                      \
        .shapes = shapes_of,                                                                                               \
        .n_shapes = sizeof shapes_of / sizeof shapes_of[0],                                                                \
        .shape_note = EXL3_SHAPE_NOTE,                                                                                     \
        .patterns = 1u << REG_PATTERN_EDGES,                                                                               \
        .plan = plan_of,                                                                                                   \
        .fill = fill,                                                                                                      \
        .reference = reference,                                                                                            \
        .audit = audit,                                                                                                    \
        .model = model,                                                                                                    \
        .exact = exact,                                                                                                    \
        .exact_needs_one_sign = true,                                                                                      \
        .blind_teeth = "drop_tail",                                                                                        \
        .blind_reason = "K is a multiple of 128 and so of every tile: there is no tail to drop",                           \
        __VA_ARGS__};                                                                                                      \
    REG_KERNEL(&kernel)

#define HIDDEN_BY_BF16(sibling)                                                                                            \
    .exact_note = "the bf16 store hides errors of a sum below 2^-9 of it", .exact_sibling = sibling

LINEAR(linear_k8_w4, plan_w4, shapes_w4, );
LINEAR(linear_k8_w8, plan_w8, shapes_w8, );
LINEAR(linear_k8_w4_bf16, plan_w4_bf16, shapes_w4, HIDDEN_BY_BF16("tf_exl3_linear_k8_w4"));
LINEAR(linear_k8_w8_bf16, plan_w8_bf16, shapes_w8_bf16, HIDDEN_BY_BF16("tf_exl3_linear_k8_w8"));
