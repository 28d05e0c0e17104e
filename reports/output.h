/*
 * How every writer of a report ends. Inner header of reports/.
 */
#ifndef REPORTS_OUTPUT_H
#define REPORTS_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "contract/base/error.h"

/* Flushes. False where the writer was short of memory (STATUS_ENVIRONMENT) or the file took not all of it (STATUS_USAGE,
 * the reason; the caller puts the file's name before it). */
bool output_end(FILE *out, bool had_memory, struct error *error);

#endif
