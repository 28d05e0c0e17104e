/*
 * Reference of the ds4 projection (kernels/ds4/projection.hip): rows of x times the rows of a Q8_0 matrix whose weights are
 * rounded to fp16.
 */
#ifndef REFERENCE_DS4_PROJECTION_H
#define REFERENCE_DS4_PROJECTION_H

#include "reference/audit.h"
#include "reference/blocks.h"
#include "reference/bound.h"
#include "reference/depth.h"
#include "reference/exact.h"
#include "reference/policy.h"

struct ds4_projection {
    int64_t rows, k, n;
    int64_t blocks_of_split;         /* k is cut into splits of so many blocks */
    const float *x;                  /* [rows][k] */
    const struct block_q8_0 *blocks; /* [n][blocks of k] */
};

/* Adds the parts of an output's way (reference/depth.h). */
void ds4_projection_depth(const struct ds4_projection *problem, struct depth *depth);
void ds4_projection_reference(const struct ds4_projection *problem, struct bound *out);
void ds4_projection_audit(const struct ds4_projection *problem, int64_t row, int64_t column, struct audit *audit);
void ds4_projection_model(const struct ds4_projection *problem, const struct policy *policy, double *out);
void ds4_projection_exact(const struct ds4_projection *problem, int64_t first, int64_t n, struct exact_sum *sums);

#endif
