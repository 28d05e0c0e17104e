/* `hipcontract history`: what past runs recorded. */
#include "reports/history.h"

#include <stdio.h>

#include "commands/commands.h"
#include "commands/options.h"
#include "reports/history_table.h"

static const char usage[] =
    "usage: hipcontract history [KERNEL] [OPTIONS]\n\n"
    "The runs of contract and gates that were recorded, newest first; of KERNEL, a name or a pattern, each registration "
    "on\n"
    "each chip with the trend of its worst ratio and its time, oldest run first, and one line a run; then the same of the\n"
    "registers, LDS and scratch of each kernel of that name.\n";

/* What is borrowed lives in the arena. */
static bool filter_of(const struct arguments *arguments, struct arena *arena, struct history_filter *filter,
                      struct error *error)
{
    *filter = (struct history_filter){.registration = arguments->kernel, .n_last = arguments->n_last};
    for (size_t i = 0; i < arguments->n_chips && !arguments->all_chips; i++) {
        filter->chips = arena_format(arena, "%s%s%s", i ? filter->chips : "", i ? "," : "", arguments->chips[i]);
        if (!filter->chips)
            return error_set(error, STATUS_ENVIRONMENT, "out of host memory");
    }
    return true;
}

static bool print_runs(struct history *history, const struct history_filter *filter, bool json, struct arena *arena,
                       struct error *error)
{
    struct history_run *runs;
    size_t n;
    if (!history_runs(history, filter, arena, &runs, &n, error))
        return false;
    bool ok = json ? history_runs_write_json(stdout, runs, n) : history_runs_write_text(stdout, runs, n);
    return ok || error_set(error, STATUS_ENVIRONMENT, "out of host memory");
}

static bool write_kernel(const struct history_row *rows, size_t n_rows, const struct history_kernel *kernels,
                         size_t n_kernels, bool json)
{
    if (json)
        return history_rows_write_json(stdout, rows, n_rows, kernels, n_kernels);
    bool ok = history_rows_write_text(stdout, rows, n_rows);
    if (n_rows && n_kernels)
        putchar('\n');
    return ok && history_kernels_write_text(stdout, kernels, n_kernels);
}

static bool print_kernel(struct history *history, const struct history_filter *filter, bool json, struct arena *arena,
                         struct error *error)
{
    struct history_row *rows;
    struct history_kernel *kernels;
    size_t n_rows, n_kernels;
    if (!history_rows(history, filter, arena, &rows, &n_rows, error) ||
        !history_kernels(history, filter, arena, &kernels, &n_kernels, error))
        return false;
    if (n_rows + n_kernels == 0 && !json)
        return error_set(error, STATUS_USAGE, "no run of %s%s%s is recorded; `hipcontract history` lists the runs",
                         filter->registration, filter->chips ? " on " : "", filter->chips ? filter->chips : "");
    return write_kernel(rows, n_rows, kernels, n_kernels, json) ||
           error_set(error, STATUS_ENVIRONMENT, "out of host memory");
}

static bool print_history(const struct arguments *arguments, struct arena *arena, struct error *error)
{
    char path[HISTORY_PATH_BYTES];
    struct history_filter filter;
    if ((!arguments->db && !history_default_path(path, error)) || !filter_of(arguments, arena, &filter, error))
        return false;
    struct history *history = history_open(arguments->db ? arguments->db : path, HISTORY_READ, error);
    bool ok = history && (arguments->kernel ? print_kernel(history, &filter, arguments->json, arena, error)
                                            : print_runs(history, &filter, arguments->json, arena, error));
    history_close(history);
    return ok;
}

int command_history(int argc, char **argv)
{
    struct error error = {0};
    struct arguments arguments;
    if (!arguments_parse(argc, argv, FOR_HISTORY, &arguments, &error))
        return command_fail("history", &error);
    if (arguments.help) {
        arguments_print_help(FOR_HISTORY, usage);
        return STATUS_OK;
    }
    struct arena arena = {0};
    bool ok = print_history(&arguments, &arena, &error);
    arena_free(&arena);
    return ok ? STATUS_OK : command_fail("history", &error);
}
