/* The registrations that are wrong on purpose, and the controls. */
#include <math.h>

#include "contract/selftest.h"

/* A reference that is an ulp of the output away from the truth. */
static void reference_off(const struct reg_case *c, int tensor, struct bound *out)
{
    selftest_sums.reference(c, tensor, out);
    for (int64_t row = 0; row < c->shape->dim[0]; row++)
        if (isfinite(out[row].value))
            out[row].value += 2 * format_half_spacing(FORMAT_F32, out[row].value);
}

/* One that is four bounds away. */
static void reference_far(const struct reg_case *c, int tensor, struct bound *out)
{
    selftest_sums.reference(c, tensor, out);
    for (int64_t row = 0; row < c->shape->dim[0]; row++)
        out[row].value += 4 * out[row].error;
}

/* Integers whose products f32 holds and whose sums it does not. */
static void fill_large_integers(const struct reg_case *c, int tensor, void *data)
{
    const struct reg_tensor *t = &c->plan->tensor[tensor];
    selftest_sums.fill(c, tensor, data);
    for (int64_t i = 0; i < t->rows * t->columns && c->pattern == REG_PATTERN_EXACT; i++)
        format_store(t->format, data, i,
                     tensor == SELFTEST_X ? 4096 * format_load(t->format, data, i) + 1 : format_load(t->format, data, i));
}

static void depth_of_one_less(const struct reg_case *c, int tensor, struct depth *depth)
{
    (void)tensor;
    depth_add(depth, selftest_additions(c) - 1, "one less than there are");
}

static void model_without_faults(const struct reg_case *c, int tensor, const struct policy *policy, double *out)
{
    (void)policy;
    selftest_sums.model(c, tensor, &policy_true, out);
}

static const struct reg_known_finding expired = {GATE_BOUND, "hipcontract", "a depth that is declared too small",
                                                 "docs/selftest.md", "2020-01-01"};

/* What a probe has other than selftest_sums: members that are not NULL. */
struct probe {
    const char *name;
    void (*fill)(const struct reg_case *c, int tensor, void *data);
    void (*reference)(const struct reg_case *c, int tensor, struct bound *out);
    void (*depth)(const struct reg_case *c, int tensor, struct depth *depth);
    void (*model)(const struct reg_case *c, int tensor, const struct policy *policy, double *out);
    const struct reg_known_finding *known;
    const char *twin;
};

/* Those of SELFTEST_ONLY are run; the other is a twin. */
static const struct probe probes[] = {
    {.name = "selftest_reference", .reference = reference_off},
    {.name = "selftest_premise", .fill = fill_large_integers},
    {.name = "selftest_depth", .depth = depth_of_one_less},
    {.name = "selftest_expired", .depth = depth_of_one_less, .known = &expired},
    {.name = "selftest_twin", .twin = "far_from_selftest"},
    {.name = "selftest_blind", .model = model_without_faults},
    {.name = "far_from_selftest", .reference = reference_far},
};
enum { N_PROBES = sizeof probes / sizeof *probes };

/* X(name, what, gate, members) */
#define BUILD(of_define, of_shape, ...)                                                                                    \
    .how = CONTROL_BUILD, .define = "SELFTEST_" of_define, .shape = of_shape, __VA_ARGS__
#define CONTROLS(X)                                                                                                        \
    X(past_end, "writes one element past the output", GATE_BYTES, BUILD("PAST_END", "6x65", ))                             \
    X(writes_input, "writes into x", GATE_BYTES, BUILD("WRITES_INPUT", "6x65", ))                                          \
    X(last_unwritten, "does not write the last row", GATE_BYTES, BUILD("LAST_UNWRITTEN", "6x65", ))                        \
    X(any_order, "adds in the order of the waves", GATE_BYTES, BUILD("ANY_ORDER", "9x300", ))                              \
    X(no_barrier, "lacks its barrier", GATE_BYTES, BUILD("NO_BARRIER", "6x65", .finding = "race"))                         \
    X(one_launch_late, "x a row late in one launch", GATE_BYTES, .how = CONTROL_POINTER, .bytes = "rows",                  \
      .tensor = SELFTEST_X, .offset_rows = 1)                                                                              \
    X(fixed_point, "keeps multiples of 2^-22", GATE_BYTES, BUILD("FIXED_POINT", NULL, .bytes = "scale x"))                 \
    X(hides_nan, "stores 0 for NaN", GATE_CLASSES, BUILD("HIDES_NAN", "6x65", .pattern = REG_PATTERN_CLASSES))             \
    X(last_wrong, "the last row is a hundredth too large", GATE_BOUND, BUILD("LAST_WRONG", "6x65", ))                      \
    X(row_late, "x a row late", GATE_BOUND, .how = CONTROL_POINTER, .shape = "6x65", .tensor = SELFTEST_X,                 \
      .offset_rows = 1)                                                                                                    \
    X(stale, "the weights of another seed", GATE_BOUND, .how = CONTROL_STALE, .shape = "6x65", .tensor = SELFTEST_W)       \
    X(no_fault, "nothing is wrong", GATE_BOUND, .how = CONTROL_SCALAR, .shape = "6x65", .arg = 3)                          \
    X(too_weak, "x a row late, and more than that is asked for", GATE_BOUND, .how = CONTROL_POINTER, .shape = "6x65",      \
      .tensor = SELFTEST_X, .offset_rows = 1, .least_factor = 1e30)                                                        \
    X(elsewhere, "writes past the end, which gate 3 does not see", GATE_BOUND, BUILD("PAST_END", "6x65", ))                \
    X(f16_sums, "keeps its sums in f16", GATE_EXACT, BUILD("F16_SUMS", "9x300", .pattern = REG_PATTERN_EXACT))             \
    X(block, "1024 threads where the kernel is compiled for 256", GATE_LIMITS, .how = CONTROL_RECORD, .shape = "6x65",     \
      .delta = 1024)

static const struct control controls[] = {
#define CONTROL_ROW(of_name, of_what, of_gate, ...)                                                                        \
    {.name = #of_name, .registration = "selftest_sums", .what = of_what, .gate = of_gate, __VA_ARGS__},
    CONTROLS(CONTROL_ROW)
#undef CONTROL_ROW
};
enum { N_CONTROLS = sizeof controls / sizeof *controls };

static struct registration registration_of(const struct probe *probe)
{
    struct registration r = selftest_sums;
    r.name = probe->name;
    r.shapes = &selftest_probe_shape;
    r.n_shapes = 1;
    r.bytes = NULL;
    r.n_bytes = 0;
    r.fill = probe->fill ? probe->fill : r.fill;
    r.reference = probe->reference ? probe->reference : r.reference;
    r.depth = probe->depth ? probe->depth : r.depth;
    r.model = probe->model ? probe->model : r.model;
    r.known = probe->known;
    r.n_known = probe->known ? 1 : 0;
    r.twin = probe->twin;
    return r;
}

bool selftest_registry(struct arena *arena, struct registry *registry, struct error *error)
{
    struct registration *wrong = arena_alloc(arena, sizeof *wrong * N_PROBES);
    const struct registration *registrations[N_PROBES + 1] = {&selftest_sums};
    const struct control *of_sums[N_CONTROLS];
    if (!wrong)
        return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the probes");
    for (int i = 0; i < N_PROBES; i++) {
        wrong[i] = registration_of(&probes[i]);
        registrations[i + 1] = &wrong[i];
    }
    for (int i = 0; i < N_CONTROLS; i++)
        of_sums[i] = &controls[i];
    return registry_sort(arena, &(struct registry){registrations, N_PROBES + 1, of_sums, N_CONTROLS}, registry, error);
}
