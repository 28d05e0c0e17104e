/*
 * What the tables of the history have in common: cells, and a trend over runs. Inner header of reports/.
 */
#ifndef REPORTS_HISTORY_CELLS_H
#define REPORTS_HISTORY_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "reports/columns.h"
#include "reports/history.h"

/* Of a hash, what tells one from another at a glance. */
enum { SHORT_COMMIT = 10, SHORT_CODE = 8 };

/* Unix time as "2026-11-30 09:45". */
void put_date(int64_t seconds, char text[COLUMN_CELL_BYTES]);
/* "677 ms", "12.30 s", "123 s"; "-" where it is negative. */
void put_time(double ns, char text[COLUMN_CELL_BYTES]);
void put_ratio(double ratio, char text[COLUMN_CELL_BYTES]);
void put_count(double n, char text[COLUMN_CELL_BYTES]);
/* The first `most` bytes; "-" for NULL. */
void put_name(const char *name, int most, char text[COLUMN_CELL_BYTES]);

/* Both are of the program's own kernels, or of the same files. */
bool same_kernel_files(const struct history_run *a, const struct history_run *b);

/* "  worst    ▁▁█  0.25 → 0.5", from the first known value to the last, then the least and the most where
 * those are others; nothing where none is known. NaN is unknown, values
 * are the oldest first. false only out of memory. */
bool trend_write(FILE *out, const char *name, const double *values, size_t n_values,
                 void (*put)(double value, char text[COLUMN_CELL_BYTES]));

#endif
