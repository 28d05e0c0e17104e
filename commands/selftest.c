/* `hipcontract selftest`: faults of the harness, one at a time, and who notices each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/interrupt.h"
#include "commands/options.h"
#include "commands/selftest_run.h"
#include "contract/known.h"
#include "contract/version.h"

static const char usage[] =
    "usage: hipcontract selftest [OPTIONS]\n\n"
    "Plants one fault of each kind in the harness itself, runs a small contract with controls, and shows who notices.\n";

/* Gate 1's two poisons; the tight layout, in which addresses tell what guards do, would take a third. */
enum { N_RUNS = 2 };

/* The faults on one chip. */
struct selftest {
    const char *chip;
    struct selftest_result sound; /* the run without a fault, copied */
    bool has_sound;
    int n_noticed, n_unnoticed;
};

static void keep_sound(void *context, enum harness_fault fault, const struct selftest_result *result)
{
    struct selftest *of = context;
    (void)fault;
    size_t n_bytes = result->run.n * sizeof *result->verdicts;
    of->sound = (struct selftest_result){.run = result->run, .verdicts = malloc(n_bytes ? n_bytes : 1)};
    of->has_sound = of->sound.verdicts != NULL;
    if (of->has_sound)
        memcpy(of->sound.verdicts, result->verdicts, n_bytes);
    of->sound.run.verdicts = of->sound.verdicts;
}

static void judge(void *context, enum harness_fault fault, const struct selftest_result *result)
{
    struct selftest *of = context;
    char by[VERDICT_REASON_BYTES] = "";
    size_t n = selftest_noticed(&of->sound.run, &result->run, by, sizeof by);
    of->n_noticed += n > 0;
    of->n_unnoticed += n == 0;
    if (n == 0)
        printf("MISSED  %s %s: every verdict is as without it\n", of->chip, harness_fault_name(fault));
    else if (n == 1)
        printf("NOTICED %s %s: %s\n", of->chip, harness_fault_name(fault), by);
    else
        printf("NOTICED %s %s: %s; and %zu more\n", of->chip, harness_fault_name(fault), by, n - 1);
    fflush(stdout);
}

static bool run_sound(const struct run *run, struct selftest *of, struct error *error)
{
    const enum harness_fault none = HARNESS_SOUND;
    if (!selftest_run_all(run, &none, 1, 1, keep_sound, of, error))
        return false;
    if (!of->has_sound)
        return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the verdicts of a run");
    return selftest_is_sound(&of->sound.run, error);
}

static bool run_faults(const struct run *run, int n_jobs, struct selftest *of, struct error *error)
{
    enum harness_fault faults[HARNESS_FAULT_COUNT - 1];
    for (int i = 1; i < HARNESS_FAULT_COUNT; i++)
        faults[i - 1] = (enum harness_fault)i;
    printf("hipcontract %s: selftest on %s (emulated): %d faults of the harness, against %zu verdicts\n",
           HIPCONTRACT_VERSION, of->chip, HARNESS_FAULT_COUNT - 1, of->sound.run.n);
    fflush(stdout);
    return selftest_run_all(run, faults, HARNESS_FAULT_COUNT - 1, n_jobs, judge, of, error);
}

static bool run_on_device(const struct session *session, const struct registry *registry, struct device *device,
                          struct interrupt *interrupt, struct error *error)
{
    static const char *const only[] = {SELFTEST_ONLY};
    char today[11];
    known_today(today);
    struct run_options options = {
        .only = only, .n_only = 1, .n_runs = N_RUNS, .n_threads = 1, .seed = 1, .checks = CHECKS_ALL, .today = today};
    struct run run = {.registry = registry,
                      .options = &options,
                      .builds = {.builder = &session->builder, .device = device},
                      .checker = session->checker,
                      .interrupted = interrupt_requested,
                      .interrupt_context = interrupt};
    struct selftest of = {.chip = device->chip};
    options.n_threads = session->arguments->n_jobs;
    run_compile(&run);
    options.n_threads = 1;
    bool ok = run_sound(&run, &of, error) && run_faults(&run, session->arguments->n_jobs, &of, error);
    if (of.n_noticed + of.n_unnoticed)
        printf("SUMMARY %s %d faults of the harness: %d noticed, %d missed%s\n", of.chip, of.n_noticed + of.n_unnoticed,
               of.n_noticed, of.n_unnoticed, ok ? "" : "; interrupted");
    if (ok && of.n_unnoticed)
        ok = error_set(error, STATUS_RED, "%d fault%s of the harness went unnoticed on %s", of.n_unnoticed,
                       of.n_unnoticed == 1 ? "" : "s", of.chip);
    selftest_result_free(&of.sound);
    builds_free(&run.builds);
    return ok;
}

static bool run_chip(const struct session *session, const struct registry *registry, const char *chip,
                     struct interrupt *interrupt, struct error *error)
{
    struct device *device;
    if (!session_device(session, chip, session->arguments->n_jobs, &device, error))
        return false;
    bool ok = run_on_device(session, registry, device, interrupt, error);
    device->close(device);
    return ok;
}

static bool run_chips(const struct arguments *arguments, struct interrupt *interrupt, struct error *error)
{
    struct session session;
    struct arena arena = {0};
    struct registry registry;
    size_t n = arguments->n_chips ? arguments->n_chips : 1;
    bool ok = session_open(&session, arguments, error) && selftest_registry(&arena, &registry, error);
    for (size_t i = 0; i < n && ok; i++)
        ok = run_chip(&session, &registry, arguments->n_chips ? arguments->chips[i] : DEFAULT_CHIP, interrupt, error);
    arena_free(&arena);
    session_close(&session);
    return ok;
}

int command_selftest(int argc, char **argv)
{
    struct arguments arguments;
    struct interrupt interrupt;
    struct error error = {0};
    if (!arguments_parse(argc, argv, FOR_SELFTEST, &arguments, &error))
        return command_fail(argv[0], &error);
    if (arguments.help) {
        arguments_print_help(FOR_SELFTEST, usage);
        return STATUS_OK;
    }
    interrupt_open(&interrupt);
    bool ok = run_chips(&arguments, &interrupt, &error);
    interrupt_close(&interrupt);
    return ok ? STATUS_OK : command_fail(arguments.command, &error);
}
