#include "commands/contract_run.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands/interrupt.h"
#include "commands/limits_pass.h"
#include "commands/options.h"
#include "commands/recorder.h"
#include "commands/run_device.h"
#include "commands/run_environment.h"
#include "commands/session.h"
#include "commands/shard.h"
#include "contract/base/clock.h"
#include "contract/base/text.h"
#include "contract/counts.h"
#include "contract/harness_fault.h"
#include "contract/known.h"
#include "contract/run.h"
#include "contract/version.h"
#include "reports/console.h"
#include "reports/kept_outputs.h"
#include "reports/log.h"
#include "reports/progress.h"
#include "reports/report_past.h"

/* One invocation. */
struct invocation {
    struct arguments arguments;
    struct session session;
    struct run_options options;
    struct verdict_stream stream;
    struct counts counts;
    struct console console;
    struct progress progress;
    struct log_environment environment;
    struct run_log log;
    struct kept_outputs kept;
    struct recorder recorder;
    struct report report; /* where other formats are wanted */
    struct run_history history;
    struct decided decided;
    struct interrupt interrupt;
    char today[11];
    bool with_limits;
    bool *limit_found; /* by registration: gate 5 found a problem on the chip */
    struct arena arena;
};

/* What the run is taken over from has no outputs. */
static bool outputs_can_be_had(const struct arguments *a, struct error *error)
{
    if (a->resume && (a->hash_outputs || a->keep_outputs))
        return error_set(error, STATUS_USAGE,
                         "--%s: outputs of what --resume takes over would be missing; leave one of the two out",
                         a->keep_outputs ? "keep-outputs" : "hash-outputs");
    return !a->hash_outputs || a->log || a->keep_outputs ||
           error_set(error, STATUS_USAGE, "--hash-outputs writes into the log; give --log too");
}

/* The shard's registrations are those of the log that is resumed, or are chosen now. */
static bool choose_shard(struct invocation *in, struct error *error)
{
    const struct log_environment *earlier = in->arguments.resume ? &in->history.report.environment : NULL;
    return shard_choose(&in->arguments, &in->session.registry, earlier, &in->arena, &in->options, &in->environment, error);
}

/* --log, or the log that goes with kept outputs, starts a log; --resume alone goes on in the same file; both read one and
 * write the other. */
static bool open_log(struct invocation *in, struct error *error)
{
    struct arguments *a = &in->arguments;
    if (!outputs_can_be_had(a, error))
        return false;
    if (a->keep_outputs && !kept_outputs_open(&in->kept, a->keep_outputs, error))
        return false;
    if (a->keep_outputs && !a->log)
        a->log = arena_format(&in->arena, "%s/" KEPT_OUTPUTS_LOG, a->keep_outputs);
    if (a->resume && !history_read(a->resume, &in->environment, &in->history, error))
        return false;
    in->decided = history_decided(&in->history);
    if (!choose_shard(in, error))
        return false;
    if (a->log && (!a->resume || strcmp(a->log, a->resume) != 0))
        return log_open(&in->log, a->log, &in->environment, error);
    return !a->resume || log_reopen(&in->log, a->resume, &in->environment, &in->history, error);
}

/* A report of the run is made only where it is written to a file. */
static bool open_report(struct invocation *in, struct error *error)
{
    return !report_files_are_wanted(&in->arguments.report_files) || report_begin(&in->report, &in->environment, error);
}

static bool write_report(struct invocation *in, enum status status, struct error *error)
{
    if (!report_files_are_wanted(&in->arguments.report_files))
        return true;
    struct error past_error;
    report_end(&in->report, &in->counts, status, status == STATUS_INTERRUPTED);
    if (!report_settle(&in->report, error))
        return false;
    if (in->recorder.history && !report_add_past(&in->report, in->recorder.history, &past_error))
        fprintf(stderr, "hipcontract %s: the report shows no past runs: %s\n", in->arguments.command, past_error.text);
    return report_files_write(&in->arguments.report_files, &in->report, error);
}

static bool selects_anything(const struct invocation *in)
{
    for (size_t i = 0; i < in->session.registry.n_registrations; i++)
        if (run_selects(&in->session.registry, &in->options, i))
            return true;
    return false;
}

static bool open_invocation(struct invocation *in, struct error *error)
{
    if (!session_open(&in->session, &in->arguments, error))
        return false;
    if (!selects_anything(in))
        return error_set(error, STATUS_USAGE, "no registration is selected; `hipcontract list` shows their names");
    if (!run_device_name_gpu(&in->session, &in->arguments, error))
        return false;
    in->environment = run_environment(&in->session);
    if (!report_files_check(&in->arguments.report_files, error) || !open_log(in, error) || !open_report(in, error))
        return false;
    bool color = in->arguments.color < 0 ? isatty(STDOUT_FILENO) : in->arguments.color;
    in->progress = progress_begin(stderr, isatty(STDERR_FILENO));
    in->console = (struct console){.out = stdout, .color = color, .progress = &in->progress};
    in->console.failures.environment = &in->environment;
    in->progress.n_parts = in->arguments.n_chips ? (int)in->arguments.n_chips : 1;
    in->log.with_outputs = in->arguments.hash_outputs || in->arguments.keep_outputs;
    if (in->log.file)
        stream_add(&in->stream, log_sink(&in->log));
    if (in->arguments.keep_outputs)
        stream_add(&in->stream, kept_outputs_sink(&in->kept));
    if (in->report.n_logs)
        stream_add(&in->stream, report_sink(&in->report));
    /* Before the console: what was printed is recorded, whatever comes after. */
    if (!recorder_open(&in->recorder, &in->arguments, &in->environment, &in->stream, error))
        return false;
    stream_add(&in->stream, counts_sink(&in->counts));
    stream_add(&in->stream, progress_counts(&in->progress));
    stream_add(&in->stream, console_sink(&in->console));
    return true;
}

static void print_header(const struct invocation *in, const char *chip)
{
    const struct arguments *a = &in->arguments;
    const char *fault = harness_fault_name(harness_fault_planted);
    printf("hipcontract %s: %s on %s%s, %d runs, seed %llu, %s shapes, %s%s%s\n", HIPCONTRACT_VERSION,
           in->with_limits ? "gates 1-4, controls and limits" : "gates 1-4 and controls", chip,
           a->on_gpu ? "" : " (emulated)", a->n_runs, (unsigned long long)a->seed, arguments_scope(a),
           toolchain_name(in->session.toolchain), harness_fault_planted ? ", WITH A FAULT OF THE HARNESS: " : "",
           harness_fault_planted ? fault : "");
    fflush(stdout);
}

static size_t count_selected(const struct invocation *in, const char *chip)
{
    const struct registry *registry = &in->session.registry;
    size_t n = 0;
    for (size_t i = 0; i < registry->n_registrations; i++)
        n += run_selects(registry, &in->options, i) && registration_is_for(registry->registrations[i], chip);
    return n;
}

static bool run_on_device(struct invocation *in, struct run_device *device, struct error *error)
{
    const char *chip = device->device->chip;
    struct run run = {.registry = &in->session.registry,
                      .options = &in->options,
                      .stream = &in->stream,
                      .builds = {.builder = &in->session.builder},
                      .checker = in->session.checker,
                      .decided = &in->decided,
                      .progress = progress_sink(&in->progress),
                      .interrupted = interrupt_requested,
                      .interrupt_context = &in->interrupt};
    uint64_t start_ns = clock_ns();
    bool ok = run_device_gates(device, &run, error);
    counts_of(&in->counts, chip)->gates_ns += clock_ns() - start_ns;
    builds_free(&run.builds);
    return ok;
}

/* Gates on one chip. One that the emulator does not run is an error where it was asked for by name, and uncovered with
 * `all`. */
static bool run_chip(struct invocation *in, const char *chip, struct error *error)
{
    struct run_device device;
    if (!run_device_open(&device, &in->session, chip, error)) {
        if (!in->arguments.all_chips || error->status != STATUS_ENVIRONMENT)
            return false;
        printf("hipcontract %s: gates are not run on %s: %s\n", HIPCONTRACT_VERSION, chip, error->text);
        counts_of(&in->counts, chip);
        run_skip(&in->session.registry, &in->options, &in->stream, chip, in->arguments.on_gpu ? "rocm" : "emulator",
                 error->text);
        return true;
    }
    print_header(in, device.device->chip);
    counts_of(&in->counts, device.device->chip);
    bool ok = run_on_device(in, &device, error);
    run_device_close(&device);
    return ok;
}

/* Limits are named by kernel, registration or family: the index of a registration that the name is of, or -1. */
static int64_t registration_of_limit(const struct registry *registry, const char *name)
{
    for (size_t i = 0; i < registry->n_registrations; i++)
        if (strcmp(registry->registrations[i]->name, name) == 0 ||
            registration_has_kernel(registry->registrations[i], name))
            return (int64_t)i;
    return -1;
}

static void put_limit(void *context, const struct limits_result *result)
{
    struct invocation *in = context;
    struct verdict v = {.subject = SUBJECT_LIMIT,
                        .status = result->kind == LIMITS_MALFORMED ? VERDICT_INVALID
                                  : result->problem                ? VERDICT_LIMIT_PROBLEM
                                                                   : VERDICT_PASS,
                        .gate = GATE_LIMITS,
                        .code = result->code,
                        .worst.index = -1};
    snprintf(v.chip, sizeof v.chip, "%s", result->chip);
    snprintf(v.registration, sizeof v.registration, "%s", result->name);
    verdict_reason(&v, "%s", result->text);
    v.resources.are_known = result->measured != NULL;
    if (result->measured)
        memcpy(v.resources.figure, result->measured->figure, sizeof v.resources.figure);
    int64_t i = registration_of_limit(&in->session.registry, result->name);
    if (i >= 0) {
        in->limit_found[i] |= result->problem;
        verdict_place(&v, in->session.registry.registrations[i]);
        known_apply(in->session.registry.registrations[i], in->today, &v);
    }
    stream_put(&in->stream, &v);
}

/* The registrations that gate 5 is for: those of all shards. */
static struct run_options limits_selection(const struct invocation *in)
{
    struct run_options options = in->options;
    options.part = NULL;
    return options;
}

/* A known finding at gate 5 that the pass did not come upon. */
static void check_known_limits(struct invocation *in, const char *chip)
{
    const struct registry *registry = &in->session.registry;
    const struct run_options options = limits_selection(in);
    for (size_t i = 0; i < registry->n_registrations; i++) {
        const struct registration *r = registry->registrations[i];
        const struct reg_known_finding *known = known_for(r, GATE_LIMITS);
        if (!known || !run_selects(registry, &options, i) || !registration_is_for(r, chip) || in->limit_found[i])
            continue;
        struct verdict v = {.subject = SUBJECT_LIMIT, .status = VERDICT_NOT_FOUND, .gate = GATE_LIMITS, .worst.index = -1};
        snprintf(v.chip, sizeof v.chip, "%s", chip);
        verdict_registration(&v, r);
        verdict_reason(&v, "finding no longer found: %.300s (%.80s, %.200s); remove it", known->reason, known->owner,
                       known->link);
        stream_put(&in->stream, &v);
    }
}

/* The names of the selected registrations, for the limits pass; none where all are. */
static size_t selected_names(struct invocation *in, const char ***names)
{
    const struct registry *registry = &in->session.registry;
    const struct run_options options = limits_selection(in);
    *names = arena_alloc(&in->arena, registry->n_registrations * sizeof **names);
    size_t n = 0;
    for (size_t i = 0; i < registry->n_registrations && *names; i++)
        if (run_selects(registry, &options, i))
            (*names)[n++] = registry->registrations[i]->name;
    return n == registry->n_registrations ? 0 : n;
}

static bool run_limits(struct invocation *in, const char *chip, struct error *error)
{
    const char **names;
    struct limits_totals totals = {0};
    struct limits_options options = {.chips = &chip, .n_chips = 1, .n_jobs = in->arguments.n_jobs};
    options.n_only = selected_names(in, &names);
    options.only = names;
    in->limit_found = arena_alloc(&in->arena, in->session.registry.n_registrations * sizeof *in->limit_found);
    if (!names || !in->limit_found)
        return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the limits");
    bool ok = limits_pass(&in->session.registry, in->session.toolchain, &options, put_limit, in, &totals, error);
    if (ok)
        check_known_limits(in, chip);
    struct chip_counts *row = counts_of(&in->counts, chip);
    row->limits_ns += totals.duration_ns;
    counts_limits(&in->counts, chip, (int64_t)totals.n_registrations, true);
    return ok;
}

static bool run_all_chips(struct invocation *in, struct error *error)
{
    size_t n = in->arguments.n_chips ? in->arguments.n_chips : 1;
    bool ok = true;
    for (size_t i = 0; i < n && ok; i++) {
        in->progress.part = (int)i;
        ok = run_chip(in, in->arguments.n_chips ? in->arguments.chips[i] : DEFAULT_CHIP, error);
        in->options.no_teeth = true;
    }
    for (size_t i = 0; i < in->counts.n_chips && ok; i++) {
        const char *chip = in->counts.chips[i].chip;
        if (in->with_limits)
            ok = !shard_has_limits(&in->arguments) || run_limits(in, chip, error);
        else
            counts_limits(&in->counts, chip, (int64_t)count_selected(in, chip), false);
    }
    return ok;
}

/* A file that could not be written costs no verdict, and counts as a wrong file. */
static void tell_unwritten(const struct invocation *in, bool is_written, const struct error *error, enum status *status)
{
    if (is_written)
        return;
    if (error->status > *status)
        *status = error->status;
    fprintf(stderr, "hipcontract %s: %s\n", in->arguments.command, error->text);
}

/* The larger of what the verdicts and the error lead to. */
static int finish(struct invocation *in, bool ok, const struct error *failure)
{
    enum status status = in->stream.worst;
    if (!ok && failure->status > status)
        status = failure->status;
    if (harness_fault_planted && status < STATUS_RED)
        status = STATUS_RED; /* nothing that a faulty harness says is a pass */
    struct error log_error = {0}, kept_error = {0}, history_error = {0}, report_error = {0}, line_error = {0};
    log_summary(&in->log, &in->counts, status, status == STATUS_INTERRUPTED);
    bool logged = log_close(&in->log, &log_error), kept = kept_outputs_close(&in->kept, &kept_error);
    bool written = write_report(in, status, &report_error);
    progress_clear(&in->progress);
    fflush(stdout);
    if (!ok)
        fprintf(stderr, "hipcontract %s: %s\n", in->arguments.command, failure->text);
    bool interrupted = status == STATUS_INTERRUPTED;
    tell_unwritten(in, logged, &log_error, &status);
    tell_unwritten(in, kept, &kept_error, &status);
    bool recorded = recorder_close(&in->recorder, status, &history_error);
    tell_unwritten(in, recorded, &history_error, &status);
    tell_unwritten(in, written, &report_error, &status);
    console_summary(&in->console, &in->counts, interrupted);
    tell_unwritten(in, console_is_whole(&in->console, &line_error), &line_error, &status);
    return status;
}

int contract_run(int argc, char **argv, bool with_limits, const char *usage)
{
    struct invocation in = {.with_limits = with_limits};
    struct error error = {0};
    if (!arguments_parse(argc, argv, FOR_CONTRACT, &in.arguments, &error))
        return command_fail(argv[0], &error);
    if (in.arguments.help) {
        arguments_print_help(FOR_CONTRACT, usage);
        return STATUS_OK;
    }
    known_today(in.today);
    in.options = session_run_options(&in.arguments);
    in.options.today = in.today;
    interrupt_open(&in.interrupt);
    int status = STATUS_OK;
    if (open_invocation(&in, &error)) {
        bool ok = run_all_chips(&in, &error);
        status = finish(&in, ok, &error);
    } else {
        status = command_fail(in.arguments.command, &error);
        log_close(&in.log, NULL);
    }
    interrupt_close(&in.interrupt);
    console_free(&in.console);
    report_free(&in.report);
    history_free(&in.history);
    session_close(&in.session);
    arena_free(&in.arena);
    return status;
}
