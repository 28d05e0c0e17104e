/*
 * A row of numbers as bars in one line of text.
 */
#ifndef REPORTS_SPARKLINE_H
#define REPORTS_SPARKLINE_H

#include <stddef.h>

#include "contract/base/text.h"

/* Appends one character a value: "▁" for the smallest finite one to "█" for the largest, all "▁" where they are equal; "∞"
 * for infinity, a space for NaN (unknown). */
void sparkline_append(struct text *text, const double *values, size_t n_values);

#endif
