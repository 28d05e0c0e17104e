/*
 * hgemm_bf16_fp32c and _bf16c with k in splits, through their launcher, and hgemm_bf16_fp32c whose splits add to C by
 * atomics; each for the chips of one math. Dimensions of a shape: m, n, k.
 */
#include "kernels/forward.h"
#include "kernels/hgemm/family.h"
#include "kernels/hgemm/splitk_case.h"
#include "kernels/launch/start.h"
#include "reference/hgemm.h"
#include "reference/hgemm_atomic.h"

static const struct reg_shape shapes[] = {
    HGEMM_SHAPE(1, 33, 640, .quick = true), /* 5 splits */
    HGEMM_SHAPE(3, 65, 96, .quick = true),  /* one */
    HGEMM_SHAPE(33, 70, 515), /* three for each of four tiles; no row starts where a vector may, the last k is ragged */
    HGEMM_SHAPE(2, 20, 2100), /* as many as there may be */
    HGEMM_SHAPE(1, 1, 2),     /* the first vector is ragged */
    HGEMM_SHAPE(1, 1, 69),    /* and one of a second step */
    HGEMM_SHAPE(3, 1000, 96, .heavy = true),
    HGEMM_BATCHES(1024),
    HGEMM_BATCHES(2560),
};
/* Where atomics are the fault that is known. */
static const struct reg_shape atomic_shapes[] = {
    HGEMM_SHAPE(1, 33, 640, .quick = true),
    HGEMM_SHAPE(33, 70, 515),
    HGEMM_SHAPE(1, 1024, 7168, .heavy = true),
};

/* A math that some chips have, and their waves. */
struct math {
    enum hgemm_function function;
    int wave_size;
    enum step_model step;
};

static bool plan(const struct reg_shape *shape, enum number_format c_format, struct reg_plan *plan, struct error *error)
{
    int64_t m = shape->dim[0], n = shape->dim[1], k = shape->dim[2];
    if (!launch_in_range("split-K", "m", m, INT32_MAX, error) || !launch_in_range("split-K", "n", n, INT32_MAX, error) ||
        !launch_in_range("split-K", "k", k, INT32_MAX, error))
        return false; /* the launcher, which knows the tile, has narrower limits */
    *plan = (struct reg_plan){.n_tensors = 3,
                              .tensor = {[HGEMM_A] = {"a", FORMAT_BF16, REG_INPUT, m, k},
                                         [HGEMM_B] = {"b", FORMAT_BF16, REG_INPUT, n, k},
                                         [HGEMM_C] = {"c", c_format, REG_OUTPUT, m, n}}};
    return true;
}

static bool plan_fp32c(const struct reg_shape *shape, struct reg_plan *result, struct error *error)
{
    return plan(shape, FORMAT_F32, result, error);
}

static bool plan_bf16c(const struct reg_shape *shape, struct reg_plan *result, struct error *error)
{
    return plan(shape, FORMAT_BF16, result, error);
}

static struct hgemm problem(const struct reg_case *c)
{
    const struct math *math = c->registration->variant;
    const struct hgemm_tile *tile = hgemm_splitk_tile(math->function);
    int64_t m = c->shape->dim[0], n = c->shape->dim[1], k = c->shape->dim[2];
    return (struct hgemm){.m = m,
                          .n = n,
                          .k = k,
                          .a = c->data[HGEMM_A],
                          .b = c->data[HGEMM_B],
                          .step = math->step,
                          .k_of_tile = tile->k,
                          .k_of_split = hgemm_split_of(math->wave_size, tile, m, n, k).k_of_split,
                          .c_format = c->plan->tensor[HGEMM_C].format,
                          .n_threads = c->n_threads};
}

FORWARD_OUTPUTS(hgemm)
FORWARD_AUDIT(hgemm, n)
FORWARD_DEPTH(hgemm)

static void reference_atomic(const struct reg_case *c, int tensor, struct bound *out)
{
    (void)tensor;
    struct hgemm p = problem(c);
    hgemm_atomic_reference(&p, out);
}

static bool launch(void *state, const struct reg_call *call, struct error *error)
{
    struct hgemm_device device;
    struct hgemm_product product;
    return hgemm_splitk_case(state, call, call->device, &device, &product, error) &&
           hgemm_splitk_launch(&device, &product, error);
}
HGEMM_SPLITK_LAUNCHER(launcher_fp32c, launch, HGEMM_TILES(HGEMM_SPLITK_NAME) "hgemm_reduce_fp32");
HGEMM_SPLITK_LAUNCHER(launcher_bf16c, launch, HGEMM_TILES(HGEMM_SPLITK_NAME) "hgemm_reduce_bf16");

static bool launch_atomic(void *state, const struct reg_call *call, struct error *error)
{
    struct hgemm_device device;
    struct hgemm_product product;
    return hgemm_splitk_case(state, call, call->device, &device, &product, error) &&
           hgemm_atomic_launch(&device, &product, error);
}
HGEMM_SPLITK_LAUNCHER(launcher_atomic, launch_atomic, HGEMM_TILES(HGEMM_ATOMIC_NAME));

static const struct reg_bytes bytes[] = {HGEMM_RELATIONS};

/* Three or more splits add to C in the order in which they come. */
static const struct reg_known_finding known_atomic[] = {{.gate = GATE_BYTES,
                                                         .owner = "hgemm",
                                                         .reason = "the splits' atomic additions to C come in any order",
                                                         .link = "docs/numerics.md#splits-of-k",
                                                         .expires = "2027-11-30"}};

#define REGISTER(variable, of_math, of_plan, of_launcher, ...)                                                             \
    static const struct registration variable = {.name = "hgemm_bf16_" #variable,                                          \
                                                 .family = "hgemm",                                                        \
                                                 .source = HGEMM_SPLITK_SOURCE,                                            \
                                                 .launcher = &(of_launcher),                                               \
                                                 .patterns = 1u << REG_PATTERN_EDGES,                                      \
                                                 .variant = &(of_math),                                                    \
                                                 .plan = of_plan,                                                          \
                                                 .fill = hgemm_fill,                                                       \
                                                 .audit = audit,                                                           \
                                                 .model = model,                                                           \
                                                 .exact = exact,                                                           \
                                                 .depth = depth,                                                           \
                                                 __VA_ARGS__};                                                             \
    REG_KERNEL(&variable)

/* All three for the chips of one math. */
#define SPLITK(suffix, function, lanes, of_step, ...)                                                                      \
    static const struct math math##suffix = {HGEMM_FUNCTION_##function, lanes, of_step};                                   \
    REGISTER(fp32c_splitk##suffix, math##suffix, plan_fp32c, launcher_fp32c, REG_SHAPES(shapes), .reference = reference,   \
             REG_BYTES(bytes), __VA_ARGS__);                                                                               \
    REGISTER(bf16c_splitk##suffix, math##suffix, plan_bf16c, launcher_bf16c, REG_SHAPES(shapes), .reference = reference,   \
             REG_BYTES(bytes), __VA_ARGS__);                                                                               \
    REGISTER(fp32c_atomic##suffix, math##suffix, plan_fp32c, launcher_atomic, REG_SHAPES(atomic_shapes),                   \
             .reference = reference_atomic, .known = known_atomic, .n_known = 1, __VA_ARGS__)

SPLITK(, fma, 32, STEP_FMA_F32, .wave_size = 32, .chips = "gfx1030");
SPLITK(_wmma, wmma, 32, STEP_WMMA_ANY, .wave_size = 32, .exact_needs_one_sign = true, .chips = HGEMM_WMMA_CHIPS);
SPLITK(_mfma, mfma, 64, STEP_MFMA_ANY, .wave_size = 64, .chips = HGEMM_CDNA_CHIPS);
