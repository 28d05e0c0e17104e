/* hgemm_bf16_fp32c and hgemm_bf16_bf16c, for every chip and by matrix instructions. */
#include "contract/base/divide.h"
#include "kernels/forward.h"
#include "kernels/hgemm/family.h"
#include "kernels/launch/start.h"
#include "reference/hgemm.h"

enum { GRID_LARGEST = 65535, WIDEST_TILE = 64 };

static const struct reg_shape shapes[] = {
    HGEMM_SHAPE(2, 33, 139, .quick = true), /* no row starts where a vector may; an odd number of tiles of k */
    HGEMM_SHAPE(3, 1000, 96),               /* neither the last tile of columns nor that of k is whole */
    HGEMM_SHAPE(33, 65, 40),                /* one row and one column past a tile */
    HGEMM_SHAPE(1, 20, 1040),
    HGEMM_SHAPE(33, 65, 78), /* whole tiles of rows that start where no vector may */
    HGEMM_SHAPE(1, 1, 5),
    HGEMM_BATCHES(1024),
    HGEMM_BATCHES(2560),
};

/* Of a registration beside its format of C. */
struct variant {
    const struct hgemm_tile *tile;
    enum step_model step;
};

/* The kernels count columns of A, B and C in 32 bits, some past the end. */
static bool shape_fits(const struct reg_shape *shape, const struct hgemm_tile *tile, struct error *error)
{
    return launch_in_range("hgemm", "m", shape->dim[0], (int64_t)GRID_LARGEST * tile->m, error) &&
           launch_in_range("hgemm", "n", shape->dim[1], INT32_MAX - WIDEST_TILE, error) &&
           launch_in_range("hgemm", "k", shape->dim[2], INT32_MAX - WIDEST_TILE, error);
}

static bool plan(const struct reg_shape *shape, const struct hgemm_tile *tile, enum number_format c_format,
                 struct reg_plan *plan, struct error *error)
{
    int64_t m = shape->dim[0], n = shape->dim[1], k = shape->dim[2];
    int lds_bytes = hgemm_lds_bytes(*tile, (int)format_facts(c_format)->n_bytes);
    if (!shape_fits(shape, tile, error))
        return false;
    if (lds_bytes > HGEMM_LDS_BYTES_MOST)
        return error_set(error, STATUS_USAGE, "hgemm's tile takes %d bytes of LDS, and a workgroup has %d", lds_bytes,
                         HGEMM_LDS_BYTES_MOST);
    *plan = (struct reg_plan){
        .n_tensors = 3,
        .tensor = {[HGEMM_A] = {"a", FORMAT_BF16, REG_INPUT, m, k},
                   [HGEMM_B] = {"b", FORMAT_BF16, REG_INPUT, n, k},
                   [HGEMM_C] = {"c", c_format, REG_OUTPUT, m, n}},
        .n_args = 6,
        .arg = {{.tensor = HGEMM_A},
                {.tensor = HGEMM_B},
                {.tensor = HGEMM_C},
                {.kind = REG_ARG_I32, .integer = m},
                {.kind = REG_ARG_I32, .integer = n},
                {.kind = REG_ARG_I32, .integer = k}},
        .grid = {(uint32_t)divide_up(n, tile->n), (uint32_t)divide_up(m, tile->m), 1},
        .block = {(uint32_t)tile->threads, 1, 1},
    };
    return true;
}

static struct hgemm problem(const struct reg_case *c)
{
    const struct reg_plan *p = c->plan;
    const struct variant *v = c->registration->variant;
    return (struct hgemm){.m = p->tensor[HGEMM_A].rows,
                          .n = p->tensor[HGEMM_B].rows,
                          .k = p->tensor[HGEMM_A].columns,
                          .a = c->data[HGEMM_A],
                          .b = c->data[HGEMM_B],
                          .step = v->step,
                          .k_of_tile = v->tile->k,
                          .c_format = p->tensor[HGEMM_C].format,
                          .n_threads = c->n_threads};
}

FORWARD_OUTPUTS(hgemm)
FORWARD_AUDIT(hgemm, n)
FORWARD_DEPTH(hgemm)

#define TILE(variant, threads, m, n, k) static const struct hgemm_tile tile_##variant = {threads, m, n, k};
HGEMM_TILES(TILE)
#undef TILE

static const struct reg_bytes bytes[] = {HGEMM_RELATIONS, HGEMM_RELATION(PAD("k", .shape = HGEMM_SHAPE(33, 70, 139)))};

/* Blocks are few, so no more waves are wanted than LDS has room for; sums stay in registers. */
static const struct reg_budget budgets[] = {{.no_scratch = true, .least_waves = 2}};

#define REGISTER(c_name, c_format, suffix, of_tile, of_step, ...)                                                          \
    static const struct variant variant_##c_name##suffix = {&(of_tile), of_step};                                          \
    static bool plan_##c_name##suffix(const struct reg_shape *shape, struct reg_plan *result, struct error *error)         \
    {                                                                                                                      \
        return plan(shape, &(of_tile), c_format, result, error);                                                           \
    }                                                                                                                      \
    static const struct registration hgemm_##c_name##suffix = {.name = "hgemm_bf16_" #c_name #suffix,                      \
                                                               .family = "hgemm",                                          \
                                                               .source = "kernels/hgemm/hgemm" #suffix ".hip",             \
                                                               .symbol = "hgemm_bf16_" #c_name #suffix,                    \
                                                               REG_SHAPES(shapes),                                         \
                                                               .patterns = 1u << REG_PATTERN_EDGES,                        \
                                                               .variant = &variant_##c_name##suffix,                       \
                                                               .plan = plan_##c_name##suffix,                              \
                                                               .fill = hgemm_fill,                                         \
                                                               FORWARDED,                                                  \
                                                               REG_BYTES(bytes),                                           \
                                                               REG_BUDGETS(budgets),                                       \
                                                               .depth = depth,                                             \
                                                               __VA_ARGS__};                                               \
    REG_KERNEL(&hgemm_##c_name##suffix)

#define TWIN(c_name) .twin = "hgemm_bf16_" #c_name

REGISTER(fp32c, FORMAT_F32, , tile_fma, STEP_FMA_F32, );
REGISTER(bf16c, FORMAT_BF16, , tile_fma, STEP_FMA_F32, );
REGISTER(fp32c, FORMAT_F32, _wmma, tile_wmma, STEP_WMMA_ANY, TWIN(fp32c), .exact_needs_one_sign = true,
         .chips = HGEMM_WMMA_CHIPS, .wave_size = 32);
REGISTER(bf16c, FORMAT_BF16, _wmma, tile_wmma, STEP_WMMA_ANY, TWIN(bf16c), .exact_needs_one_sign = true,
         .chips = HGEMM_WMMA_CHIPS, .wave_size = 32);
REGISTER(fp32c, FORMAT_F32, _mfma, tile_mfma, STEP_MFMA_ANY, TWIN(fp32c), .chips = HGEMM_CDNA_CHIPS, .wave_size = 64);
REGISTER(bf16c, FORMAT_BF16, _mfma, tile_mfma, STEP_MFMA_ANY, TWIN(bf16c), .chips = HGEMM_CDNA_CHIPS, .wave_size = 64);
