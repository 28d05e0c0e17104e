/* Planted faults of split-K and of its launcher, for the chips of each math. */
#include "contract/registry.h"
#include "kernels/hgemm/splitk_case.h"

typedef bool started(const struct hgemm_device *device, const struct hgemm_product *product, const struct hgemm_work *work,
                     struct error *error);

/* The case with another way from the prepared work to C. */
static bool launch_as(started *start, void *state, const struct reg_call *call, int pool_of, struct error *error)
{
    struct hgemm_device device;
    struct hgemm_product product;
    struct hgemm_work work;
    return hgemm_splitk_case(state, call, pool_of, &device, &product, error) &&
           hgemm_splitk_prepare(&device, &product, &work, error) && start(&device, &product, &work, error);
}

/* What nothing makes wait for the partial sums adds those of the call before. */
static bool start_sum_first(const struct hgemm_device *device, const struct hgemm_product *product,
                            const struct hgemm_work *work, struct error *error)
{
    return hgemm_splitk_start_sum(device, product, work, work->split.n_splits, error) &&
           hgemm_splitk_start_partials(device, product, work, work->pool, error);
}

static bool start_short_sum(const struct hgemm_device *device, const struct hgemm_product *product,
                            const struct hgemm_work *work, struct error *error)
{
    return hgemm_splitk_start_partials(device, product, work, work->pool, error) &&
           hgemm_splitk_start_sum(device, product, work, work->split.n_splits - 1, error);
}

static bool start_all(const struct hgemm_device *device, const struct hgemm_product *product, const struct hgemm_work *work,
                      struct error *error)
{
    return hgemm_splitk_start_partials(device, product, work, work->pool, error) &&
           hgemm_splitk_start_sum(device, product, work, work->split.n_splits, error);
}

static bool start_uncleared(const struct hgemm_device *device, const struct hgemm_product *product,
                            const struct hgemm_work *work, struct error *error)
{
    return hgemm_splitk_start_partials(device, product, work, product->c, error);
}

static bool launch_stale(void *state, const struct reg_call *call, struct error *error)
{
    return launch_as(start_sum_first, state, call, call->device, error);
}

static bool launch_short(void *state, const struct reg_call *call, struct error *error)
{
    return launch_as(start_short_sum, state, call, call->device, error);
}

static bool launch_on_one_pool(void *state, const struct reg_call *call, struct error *error)
{
    return launch_as(start_all, state, call, 0, error);
}

static bool launch_uncleared(void *state, const struct reg_call *call, struct error *error)
{
    return launch_as(start_uncleared, state, call, call->device, error);
}

#define FP32_KERNELS HGEMM_TILES(HGEMM_SPLITK_NAME) "hgemm_reduce_fp32"
HGEMM_SPLITK_LAUNCHER(stale, launch_stale, FP32_KERNELS);
HGEMM_SPLITK_LAUNCHER(short_sum, launch_short, FP32_KERNELS);
HGEMM_SPLITK_LAUNCHER(short_sum_bf16, launch_short, HGEMM_TILES(HGEMM_SPLITK_NAME) "hgemm_reduce_bf16");
HGEMM_SPLITK_LAUNCHER(one_pool, launch_on_one_pool, FP32_KERNELS);
HGEMM_SPLITK_LAUNCHER(uncleared, launch_uncleared, HGEMM_TILES(HGEMM_ATOMIC_NAME));

#define CONTROLS(suffix)                                                                                                   \
    REG_NAMED_CONTROL(splitk_bf16_partials##suffix, .registration = "hgemm_bf16_fp32c_splitk" #suffix,                     \
                      .what = "partial sums are rounded to bf16", .shape = "33x70x515", .pattern = REG_PATTERN_ONESIDED,   \
                      .gate = GATE_BOUND, .least_factor = 4, .how = CONTROL_BUILD, .define = "HGEMM_FAULT_BF16_SUMS");     \
    REG_NAMED_CONTROL(splitk_bf16_partials_exact##suffix, .registration = "hgemm_bf16_fp32c_splitk" #suffix,               \
                      .what = "partial sums are rounded to bf16", .shape = "33x70x515", .pattern = REG_PATTERN_EXACT,      \
                      .gate = GATE_EXACT, .how = CONTROL_BUILD, .define = "HGEMM_FAULT_BF16_SUMS");                        \
    REG_NAMED_CONTROL(splitk_stale_partials##suffix, .registration = "hgemm_bf16_fp32c_splitk" #suffix,                    \
                      .what = "the partial sums of the call before are added", .shape = "1x33x640",                        \
                      .pattern = REG_PATTERN_SIGNED, .gate = GATE_BYTES, .how = CONTROL_LAUNCHER, .launcher = &stale);     \
    REG_NAMED_CONTROL(splitk_split_lost##suffix, .registration = "hgemm_bf16_fp32c_splitk" #suffix,                        \
                      .what = "the last split's partial sums are not added", .shape = "2x20x2100",                         \
                      .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100, .how = CONTROL_LAUNCHER,     \
                      .launcher = &short_sum);                                                                             \
    REG_NAMED_CONTROL(splitk_pool_of_other_device##suffix, .registration = "hgemm_bf16_fp32c_splitk" #suffix,              \
                      .what = "device 1 leaves its partial sums in device 0's pool", .shape = HGEMM_SPLITK_DEVICES_SHAPE,  \
                      .pattern = REG_PATTERN_SIGNED, .gate = GATE_BYTES, .how = CONTROL_LAUNCHER, .launcher = &one_pool,   \
                      .check = "devices");                                                                                 \
    REG_NAMED_CONTROL(splitk_bf16c_bf16_partials##suffix, .registration = "hgemm_bf16_bf16c_splitk" #suffix,               \
                      .what = "partial sums are rounded to bf16", .shape = "33x70x515", .pattern = REG_PATTERN_EXACT,      \
                      .gate = GATE_EXACT, .how = CONTROL_BUILD, .define = "HGEMM_FAULT_BF16_SUMS");                        \
    REG_NAMED_CONTROL(splitk_bf16c_split_lost##suffix, .registration = "hgemm_bf16_bf16c_splitk" #suffix,                  \
                      .what = "the last split's partial sums are not added", .shape = "33x70x515",                         \
                      .pattern = REG_PATTERN_EXACT, .gate = GATE_EXACT, .how = CONTROL_LAUNCHER,                           \
                      .launcher = &short_sum_bf16);                                                                        \
    REG_NAMED_CONTROL(atomic_not_cleared##suffix, .registration = "hgemm_bf16_fp32c_atomic" #suffix,                       \
                      .what = "C is not cleared before the splits add to it", .shape = "33x70x515",                        \
                      .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100, .how = CONTROL_LAUNCHER,     \
                      .launcher = &uncleared);                                                                             \
    REG_NAMED_CONTROL(atomic_row_late##suffix, .registration = "hgemm_bf16_fp32c_atomic" #suffix,                          \
                      .what = "A is read one row late", .shape = "1x33x640", .pattern = REG_PATTERN_EXACT,                 \
                      .gate = GATE_EXACT, .how = CONTROL_POINTER, .tensor = 0, .offset_rows = 1)

CONTROLS();
CONTROLS(_wmma);
CONTROLS(_mfma);
