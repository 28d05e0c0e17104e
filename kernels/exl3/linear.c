/* tf_exl3_linear_kB_w4 and _w8, f32 and bf16 out: rotated f16 rows times trellis weights of B/2 bits, rotated back, scaled,
 * times svh. Dimensions of a shape: rows, K, N, and 1 where W lies in strips. */
#include "kernels/exl3/exl3.h"

#include <math.h>
#include <string.h>

#include "kernels/forward.h"
#include "kernels/relations.h"
#include "reference/exl3_trellis.h"

enum { X, W, SVH, OUT };                                     /* tensors */
enum { ROWS_OF_PASS = 16, LANES = 32, N_OF_8_WAVES = 8192 }; /* 8 waves from that N up, 4 below */
enum { MOST_ROWS = 65535 * ROWS_OF_PASS };

#define SHAPE(r, k, n, ...)                                                                                                \
    {                                                                                                                      \
        .label = #r "x" #k "x" #n, .dim = {r, k, n}, __VA_ARGS__                                                           \
    }
#define STRIPS(r, k, n, ...)                                                                                               \
    {                                                                                                                      \
        .label = #r "x" #k "x" #n "-strips", .dim = {r, k, n, 1}, __VA_ARGS__                                              \
    }

/* What every width has. */
#define SHAPES_W4                                                                                                          \
    SHAPE(1, 512, 128, .quick = true),                                 /* the indexer */                                   \
        SHAPE(16, 512, 128), SHAPE(64, 512, 128), SHAPE(1, 6144, 128), /* the exact-sum shape */                           \
        SHAPE(1, 128, 128), SHAPE(15, 128, 256), SHAPE(16, 256, 128), SHAPE(17, 256, 256, .quick = true),                  \
        SHAPE(64, 128, 256), STRIPS(3, 256, 384, .quick = true)
#define SHAPES_W8                                                                                                          \
    SHAPE(1, 128, 8192, .quick = true), SHAPE(17, 128, 8320), STRIPS(2, 256, 8320), SHAPE(1, 6144, 8192, .heavy = true),   \
        SHAPE(1, 5120, 129280, .heavy = true) /* the head */
/* Of one row with 8 waves, each of which goes round its loop twice. */
#define TWO_ROUNDS SHAPE(1, 256, 8192)

/* The edge of the plan and Engram run at one width by default, and at the others with --full: a width changes how a tile is
 * decoded, not what becomes of it. */
static const struct reg_shape shapes_w4[] = {SHAPES_W4, SHAPE(4, 1024, 8064, .heavy = true)};
static const struct reg_shape shapes_w4_edge[] = {SHAPES_W4, SHAPE(4, 1024, 8064)};
static const struct reg_shape shapes_w8[] = {SHAPES_W8, SHAPE(4, 1024, 8192, .heavy = true),
                                             SHAPE(16, 1024, 8192, .heavy = true), SHAPE(4, 6144, 25600, .heavy = true)};
static const struct reg_shape shapes_w8_edge[] = {SHAPES_W8, TWO_ROUNDS, SHAPE(4, 1024, 8192),
                                                  SHAPE(16, 1024, 8192, .heavy = true),
                                                  SHAPE(4, 6144, 25600, .heavy = true)};
static const struct reg_shape shapes_w8_engram[] = {SHAPES_W8, TWO_ROUNDS, SHAPE(4, 1024, 8192), SHAPE(16, 1024, 8192),
                                                    SHAPE(4, 6144, 25600)};

static bool plan(const struct reg_shape *shape, int bits, int n_waves, enum number_format out, struct reg_plan *plan,
                 struct error *error)
{
    int64_t rows = shape->dim[0], k = shape->dim[1], n = shape->dim[2];
    if (rows < 1 || rows > MOST_ROWS)
        return error_set(error, STATUS_USAGE, "linear takes 1 to %d rows, not %lld", MOST_ROWS, (long long)rows);
    if (k < EXL3_GROUP || n < EXL3_GROUP || k % EXL3_GROUP != 0 || n % EXL3_GROUP != 0)
        return error_set(error, STATUS_USAGE, "linear takes K and N in multiples of %d, not %lld x %lld", EXL3_GROUP,
                         (long long)k, (long long)n);
    if (n_waves != (n >= N_OF_8_WAVES ? 8 : 4))
        return error_set(error, STATUS_USAGE, "N = %lld runs with %d waves a block, not %d", (long long)n,
                         n >= N_OF_8_WAVES ? 8 : 4, n_waves);
    *plan = (struct reg_plan){
        .n_tensors = 4,
        .tensor = {[X] = {"x", FORMAT_F16, REG_INPUT, rows, k},
                   [W] = {"w", FORMAT_U16, REG_INPUT, k / EXL3_TILE, n / EXL3_TILE * exl3_tile_words(bits)},
                   [SVH] = {"svh", FORMAT_F16, REG_INPUT, 1, n},
                   [OUT] = {"out", out, REG_OUTPUT, rows, n}},
        .n_args = 9,
        .arg = {exl3_tensor_arg(X), exl3_tensor_arg(W), exl3_tensor_arg(SVH), exl3_tensor_arg(OUT), exl3_scale_arg(),
                exl3_int_arg(rows), exl3_int_arg(k), exl3_int_arg(n), exl3_int_arg(shape->dim[3])},
        .grid = {(uint32_t)(n / EXL3_GROUP), (uint32_t)((rows + ROWS_OF_PASS - 1) / ROWS_OF_PASS), 1},
        .block = {(uint32_t)n_waves * LANES, 1, 1},
    };
    return true;
}

/* Bits a weight, from the 16-bit words of a row of tiles. */
static int bits_of(const struct reg_plan *plan)
{
    return (int)(plan->tensor[W].columns / (plan->tensor[OUT].columns / EXL3_TILE) / EXL3_TILE);
}

static struct exl3_linear problem(const struct reg_case *c)
{
    const struct reg_plan *p = c->plan;
    return (struct exl3_linear){.rows = p->tensor[X].rows,
                                .k = p->tensor[X].columns,
                                .n = p->tensor[OUT].columns,
                                .bits = bits_of(p),
                                .n_waves = (int)p->block[0] / LANES,
                                .out_format = p->tensor[OUT].format,
                                .scale = EXL3_SCALE,
                                .x = c->data[X],
                                .w = c->data[W],
                                .svh = c->data[SVH],
                                .strips = c->shape->dim[3] != 0,
                                .n_threads = c->n_threads};
}

static int64_t n_tiles(const struct reg_plan *plan)
{
    return plan->tensor[W].rows * plan->tensor[OUT].columns / EXL3_TILE;
}

static void fill_one_signed(const struct reg_case *c, uint16_t *w)
{
    struct exl3_tile_pool pool;
    struct random_key key = reg_key(c, W);
    exl3_tile_pool_fill(&pool, key, bits_of(c->plan), +1);
    for (int64_t i = 0, n = n_tiles(c->plan), words = exl3_tile_words(pool.bits); i < n; i++)
        exl3_tile_pool_draw(&pool, key, i, w + i * words);
}

static void fill_w(const struct reg_case *c, uint16_t *w)
{
    int64_t n = c->plan->tensor[W].rows * c->plan->tensor[W].columns;
    struct random_key key = reg_key(c, W);
    if (c->pattern == REG_PATTERN_EXACT)
        memset(w, 0xff, (size_t)n * sizeof *w);
    else if (c->pattern == REG_PATTERN_ONESIDED)
        fill_one_signed(c, w);
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

/* Byte contracts */

/* Every number of rows up to 24, each from another first row. */
static const struct reg_window windows[] = {
    {0, 1},   {62, 2},  {5, 3},   {11, 4},  {59, 5},  {1, 6},   {30, 7}, {17, 8}, {2, 9},
    {7, 10},  {13, 11}, {52, 12}, {50, 13}, {3, 14},  {47, 15}, {9, 16}, {8, 17}, {21, 18},
    {45, 19}, {33, 20}, {4, 21},  {6, 22},  {41, 23}, {40, 24}, {63, 1},
};
/* Those on either side of a pass of 4 rows and of 16, where N is large. */
static const struct reg_window few_windows[] = {{17, 1}, {62, 2}, {11, 4}, {59, 5}, {47, 15}, {8, 17}, {40, 24}};

/* Tile i lies in an odd row of tiles. */
static bool tile_row_is_odd(const struct reg_case *c, int64_t i)
{
    int64_t tile_rows = c->plan->tensor[W].rows, tiles_of_row = c->plan->tensor[OUT].columns / EXL3_TILE;
    int64_t row = c->shape->dim[3] ? i / EXL3_TILES_OF_GROUP % tile_rows : i / tiles_of_row;
    return row % 2 != 0;
}

/* Positive weights in even rows of tiles and negative ones in odd: with x of the same sign, zeros too, all products of a
 * sum are positive or +0, because gfx11's dot2 takes a product of -0 for a grid unit below 0. */
static void fill_identity_w(const struct reg_case *c, uint16_t *w)
{
    struct exl3_tile_pool pool[2];
    struct random_key key = reg_key(c, W);
    for (int odd = 0; odd < 2; odd++)
        exl3_tile_pool_fill(&pool[odd], key, bits_of(c->plan), odd ? -1 : +1);
    for (int64_t i = 0, n = n_tiles(c->plan), words = exl3_tile_words(bits_of(c->plan)); i < n; i++)
        exl3_tile_pool_draw(&pool[tile_row_is_odd(c, i)], key, i, w + i * words);
}

static void fill_identity_x(const struct reg_case *c, uint16_t *x)
{
    int64_t k = c->plan->tensor[X].columns;
    for (int64_t row = 0; row < c->plan->tensor[X].rows; row++)
        for (int64_t i = 0; i < k; i++)
            format_store(FORMAT_F16, x, row * k + i, copysign(i == row, i / EXL3_TILE % 2 ? -1 : 1));
}

/* Row k of x takes row k of W alone: each weight reaches the outputs of its row and group unrounded. */
static void fill_identity(const struct reg_case *c, int tensor, void *data)
{
    if (tensor == W)
        fill_identity_w(c, data);
    else if (tensor == X)
        fill_identity_x(c, data);
    else
        reg_fill(c, tensor, data);
}

static bool expect_steps(const struct reg_case *c, int tensor, void *bytes)
{
    (void)tensor;
    struct exl3_linear p = problem(c);
    return exl3_linear_bytes(&p, bytes);
}

#define ROWS(n_columns, of_windows, ...)                                                                                   \
    {                                                                                                                      \
        .name = "rows", .what = "a row's bytes are its own in any window of 1 to 24 rows",                                 \
        .shape = SHAPE(64, 256, n_columns, __VA_ARGS__), .windows = of_windows,                                            \
        .n_windows = sizeof of_windows / sizeof of_windows[0], .row_dim = 0, .row_tensors = 1u << X | 1u << OUT            \
    }
#define WEIGHTS(layout, of_shape)                                                                                          \
    {                                                                                                                      \
        .name = layout, .what = "each weight is decoded bit for bit", .shape = of_shape, .fill = fill_identity,            \
        .expect = expect_steps                                                                                             \
    }

/* Weights as in every case. */
static void fill_scalable(const struct reg_case *c, int tensor, void *data)
{
    (format_facts(c->plan->tensor[tensor].format)->is_float ? reg_fill_scalable : fill)(c, tensor, data);
}

/* A weight is an f16. */
#define BESIDE .beside_unit = EXL3_SCALE_UNIT - 24, .beside_log = 16
#define RELATION(rows, columns, is_quick, ...)                                                                             \
    {                                                                                                                      \
        __VA_ARGS__, .shape = SHAPE(rows, 128, columns, .quick = is_quick), .fill = fill_scalable                          \
    }
#define RELATIONS(...)                                                                                                     \
    RELATION(__VA_ARGS__, SCALE("x", 1u << X, 1u << OUT, 1u << X | 1u << SVH, BESIDE)),                                    \
        RELATION(__VA_ARGS__, SCALE("svh", 1u << SVH, 1u << OUT, 1u << X | 1u << SVH, BESIDE)),                            \
        RELATION(__VA_ARGS__, PERMUTE("rows", 0, .row_tensors = 1u << X | 1u << OUT)),                                     \
        RELATION(__VA_ARGS__,                                                                                              \
                 PERMUTE("columns", 2, .group = EXL3_GROUP, .column_tensors = 1u << W | 1u << SVH | 1u << OUT))

static const struct reg_bytes bytes_w4[] = {
    ROWS(128, windows, .quick = true), WEIGHTS("weights", SHAPE(128, 128, 256, .quick = true)),
    WEIGHTS("weights in strips", STRIPS(128, 128, 256, .quick = true)), RELATIONS(18, 384, true)};
static const struct reg_bytes bytes_w8[] = {ROWS(8192, few_windows), WEIGHTS("weights", SHAPE(128, 128, 8192)),
                                            WEIGHTS("weights in strips", STRIPS(128, 128, 8192)),
                                            RELATIONS(2, 8192, false)};

FORWARD_OUTPUTS(exl3_linear)
FORWARD_DEPTH(exl3_linear)
FORWARD_AUDIT(exl3_linear, n)

/* Weights are read once and hidden behind other waves' arithmetic: no scratch beside them, and no wave fewer than the
 * widest variant leaves room for on each chip. */
static const struct reg_budget budgets[] = {{.no_scratch = true, .least_waves = 2},
                                            {.chips = "gfx1030", .least_waves = 6},
                                            {.chips = "gfx1100,gfx1151,gfx1201", .least_waves = 9}};

#define LINEAR(width, waves, n_bits, n_waves, out, of_shapes, of_bytes, ...)                                               \
    static bool plan_##width##_##waves(const struct reg_shape *shape, struct reg_plan *result, struct error *error)        \
    {                                                                                                                      \
        return plan(shape, n_bits, n_waves, out, result, error);                                                           \
    }                                                                                                                      \
    static const struct registration width##_##waves = {                                                                   \
        .name = "tf_exl3_linear_" #width "_" #waves,                                                                       \
        .family = "exl3",                                                                                                  \
        .source = "kernels/exl3/linear_" #width ".hip",                                                                    \
        .symbol = "tf_exl3_linear_" #width "_" #waves,                                                                     \
        REG_SHAPES(of_shapes),                                                                                             \
        .shape_note = EXL3_SHAPE_NOTE,                                                                                     \
        .patterns = 1u << REG_PATTERN_EDGES,                                                                               \
        .plan = plan_##width##_##waves,                                                                                    \
        .fill = fill,                                                                                                      \
        .weights = &exl3_linear_weights,                                                                                   \
        FORWARDED,                                                                                                         \
        .depth = depth,                                                                                                    \
        .exact_needs_one_sign = true,                                                                                      \
        .blind_teeth = "drop_tail",                                                                                        \
        .blind_reason = "K is a multiple of 128 and so of every tile: there is no tail to drop",                           \
        REG_BYTES(of_bytes),                                                                                               \
        REG_BUDGETS(budgets),                                                                                              \
        __VA_ARGS__};                                                                                                      \
    REG_KERNEL(&width##_##waves)

#define HIDDEN_BY_BF16(sibling)                                                                                            \
    .exact_note = "the bf16 store hides errors of a sum below 2^-9 of it", .exact_sibling = "tf_exl3_linear_" sibling

LINEAR(k4, w4, 2, 4, FORMAT_F32, shapes_w4, bytes_w4, );
LINEAR(k4, w4_bf16, 2, 4, FORMAT_BF16, shapes_w4, bytes_w4, HIDDEN_BY_BF16("k4_w4"));
LINEAR(k4, w8, 2, 8, FORMAT_F32, shapes_w8, bytes_w8, );
LINEAR(k4, w8_bf16, 2, 8, FORMAT_BF16, shapes_w8, bytes_w8, HIDDEN_BY_BF16("k4_w8"));
LINEAR(k6, w4, 3, 4, FORMAT_F32, shapes_w4, bytes_w4, );
LINEAR(k6, w4_bf16, 3, 4, FORMAT_BF16, shapes_w4, bytes_w4, HIDDEN_BY_BF16("k6_w4"));
LINEAR(k6, w8, 3, 8, FORMAT_F32, shapes_w8, bytes_w8, );
LINEAR(k6, w8_bf16, 3, 8, FORMAT_BF16, shapes_w8, bytes_w8, HIDDEN_BY_BF16("k6_w8"));
LINEAR(k8, w4, 4, 4, FORMAT_F32, shapes_w4_edge, bytes_w4, );
LINEAR(k8, w4_bf16, 4, 4, FORMAT_BF16, shapes_w4_edge, bytes_w4, HIDDEN_BY_BF16("k8_w4"));
LINEAR(k8, w8, 4, 8, FORMAT_F32, shapes_w8_engram, bytes_w8, );
LINEAR(k8, w8_bf16, 4, 8, FORMAT_BF16, shapes_w8_edge, bytes_w8, HIDDEN_BY_BF16("k8_w8"));
LINEAR(k10, w4, 5, 4, FORMAT_F32, shapes_w4, bytes_w4, );
LINEAR(k10, w4_bf16, 5, 4, FORMAT_BF16, shapes_w4, bytes_w4, HIDDEN_BY_BF16("k10_w4"));
LINEAR(k10, w8, 5, 8, FORMAT_F32, shapes_w8, bytes_w8, );
LINEAR(k10, w8_bf16, 5, 8, FORMAT_BF16, shapes_w8, bytes_w8, HIDDEN_BY_BF16("k10_w8"));
LINEAR(k12, w4, 6, 4, FORMAT_F32, shapes_w4, bytes_w4, );
LINEAR(k12, w4_bf16, 6, 4, FORMAT_BF16, shapes_w4, bytes_w4, HIDDEN_BY_BF16("k12_w4"));
LINEAR(k12, w8, 6, 8, FORMAT_F32, shapes_w8, bytes_w8, );
LINEAR(k12, w8_bf16, 6, 8, FORMAT_BF16, shapes_w8, bytes_w8, HIDDEN_BY_BF16("k12_w8"));
LINEAR(k16, w4, 8, 4, FORMAT_F32, shapes_w4, bytes_w4, );
LINEAR(k16, w4_bf16, 8, 4, FORMAT_BF16, shapes_w4, bytes_w4, HIDDEN_BY_BF16("k16_w4"));
LINEAR(k16, w8, 8, 8, FORMAT_F32, shapes_w8, bytes_w8, );
LINEAR(k16, w8_bf16, 8, 8, FORMAT_BF16, shapes_w8, bytes_w8, HIDDEN_BY_BF16("k16_w8"));
