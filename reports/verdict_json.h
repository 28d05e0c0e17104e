/*
 * A verdict as a JSON object and back, by one table of fields: what is written can be read (docs/log-format.md).
 */
#ifndef REPORTS_VERDICT_JSON_H
#define REPORTS_VERDICT_JSON_H

#include <jansson.h>

#include "contract/verdict.h"

/* A new reference, or NULL when out of host memory. Fields that say nothing (empty, zero) are left out. */
json_t *verdict_to_json(const struct verdict *verdict);
/* False where a field has the wrong type or a name is unknown. */
bool verdict_from_json(const json_t *object, struct verdict *verdict);

#endif
