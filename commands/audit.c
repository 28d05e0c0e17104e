/* `hipcontract audit`: what every compiler makes of every kernel on every chip, against the committed records. */
#include "commands/limits_audit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/limits_line.h"
#include "commands/audit_against.h"
#include "commands/audit_explain.h"
#include "reports/audit_table.h"

static const char usage[] =
    "usage: hipcontract audit [KERNEL ...] [OPTIONS]\n\n"
    "Compiles every kernel for every chip with every compiler that is installed, and prints one table: registers, LDS,\n"
    "scratch, spills, code, occupancy and what limits it, each against the committed record. KERNEL is what --only "
    "takes.\n";

/* A row of the table; the others are lines below it. */
static bool is_of_table(const struct audit_row *row)
{
    return row->kind != LIMITS_BUDGET && row->kind != LIMITS_OTHER && row->kind != LIMITS_MALFORMED;
}

static struct audit_line line_of(const struct limits_audit *audit, const struct audit_row *row)
{
    return (struct audit_line){.family = row->family,
                               .kernel = row->name,
                               .chip = row->chip,
                               .compiler = toolchain_short_name(audit->compilers[row->compiler].toolchain),
                               .state = limits_kind_name(row->kind),
                               .text = row->text,
                               .figures = row->has_measured ? &row->measured : NULL,
                               .is_problem = row->problem};
}

/* By family, kernel, chip, compiler, where both compilers and chips keep their order. */
static int compare_rows(const void *a, const void *b)
{
    const struct audit_row *const *left = a, *const *right = b;
    int order = strcmp((*left)->family, (*right)->family);
    if (order == 0)
        order = strcmp((*left)->name, (*right)->name);
    if (order == 0)
        order = strcmp((*left)->chip, (*right)->chip);
    if (order == 0)
        order = ((*left)->compiler > (*right)->compiler) - ((*left)->compiler < (*right)->compiler);
    return order ? order : (*left > *right) - (*left < *right);
}

/* In a format for programs every row is a line of the table. */
static struct audit_line *lines_of(struct limits_audit *audit, bool all, size_t *n_lines)
{
    const struct audit_row **rows = arena_alloc(&audit->arena, (audit->n_rows + 1) * sizeof(const struct audit_row *));
    struct audit_line *lines = arena_alloc(&audit->arena, (audit->n_rows + 1) * sizeof *lines);
    *n_lines = 0;
    if (!rows || !lines)
        return NULL;
    for (size_t i = 0; i < audit->n_rows; i++)
        if (all || is_of_table(&audit->rows[i]))
            rows[(*n_lines)++] = &audit->rows[i];
    qsort(rows, *n_lines, sizeof(const struct audit_row *), compare_rows);
    for (size_t i = 0; i < *n_lines; i++)
        lines[i] = line_of(audit, rows[i]);
    return lines;
}

static void print_other_rows(const struct limits_audit *audit)
{
    for (size_t i = 0; i < audit->n_rows; i++) {
        const struct audit_row *row = &audit->rows[i];
        if (!is_of_table(row))
            printf("LIMIT %s %s  %s (%s)\n", row->chip, row->name, row->text,
                   toolchain_short_name(audit->compilers[row->compiler].toolchain));
    }
}

static void print_records(const struct limits_audit *audit)
{
    for (size_t i = 0; i < audit->n_rows; i++)
        if (audit->rows[i].has_measured)
            limits_print_record(&audit->rows[i].measured,
                                toolchain_short_name(audit->compilers[audit->rows[i].compiler].toolchain));
}

static void print_summary(const struct limits_audit *audit, const struct audit_compiler *compiler)
{
    const struct limits_totals *totals = &compiler->totals;
    size_t n_measured = 0;
    for (size_t i = 0; i < audit->n_rows; i++)
        n_measured += audit->rows[i].has_measured && &audit->compilers[audit->rows[i].compiler] == compiler;
    printf("SUMMARY %s %zu kernels and chips measured: %zu limit problems", toolchain_short_name(compiler->toolchain),
           n_measured, totals->n_problems);
    if (totals->n_not_compiled)
        printf("; %zu not compiled by %s", totals->n_not_compiled, toolchain_short_name(compiler->toolchain));
    if (audit->session->arguments->update)
        printf("; %zu record files written", totals->n_files_written);
    printf("; %zu code objects compiled, %zu from the cache; %" PRIu64 " ms (%s)\n", totals->n_compiled, totals->n_cached,
           totals->duration_ns / 1000000, toolchain_version(compiler->toolchain));
}

static int report(struct limits_audit *audit, const struct arguments *arguments, struct error *error)
{
    bool for_programs = audit_format_is_for_programs(arguments->format);
    size_t n_lines;
    struct audit_line *lines = lines_of(audit, for_programs, &n_lines);
    if (!lines || !audit_table_write(stdout, arguments->format, lines, n_lines)) {
        error_set(error, STATUS_ENVIRONMENT, "out of memory");
        return command_fail("audit", error);
    }
    if (!for_programs) {
        putchar('\n');
        print_other_rows(audit);
        for (size_t i = 0; i < audit->n_compilers; i++)
            print_summary(audit, &audit->compilers[i]);
    }
    if (arguments->record)
        print_records(audit);
    return (int)limits_audit_status(audit);
}

/* RECORD lines would stand below a table that is to be parsed. */
static bool check_formats(const struct arguments *arguments, struct error *error)
{
    return !arguments->record || !audit_format_is_for_programs(arguments->format) ||
           error_set(error, STATUS_USAGE, "--format json and csv have all figures: leave --record out");
}

int command_audit(int argc, char **argv)
{
    struct error error = {0};
    struct arguments arguments;
    if (!arguments_parse(argc, argv, FOR_AUDIT, &arguments, &error) || !check_formats(&arguments, &error))
        return command_fail("audit", &error);
    if (arguments.help) {
        arguments_print_help(FOR_AUDIT, usage);
        return STATUS_OK;
    }
    if (arguments.n_chips == 0 && arguments.explain)
        arguments.chips[arguments.n_chips++] = DEFAULT_CHIP;
    else if (arguments.n_chips == 0)
        arguments_all_chips(&arguments);
    struct session session = {0};
    struct limits_audit audit = {0};
    bool has_own_builds = arguments.explain || arguments.against;
    bool ok = session_open(&session, &arguments, &error) && (has_own_builds || limits_audit_open(&audit, &session, &error));
    int status = !ok                 ? command_fail("audit", &error)
                 : arguments.explain ? audit_explain(&session)
                 : arguments.against ? audit_against(&session)
                                     : report(&audit, &arguments, &error);
    limits_audit_close(&audit);
    session_close(&session);
    return status;
}
