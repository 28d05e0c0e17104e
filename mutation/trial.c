#include "mutation/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contract/base/clock.h"

static const struct {
    const char *name;
    bool kills;
} outcomes[] = {
#define TRIAL_OUTCOME_ROW(id, name, kills) {name, kills},
    TRIAL_OUTCOMES(TRIAL_OUTCOME_ROW)
#undef TRIAL_OUTCOME_ROW
};

const char *trial_outcome_name(enum trial_outcome outcome)
{
    return outcomes[outcome].name;
}

bool trial_outcome_kills(enum trial_outcome outcome)
{
    return outcomes[outcome].kills;
}

static bool no_memory(const struct trials *trials, struct error *error)
{
    return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the mutants of %s",
                     trials->subject->registration->name);
}

static size_t n_seed_cases(const struct subject *subject)
{
    return subject->n_cases * (size_t)subject->options->n_seeds;
}

bool trials_open(struct trials *trials, const struct subject *subject, struct error *error)
{
    size_t n = n_seed_cases(subject);
    *trials = (struct trials){.subject = subject};
    trials->code = arena_alloc(&trials->arena, subject->n_code_bytes);
    trials->own_runs = arena_alloc(&trials->arena, (n + 1) * sizeof *trials->own_runs);
    return (trials->code && trials->own_runs) || no_memory(trials, error);
}

void trials_close(struct trials *trials)
{
    arena_free(&trials->arena);
}

static bool open_device(struct trials *trials, struct error *error)
{
    trials->has_original = false;
    if (!subject_device(trials->subject, false, &trials->device, error))
        return false;
    trials->unmutated = (struct builds){.builder = trials->subject->builder, .device = trials->device};
    return true;
}

static void close_device(struct trials *trials)
{
    if (trials->has_original)
        attempt_close(&trials->original);
    builds_free(&trials->unmutated);
    trials->device->close(trials->device);
}

static bool open_original(struct trials *trials, struct error *error)
{
    const struct subject *subject = trials->subject;
    bool is_open = trials->has_original;
    trials->has_original = true;
    return is_open || attempt_open(&trials->original, subject, trials->device, subject->code, subject->n_code_bytes, error);
}

static enum trial_outcome outcome_of_finding(enum finding_kind kind)
{
    static const enum trial_outcome kinds[FINDING_KIND_COUNT] = {
        [FINDING_MEM] = TRIAL_FAULT,      [FINDING_INIT] = TRIAL_SANITIZER, [FINDING_RACE] = TRIAL_SANITIZER,
        [FINDING_SYNC] = TRIAL_SANITIZER, [FINDING_WAIT] = TRIAL_SANITIZER, [FINDING_NAN] = TRIAL_GATE,
        [FINDING_TRAP] = TRIAL_FAULT,     [FINDING_WATCHDOG] = TRIAL_HANG,  [FINDING_UNSUPPORTED] = TRIAL_UNSUPPORTED};
    return kinds[kind];
}

enum trial_outcome trial_outcome_of(const struct verdict *verdict, bool has_launcher)
{
    if (verdict->has_finding)
        return outcome_of_finding(verdict->finding.kind);
    if (verdict->status != VERDICT_LAUNCH_FAILED)
        return TRIAL_GATE;
    return has_launcher ? TRIAL_REFUSED : TRIAL_UNTRIED;
}

static void note_killer(const struct trial_step *step, const struct verdict *v, struct trial_result *result)
{
    result->gate = v->gate;
    result->step = step->kind;
    snprintf(result->shape, sizeof result->shape, "%s", v->shape);
    snprintf(result->pattern, sizeof result->pattern, "%s", v->pattern);
    snprintf(result->name, sizeof result->name, "%s", v->name);
    snprintf(result->reason, sizeof result->reason, "%.399s", v->reason);
}

/* Elements of a case that are not the kernel's, and how far the farthest of them is in units of its bound. */
struct movement {
    int64_t n_differ;
    double most;
};

static void compare_tensor(const struct host_case *host, int t, const void *own, const void *mutants, struct movement *m)
{
    const struct reg_tensor *tensor = &host->plan.tensor[t];
    if (memcmp(own, mutants, tensor_bytes(tensor)) == 0)
        return;
    for (int64_t i = 0; i < tensor_elements(tensor); i++) {
        if (format_bits(tensor->format, own, i) == format_bits(tensor->format, mutants, i))
            continue;
        double from = format_load(tensor->format, own, i);
        struct bound bound = {from, host->bounds[t][i].error};
        m->n_differ++;
        m->most = fmax(m->most, bound_ratio(format_load(tensor->format, mutants, i), &bound));
    }
}

static struct movement compare_case(const struct subject *subject, size_t index, const struct outputs *mutants)
{
    const struct host_case *host = &subject->cases[index];
    struct movement m = {0};
    for (int t = next_output(&host->plan, 0); t >= 0; t = next_output(&host->plan, t + 1))
        if (subject->outputs[index].data[t] && mutants->data[t])
            compare_tensor(host, t, subject->outputs[index].data[t], mutants->data[t], &m);
    return m;
}

static void note_movement(const struct subject *subject, const struct trial_step *step, const struct outputs *outputs,
                          struct trial_result *result)
{
    struct movement m = compare_case(subject, step->index, outputs);
    result->n_cases++;
    result->n_cases_differ += m.n_differ > 0;
    if (m.n_differ == 0 || (result->n_differ && m.most <= result->moved))
        return;
    const struct reg_case *c = &subject->cases[step->index].c;
    snprintf(result->moved_shape, sizeof result->moved_shape, "%s", c->shape->label);
    snprintf(result->moved_pattern, sizeof result->moved_pattern, "%s", reg_pattern_name(c->pattern));
    result->n_differ = m.n_differ;
    result->moved = m.most;
}

/* False for a launch that failed for the environment's sake. */
static bool says_something(const struct subject *subject, const struct verdict *v, struct error *error)
{
    return trial_outcome_of(v, subject->registration->launcher) != TRIAL_UNTRIED ||
           error_set(error, STATUS_ENVIRONMENT, "%s: a mutant was not launched at %s (%s): %s; run fewer --jobs",
                     subject->registration->name, v->shape, v->pattern, v->reason);
}

/* What a step leaves of the mutant. A step that the emulator cannot make of it leaves the other ones to kill it. */
static bool judge_step(const struct subject *subject, const struct trial_step *step, const struct step_result *made,
                       struct trial_result *result, struct error *error)
{
    const struct verdict *v = &made->verdict;
    result->n_steps++;
    if (v->status == VERDICT_PASS) {
        if (step->kind == STEP_LAUNCH)
            note_movement(subject, step, &made->outputs, result);
        return true;
    }
    if (!says_something(subject, v, error))
        return false;
    enum trial_outcome outcome = trial_outcome_of(v, subject->registration->launcher);
    if (outcome != TRIAL_UNSUPPORTED || result->outcome == TRIAL_UNTRIED)
        note_killer(step, v, result);
    result->outcome = outcome;
    return true;
}

/* Up to the step that kills it. */
static bool make_steps(struct attempt *attempt, struct trial_result *result, struct error *error)
{
    const struct subject *subject = attempt->subject;
    for (size_t i = 0; i < subject->n_steps && !trial_outcome_kills(result->outcome); i++) {
        const struct trial_step *step = &subject->steps[i];
        struct step_result made;
        if (!attempt_step(attempt, step, &made, error) || !judge_step(subject, step, &made, result, error))
            return false;
    }
    return true;
}

/* The first run of a case, with whatever seed; NULL where the kernel itself does not pass it. */
static const struct trial_step *first_run(const struct subject *subject, size_t index)
{
    for (size_t i = 0; i < subject->n_steps; i++)
        if (subject->steps[i].kind == STEP_LAUNCH && subject->steps[i].index == index)
            return &subject->steps[i];
    return NULL;
}

static void launch_as(const struct trial_step *step, struct attempt *attempt, const struct host_case *host,
                      struct step_result *made)
{
    arena_free(&attempt->arena);
    emulator_limit_instructions(attempt->device, step->max_instructions);
    attempt_launch(attempt, host, made);
}

/* What the kernel itself leaves on a case of another seed. */
static bool run_own(struct trials *trials, struct own_run *own, const struct trial_step *step, const struct host_case *host,
                    struct error *error)
{
    struct step_result made;
    if (own->is_made)
        return true;
    if (!open_original(trials, error))
        return false;
    launch_as(step, &trials->original, host, &made);
    *own = (struct own_run){true, made.verdict.status == VERDICT_PASS, made.verdict.output};
    return true;
}

static bool judge_seed(struct host_case *host, const struct step_result *made, struct trial_result *result,
                       struct error *error)
{
    struct verdict v = made->verdict;
    if (v.status == VERDICT_PASS) {
        if (!host_case_reference(host, error))
            return false;
        v = verdict_for_case(host, NULL, gate_of_pattern(host->c.pattern));
        gate_judge(host, &made->outputs, &v);
    }
    if (v.status == VERDICT_PASS)
        return true;
    result->seed_gate = v.gate;
    snprintf(result->seed_reason, sizeof result->seed_reason, "%.399s", v.reason);
    return true;
}

static void name_seed(const struct host_case *host, struct trial_result *result)
{
    result->seed = host->c.seed;
    snprintf(result->seed_shape, sizeof result->seed_shape, "%s", host->c.shape->label);
    snprintf(result->seed_pattern, sizeof result->seed_pattern, "%s", reg_pattern_name(host->c.pattern));
}

/* One case on another seed. The first on which the bytes differ is noted, and then the first that a gate is red on. Inputs
 * that the kernel itself does not run on say nothing. */
static bool try_seed(struct trials *trials, struct attempt *attempt, size_t at, const struct trial_step *step,
                     struct host_case *host, struct trial_result *result, struct error *error)
{
    struct own_run *own = &trials->own_runs[at];
    struct step_result made;
    if (!run_own(trials, own, step, host, error))
        return false;
    if (!own->passes)
        return true;
    launch_as(step, attempt, host, &made);
    if (made.verdict.status == VERDICT_PASS && hash_equal(made.verdict.output, own->output))
        return true;
    if (made.verdict.status != VERDICT_PASS && !says_something(trials->subject, &made.verdict, error))
        return false;
    if (!judge_seed(host, &made, result, error))
        return false;
    if (!result->seed || result->seed_gate)
        name_seed(host, result);
    return true;
}

static bool try_seeds(struct trials *trials, struct attempt *attempt, struct trial_result *result, struct error *error)
{
    const struct subject *subject = trials->subject;
    for (size_t at = 0; at < n_seed_cases(subject) && !result->seed_gate; at++) {
        size_t index = at % subject->n_cases;
        const struct reg_case *c = &subject->cases[index].c;
        const struct trial_step *step = first_run(subject, index);
        struct host_case host;
        if (!step)
            continue;
        bool ok =
            host_case_open(&host, c->registration, c->shape, c->pattern, c->seed + 1 + at / subject->n_cases, 1, error) &&
            try_seed(trials, attempt, at, step, &host, result, error);
        host_case_close(&host);
        if (!ok)
            return false;
    }
    return true;
}

static bool try_open(struct trials *trials, struct attempt *attempt, struct trial_result *result, struct error *error)
{
    if (trials->subject->registration->twin)
        attempt_use_twin(attempt, &trials->unmutated);
    if (!make_steps(attempt, result, error))
        return false;
    if (result->outcome != TRIAL_UNTRIED)
        return true;
    if (!try_seeds(trials, attempt, result, error))
        return false;
    result->outcome = result->n_cases_differ || result->seed ? TRIAL_SURVIVED : TRIAL_EQUIVALENT;
    return true;
}

static bool try_code(struct trials *trials, struct trial_result *result, struct error *error)
{
    const struct subject *subject = trials->subject;
    struct attempt attempt;
    struct error refusal = {0};
    bool ok = true;
    if (attempt_open(&attempt, subject, trials->device, trials->code, subject->n_code_bytes, &refusal)) {
        ok = try_open(trials, &attempt, result, error);
    } else if (refusal.status == STATUS_ENVIRONMENT) {
        *error = refusal;
        ok = false;
    } else {
        result->outcome = TRIAL_REFUSED;
        snprintf(result->reason, sizeof result->reason, "%.399s", refusal.text);
    }
    attempt_close(&attempt);
    return ok;
}

bool trial_run(struct trials *trials, const struct mutant *mutant, struct trial_result *result, struct error *error)
{
    const struct subject *subject = trials->subject;
    uint64_t start_ns = clock_ns();
    *result = (struct trial_result){0};
    memcpy(trials->code, subject->code, subject->n_code_bytes);
    memcpy(trials->code + mutant->file_offset, mutant->bytes, mutant->n_bytes);
    if (!open_device(trials, error))
        return false;
    bool ok = try_code(trials, result, error);
    close_device(trials);
    result->duration_ns = clock_ns() - start_ns;
    return ok;
}
