/*
 * A report as a Markdown receipt, to paste into a pull request: what ran and came of it, what is wrong, what came nearest
 * to its bound, and which records the commit touches.
 */
#ifndef REPORTS_RECEIPT_H
#define REPORTS_RECEIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "contract/base/error.h"
#include "reports/report.h"

/* What a comment may hold on GitHub is 65536 characters. */
enum { RECEIPT_BYTES = 65000 };

/* At most RECEIPT_BYTES. Errors: STATUS_USAGE where the file cannot be written, STATUS_ENVIRONMENT out of host memory. */
bool receipt_write(FILE *out, const struct report *report, struct error *error);
/* In at most most_bytes, with as much detail as has room; nothing at all where not even the counts have. The caller frees
 * *text, which is NUL-terminated. False out of host memory. */
bool receipt_within(const struct report *report, size_t most_bytes, char **text, size_t *n_bytes);

#endif
