/* example_dot, bare and through its launcher. Dimensions of a shape: rows, n. */
#include "dot.h"

#include <math.h>

/* build/kernels.so is one folder below the sources. */
HIPCONTRACT_KERNELS("..");

enum { X, W, OUT }; /* tensors */

static const struct reg_shape shapes[] = {
    {.label = "1x64", .dim = {1, 64}, .quick = true},
    {.label = "2x33", .dim = {2, 33}, .quick = true},
    {.label = "3x1000", .dim = {3, 1000}, .quick = true},
};

/* What every launch of it needs. */
static bool plan_tensors(const struct reg_shape *shape, struct reg_plan *plan, struct error *error)
{
    int64_t rows = shape->dim[0], n = shape->dim[1];
    if (rows < 1 || n < 1 || n > INT32_MAX - 64)
        return error_set(error, STATUS_USAGE, "example_dot takes at least one row and column");
    *plan = (struct reg_plan){.n_tensors = 3,
                              .tensor = {[X] = {"x", FORMAT_F32, REG_INPUT, rows, n},
                                         [W] = {"w", FORMAT_F32, REG_INPUT, 1, n},
                                         [OUT] = {"out", FORMAT_F32, REG_OUTPUT, rows, 1}}};
    return true;
}

static bool plan(const struct reg_shape *shape, struct reg_plan *plan, struct error *error)
{
    if (!plan_tensors(shape, plan, error))
        return false;
    for (int tensor = X; tensor <= OUT; tensor++)
        plan->arg[plan->n_args++] = (struct reg_arg){.kind = REG_ARG_TENSOR, .tensor = tensor};
    plan->arg[plan->n_args++] = (struct reg_arg){.kind = REG_ARG_I32, .integer = shape->dim[1]};
    for (int i = 0; i < 3; i++)
        plan->grid[i] = plan->block[i] = 1;
    plan->grid[0] = (uint32_t)shape->dim[0];
    plan->block[0] = 64;
    return true;
}

static double x_at(const struct reg_case *c, int64_t row, int64_t j)
{
    return format_load(FORMAT_F32, c->data[X], row * c->shape->dim[1] + j);
}

static double w_at(const struct reg_case *c, int64_t j)
{
    return format_load(FORMAT_F32, c->data[W], j);
}

/* EXACT: integers whose products and sums f32 holds and fp16 and bf16 do not. CLASSES: only x carries NaN and infinities,
 * so that the other rows stay finite. */
static void fill(const struct reg_case *c, int tensor, void *data)
{
    const struct reg_tensor *t = &c->plan->tensor[tensor];
    struct reg_case plain = *c;
    if (tensor == W && c->pattern == REG_PATTERN_CLASSES)
        plain.pattern = REG_PATTERN_SIGNED;
    if (c->pattern != REG_PATTERN_EXACT)
        reg_fill(&plain, tensor, data);
    else
        for (int64_t i = 0; i < t->rows * t->columns; i++)
            format_store(FORMAT_F32, data, i, 1 + random_below(reg_key(c, tensor), (uint64_t)i, 31));
}

/* Additions that a term may pass through: its thread's chain, then a round for each halving of the threads. The launcher's
 * plan has no block: it may be either variant. */
static int64_t additions(const struct reg_case *c)
{
    int64_t n = c->shape->dim[1], of_32 = (n + 31) / 32 + 5, of_64 = (n + 63) / 64 + 6;
    return c->plan->block[0] == 64 || of_64 > of_32 ? of_64 : of_32;
}

static void depth(const struct reg_case *c, int tensor, struct depth *depth)
{
    (void)tensor;
    depth_add(depth, additions(c), "a thread's chain and the tree");
}

static void reference(const struct reg_case *c, int tensor, struct bound *out)
{
    (void)tensor;
    for (int64_t row = 0; row < c->shape->dim[0]; row++) {
        long double sum = 0, sum_abs = 0;
        for (int64_t j = 0; j < c->shape->dim[1]; j++) {
            double product = x_at(c, row, j) * w_at(c, j); /* exact in float64 */
            sum += product;
            sum_abs += fabs(product);
        }
        out[row] = bound_sum(FORMAT_F32, c->shape->dim[1], (double)sum, (double)sum_abs, 0, additions(c));
    }
}

static void audit(const struct reg_case *c, int tensor, int64_t element, struct audit *audit)
{
    (void)tensor;
    audit_set(audit, 0, 0);
    for (int64_t j = 0; j < c->shape->dim[1]; j++)
        audit_accumulate(audit, 0, x_at(c, element, j), w_at(c, j));
}

static void model(const struct reg_case *c, int tensor, const struct policy *policy, double *out)
{
    (void)tensor;
    for (int64_t row = 0; row < c->shape->dim[0]; row++) {
        int64_t from = (row + policy->row_shift) % c->shape->dim[0];
        double sum = 0;
        for (int64_t j = 0; j < policy_terms(policy, c->shape->dim[1]); j++)
            sum = policy_add(policy, sum, policy_product(policy, x_at(c, from, j), w_at(c, j)));
        out[row] = policy_result(policy, sum);
    }
}

static void exact(const struct reg_case *c, int tensor, int64_t first, int64_t n, struct exact_sum *sums)
{
    (void)tensor;
    for (int64_t i = 0; i < n; i++) {
        struct exact_sum sum = {.products_exact = true, .one_signed = true};
        for (int64_t j = 0; j < c->shape->dim[1]; j++)
            sum.sum += (int64_t)(x_at(c, first + i, j) * w_at(c, j));
        sum.sum_abs = sum.sum;
        sum.expected = (double)sum.sum;
        sums[i] = sum;
    }
}

#define DOT_REGISTRATION(variable, ...)                                                                                    \
    static const struct registration variable = {.name = #variable,                                                        \
                                                 .family = "example",                                                      \
                                                 .source = DOT_SOURCE,                                                     \
                                                 REG_SHAPES(shapes),                                                       \
                                                 .fill = fill,                                                             \
                                                 .reference = reference,                                                   \
                                                 .depth = depth,                                                           \
                                                 .audit = audit,                                                           \
                                                 .model = model,                                                           \
                                                 .exact = exact,                                                           \
                                                 __VA_ARGS__};                                                             \
    REG_KERNEL(&variable)

DOT_REGISTRATION(example_dot, .symbol = "example_dot_64", .plan = plan);

static bool open_nothing(const struct hip_api *hip, void **state, struct error *error)
{
    (void)hip;
    (void)error;
    *state = NULL;
    return true;
}

static bool launch(void *state, const struct reg_call *call, struct error *error)
{
    (void)state;
    int wave_size;
    hipError_t code = call->hip->hipDeviceGetAttribute(&wave_size, hipDeviceAttributeWarpSize, call->device);
    if (code != hipSuccess)
        return error_set(error, STATUS_ENVIRONMENT, "the wave size of device %d: %s", call->device,
                         call->hip->hipGetErrorName(code));
    return dot_launch(call->hip, call->functions, wave_size, call->tensors[X], call->tensors[W], call->tensors[OUT],
                      call->c->shape->dim[0], call->c->shape->dim[1], error);
}

static void close_nothing(void *state)
{
    (void)state;
}

static const struct reg_launcher launcher = {.kernels = {DOT_KERNEL_NAMES},
                                             .devices_shape = "2x33",
                                             .n_devices = 2,
                                             .open = open_nothing,
                                             .launch = launch,
                                             .close = close_nothing};
DOT_REGISTRATION(example_dot_launcher, .launcher = &launcher, .plan = plan_tensors);

/* A fault of the launcher: the wave size is taken for granted. */
static bool launch_on_any_wave(void *state, const struct reg_call *call, struct error *error)
{
    (void)state;
    return dot_launch(call->hip, call->functions, 64, call->tensors[X], call->tensors[W], call->tensors[OUT],
                      call->c->shape->dim[0], call->c->shape->dim[1], error);
}

static const struct reg_launcher any_wave = {.kernels = {DOT_KERNEL_NAMES},
                                             .devices_shape = "2x33",
                                             .n_devices = 2,
                                             .open = open_nothing,
                                             .launch = launch_on_any_wave,
                                             .close = close_nothing};
static const struct control wave_assumed = {.name = "example_wave_assumed",
                                            .registration = "example_dot_launcher",
                                            .what = "the wave size is taken for granted",
                                            .shape = "2x33",
                                            .pattern = REG_PATTERN_SIGNED,
                                            .gate = GATE_BYTES,
                                            .how = CONTROL_LAUNCHER,
                                            .launcher = &any_wave,
                                            .check = "wave size"};
REG_CONTROL(&wave_assumed);

static const struct control row_late = {.name = "example_row_late",
                                        .registration = "example_dot",
                                        .what = "x is read one row late",
                                        .shape = "3x1000",
                                        .pattern = REG_PATTERN_SIGNED,
                                        .gate = GATE_BOUND,
                                        .least_factor = 100,
                                        .how = CONTROL_POINTER,
                                        .tensor = X,
                                        .offset_rows = 1};
REG_CONTROL(&row_late);
