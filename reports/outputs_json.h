/*
 * The outputs of a case as the log has them: a hash of each tensor and of each of its rows, and what was executed
 * (docs/log-format.md, `outputs`).
 */
#ifndef REPORTS_OUTPUTS_JSON_H
#define REPORTS_OUTPUTS_JSON_H

#include <jansson.h>

#include "contract/base/arena.h"
#include "contract/verdict.h"

struct logged_tensor {
    const char *name;
    enum number_format format;
    int64_t rows, columns;
    struct hash128 hash;              /* of its bytes */
    const struct hash128 *row_hashes; /* of each row's */
};

struct logged_outputs {
    const char *registration, *chip, *shape, *pattern;
    struct hash128 code;
    const struct logged_tensor *tensors;
    size_t n_tensors;
    const struct executed *executed; /* none where the device does not count */
    size_t n_executed;
};

/* Hashes the outputs. A new reference; NULL when out of host memory. */
json_t *outputs_to_json(const struct case_outputs *outputs);
/* Everything is copied into the arena. False where a field is missing or of another type, or out of host memory. */
bool outputs_from_json(const json_t *object, struct arena *arena, struct logged_outputs *outputs);

#endif
