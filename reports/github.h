/*
 * A report for GitHub Actions: annotations, as workflow commands on the step's output, and the summary of the step.
 */
#ifndef REPORTS_GITHUB_H
#define REPORTS_GITHUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "contract/base/error.h"
#include "reports/report.h"

/* GitHub shows so many errors of a step, and refuses a summary that is larger. */
enum { GITHUB_ANNOTATIONS = 10, GITHUB_SUMMARY_BYTES = 1 << 20 };

/* Writes annotations to out, and where $GITHUB_STEP_SUMMARY names a file, appends the receipt to it. Errors: STATUS_USAGE
 * where one of the two cannot be written, STATUS_ENVIRONMENT out of host memory. */
bool github_write(FILE *out, const struct report *report, struct error *error);

/* The annotations alone: the worst problem of each registration, worst first, at the kernel's line that a finding names,
 * else where the registration stands; one a registration, at most GITHUB_ANNOTATIONS, then a count of the others. What is
 * missing is a warning each. workspace: the checkout, below which paths are; NULL: not known. */
bool github_annotate(FILE *out, const struct report *report, const char *workspace, struct error *error);
/* Appends the receipt to the file. What the file holds already counts, so that it stays under GITHUB_SUMMARY_BYTES: detail
 * is dropped where it must be, and all of it where there is no room left. */
bool github_summarize(const char *path, const struct report *report, struct error *error);

#endif
