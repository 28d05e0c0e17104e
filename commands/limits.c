/* `hipcontract limits`: gate 5 alone. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/limits_pass.h"
#include "contract/base/parallel.h"
#include "contract/base/text.h"

static const char help[] = "usage: hipcontract limits [OPTIONS]\n\n"
                           "Compiles every kernel family and compares registers, LDS, scratch, spills, code size and "
                           "occupancy with the committed\n"
                           "records under records/, and checks that every registered launch fits.\n\n"
                           "  --chip gfxNNNN[,..]|all  chips to compile for (default: all seven of record)\n"
                           "  --only GLOB              only kernels or registrations of that name; may be given again\n"
                           "  --update                 rewrite the committed records of what was selected\n"
                           "  --record                 print each kernel's figures as a RECORD line too\n"
                           "  --jobs N                 compilers to run at once (default: one a processor)\n"
                           "  --help                   this text\n\n"
                           "Exit status: 0 records current and launches fit, 1 a limit problem or a kernel that does not "
                           "compile, 2 wrong usage or a\n"
                           "malformed record, 3 no compiler.\n";

enum { MAX_NAMES = 64 };

struct limits_arguments {
    struct limits_options options;
    const char *chips[MAX_NAMES], *only[MAX_NAMES];
    bool print_records, print_help;
};

static int fail(const struct error *error)
{
    fprintf(stderr, "hipcontract limits: %s\n", error->text);
    return error->status;
}

static void add_chips_of_record(struct limits_arguments *arguments)
{
    size_t n_chips;
    const struct chip *chips = chip_table(&n_chips);
    for (size_t i = 0; i < n_chips; i++)
        if (chips[i].of_record)
            arguments->chips[arguments->options.n_chips++] = chips[i].name;
}

/* Cuts a comma list in place. */
static bool add_chips(struct limits_arguments *arguments, char *list, struct error *error)
{
    if (strcmp(list, "all") == 0) {
        arguments->options.n_chips = 0;
        add_chips_of_record(arguments);
        return true;
    }
    char *rest;
    for (char *name = strtok_r(list, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        if (!chip_find(name))
            return error_set(error, STATUS_USAGE, "--chip %s: no known chip; docs/chips.md lists them", name);
        if (arguments->options.n_chips == MAX_NAMES)
            return error_set(error, STATUS_USAGE, "--chip: more than %d chips", MAX_NAMES);
        arguments->chips[arguments->options.n_chips++] = name;
    }
    return true;
}

static bool parse_jobs(const char *word, int *n_jobs, struct error *error)
{
    char *end;
    long value = strtol(word, &end, 10);
    if (*end || end == word || value < 1 || value > 1024)
        return error_set(error, STATUS_USAGE, "--jobs %s: give a number from 1 to 1024", word);
    *n_jobs = (int)value;
    return true;
}

static bool parse_option(struct limits_arguments *arguments, int option, struct error *error)
{
    switch (option) {
    case 'c':
        return add_chips(arguments, optarg, error);
    case 'o':
        if (arguments->options.n_only == MAX_NAMES)
            return error_set(error, STATUS_USAGE, "--only: more than %d patterns", MAX_NAMES);
        arguments->only[arguments->options.n_only++] = optarg;
        return true;
    case 'u':
        arguments->options.update = true;
        return true;
    case 'r':
        arguments->print_records = true;
        return true;
    case 'j':
        return parse_jobs(optarg, &arguments->options.n_jobs, error);
    case 'h':
        arguments->print_help = true;
        return true;
    default:
        return error_set(error, STATUS_USAGE, "wrong option; `hipcontract limits --help` lists them");
    }
}

static bool parse_arguments(int argc, char **argv, struct limits_arguments *arguments, struct error *error)
{
    static const struct option options[] = {{"chip", required_argument, NULL, 'c'},
                                            {"only", required_argument, NULL, 'o'},
                                            {"update", no_argument, NULL, 'u'},
                                            {"record", no_argument, NULL, 'r'},
                                            {"jobs", required_argument, NULL, 'j'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    *arguments = (struct limits_arguments){.options = {.n_jobs = parallel_processors()}};
    arguments->options.chips = arguments->chips;
    arguments->options.only = arguments->only;
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;)
        if (!parse_option(arguments, option, error))
            return false;
    if (optind < argc)
        return error_set(error, STATUS_USAGE, "unexpected argument %s; kernels are chosen with --only GLOB", argv[optind]);
    if (arguments->options.n_chips == 0)
        add_chips_of_record(arguments);
    return true;
}

static void print_result(void *context, const struct limits_result *result)
{
    const struct limits_arguments *arguments = context;
    printf("LIMIT %s %s  %s\n", result->chip, result->name, result->text);
    if (!arguments->print_records || !result->measured)
        return;
    printf("RECORD %s %s", result->chip, result->name);
    for (int i = 0; i < RECORD_FIGURE_COUNT; i++)
        printf(" %s %" PRIu32, record_figure_name((enum record_figure)i), result->measured->figure[i]);
    putchar('\n');
}

static void print_summary(const struct limits_arguments *arguments, const struct limits_totals *totals)
{
    printf("SUMMARY ");
    for (size_t i = 0; i < arguments->options.n_chips; i++)
        printf("%s%s", i ? "," : "", arguments->options.chips[i]);
    printf(" %zu kernels: %zu limit problems", totals->n_registrations, totals->n_problems);
    if (arguments->options.update)
        printf("; %zu record files written", totals->n_files_written);
    printf("; %zu code objects compiled, %zu from the cache; limits %" PRIu64 " ms\n", totals->n_compiled, totals->n_cached,
           totals->duration_ns / 1000000);
}

static int run(struct limits_arguments *arguments, struct arena *arena)
{
    struct error error;
    struct registry registry;
    if (!registry_collect(arena, &registry, &error) || !registry_check(&registry, &error))
        return fail(&error);
    struct toolchain *toolchain = toolchain_open(NULL, &error);
    if (!toolchain)
        return fail(&error);
    struct limits_totals totals;
    bool ok = limits_pass(&registry, toolchain, &arguments->options, print_result, arguments, &totals, &error);
    toolchain_close(toolchain);
    if (!ok)
        return fail(&error);
    if (totals.n_registrations == 0) {
        error_set(&error, STATUS_USAGE, "no registration has such a name; `hipcontract list` shows them");
        return fail(&error);
    }
    print_summary(arguments, &totals);
    return totals.n_problems ? STATUS_RED : STATUS_OK;
}

int command_limits(int argc, char **argv)
{
    struct error error;
    struct limits_arguments arguments;
    if (!parse_arguments(argc, argv, &arguments, &error))
        return fail(&error);
    if (arguments.print_help) {
        fputs(help, stdout);
        return STATUS_OK;
    }
    struct arena arena = {0};
    int status = run(&arguments, &arena);
    arena_free(&arena);
    return status;
}
