/*
 * The counts of a chip as JSON (docs/log-format.md, `summary`). Inner header of reports/.
 */
#ifndef REPORTS_COUNTS_JSON_H
#define REPORTS_COUNTS_JSON_H

#include <jansson.h>

#include "contract/counts.h"

/* A new reference; NULL when out of host memory. */
json_t *counts_to_json(const struct chip_counts *row);

#endif
