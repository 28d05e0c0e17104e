/*
 * Findings of the sanitizer as JSON objects (docs/log-format.md).
 */
#ifndef REPORTS_FINDING_JSON_H
#define REPORTS_FINDING_JSON_H

#include <stdbool.h>

#include <jansson.h>

#include "contract/verdict.h"

/* A new reference; NULL when out of host memory. */
json_t *finding_to_json(const struct finding *finding);
/* False where a field is missing, of another type or too long. */
bool finding_from_json(const json_t *object, struct finding *finding);

#endif
