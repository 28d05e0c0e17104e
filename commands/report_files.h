/*
 * The files of other formats that a report is written to: one table gives the options, `--help` and the writers.
 */
#ifndef COMMANDS_REPORT_FILES_H
#define COMMANDS_REPORT_FILES_H

#include <stdbool.h>

#include "contract/base/error.h"
#include "reports/report.h"

/* X(id, name, value's name or NULL, commands that take it, help, writer): the first five as a row of OPTIONS. One without a
 * value is written to standard output. */
#define REPORT_FILES(X)                                                                                                    \
    X(HTML, "html", "FILE.html", FOR_CONTRACT | FOR_REPORT | FOR_SLURM,                                                    \
      "write the report as one page, which needs no other file", html_write)                                               \
    X(JUNIT, "junit", "FILE.xml", FOR_CONTRACT | FOR_REPORT | FOR_SLURM, "write the report as JUnit XML", junit_write)     \
    X(SARIF, "sarif", "FILE.sarif", FOR_CONTRACT | FOR_REPORT | FOR_SLURM,                                                 \
      "write the sanitizer's findings as SARIF 2.1.0", sarif_write)                                                        \
    X(MARKDOWN, "markdown", "FILE.md", FOR_CONTRACT | FOR_REPORT | FOR_SLURM,                                              \
      "write a receipt to paste into a pull request", receipt_write)                                                       \
    X(GITHUB, "github", NULL, FOR_CONTRACT | FOR_REPORT,                                                                   \
      "print annotations for GitHub Actions, and add to the step's summary", github_write)

#define REPORT_FILE_ENUM(id, name, value, commands, help, writer) REPORT_FILE_##id,
enum report_file { REPORT_FILES(REPORT_FILE_ENUM) REPORT_FILE_COUNT };
#undef REPORT_FILE_ENUM

/* The files that were asked for, by format; NULL: not wanted. Strings are borrowed. */
struct report_files {
    const char *path[REPORT_FILE_COUNT];
};

bool report_files_are_wanted(const struct report_files *files);
/* Before a run that they are to be of: each file can be made. Errors: STATUS_USAGE, "--junit PATH: reason". */
bool report_files_check(const struct report_files *files, struct error *error);
/* Writes all that are wanted, each whole or not at all; one that fails costs no other. Errors: the first, "--junit PATH:
 * reason". */
bool report_files_write(const struct report_files *files, const struct report *report, struct error *error);

#endif
