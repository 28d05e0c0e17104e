/*
 * The report as one HTML file that loads nothing: the page that was bundled when the program was built (reports/html/),
 * with the report's data in it as JSON.
 */
#ifndef REPORTS_HTML_H
#define REPORTS_HTML_H

#include <stdbool.h>
#include <stdio.h>

#include "contract/base/error.h"
#include "reports/report.h"

/* A file of more bytes than this leaves out the rows of cases that passed, and says how many. */
enum { HTML_BYTES = 3000000 };

/* Errors: STATUS_ENVIRONMENT where the program was built without the page, or out of host memory; STATUS_USAGE for a file
 * that cannot be written, with the reason alone. */
bool html_write(FILE *out, const struct report *report, struct error *error);

#endif
