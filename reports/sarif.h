/*
 * The sanitizer's findings of a report as SARIF 2.1.0, for code scanning: what the kernels themselves did, not what planted
 * faults of controls did.
 */
#ifndef REPORTS_SARIF_H
#define REPORTS_SARIF_H

#include <stdbool.h>
#include <stdio.h>

#include "contract/base/error.h"
#include "reports/report.h"

/* One rule a check, one result a finding, at the kernel's source line where the code has line tables, else where the
 * registration stands. A known finding is suppressed, with its reason. What is missing is a notification of the run.
 * Errors: STATUS_USAGE where the file cannot be written, STATUS_ENVIRONMENT out of host memory. */
bool sarif_write(FILE *out, const struct report *report, struct error *error);

#endif
