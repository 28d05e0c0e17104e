/*
 * Reference of the Q8_0 batch matmuls:
 *
 *   out[r][j] = sum over blocks b of scale[j][b] * sum over the block's 32 k of x[r][k] * q[j][k]
 *
 * The inner sum is a chain of the variant's steps from zero, on factors that are not rounded: q is an integer that f16
 * holds, and x is the f32 activation, or what is left of it in f16 where the variant multiplies halves (the value is then
 * that of the rounded activations). The outer sum is a chain of fma in f32.
 */
#ifndef REFERENCE_DS4_Q8_0_BATCH_H
#define REFERENCE_DS4_Q8_0_BATCH_H

#include "reference/audit.h"
#include "reference/blocks.h"
#include "reference/bound.h"
#include "reference/exact.h"
#include "reference/policy.h"
#include "reference/step.h"

struct ds4_q8_0_batch {
    int64_t rows, k, n;
    enum number_format x_format; /* in which x is multiplied: FORMAT_F32 or FORMAT_F16 */
    enum step_model step;
    const float *x;             /* [rows][k] */
    const struct block_q8_0 *w; /* [n][q8_0_blocks(k)] */
    int n_threads;
};

void ds4_q8_0_batch_reference(const struct ds4_q8_0_batch *problem, struct bound *out);
void ds4_q8_0_batch_audit(const struct ds4_q8_0_batch *problem, int64_t row, int64_t column, struct audit *audit);
void ds4_q8_0_batch_model(const struct ds4_q8_0_batch *problem, const struct policy *policy, double *out);
/* The sums behind outputs of integer activations and scales that are multiples of 2^-6. */
void ds4_q8_0_batch_exact(const struct ds4_q8_0_batch *problem, int64_t first, int64_t n, struct exact_sum *sums);

#endif
