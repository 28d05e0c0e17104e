/*
 * References of a split sum's second half, in f32:
 *
 *   out[r][j] = sum over s of partial[s][r][j], then rounded once to the output's format
 *
 * The splits are added in rising order, by a chain of additions.
 */
#ifndef REFERENCE_HGEMM_REDUCE_H
#define REFERENCE_HGEMM_REDUCE_H

#include <stdint.h>

#include "reference/audit.h"
#include "reference/bound.h"
#include "reference/depth.h"
#include "reference/exact.h"
#include "reference/policy.h"

struct hgemm_reduce {
    int64_t splits, rows, n;
    const float *partial;      /* [splits][rows][n] */
    enum number_format format; /* of the output: FORMAT_F32 or FORMAT_BF16 */
};

/* The most additions that a partial sum passes through: the first two pass through all. */
int64_t hgemm_reduce_additions(int64_t splits);
void hgemm_reduce_depth(const struct hgemm_reduce *problem, struct depth *depth);

void hgemm_reduce_reference(const struct hgemm_reduce *problem, struct bound *out);
void hgemm_reduce_audit(const struct hgemm_reduce *problem, int64_t row, int64_t column, struct audit *audit);
void hgemm_reduce_model(const struct hgemm_reduce *problem, const struct policy *policy, double *out);
/* Partial sums that are integers. */
void hgemm_reduce_exact(const struct hgemm_reduce *problem, int64_t first, int64_t n, struct exact_sum *sums);

/* Each output bit for bit, in the output's format. */
void hgemm_reduce_bytes(const struct hgemm_reduce *problem, void *out);

#endif
