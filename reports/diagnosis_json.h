/*
 * The diagnosis of a gate-3 verdict as a JSON object (docs/log-format.md).
 */
#ifndef REPORTS_DIAGNOSIS_JSON_H
#define REPORTS_DIAGNOSIS_JSON_H

#include <stdbool.h>

#include <jansson.h>

#include "contract/verdict.h"

/* A new reference; NULL when out of host memory. */
json_t *diagnosis_to_json(const struct diagnosis *diagnosis);
/* False where a field is missing, of another type or too long, or there are more outputs than are written. */
bool diagnosis_from_json(const json_t *object, struct diagnosis *diagnosis);

#endif
