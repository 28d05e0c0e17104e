/*
 * Values of the log's objects that JSON does not have itself (docs/log-format.md). Inner header of reports/.
 */
#ifndef REPORTS_VALUES_JSON_H
#define REPORTS_VALUES_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

/* A number; infinities and NaN as the strings "inf", "-inf" and "nan". A new reference; NULL when out of host memory. */
json_t *number_to_json(double value);
/* False where it is neither. */
bool number_from_json(const json_t *json, double *value);
/* Bits as "0x3f800000". */
json_t *number_bits_to_json(uint64_t bits);
/* False where it is no string. */
bool number_bits_from_json(const json_t *json, uint64_t *bits);
/* A text into an array of so many bytes; false where it has no room. */
bool text_copy(const char *text, char *to, size_t capacity);

#endif
