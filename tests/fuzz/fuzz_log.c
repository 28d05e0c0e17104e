/*
 * Fuzz target: any bytes as a run log, for all that reads one: `report` with every format, `--resume` with the log that it
 * writes, and `compare` of the log with itself. The log is refused with one line, or all of them get through.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/compare_table.h"
#include "reports/console.h"
#include "reports/fidelity_report.h"
#include "reports/github.h"
#include "reports/html_data.h"
#include "reports/junit.h"
#include "reports/log.h"
#include "reports/receipt.h"
#include "reports/sarif.h"
#include "tests/fuzz/input_file.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

/* The step summary of the runner that this may run on is not ours to write. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return unsetenv("GITHUB_STEP_SUMMARY");
}

static void print_report(FILE *out, const struct report *report)
{
    struct console console = {.out = out};
    console.failures.environment = &report->environment;
    report_replay(report, console_sink(&console));
    console_summary(&console, &report->counts, false);
    console_free(&console);
}

/* The HTML page is always the same: only the data in it is made. */
static void make_html_data(const struct report *report)
{
    for (int detail = 0; detail < HTML_DETAIL_COUNT; detail++) {
        struct arena arena = {0};
        json_t *data = html_data(report, &arena, (enum html_detail)detail);
        must(data != NULL);
        json_decref(data);
        arena_free(&arena);
    }
}

static void write_formats(const struct report *report)
{
    static bool (*const writers[])(FILE *, const struct report *, struct error *) = {junit_write, sarif_write,
                                                                                     receipt_write, github_write};
    char *text = NULL;
    size_t n_bytes = 0;
    FILE *out = open_memstream(&text, &n_bytes);
    must(out != NULL);
    print_report(out, report);
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        struct error error = {0};
        must(writers[i](out, report, &error));
    }
    must(fclose(out) == 0);
    free(text);
    make_html_data(report);
}

/* The log of a run that goes on says what this one says of the finished registrations, and can be gone on from itself. */
static void resume(const char *path, const struct log_environment *environment)
{
    struct run_history history, again;
    struct run_log log;
    struct error error = {0};
    char copy[600];
    snprintf(copy, sizeof copy, "%s/resumed.jsonl", input_folder());
    bool ok = history_read(path, environment, &history, &error);
    if (!ok)
        must_be_clear(&error);
    else {
        must(log_reopen(&log, copy, environment, &history, &error) && log_close(&log, &error));
        must(history_read(copy, environment, &again, &error));
        size_t n_taken = 0, n_again = 0, n;
        for (size_t i = 0; i < history.report.n_kernels; i++)
            n_taken += history_verdicts(&history.report.kernels[i], &n) ? n : 0;
        for (size_t i = 0; i < again.report.n_kernels; i++)
            n_again += history_verdicts(&again.report.kernels[i], &n) ? n : 0;
        must(n_taken == n_again);
        history_free(&again);
    }
    history_free(&history);
}

static void read_report(const char *path)
{
    struct report report = {0};
    struct error error = {0};
    bool ok = report_add_log(&report, path, &error);
    if (ok)
        resume(path, &report.logs[0].environment);
    ok = ok && report_settle(&report, &error);
    if (ok)
        write_formats(&report);
    else
        must_be_clear(&error);
    report_free(&report);
}

static void print_comparison(const struct comparison *comparison)
{
    struct fidelity_report fidelity;
    struct error error = {0};
    char *text = NULL;
    size_t n_bytes = 0;
    FILE *out = open_memstream(&text, &n_bytes);
    must(out != NULL);
    compare_table_print(out, comparison);
    must(compare_table_json(out, comparison));
    if (fidelity_report_make(&fidelity, comparison, &error))
        fidelity_report_print(out, &fidelity);
    else
        must_be_clear(&error);
    fidelity_report_free(&fidelity);
    must(fclose(out) == 0);
    free(text);
}

/* A log that is compared with itself has the same in every case. */
static void compare(const char *path)
{
    struct comparison comparison;
    struct error error = {0};
    if (compare_logs(&comparison, path, path, &error)) {
        for (size_t i = 0; i < comparison.n_cases; i++)
            must(comparison.cases[i].outcome == COMPARE_EQUAL || comparison.cases[i].outcome == COMPARE_NO_OUTPUTS);
        print_comparison(&comparison);
    } else
        must_be_clear(&error);
    compare_free(&comparison);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    const char *path = input_file(data, n_bytes);
    read_report(path);
    compare(path);
    return 0;
}
