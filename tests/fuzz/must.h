/*
 * What fuzz targets assert: libFuzzer takes an abort for a failure, and keeps the input.
 */
#ifndef FUZZ_MUST_H
#define FUZZ_MUST_H

#include <stdbool.h>

#include "contract/base/error.h"

void must(bool holds);
/* A refusal of the input is one line that says something, and blames the input: STATUS_USAGE. */
void must_be_clear(const struct error *error);

#endif
