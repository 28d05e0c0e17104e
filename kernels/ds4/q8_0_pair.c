/* matmul_q8_0_pair_w32, _w64. Dimensions of a shape: rows of x, rows of each matrix, K. */
#include "kernels/ds4/chips.h"
#include "kernels/ds4/ds4.h"
#include "kernels/relations.h"
#include "reference/ds4_matmul.h"

enum { X, GATE_WEIGHTS, UP_WEIGHTS, GATE, UP }; /* tensors */
enum { WEIGHTS_OF_LANE = 4, EXPONENT = -6 };    /* exact scales are multiples of 2^-6 */

static const struct reg_shape shapes[] = {
    {.label = "1x9x33", .dim = {1, 9, 33}, .quick = true}, /* one row past a block of 8, one weight in the last block */
    {.label = "1x8x4096", .dim = {1, 8, 4096}},
    {.label = "2x15x1027", .dim = {2, 15, 1027}, .quick = true}, /* 32 blocks and a second round of scales */
    {.label = "3x23x704", .dim = {3, 23, 704}},                  /* 22 blocks */
    {.label = "1x777x64", .dim = {1, 777, 64}},
    {.label = "6x1x127", .dim = {6, 1, 127}},
    {.label = "1x3x38", .dim = {1, 3, 38}}, /* a vector and two weights in the last block */
    {.label = "1x2048x4096", .dim = {1, 2048, 4096}, .heavy = true},
};

static bool plan(const struct reg_shape *shape, int64_t lanes, struct reg_plan *plan, struct error *error)
{
    int64_t rows = shape->dim[0], n = shape->dim[1], k = shape->dim[2], words = q8_0_blocks(k) * Q8_0_WORDS;
    int64_t rows_of_block = DS4_THREADS / lanes;
    if (rows < 1 || rows > 65535 || n < 1 || n > INT32_MAX - rows_of_block || k < 1 || k > INT32_MAX - DS4_THREADS)
        return error_set(error, STATUS_USAGE,
                         "matmul_q8_0_pair takes 1 to 65535 rows of x and at least one weight, not %lld x %lld x %lld",
                         (long long)rows, (long long)n, (long long)k);
    *plan = (struct reg_plan){
        .n_tensors = 5,
        .tensor = {[X] = {"x", FORMAT_F32, REG_INPUT, rows, k},
                   [GATE_WEIGHTS] = {"gate_weights", FORMAT_U16, REG_INPUT, n, words},
                   [UP_WEIGHTS] = {"up_weights", FORMAT_U16, REG_INPUT, n, words},
                   [GATE] = {"gate", FORMAT_F32, REG_OUTPUT, rows, n},
                   [UP] = {"up", FORMAT_F32, REG_OUTPUT, rows, n}},
        .n_args = 7,
        .arg = {ds4_tensor_arg(X), ds4_tensor_arg(GATE_WEIGHTS), ds4_tensor_arg(UP_WEIGHTS), ds4_tensor_arg(GATE),
                ds4_tensor_arg(UP), ds4_int_arg(k), ds4_int_arg(n)},
        .grid = {(uint32_t)((n + rows_of_block - 1) / rows_of_block), (uint32_t)rows, 1},
        .block = {(uint32_t)lanes, (uint32_t)rows_of_block, 1},
    };
    return true;
}

static bool plan_w32(const struct reg_shape *shape, struct reg_plan *out, struct error *error)
{
    return plan(shape, 32, out, error);
}

static bool plan_w64(const struct reg_shape *shape, struct reg_plan *out, struct error *error)
{
    return plan(shape, 64, out, error);
}

static int64_t butterflies(int64_t lanes)
{
    return lanes == 1 ? 0 : 1 + butterflies(lanes / 2);
}

/* A lane's four products pass four roundings; its group's sum an fma for each group that the lane takes, then the
 * butterflies. */
static struct ds4_matmul problem(const struct reg_case *c, int tensor)
{
    const struct reg_plan *plan = c->plan;
    int64_t k = plan->tensor[X].columns, lanes = plan->block[0];
    int64_t blocks_of_step = lanes * WEIGHTS_OF_LANE / Q8_0_WEIGHTS;
    int64_t steps = (q8_0_blocks(k) + blocks_of_step - 1) / blocks_of_step;
    return (struct ds4_matmul){.rows = plan->tensor[X].rows,
                               .n = plan->tensor[GATE].columns,
                               .k = k,
                               .x = c->data[X],
                               .weights = DS4_Q8_0,
                               .w = c->data[tensor == GATE ? GATE_WEIGHTS : UP_WEIGHTS],
                               .run = WEIGHTS_OF_LANE,
                               .n_groups = (k + WEIGHTS_OF_LANE - 1) / WEIGHTS_OF_LANE,
                               .roundings_in_group = WEIGHTS_OF_LANE,
                               .roundings = steps + butterflies(lanes),
                               .exponent = EXPONENT,
                               .n_threads = c->n_threads};
}

static void fill(const struct reg_case *c, int tensor, void *data)
{
    if (tensor == X)
        ds4_fill_x(c, tensor, data);
    else
        ds4_fill_q8_0(c, tensor, data);
}

static void reference(const struct reg_case *c, int tensor, struct bound *out)
{
    struct ds4_matmul p = problem(c, tensor);
    ds4_matmul_reference(&p, out);
}

static void depth(const struct reg_case *c, int tensor, struct depth *depth)
{
    struct ds4_matmul p = problem(c, tensor);
    ds4_matmul_depth(&p, depth);
}

static void audit(const struct reg_case *c, int tensor, int64_t element, struct audit *audit)
{
    struct ds4_matmul p = problem(c, tensor);
    ds4_matmul_audit(&p, element / p.n, element % p.n, audit);
}

static void model(const struct reg_case *c, int tensor, const struct policy *policy, double *out)
{
    struct ds4_matmul p = problem(c, tensor);
    ds4_matmul_model(&p, policy, out);
}

static void exact(const struct reg_case *c, int tensor, int64_t first, int64_t n, struct exact_sum *sums)
{
    struct ds4_matmul p = problem(c, tensor);
    ds4_matmul_exact(&p, first, n, sums);
}

/* Blocks as in every case. */
static void fill_scalable(const struct reg_case *c, int tensor, void *data)
{
    (format_facts(c->plan->tensor[tensor].format)->is_float ? reg_fill_scalable : fill)(c, tensor, data);
}

#define RELATION(...)                                                                                                      \
    {                                                                                                                      \
        __VA_ARGS__, .shape = {.label = "5x11x64", .dim = {5, 11, 64}, .quick = true}, .fill = fill_scalable               \
    }

static const struct reg_bytes bytes[] = {
    RELATION(SCALE("x", 1u << X, 1u << GATE | 1u << UP, 1u << X, BESIDE_BLOCKS)),
    RELATION(PERMUTE("rows", 0, .row_tensors = 1u << X | 1u << GATE | 1u << UP)),
    RELATION(PERMUTE("weights", 1, .row_tensors = 1u << GATE_WEIGHTS | 1u << UP_WEIGHTS,
                     .column_tensors = 1u << GATE | 1u << UP)),
    RELATION(PAD("columns", .shape = {.label = "5x11x1160", .dim = {5, 11, 1160}})),
};

#define PAIR(lanes, ...)                                                                                                   \
    static const struct registration pair_##lanes = {.name = "matmul_q8_0_pair_" #lanes,                                   \
                                                     .family = "ds4",                                                      \
                                                     .source = "kernels/ds4/q8_0_pair.hip",                                \
                                                     .symbol = "matmul_q8_0_pair_" #lanes,                                 \
                                                     REG_SHAPES(shapes),                                                   \
                                                     .patterns = 1u << REG_PATTERN_EDGES,                                  \
                                                     .plan = plan_##lanes,                                                 \
                                                     .fill = fill,                                                         \
                                                     .reference = reference,                                               \
                                                     .depth = depth,                                                       \
                                                     .audit = audit,                                                       \
                                                     .model = model,                                                       \
                                                     .exact = exact,                                                       \
                                                     REG_BYTES(bytes),                                                     \
                                                     __VA_ARGS__};                                                         \
    REG_KERNEL(&pair_##lanes)

PAIR(w32, );
PAIR(w64, .chips = DS4_CDNA_CHIPS /* a wave a row */, .wave_size = 64, .twin = "matmul_q8_0_pair_w32");
