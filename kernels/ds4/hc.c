/* hc_split_weighted_sum_norm. Dimensions of a shape: rows, n. */
#include "kernels/ds4/ds4.h"
#include "kernels/relations.h"

enum { SPLIT, STREAMS, WEIGHT, MIXED, NORMED }; /* tensors */
enum { LARGEST_N = (65536 - 32) / 4 };          /* the row in LDS, beside the block's sums */

static const struct reg_shape shapes[] = {
    {.label = "1x64", .dim = {1, 64}},
    {.label = "2x33", .dim = {2, 33}, .quick = true},
    {.label = "3x1025", .dim = {3, 1025}}, /* one element past a round of the block */
    {.label = "4x4096", .dim = {4, 4096}, .quick = true},
    {.label = "17x257", .dim = {17, 257}},
    {.label = "1x16376", .dim = {1, LARGEST_N}},
    {.label = "1x6", .dim = {1, 6}}, /* the last vector has two elements */
    {.label = "2x7", .dim = {2, 7}}, /* three */
};

static bool plan(const struct reg_shape *shape, struct reg_plan *plan, struct error *error)
{
    int64_t rows = shape->dim[0], n = shape->dim[1];
    if (rows < 1 || n < 1 || n > LARGEST_N)
        return error_set(error, STATUS_USAGE, "hc_split_weighted_sum_norm keeps a row in LDS: n is 1 to %d, not %lld",
                         LARGEST_N, (long long)n);
    *plan = (struct reg_plan){
        .n_tensors = 5,
        .tensor = {[SPLIT] = {"split", FORMAT_F32, REG_INPUT, rows, DS4_STREAMS},
                   [STREAMS] = {"streams", FORMAT_F32, REG_INPUT, rows, DS4_STREAMS * n},
                   [WEIGHT] = {"weight", FORMAT_F32, REG_INPUT, 1, n},
                   [MIXED] = {"mixed", FORMAT_F32, REG_OUTPUT, rows, n},
                   [NORMED] = {"normed", FORMAT_F32, REG_OUTPUT, rows, n}},
        .n_args = 7,
        .arg = {ds4_tensor_arg(SPLIT), ds4_tensor_arg(STREAMS), ds4_tensor_arg(WEIGHT), ds4_tensor_arg(MIXED),
                ds4_tensor_arg(NORMED), ds4_eps_arg(), ds4_int_arg(n)},
        .grid = {(uint32_t)rows, 1, 1},
        .block = {DS4_THREADS, 1, 1},
        .lds_bytes = (uint32_t)((n + 3) / 4 * 16),
    };
    return true;
}

static struct ds4_hc problem(const struct reg_case *c)
{
    return (struct ds4_hc){c->plan->tensor[SPLIT].rows,
                           c->plan->tensor[WEIGHT].columns,
                           DS4_EPS,
                           c->data[SPLIT],
                           c->data[STREAMS],
                           c->data[WEIGHT]};
}

/* Split: +-1 for the first stream, small integers for the others. */
static void fill_exact_split(const struct reg_case *c, float *split)
{
    struct random_key key = reg_key(c, SPLIT);
    for (int64_t i = 0; i < c->plan->tensor[SPLIT].rows * DS4_STREAMS; i++) {
        float magnitude = i % DS4_STREAMS ? 1 + (float)random_below(key, (uint64_t)i, 3) : 1;
        split[i] = random_bits(key, (uint64_t)i) >> 63 ? -magnitude : magnitude;
    }
}

/* Streams 1 to 3: integers of 15 bits; stream 0 what is missing to the mixed row that ds4_exact_row makes. */
static void fill_exact_streams(const struct reg_case *c, float *streams)
{
    int64_t n = c->plan->tensor[WEIGHT].columns;
    struct random_key key = reg_key(c, STREAMS);
    for (int64_t row = 0; row < c->plan->tensor[STREAMS].rows; row++) {
        const float *split = (const float *)c->data[SPLIT] + row * DS4_STREAMS;
        float *first = streams + row * DS4_STREAMS * n;
        ds4_exact_row(key, row, n, first);
        for (int64_t i = 0; i < n; i++) {
            for (int s = 1; s < DS4_STREAMS; s++) {
                float *own = first + s * n + i;
                *own = (float)random_below(key, (uint64_t)(own - streams), 1 << 15) - (1 << 14);
                first[i] -= *own * split[s];
            }
            first[i] *= split[0];
        }
    }
}

static void fill(const struct reg_case *c, int tensor, void *data)
{
    if (c->pattern == REG_PATTERN_EXACT && tensor == SPLIT)
        fill_exact_split(c, data);
    else if (c->pattern == REG_PATTERN_EXACT && tensor == STREAMS)
        fill_exact_streams(c, data);
    else if (c->pattern == REG_PATTERN_EDGES && tensor == STREAMS)
        ds4_fill_edges(c, tensor, data);
    else if (c->pattern == REG_PATTERN_EDGES)
        for (int64_t i = 0; i < c->plan->tensor[tensor].rows * c->plan->tensor[tensor].columns; i++)
            ((float *)data)[i] = (float)(2 * random_unit(reg_key(c, tensor), (uint64_t)i) - 1);
    else
        reg_fill(c, tensor, data);
}

static void reference(const struct reg_case *c, int tensor, struct bound *out)
{
    struct ds4_hc p = problem(c);
    ds4_hc_reference(&p, tensor == NORMED, out);
}

static void depth(const struct reg_case *c, int tensor, struct depth *depth)
{
    struct ds4_hc p = problem(c);
    ds4_hc_depth(&p, tensor == NORMED, depth);
}

static void audit(const struct reg_case *c, int tensor, int64_t element, struct audit *audit)
{
    struct ds4_hc p = problem(c);
    ds4_hc_audit(&p, tensor == NORMED, element / p.n, element % p.n, audit);
}

static void model(const struct reg_case *c, int tensor, const struct policy *policy, double *out)
{
    struct ds4_hc p = problem(c);
    ds4_hc_model(&p, tensor == NORMED, policy, out);
}

static void exact(const struct reg_case *c, int tensor, int64_t first, int64_t n, struct exact_sum *sums)
{
    struct ds4_hc p = problem(c);
    ds4_hc_exact(&p, tensor == NORMED, first, n, sums);
}

#define RELATION(...)                                                                                                      \
    {                                                                                                                      \
        __VA_ARGS__, .shape = {.label = "5x1026", .dim = {5, 1026}, .quick = true}, .fill = reg_fill_scalable              \
    }

static const struct reg_bytes bytes[] = {
    RELATION(SCALE("weight", 1u << WEIGHT, 1u << NORMED, 1u << SPLIT | 1u << STREAMS | 1u << WEIGHT, DS4_BESIDE_NORM)),
    RELATION(PERMUTE("rows", 0, .row_tensors = 1u << SPLIT | 1u << STREAMS | 1u << MIXED | 1u << NORMED)),
};

static const struct registration hc_split_weighted_sum_norm = {
    .name = "hc_split_weighted_sum_norm",
    .family = "ds4",
    .source = DS4_SOURCE,
    .symbol = "hc_split_weighted_sum_norm",
    REG_SHAPES(shapes),
    .patterns = 1u << REG_PATTERN_EDGES,
    .plan = plan,
    .fill = fill,
    .reference = reference,
    .depth = depth,
    .audit = audit,
    .model = model,
    .exact = exact,
    REG_BYTES(bytes),
};
REG_KERNEL(&hc_split_weighted_sum_norm);
