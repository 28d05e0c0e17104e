#!/usr/bin/env bash
# Writes a kernel, its registration and a control that build and pass as they are. Usage: scripts/new_kernel.sh FAMILY KERNEL
# (from `make new FAMILY=norm KERNEL=my_norm`, which then builds and records its limits)
set -euo pipefail

family=${1:-} kernel=${2:-}
usage="make new FAMILY=norm KERNEL=my_norm"

fail() {
    echo "make new: $*" >&2
    exit 2
}

for name in "$family" "$kernel"; do
    [ -n "$name" ] || fail "give a family and a kernel: $usage"
    [[ $name =~ ^[a-z][a-z0-9_]{0,62}$ ]] || fail "'$name' is no name; small letters, digits and _ make one: $usage"
done
hip=kernels/$family/$kernel.hip
registration=kernels/$family/$kernel.c
control=controls/$kernel.c
for file in "$hip" "$registration" "$control"; do
    [ ! -e "$file" ] || fail "$file exists; choose another name, or remove it first"
done
if grep -qsE "\"$kernel\"" kernels/*/*.c; then
    fail "a kernel named $kernel is registered already: $(grep -lE "\"$kernel\"" kernels/*/*.c | head -n 1)"
fi

# The templates say @KERNEL@ and @FAMILY@ where names go.
fill() {
    sed -e "s/@KERNEL@/$kernel/g" -e "s/@FAMILY@/$family/g" >"$1"
    echo "wrote $1"
}

mkdir -p "kernels/$family" controls
fill "$hip" <<'EOF'
/*
 * @KERNEL@: out[row] = scale * sum over j of x[row][j] * w[j], in f32. One block of 64 threads a row: thread t chains j = t, t + 64, …
 * by fused multiply-adds, then six rounds through LDS add the threads' sums in a fixed order.
 */
#include <hip/hip_runtime.h>

constexpr int threads = 64;

extern "C" __global__ __launch_bounds__(threads) void @KERNEL@(const float *__restrict__ x, const float *__restrict__ w,
                                                             float *__restrict__ out, float scale, int n)
{
    __shared__ float part[threads];
    const float *row = x + (size_t)blockIdx.x * n;
    float sum = 0;
    for (int j = threadIdx.x; j < n; j += threads)
        sum = __builtin_fmaf(row[j], w[j], sum);
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = scale * part[0];
}
EOF

fill "$registration" <<'EOF'
/* @KERNEL@: what it computes, its shapes, and how far its arithmetic may stray. Dimensions of a shape: rows, n. */
#include "contract/registry.h"

#include <math.h>

#include "kernels/relations.h"

enum { X, W, OUT };                     /* tensors */
enum { THREADS = 64, TREE_ROUNDS = 6 }; /* as in the .hip */
static const float scale = 0.5f;

/* One row and several, odd and ragged widths, one element past the block, several rounds of the loop. */
static const struct reg_shape shapes[] = {
    {.label = "1x64", .dim = {1, 64}, .quick = true},
    {.label = "2x33", .dim = {2, 33}, .quick = true},
    {.label = "64x65", .dim = {64, 65}},
    {.label = "3x1000", .dim = {3, 1000}, .quick = true},
    {.label = "5x5000", .dim = {5, 5000}},
};

/* The launch, as the production launcher makes it; a shape that it would refuse is refused here. */
static bool plan(const struct reg_shape *shape, struct reg_plan *plan, struct error *error)
{
    int64_t rows = shape->dim[0], n = shape->dim[1];
    if (rows < 1 || n < 1 || n > INT32_MAX - THREADS)
        return error_set(error, STATUS_USAGE, "@KERNEL@ takes at least one row and column");
    *plan = (struct reg_plan){
        .n_tensors = 3,
        .tensor = {[X] = {"x", FORMAT_F32, REG_INPUT, rows, n},
                   [W] = {"w", FORMAT_F32, REG_INPUT, 1, n},
                   [OUT] = {"out", FORMAT_F32, REG_OUTPUT, rows, 1}},
        .n_args = 5,
        .arg = {{.kind = REG_ARG_TENSOR, .tensor = X},
                {.kind = REG_ARG_TENSOR, .tensor = W},
                {.kind = REG_ARG_TENSOR, .tensor = OUT},
                {.kind = REG_ARG_F32, .real = scale},
                {.kind = REG_ARG_I32, .integer = n}},
        .grid = {(uint32_t)rows, 1, 1},
        .block = {THREADS, 1, 1},
    };
    return true;
}

static double x_at(const struct reg_case *c, int64_t row, int64_t j)
{
    return format_load(FORMAT_F32, c->data[X], row * c->plan->tensor[X].columns + j);
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

/* The additions on the longest way of a term: its thread's chain, then the tree. */
static int64_t additions(const struct reg_case *c)
{
    return (c->plan->tensor[X].columns + THREADS - 1) / THREADS + TREE_ROUNDS;
}

static void depth(const struct reg_case *c, int tensor, struct depth *depth)
{
    (void)tensor;
    depth_add(depth, additions(c), "the chain and the tree");
}

/* Value and bound of each output. Products enter the chain unrounded (fma); the scale is one more rounding. */
static void reference(const struct reg_case *c, int tensor, struct bound *out)
{
    (void)tensor;
    int64_t n = c->plan->tensor[X].columns;
    for (int64_t row = 0; row < c->plan->tensor[X].rows; row++) {
        long double sum = 0, sum_abs = 0;
        for (int64_t j = 0; j < n; j++) {
            double product = x_at(c, row, j) * w_at(c, j); /* exact in float64 */
            sum += product;
            sum_abs += fabs(product);
        }
        struct bound total = bound_sum(FORMAT_F32, n, (double)sum, (double)sum_abs, 0, additions(c));
        out[row] = bound_mul(FORMAT_F32, total, bound_exact(scale));
    }
}

/* The same output in MPFR, which audits the reference's value. */
static void audit(const struct reg_case *c, int tensor, int64_t element, struct audit *audit)
{
    (void)tensor;
    audit_set(audit, 0, 0);
    for (int64_t j = 0; j < c->plan->tensor[X].columns; j++)
        audit_accumulate(audit, 0, x_at(c, element, j), w_at(c, j));
    audit_set(audit, 1, scale);
    audit_mul(audit, 0, 0, 1);
}

/* The formula with the faults of a policy (narrow sums, a lost term, a row late …): shows which gate would catch each. */
static void model(const struct reg_case *c, int tensor, const struct policy *policy, double *out)
{
    (void)tensor;
    const struct reg_tensor *x = &c->plan->tensor[X];
    for (int64_t row = 0; row < x->rows; row++) {
        int64_t from = (row + policy->row_shift) % x->rows;
        double sum = 0;
        for (int64_t j = 0; j < policy_terms(policy, x->columns); j++)
            sum = policy_add(policy, sum, policy_product(policy, x_at(c, from, j), w_at(c, j)));
        out[row] = policy_result(policy, scale * sum);
    }
}

/* Gate 4: the integer sum behind outputs first … first + n - 1. */
static void exact(const struct reg_case *c, int tensor, int64_t first, int64_t n, struct exact_sum *sums)
{
    (void)tensor;
    for (int64_t i = 0; i < n; i++) {
        struct exact_sum sum = {.products_exact = true, .one_signed = true};
        for (int64_t j = 0; j < c->plan->tensor[X].columns; j++)
            sum.sum += (int64_t)(x_at(c, first + i, j) * w_at(c, j));
        sum.sum_abs = sum.sum;
        sum.expected = scale * (double)sum.sum;
        sums[i] = sum;
    }
}

/* What must follow bit for bit when rows change places, x is scaled by powers of two, or zeros are added to the columns. */
#define RELATION(...)                                                                                                      \
    {                                                                                                                      \
        __VA_ARGS__, .shape = {.label = "5x66", .dim = {5, 66}, .quick = true}, .fill = reg_fill_scalable                  \
    }

static const struct reg_bytes bytes[] = {
    RELATION(SCALE("x", 1u << X, 1u << OUT, 1u << X | 1u << W, .beside_unit = -1 /* the scale */)),
    RELATION(PERMUTE("rows", 0, .row_tensors = 1u << X | 1u << OUT)),
    RELATION(PAD("columns", .shape = {.label = "5x200", .dim = {5, 200}})),
};

static const struct registration @KERNEL@ = {
    .name = "@KERNEL@",
    .family = "@FAMILY@",
    .source = "kernels/@FAMILY@/@KERNEL@.hip",
    .symbol = "@KERNEL@",
    REG_SHAPES(shapes),
    .plan = plan,
    .fill = fill,
    .reference = reference,
    .depth = depth,
    .audit = audit,
    .model = model,
    .exact = exact,
    REG_BYTES(bytes),
};
REG_KERNEL(&@KERNEL@);
EOF

fill "$control" <<'EOF'
/* Planted faults of @KERNEL@: the real kernel run wrongly. Each must turn red at the gate it names. */
#include "contract/registry.h"

/* x is read one row late: gate 3 must see each output far outside its bound. */
static const struct control row_late = {
    .name = "@KERNEL@_row_late",
    .registration = "@KERNEL@",
    .what = "x is read one row late",
    .shape = "3x1000",
    .pattern = REG_PATTERN_SIGNED,
    .gate = GATE_BOUND,
    .least_factor = 100,
    .how = CONTROL_POINTER,
    .tensor = 0,
    .offset_rows = 1,
};
REG_CONTROL(&row_late);
EOF

cat <<EOF
next: make build && build/hipcontract limits --only '$kernel' --update   (make new does it)
      build/hipcontract contract --only '$kernel'
      then make the three files yours; docs/adding-a-kernel.md explains each part
EOF
