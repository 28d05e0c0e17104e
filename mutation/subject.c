#include "mutation/subject.h"

#include <stdlib.h>
#include <string.h>

#include "mutation/attempt.h"

static bool no_memory(const struct subject *subject, struct error *error)
{
    return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the cases of %s; use --quick",
                     subject->registration->name);
}

const char *trial_step_name(enum trial_step_kind kind)
{
    static const char *const names[] = {
#define TRIAL_STEP_NAME(kind, name) [STEP_##kind] = name,
        TRIAL_STEPS(TRIAL_STEP_NAME)
#undef TRIAL_STEP_NAME
    };
    return names[kind];
}

bool subject_device(const struct subject *subject, bool count_profile, struct device **device, struct error *error)
{
    struct emulator_options options = {.chip = subject->chip,
                                       .n_devices = subject->options->n_devices,
                                       .n_threads = 1, /* mutants run side by side */
                                       .checks = subject->options->run.checks & CHECKS_BASIC,
                                       .matrix_model = subject->options->matrix_model,
                                       .count_profile = count_profile};
    return emulator_open(&options, device, error);
}

static bool open_case(struct subject *subject, const struct reg_shape *shape, enum reg_pattern pattern, struct error *error)
{
    const struct run_options *run = &subject->options->run;
    struct host_case *host = &subject->cases[subject->n_cases++];
    return host_case_open(host, subject->registration, shape, pattern, run->seed, run->n_threads, error) &&
           host_case_reference(host, error);
}

static bool open_cases(struct subject *subject, struct error *error)
{
    const struct registration *r = subject->registration;
    unsigned patterns = registration_patterns(r);
    subject->cases = arena_alloc(&subject->arena, r->n_shapes * REG_PATTERN_COUNT * sizeof *subject->cases);
    if (!subject->cases)
        return no_memory(subject, error);
    for (size_t i = 0; i < r->n_shapes; i++)
        for (int pattern = 0; pattern < REG_PATTERN_COUNT; pattern++)
            if (run_selects_shape(&subject->options->run, r, &r->shapes[i]) && patterns & 1u << pattern &&
                !open_case(subject, &r->shapes[i], (enum reg_pattern)pattern, error))
                return false;
    return true;
}

static bool open_bytes(struct subject *subject, struct error *error)
{
    const struct registration *r = subject->registration;
    const struct run_options *run = &subject->options->run;
    struct bytes_options options = {.seed = run->seed, .n_threads = run->n_threads, .checks = run->checks};
    subject->bytes = arena_alloc(&subject->arena, (r->n_bytes + 1) * sizeof *subject->bytes);
    if (!subject->bytes)
        return no_memory(subject, error);
    for (size_t i = 0; i < r->n_bytes; i++)
        if (run_selects_shape(run, r, &r->bytes[i].shape) &&
            !bytes_open(&subject->bytes[subject->n_bytes++], &r->bytes[i], r, &options, error))
            return false;
    return true;
}

static void add_step(struct subject *subject, enum trial_step_kind kind, size_t index, int check)
{
    subject->steps[subject->n_steps++] = (struct trial_step){.kind = kind, .index = index, .check = check};
}

static void add_case_steps(struct subject *subject, size_t i)
{
    const struct registration *r = subject->registration;
    const struct host_case *host = &subject->cases[i];
    bool is_bound = gate_of_pattern(host->c.pattern) == GATE_BOUND;
    bool is_launchers = r->launcher && strcmp(host->c.shape->label, r->launcher->devices_shape) == 0;
    add_step(subject, STEP_LAUNCH, i, 0);
    add_step(subject, STEP_RUNS, i, 0);
    if (is_bound && (r->twin || (r->depth && host->c.pattern == REG_PATTERN_SIGNED)))
        add_step(subject, STEP_BOUND, i, 0);
    if (is_launchers && host->c.pattern == REG_PATTERN_SIGNED)
        for (int check = 0; check < REG_LAUNCHER_CHECK_COUNT; check++)
            add_step(subject, STEP_LAUNCHER, i, check);
}

static bool add_steps(struct subject *subject, struct error *error)
{
    enum { MOST_OF_A_CASE = 3 + REG_LAUNCHER_CHECK_COUNT };
    size_t most = subject->n_cases * MOST_OF_A_CASE + subject->n_bytes;
    subject->steps = arena_alloc(&subject->arena, (most + 1) * sizeof *subject->steps);
    subject->outputs = arena_alloc(&subject->arena, (subject->n_cases + 1) * sizeof *subject->outputs);
    if (!subject->steps || !subject->outputs)
        return no_memory(subject, error);
    for (size_t i = 0; i < subject->n_cases; i++)
        add_case_steps(subject, i);
    for (size_t i = 0; i < subject->n_bytes; i++)
        add_step(subject, STEP_BYTES, i, 0);
    return true;
}

/* The kernel's own outputs of a case, which last as long as the subject. */
static bool keep_outputs(struct subject *subject, size_t index, const struct outputs *outputs, struct error *error)
{
    const struct reg_plan *plan = &subject->cases[index].plan;
    for (int t = next_output(plan, 0); t >= 0 && outputs->data[t]; t = next_output(plan, t + 1)) {
        void *copy = arena_alloc(&subject->arena, tensor_bytes(&plan->tensor[t]));
        if (!copy)
            return no_memory(subject, error);
        subject->outputs[index].data[t] = memcpy(copy, outputs->data[t], tensor_bytes(&plan->tensor[t]));
    }
    return true;
}

/* A wave of a mutant may take so many times what the longest of the kernel's does before it counts as hanging. */
enum { PATIENCE = 4, PATIENCE_MORE = 4096 };

/* A verdict that says nothing of the kernel, but that something failed, or is lacking, to run it. */
static bool is_trouble(const struct verdict *verdict)
{
    return verdict->has_finding ? verdict->finding.kind == FINDING_UNSUPPORTED : verdict->status == VERDICT_LAUNCH_FAILED;
}

/* Runs the step on the kernel itself. *passes tells whether a mutant can be killed by it. */
static bool measure_step(struct subject *subject, struct attempt *attempt, struct trial_step *step, bool *passes,
                         struct error *error)
{
    /* Checks watch every instruction, and depth counts beside it. */
    static const uint64_t weights[STEP_KIND_COUNT] = {
        [STEP_LAUNCH] = 1, [STEP_RUNS] = 2, [STEP_BOUND] = 4, [STEP_BYTES] = 1, [STEP_LAUNCHER] = 1};
    struct step_result result;
    emulator_take_statistics(attempt->device);
    if (!attempt_step(attempt, step, &result, error))
        return false;
    struct emulator_statistics statistics = emulator_take_statistics(attempt->device);
    step->cost = statistics.wave_instructions * weights[step->kind];
    step->max_instructions = PATIENCE * statistics.longest_wave + PATIENCE_MORE;
    *passes = result.verdict.status == VERDICT_PASS;
    if (is_trouble(&result.verdict))
        return error_set(error, STATUS_ENVIRONMENT,
                         "%s: the kernel itself does not run at %s: %s; hipcontract run %s --shape %s shows it alone",
                         subject->registration->name, result.verdict.shape, result.verdict.reason,
                         subject->registration->name, result.verdict.shape);
    return step->kind != STEP_LAUNCH || keep_outputs(subject, step->index, &result.outputs, error);
}

static bool is_interrupted(const struct subject_options *options)
{
    return options->interrupted && options->interrupted(options->interrupt_context);
}

static bool measure_steps(struct subject *subject, struct attempt *attempt, struct error *error)
{
    size_t n_kept = 0;
    for (size_t i = 0; i < subject->n_steps; i++) {
        bool passes = false;
        if (is_interrupted(subject->options))
            return error_set(error, STATUS_INTERRUPTED, "interrupted");
        if (!measure_step(subject, attempt, &subject->steps[i], &passes, error))
            return false;
        if (passes)
            subject->steps[n_kept++] = subject->steps[i];
    }
    subject->n_left_out = subject->n_steps - n_kept;
    subject->n_steps = n_kept;
    return true;
}

static int compare_costs(const void *a, const void *b)
{
    const struct trial_step *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Executions of the registration's code object, as the device tells them. */
struct gathering {
    struct subject *subject;
    struct hash128 code;
    size_t capacity;
};

static void count_one(void *context, const struct profiled_instruction *instruction)
{
    struct gathering *gathering = context;
    gathering->capacity += hash_equal(instruction->code, gathering->code);
}

static void gather_one(void *context, const struct profiled_instruction *instruction)
{
    struct gathering *gathering = context;
    struct subject *subject = gathering->subject;
    if (hash_equal(instruction->code, gathering->code) && subject->n_executed < gathering->capacity)
        subject->executed[subject->n_executed++] =
            (struct executed_at){instruction->address, instruction->counts->n_executed, instruction->counts->n_taken};
}

static bool gather_executions(struct subject *subject, struct attempt *attempt, struct error *error)
{
    struct gathering gathering = {.subject = subject, .code = attempt->target.code};
    attempt->device->visit_profile(attempt->device, count_one, &gathering);
    subject->executed = arena_alloc(&subject->arena, (gathering.capacity + 1) * sizeof *subject->executed);
    if (!subject->executed)
        return no_memory(subject, error);
    attempt->device->visit_profile(attempt->device, gather_one, &gathering);
    qsort(subject->executed, subject->n_executed, sizeof *subject->executed, executed_compare);
    return true;
}

static bool keep_code(struct subject *subject, struct error *error)
{
    unsigned char *bytes = NULL;
    if (!subject->builder->compile(subject->builder->context, subject->registration, subject->chip, NULL, &bytes,
                                   &subject->n_code_bytes, error))
        return false;
    unsigned char *kept = arena_alloc(&subject->arena, subject->n_code_bytes);
    if (kept)
        memcpy(kept, bytes, subject->n_code_bytes);
    free(bytes);
    subject->code = kept;
    return kept || no_memory(subject, error);
}

static bool measure_on(struct subject *subject, struct device *device, struct error *error)
{
    struct attempt attempt;
    struct builds twins = {.builder = subject->builder, .device = device};
    bool ok = attempt_open(&attempt, subject, device, subject->code, subject->n_code_bytes, error);
    if (ok) {
        attempt_use_twin(&attempt, &twins);
        ok = measure_steps(subject, &attempt, error) && gather_executions(subject, &attempt, error);
    }
    attempt_close(&attempt);
    builds_free(&twins);
    return ok;
}

static bool measure(struct subject *subject, struct error *error)
{
    struct device *device;
    if (!subject_device(subject, true, &device, error))
        return false;
    bool ok = measure_on(subject, device, error);
    device->close(device);
    if (ok && subject->n_steps)
        qsort(subject->steps, subject->n_steps, sizeof *subject->steps, compare_costs);
    return ok;
}

bool subject_open(struct subject *subject, const struct registry *registry, const struct registration *registration,
                  const char *chip, const struct builder *builder, const struct subject_options *options,
                  struct error *error)
{
    *subject = (struct subject){
        .registry = registry, .registration = registration, .options = options, .builder = builder, .chip = chip};
    return keep_code(subject, error) && open_cases(subject, error) && open_bytes(subject, error) &&
           add_steps(subject, error) && measure(subject, error);
}

void subject_close(struct subject *subject)
{
    for (size_t i = 0; i < subject->n_cases; i++)
        host_case_close(&subject->cases[i]);
    for (size_t i = 0; i < subject->n_bytes; i++)
        bytes_close(&subject->bytes[i]);
    arena_free(&subject->arena);
}
