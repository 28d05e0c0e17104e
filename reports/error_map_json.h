/*
 * The error map of a gate-3 verdict as a JSON object (docs/log-format.md).
 */
#ifndef REPORTS_ERROR_MAP_JSON_H
#define REPORTS_ERROR_MAP_JSON_H

#include <stdbool.h>

#include <jansson.h>

#include "contract/verdict.h"

/* A new reference; NULL when out of host memory. */
json_t *error_map_to_json(const struct error_map *map);
/* False where a field is missing, of another type, or the map is not of a size and of letters that are written. */
bool error_map_from_json(const json_t *object, struct error_map *map);

#endif
