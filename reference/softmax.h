/*
 * Reference of softmax over rows, f32: out[r][j] = exp(x[r][j] - max_j x[r][j]) / sum_j exp(x[r][j] - max).
 */
#ifndef REFERENCE_SOFTMAX_H
#define REFERENCE_SOFTMAX_H

#include <stdint.h>

#include "reference/audit.h"
#include "reference/bound.h"
#include "reference/depth.h"
#include "reference/exact.h"
#include "reference/policy.h"

enum { SOFTMAX_LANES = 256 };

struct softmax {
    int64_t rows, n;
    const float *x; /* [rows][n] */
    int n_threads;
};

/* Adds the parts of an output's way (reference/depth.h). */
void softmax_depth(const struct softmax *problem, struct depth *depth);
void softmax_reference(const struct softmax *problem, struct bound *out);
/* tag names the problem: calls for one row after another with the same tag share the row's sum. */
void softmax_audit(const struct softmax *problem, uint64_t tag, int64_t row, int64_t column, struct audit *audit);
void softmax_model(const struct softmax *problem, const struct policy *policy, double *out);
/* The sum of exp(0) = 1 over the row's largest elements, all others so far below that their exp is 0 in f32. */
void softmax_exact(const struct softmax *problem, int64_t first, int64_t n, struct exact_sum *sums);

#endif
