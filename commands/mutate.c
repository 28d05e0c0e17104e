/* `hipcontract mutate`: how many mutants of the compiled kernels the contract kills. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/interrupt.h"
#include "commands/session.h"
#include "contract/base/clock.h"
#include "contract/version.h"
#include "mutation/score.h"
#include "mutation/workers.h"
#include "reports/mutation_log.h"
#include "reports/mutation_text.h"

static const char usage[] =
    "usage: hipcontract mutate [OPTIONS]\n\n"
    "Changes compiled kernels one instruction at a time and counts the changes that the contract notices:\n"
    "gates 1-4, every check, byte contracts, twins and depths, the cheapest first.\n";

struct mutation_run {
    struct arguments arguments;
    struct session session;
    struct subject_options options;
    struct mutation_log log;
    struct mutation_tally all;
    struct interrupt interrupt;
    size_t n_registrations, n_below; /* that were scored; whose score is too low */
};

/* Too low a score is the registration's; a crash, or what is lacking, is the emulator's. Without a mutant that could be
 * killed nothing is shown. */
static bool is_too_low(const struct mutation_run *run, const struct mutation_tally *tally)
{
    return !(mutation_percent(tally) >= run->arguments.least) || tally->n[TRIAL_CRASH] || tally->n[TRIAL_UNSUPPORTED];
}

static void report_score(struct mutation_run *run, const struct mutation_score *score)
{
    struct text text = {0};
    mutation_text_score(score, run->arguments.equivalent, &text);
    fputs(text.data ? text.data : "", stdout);
    fflush(stdout);
    text_free(&text);
    mutation_log_score(&run->log, score);
    mutation_tally_add(&run->all, &score->all);
    run->n_registrations++;
    run->n_below += is_too_low(run, &score->all);
}

/* What was tried of an interrupted registration is no score. */
static bool try_mutants(struct mutation_run *run, const struct subject *subject, const struct mutant_list *list,
                        struct arena *arena, uint64_t start_ns, struct error *error)
{
    struct trial_result *results = arena_alloc(arena, (list->n + 1) * sizeof *results);
    if (!results)
        return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the results of %zu mutants", list->n);
    if (!workers_run(subject, list, run->arguments.n_jobs, results, error))
        return false;
    struct mutation_score score = mutation_score_make(subject, list, results);
    score.duration_ns = clock_ns() - start_ns;
    report_score(run, &score);
    return true;
}

static bool mutate_subject(struct mutation_run *run, const struct subject *subject, uint64_t start_ns, struct error *error)
{
    struct arena arena = {0};
    struct mutant_list list;
    struct mutant_request request = {.registration = subject->registration,
                                     .code = subject->code,
                                     .n_bytes = subject->n_code_bytes,
                                     .executed = subject->executed,
                                     .n_executed = subject->n_executed,
                                     .sample = (size_t)run->arguments.sample,
                                     .seed = run->arguments.seed};
    bool ok = mutants_make(&request, &arena, &list, error) && try_mutants(run, subject, &list, &arena, start_ns, error);
    arena_free(&arena);
    return ok;
}

static bool mutate_registration(struct mutation_run *run, const char *chip, const struct registration *registration,
                                struct error *error)
{
    struct subject subject;
    uint64_t start_ns = clock_ns();
    bool ok =
        subject_open(&subject, &run->session.registry, registration, chip, &run->session.builder, &run->options, error) &&
        mutate_subject(run, &subject, start_ns, error);
    subject_close(&subject);
    return ok || error_prefix(error, "%s", registration->name);
}

static void print_header(const struct mutation_run *run, const char *chip)
{
    const struct arguments *a = &run->arguments;
    char sample[32] = "all";
    if (a->sample)
        snprintf(sample, sizeof sample, "%d", a->sample);
    printf("hipcontract %s: mutants on %s (emulated), %s a registration, seed %llu, %s shapes, %d more seeds, %s\n",
           HIPCONTRACT_VERSION, chip, sample, (unsigned long long)a->seed, arguments_scope(a), a->n_seeds,
           toolchain_name(run->session.toolchain));
    fflush(stdout);
}

static bool mutate_chip(struct mutation_run *run, const char *chip, struct error *error)
{
    const struct registry *registry = &run->session.registry;
    print_header(run, chip);
    for (size_t i = 0; i < registry->n_registrations; i++) {
        const struct registration *registration = registry->registrations[i];
        if (run_selects(registry, &run->options.run, i) && registration_is_for(registration, chip) &&
            !mutate_registration(run, chip, registration, error))
            return false;
    }
    return true;
}

static struct subject_options subject_options(struct mutation_run *run)
{
    const struct arguments *a = &run->arguments;
    return (struct subject_options){.run = session_run_options(a),
                                    .n_seeds = a->n_seeds,
                                    .matrix_model = a->matrix_model,
                                    .interrupted = interrupt_requested,
                                    .interrupt_context = &run->interrupt};
}

static bool open_run(struct mutation_run *run, struct error *error)
{
    const struct arguments *a = &run->arguments;
    if (!session_open(&run->session, a, error))
        return false;
    run->options = subject_options(run);
    struct mutation_log_head head = {.version = HIPCONTRACT_VERSION,
                                     .compiler = toolchain_name(run->session.toolchain),
                                     .scope = arguments_scope(a),
                                     .seed = a->seed,
                                     .sample = (size_t)a->sample,
                                     .n_seeds = a->n_seeds,
                                     .n_runs = a->n_runs};
    return !a->log || mutation_log_open(&run->log, a->log, &head, error);
}

static bool mutate_all(struct mutation_run *run, struct error *error)
{
    const struct arguments *a = &run->arguments;
    static const char *const default_chips[] = {DEFAULT_CHIP};
    bool is_default = a->n_chips == 0;
    const char *const *chips = is_default ? default_chips : a->chips;
    size_t n_chips = is_default ? 1 : a->n_chips;
    for (size_t i = 0; i < n_chips; i++) {
        run->options.n_devices = session_devices(&run->session, chips[i]);
        if (!mutate_chip(run, chips[i], error))
            return false;
    }
    return run->n_registrations ||
           error_set(error, STATUS_USAGE, "no registration is selected; `hipcontract list` shows their names");
}

static void print_summary(const struct mutation_run *run)
{
    struct text text = {0};
    double percent = mutation_percent(&run->all);
    mutation_text_tally(&run->all, &text);
    printf("SUMMARY %zu registrations", run->n_registrations);
    if (!isnan(percent))
        printf(", %.1f %%", percent);
    printf(": %s; %zu registrations below %d %%\n", text.data ? text.data : "", run->n_below, run->arguments.least);
    text_free(&text);
}

static enum status finish(struct mutation_run *run, bool ok, struct error *error)
{
    enum status status = ok ? run->n_below ? STATUS_RED : STATUS_OK : error->status;
    struct error log_error = {0};
    print_summary(run);
    if (!ok)
        command_fail(run->arguments.command, error);
    if (!mutation_log_close(&run->log, &run->all, status, &log_error)) {
        command_fail(run->arguments.command, &log_error);
        status = status > STATUS_USAGE ? status : STATUS_USAGE;
    }
    return status;
}

int command_mutate(int argc, char **argv)
{
    struct mutation_run run = {0};
    struct error error = {0};
    if (!arguments_parse(argc, argv, FOR_MUTATE, &run.arguments, &error))
        return command_fail(argv[0], &error);
    if (run.arguments.help) {
        arguments_print_help(FOR_MUTATE, usage);
        return STATUS_OK;
    }
    enum status status;
    if (open_run(&run, &error)) {
        interrupt_open(&run.interrupt);
        bool ok = mutate_all(&run, &error);
        interrupt_close(&run.interrupt);
        status = finish(&run, ok, &error);
    } else {
        status = (enum status)command_fail(argv[0], &error);
    }
    session_close(&run.session);
    return status;
}
