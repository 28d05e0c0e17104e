#include "contract/host_case.h"

#include <math.h>
#include <string.h>

#include "contract/harness_fault.h"

int64_t tensor_elements(const struct reg_tensor *tensor)
{
    return tensor->rows * tensor->columns;
}

size_t tensor_bytes(const struct reg_tensor *tensor)
{
    return (size_t)tensor_elements(tensor) * format_facts(tensor->format)->n_bytes;
}

int next_output(const struct reg_plan *plan, int from)
{
    for (int t = from; t < plan->n_tensors; t++)
        if (plan->tensor[t].role == REG_OUTPUT)
            return t;
    return -1;
}

int plan_tensor(const struct reg_plan *plan, const char *name)
{
    for (int t = 0; t < plan->n_tensors; t++)
        if (strcmp(plan->tensor[t].name, name) == 0)
            return t;
    return -1;
}

int64_t plan_outputs(const struct reg_plan *plan)
{
    int64_t n = 0;
    for (int t = next_output(plan, 0); t >= 0; t = next_output(plan, t + 1))
        n += tensor_elements(&plan->tensor[t]);
    return n;
}

static bool no_memory(struct error *error)
{
    return error_set(error, STATUS_ENVIRONMENT, "out of host memory for a case; run fewer jobs, or smaller shapes");
}

/* The bytes that the case's file has for an input; NULL: none. */
static const void *file_data(const struct host_case *host, const struct reg_tensor *input)
{
    const struct reg_weights *weights = host->c.registration->weights;
    for (size_t i = 0; host->c.file && i < weights->n_tensors; i++)
        if (weights->tensors[i].input && strcmp(weights->tensors[i].input, input->name) == 0)
            return host->c.file->data[i];
    return NULL;
}

static void fill_input(struct host_case *host, int t)
{
    const struct registration *r = host->c.registration;
    const void *bytes = file_data(host, &host->plan.tensor[t]);
    void (*fill)(const struct reg_case *, int, void *) = host->c.file && r->weights->fill ? r->weights->fill : r->fill;
    if (bytes)
        memcpy(host->c.data[t], bytes, tensor_bytes(&host->plan.tensor[t]));
    else
        (fill ? fill : reg_fill)(&host->c, t, host->c.data[t]);
}

static bool plan_case(struct host_case *host, const struct reg_case *c, struct error *error)
{
    *host = (struct host_case){.c = *c};
    host->c.plan = &host->plan;
    if (!c->registration->plan(c->shape, &host->plan, error))
        return error_prefix(error, "registration %s, shape %s", c->registration->name, c->shape->label);
    for (int t = 0; t < host->plan.n_tensors; t++) {
        host->c.data[t] = arena_alloc(&host->arena, tensor_bytes(&host->plan.tensor[t]));
        if (!host->c.data[t])
            return no_memory(error);
    }
    return true;
}

static void fill_inputs(struct host_case *host)
{
    for (int t = 0; t < host->plan.n_tensors; t++)
        if (host->plan.tensor[t].role == REG_INPUT)
            fill_input(host, t);
}

static bool copy_inputs(struct host_case *host, const struct host_case *other, struct error *error)
{
    for (int t = 0; t < host->plan.n_tensors; t++) {
        const struct reg_tensor *tensor = &host->plan.tensor[t];
        int from = plan_tensor(&other->plan, tensor->name);
        if (tensor->role != REG_INPUT)
            continue;
        if (from < 0 || tensor_bytes(&other->plan.tensor[from]) != tensor_bytes(tensor))
            return error_set(error, STATUS_USAGE, "%s at %s has no input %s of the size that %s needs",
                             other->c.registration->name, other->c.shape->label, tensor->name, host->c.registration->name);
        memcpy(host->c.data[t], other->c.data[from], tensor_bytes(tensor));
    }
    return true;
}

bool host_case_open(struct host_case *host, const struct registration *registration, const struct reg_shape *shape,
                    enum reg_pattern pattern, uint64_t seed, int n_threads, struct error *error)
{
    return host_case_open_file(host, registration, shape, NULL, pattern, seed, n_threads, error);
}

bool host_case_open_file(struct host_case *host, const struct registration *registration, const struct reg_shape *shape,
                         const struct reg_file *file, enum reg_pattern pattern, uint64_t seed, int n_threads,
                         struct error *error)
{
    struct reg_case c = {.registration = registration,
                         .shape = shape,
                         .pattern = pattern,
                         .seed = seed,
                         .n_threads = n_threads,
                         .file = file};
    if (!plan_case(host, &c, error))
        return false;
    fill_inputs(host);
    return true;
}

bool host_case_open_on(struct host_case *host, const struct registration *registration, const struct host_case *other,
                       struct error *error)
{
    struct reg_case c = {.registration = registration,
                         .shape = other->c.shape,
                         .pattern = other->c.pattern,
                         .seed = other->c.seed,
                         .n_threads = other->c.n_threads};
    return plan_case(host, &c, error) && copy_inputs(host, other, error);
}

/* A bound as a fault of the harness has it. */
static struct bound faulty_bound(enum number_format format, struct bound bound)
{
    if (harness_has(HARNESS_REFERENCE_ULP) && format_facts(format)->is_float && isfinite(bound.value))
        bound.value += 2 * format_half_spacing(format, bound.value);
    if (harness_has(HARNESS_BOUNDS_WIDE))
        bound.error *= 4096;
    return bound;
}

bool host_case_reference(struct host_case *host, struct error *error)
{
    const struct reg_plan *plan = &host->plan;
    for (int t = next_output(plan, 0); t >= 0; t = next_output(plan, t + 1)) {
        struct bound *bounds = arena_alloc(&host->arena, (size_t)tensor_elements(&plan->tensor[t]) * sizeof *bounds);
        if (!bounds)
            return no_memory(error);
        host->c.registration->reference(&host->c, t, bounds);
        for (int64_t i = 0; harness_fault_planted && i < tensor_elements(&plan->tensor[t]); i++)
            bounds[i] = faulty_bound(plan->tensor[t].format, bounds[i]);
        host->bounds[t] = bounds;
    }
    return true;
}

void host_case_close(struct host_case *host)
{
    arena_free(&host->arena);
}
