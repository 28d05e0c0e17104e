/* `hipcontract report`: the logs of a run, or of its shards, as one report. */
#include <stdio.h>
#include <unistd.h>

#include "commands/commands.h"
#include "commands/options.h"
#include "commands/recorder.h"
#include "contract/version.h"
#include "reports/console.h"
#include "reports/report.h"

static const char usage[] =
    "usage: hipcontract report RUN.jsonl ... [OPTIONS]\n\n"
    "Merges the logs of a run's shards, or of its chips, prints the lines of the whole run and says what is missing.\n"
    "The exit status is that of the whole run; 4 where a part of it is missing.\n";

static const char *or_none(const char *text)
{
    return text ? text : "none";
}

static void print_header(const struct report *report)
{
    const struct log_environment *e = &report->environment;
    printf("hipcontract %s: report of %zu log%s: %s on %s (%s), %d runs, seed %llu, %s shapes, %s, commit %s\n",
           HIPCONTRACT_VERSION, report->n_logs, report->n_logs == 1 ? "" : "s", or_none(e->command), or_none(e->chips),
           or_none(e->device), e->n_runs, (unsigned long long)e->seed, or_none(e->scope), or_none(e->toolchain),
           or_none(e->commit));
}

static bool is_interrupted(const struct report *report)
{
    for (size_t i = 0; i < report->n_logs; i++)
        if (report->logs[i].interrupted || !report->logs[i].has_summary)
            return true;
    return false;
}

static bool print_report(const struct report *report, const struct arguments *arguments, struct error *error)
{
    struct console console = {.out = stdout, .color = arguments->color < 0 ? isatty(STDOUT_FILENO) : arguments->color};
    console.failures.environment = &report->environment;
    print_header(report);
    report_replay(report, console_sink(&console));
    console_summary(&console, &report->counts, is_interrupted(report));
    bool whole = console_is_whole(&console, error);
    console_free(&console);
    fflush(stdout);
    for (size_t i = 0; i < report->n_notes; i++)
        fprintf(stderr, "hipcontract %s: %s\n", arguments->command, report->notes[i]);
    return whole;
}

static bool read_logs(const struct arguments *arguments, struct report *report, struct error *error)
{
    for (size_t i = 0; i < arguments->n_logs; i++)
        if (!report_add_log(report, arguments->logs[i], error))
            return false;
    return report_settle(report, error);
}

int command_report(int argc, char **argv)
{
    struct arguments arguments;
    struct error error = {0};
    struct report report = {0};
    if (!arguments_parse(argc, argv, FOR_REPORT, &arguments, &error))
        return command_fail(argv[0], &error);
    if (arguments.help) {
        arguments_print_help(FOR_REPORT, usage);
        return STATUS_OK;
    }
    bool ok = report_files_check(&arguments.report_files, &error) && read_logs(&arguments, &report, &error);
    ok = ok && print_report(&report, &arguments, &error);
    ok = ok && report_files_write(&arguments.report_files, &report, &error) &&
         recorder_take_report(&arguments, &report, &error);
    int status = ok ? STATUS_OK : command_fail(arguments.command, &error);
    if ((int)report.status > status)
        status = report.status;
    report_free(&report);
    return status;
}
