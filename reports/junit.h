/*
 * A report as JUnit XML, in the form that CI systems read: a suite for each registration on a chip, with a case for each of
 * its verdicts, after one suite for the run as a whole.
 */
#ifndef REPORTS_JUNIT_H
#define REPORTS_JUNIT_H

#include <stdbool.h>
#include <stdio.h>

#include "contract/base/error.h"
#include "reports/report.h"

/* `failure` where the contract does not hold, with gate, kernel, chip, shape, figure and limit in its first line; `error`
 * where nothing could be judged; `skipped` for what was not run and for known findings. What the report's notes say is
 * missing is an error of the first suite. Errors: STATUS_USAGE where the file cannot be written, STATUS_ENVIRONMENT out of
 * host memory. */
bool junit_write(FILE *out, const struct report *report, struct error *error);

#endif
