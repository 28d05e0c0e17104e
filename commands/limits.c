/* `hipcontract limits`: gate 5 alone. */
#include <inttypes.h>
#include <stdio.h>

#include "commands/commands.h"
#include "commands/limits_line.h"
#include "commands/limits_pass.h"
#include "commands/session.h"

static const char usage[] = "usage: hipcontract limits [OPTIONS]\n\n"
                            "Compiles every kernel family and compares registers, LDS, scratch, spills, code size and "
                            "occupancy with the committed\n"
                            "records under records/, and checks that every registered launch fits.\n";

static void print_result(void *context, const struct limits_result *result)
{
    const struct arguments *arguments = context;
    printf("LIMIT %s %s  %s\n", result->chip, result->name, result->text);
    if (arguments->record && result->measured)
        limits_print_record(result->measured, NULL);
}

static void print_summary(const struct arguments *arguments, const struct limits_totals *totals)
{
    printf("SUMMARY ");
    for (size_t i = 0; i < arguments->n_chips; i++)
        printf("%s%s", i ? "," : "", arguments->chips[i]);
    printf(" %zu kernels: %zu limit problems", totals->n_registrations, totals->n_problems);
    if (arguments->update)
        printf("; %zu record files written", totals->n_files_written);
    printf("; %zu code objects compiled, %zu from the cache; limits %" PRIu64 " ms\n", totals->n_compiled, totals->n_cached,
           totals->duration_ns / 1000000);
}

static bool run(struct session *session, struct arguments *arguments, struct limits_totals *totals, struct error *error)
{
    const struct limits_options options = {.chips = arguments->chips,
                                           .n_chips = arguments->n_chips,
                                           .only = arguments->only,
                                           .n_only = arguments->n_only,
                                           .n_jobs = arguments->n_jobs,
                                           .update = arguments->update};
    if (!session_open(session, arguments, error) ||
        !limits_pass(&session->registry, session->toolchain, &options, print_result, arguments, totals, error))
        return false;
    return totals->n_registrations > 0 ||
           error_set(error, STATUS_USAGE, "no registration has such a name; `hipcontract list` shows them");
}

int command_limits(int argc, char **argv)
{
    struct error error;
    struct arguments arguments;
    if (!arguments_parse(argc, argv, FOR_LIMITS, &arguments, &error))
        return command_fail("limits", &error);
    if (arguments.help) {
        arguments_print_help(FOR_LIMITS, usage);
        return STATUS_OK;
    }
    if (arguments.n_chips == 0)
        arguments_all_chips(&arguments);
    struct session session = {0};
    struct limits_totals totals = {0};
    bool ok = run(&session, &arguments, &totals, &error);
    session_close(&session);
    if (!ok)
        return command_fail("limits", &error);
    print_summary(&arguments, &totals);
    return limits_status(&totals);
}
