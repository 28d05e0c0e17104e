/*
 * A comparison as lines for people, or as one JSON object with all that is known.
 */
#ifndef REPORTS_COMPARE_TABLE_H
#define REPORTS_COMPARE_TABLE_H

#include <stdio.h>

#include "reports/compare.h"

/* The two runs; the cases that differ, worst first, up to a number of lines; cases of one run only, a line a registration;
 * counts. */
void compare_table_print(FILE *out, const struct comparison *comparison);
/* False out of host memory, or where out cannot be written. */
bool compare_table_json(FILE *out, const struct comparison *comparison);

#endif
