/*
 * What the history holds, for people as tables with a trend, for programs as JSON.
 */
#ifndef REPORTS_HISTORY_TABLE_H
#define REPORTS_HISTORY_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "reports/history.h"

/* One line a run, in the order given. All of these: false only out of memory. */
bool history_runs_write_text(FILE *out, const struct history_run *runs, size_t n_runs);
/* For each registration, chip, device and scope, which must be neighbours and newest first: a line of what it is, the trend
 * of each figure from the oldest run to the newest, and one line a run. */
bool history_rows_write_text(FILE *out, const struct history_row *rows, size_t n_rows);
/* The same for each kernel, chip and toolchain, of the figures that changed. */
bool history_kernels_write_text(FILE *out, const struct history_kernel *kernels, size_t n_kernels);
/* An object of arrays of objects, `runs`, or `registrations` and `kernels`; what is unknown is left out. */
bool history_runs_write_json(FILE *out, const struct history_run *runs, size_t n_runs);
bool history_rows_write_json(FILE *out, const struct history_row *rows, size_t n_rows, const struct history_kernel *kernels,
                             size_t n_kernels);

#endif
