#include "mutation/attempt.h"

#include <stdlib.h>
#include <string.h>

#include "contract/depth.h"
#include "contract/launcher.h"

static bool compile(void *context, const struct registration *registration, const char *chip, const char *define,
                    unsigned char **bytes, size_t *n_bytes, struct error *error)
{
    const struct attempt *attempt = context;
    const struct subject *subject = attempt->subject;
    if (define || !registrations_share_source(registration, subject->registration))
        return subject->builder->compile(subject->builder->context, registration, chip, define, bytes, n_bytes, error);
    *bytes = malloc(attempt->n_code_bytes);
    if (!*bytes)
        return error_set(error, STATUS_ENVIRONMENT, "out of host memory for a code object");
    memcpy(*bytes, attempt->code, attempt->n_code_bytes);
    *n_bytes = attempt->n_code_bytes;
    return true;
}

bool attempt_open(struct attempt *attempt, const struct subject *subject, struct device *device, const unsigned char *code,
                  size_t n_code_bytes, struct error *error)
{
    *attempt = (struct attempt){.subject = subject, .device = device, .code = code, .n_code_bytes = n_code_bytes};
    attempt->builder = (struct builder){compile, attempt};
    attempt->builds = (struct builds){.builder = &attempt->builder, .device = device};
    return builds_target(&attempt->builds, subject->registration, NULL, &attempt->target, error);
}

void attempt_close(struct attempt *attempt)
{
    builds_free(&attempt->builds);
    arena_free(&attempt->arena);
}

void attempt_use_twin(struct attempt *attempt, struct builds *unmutated)
{
    attempt->twin = twin_find(attempt->subject->registry, attempt->subject->registration, unmutated);
}

static unsigned checks_of(const struct attempt *attempt)
{
    return attempt->subject->options->run.checks;
}

bool attempt_launch(struct attempt *attempt, const struct host_case *host, struct step_result *result)
{
    struct launch_fault fault = launch_as_planned(host);
    result->outputs = (struct outputs){0};
    result->verdict = verdict_for_case(host, &attempt->target, GATE_BYTES);
    gate1_once(&attempt->target, host, &fault, checks_of(attempt), &attempt->arena, &result->outputs, &result->verdict);
    return result->verdict.status == VERDICT_PASS;
}

static bool launch(struct attempt *attempt, const struct trial_step *step, struct step_result *result, struct error *error)
{
    const struct host_case *host = &attempt->subject->cases[step->index];
    (void)error;
    if (!attempt_launch(attempt, host, result))
        return true;
    result->verdict = verdict_for_case(host, &attempt->target, gate_of_pattern(host->c.pattern));
    gate_judge(host, &result->outputs, &result->verdict);
    return true;
}

static bool runs(struct attempt *attempt, const struct trial_step *step, struct step_result *result, struct error *error)
{
    const struct host_case *host = &attempt->subject->cases[step->index];
    struct launch_fault fault = launch_as_planned(host);
    struct gate1_options options = {
        .n_runs = attempt->subject->options->run.n_runs, .seed = reg_key(&host->c, 0).value, .checks = checks_of(attempt)};
    struct outputs first = {0};
    (void)error;
    result->verdict = verdict_for_case(host, &attempt->target, GATE_BYTES);
    gate1_run(&attempt->target, host, &fault, &options, &attempt->arena, &first, &result->verdict);
    return true;
}

static bool bound(struct attempt *attempt, const struct trial_step *step, struct step_result *result, struct error *error)
{
    const struct host_case *host = &attempt->subject->cases[step->index];
    if (!attempt_launch(attempt, host, result))
        return true;
    result->verdict = verdict_for_case(host, &attempt->target, GATE_BOUND);
    if (!twin_judge(&attempt->twin, host, &result->outputs, checks_of(attempt), &result->verdict, error))
        return false;
    depth_judge(&attempt->target, host, checks_of(attempt), &result->verdict);
    return true;
}

static bool bytes(struct attempt *attempt, const struct trial_step *step, struct step_result *result, struct error *error)
{
    const struct bytes_case *open = &attempt->subject->bytes[step->index];
    struct launch_fault fault = launch_as_planned(&open->host);
    struct bytes_options options = {
        .seed = attempt->subject->options->run.seed, .n_threads = 1, .checks = checks_of(attempt)};
    (void)error;
    result->verdict = bytes_verdict(open, &attempt->target);
    bytes_judge(open, &attempt->target, &fault, &options, &result->verdict);
    return true;
}

static bool launcher(struct attempt *attempt, const struct trial_step *step, struct step_result *result,
                     struct error *error)
{
    const struct host_case *host = &attempt->subject->cases[step->index];
    enum reg_launcher_check check = (enum reg_launcher_check)step->check;
    struct launch_fault fault = launch_as_planned(host);
    struct launcher_options options = {.seed = reg_key(&host->c, 0).value, .checks = checks_of(attempt)};
    (void)error;
    result->verdict = launcher_verdict(check, host, &attempt->target);
    launcher_check(check, host, &attempt->target, &fault, &attempt->builds, &options, &result->verdict);
    return true;
}

bool attempt_step(struct attempt *attempt, const struct trial_step *step, struct step_result *result, struct error *error)
{
    static bool (*const make[STEP_KIND_COUNT])(struct attempt *, const struct trial_step *, struct step_result *,
                                               struct error *) = {
        [STEP_LAUNCH] = launch, [STEP_RUNS] = runs, [STEP_BOUND] = bound, [STEP_BYTES] = bytes, [STEP_LAUNCHER] = launcher};
    arena_free(&attempt->arena);
    result->outputs = (struct outputs){0};
    emulator_limit_instructions(attempt->device, step->max_instructions);
    return make[step->kind](attempt, step, result, error);
}
