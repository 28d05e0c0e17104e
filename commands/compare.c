/* `hipcontract compare A B`: what two runs left, output by output. */
#include <stdio.h>

#include "commands/commands.h"
#include "commands/options.h"
#include "reports/compare_table.h"
#include "reports/fidelity_report.h"

static const char usage[] =
    "usage: hipcontract compare A B [OPTIONS]\n\n"
    "Compares what gate 1's first runs left, case by case: two devices, chips, compilers, matrix models or commits. A\n"
    "and B are run logs, or folders of --keep-outputs. Logs of --hash-outputs say which rows differ, kept outputs which\n"
    "elements. Status 0 where all that is in both is equal byte for byte, 1 where something differs.\n";

static bool print_fidelity(const struct comparison *comparison, struct error *error)
{
    struct fidelity_report report;
    bool ok = fidelity_report_make(&report, comparison, error);
    if (ok)
        fidelity_report_print(stdout, &report);
    fidelity_report_free(&report);
    return ok;
}

static bool print_comparison(const struct comparison *comparison, const struct arguments *arguments, struct error *error)
{
    if (arguments->json)
        return compare_table_json(stdout, comparison) ||
               error_set(error, STATUS_ENVIRONMENT, "the comparison cannot be written");
    compare_table_print(stdout, comparison);
    return !arguments->fidelity_report || print_fidelity(comparison, error);
}

static bool check(const struct arguments *arguments, struct error *error)
{
    if (arguments->n_logs != 2)
        return error_set(error, STATUS_USAGE, "give two run logs, or folders of --keep-outputs");
    return !arguments->json || !arguments->fidelity_report ||
           error_set(error, STATUS_USAGE, "--json and --fidelity-report exclude each other");
}

/* Files that could not be used cost no line of the comparison. */
static int finish(const struct comparison *comparison, const struct arguments *arguments)
{
    fflush(stdout);
    for (size_t i = 0; i < comparison->n_problems; i++)
        fprintf(stderr, "hipcontract %s: %s\n", arguments->command, comparison->problems[i]);
    if (comparison->n_problems)
        return STATUS_USAGE;
    return comparison->n_different ? STATUS_RED : STATUS_OK;
}

int command_compare(int argc, char **argv)
{
    struct arguments arguments;
    struct error error = {0};
    struct comparison comparison = {0};
    if (!arguments_parse(argc, argv, FOR_COMPARE, &arguments, &error))
        return command_fail(argv[0], &error);
    if (arguments.help) {
        arguments_print_help(FOR_COMPARE, usage);
        return STATUS_OK;
    }
    bool ok = check(&arguments, &error) && compare_logs(&comparison, arguments.logs[0], arguments.logs[1], &error) &&
              print_comparison(&comparison, &arguments, &error);
    int status = ok ? finish(&comparison, &arguments) : command_fail(arguments.command, &error);
    compare_free(&comparison);
    return status;
}
