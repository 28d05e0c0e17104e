/*
 * What a history knows of the registrations and kernels of a report: how earlier runs came out.
 */
#ifndef REPORTS_REPORT_PAST_H
#define REPORTS_REPORT_PAST_H

#include <stdbool.h>

#include "contract/base/error.h"
#include "reports/history.h"
#include "reports/report.h"

enum { REPORT_PAST_RUNS = 20 };

/* Fills `past` of each kernel of a settled report from the last REPORT_PAST_RUNS runs that came to an end. Errors: those of
 * history_rows; what was filled till then stays. */
bool report_add_past(struct report *report, struct history *history, struct error *error);

#endif
