/*
 * References of matrix products that are summed in two stages, in f32:
 *
 *   out[r][j] = sum over i of x[r][i] * w[j][i]
 *
 * Term i belongs to group i / run % n_groups. A group's terms are chained by fma, or by the steps of a matrix instruction,
 * which takes x as halves: the value is then that of the rounded x. Q8_0: with q for w, and the block's scale then
 * multiplies the group's sum in the fma that adds it to the others; so a group lies within a block. f16: the groups' sums
 * are added as they are.
 */
#ifndef REFERENCE_DS4_MATMUL_H
#define REFERENCE_DS4_MATMUL_H

#include <stdint.h>

#include "reference/audit.h"
#include "reference/bound.h"
#include "reference/depth.h"
#include "reference/exact.h"
#include "reference/policy.h"
#include "reference/step.h"

enum ds4_weights { DS4_Q8_0, DS4_F16 };

struct ds4_matmul {
    int64_t rows, n, k;
    const float *x; /* [rows][k] */
    enum ds4_weights weights;
    const void *w;               /* [n] rows: of k f16 bits, or of k / 32 (rounded up) struct block_q8_0 */
    enum number_format x_format; /* FORMAT_F16: x is rounded to it; 0: x is multiplied as it is */
    int64_t run, n_groups;
    enum step_model step;       /* of a group's chain, a step for each step_products of its run */
    int64_t roundings_in_group; /* the most that a term passes in its group; of STEP_FMA_F32 only */
    int64_t roundings;          /* and that its group's sum passes from there on */
    int exponent;               /* exact inputs: all products are multiples of 2^exponent */
    int n_threads;
};

/* Adds the parts of an output's way (reference/depth.h): its group, then the sum of groups. */
void ds4_matmul_depth(const struct ds4_matmul *problem, struct depth *depth);
void ds4_matmul_reference(const struct ds4_matmul *problem, struct bound *out);
void ds4_matmul_audit(const struct ds4_matmul *problem, int64_t row, int64_t column, struct audit *audit);
void ds4_matmul_model(const struct ds4_matmul *problem, const struct policy *policy, double *out);
void ds4_matmul_exact(const struct ds4_matmul *problem, int64_t first, int64_t n, struct exact_sum *sums);

/* f16 weights: each output bit for bit, with the groups' sums added in rising order. False where the host is out of memory.
 */
bool ds4_matmul_ordered_bytes(const struct ds4_matmul *problem, float *out);

#endif
