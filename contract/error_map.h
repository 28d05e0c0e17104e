/*
 * How the distances from the reference are spread: a histogram of their ratios to the bound, and a coarse map of where in
 * the output they are large. A map of fixed size, for reports; nothing is judged by it.
 */
#ifndef CONTRACT_ERROR_MAP_H
#define CONTRACT_ERROR_MAP_H

#include "contract/gates.h"

/* The bin of a ratio to the bound: 0 where the output is the reference; then by powers of two up to RATIO_BIN_BOUND, where
 * the ratio is above 1/2 and at most 1; RATIO_BIN_INFINITE where it is infinite. What lies beyond the table's ends counts
 * in its outermost finite bins. */
int ratio_bin(double ratio);

/* Fills ratio_histogram of a gate-3 verdict from all outputs that the reference decides, and error_map from the tensor of
 * its worst element. */
void error_map_measure(const struct host_case *host, const struct outputs *outputs, struct verdict *verdict);

#endif
