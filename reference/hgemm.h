/*
 * Reference of C[m][n] = A[m][k] B[n][k]^T with bf16 factors, summed in f32 and stored as f32 or bf16:
 *
 *   c[i][j] = sum over t of a[i][t] * b[j][t]
 *
 * The products of a split's range of k are one chain of the variant's steps, which zeros fill up to whole tiles of k; the
 * splits' sums are then added in a chain.
 */
#ifndef REFERENCE_HGEMM_H
#define REFERENCE_HGEMM_H

#include "reference/audit.h"
#include "reference/bound.h"
#include "reference/depth.h"
#include "reference/exact.h"
#include "reference/policy.h"
#include "reference/step.h"

struct hgemm {
    int64_t m, n, k;
    const uint16_t *a, *b; /* bf16: [m][k], [n][k] */
    enum step_model step;
    int64_t k_of_tile;
    int64_t k_of_split;          /* a multiple of k_of_tile; 0: one split has all of k */
    enum number_format c_format; /* FORMAT_F32 or FORMAT_BF16 */
    int n_threads;
};

/* Parts of k that are summed apart. */
int64_t hgemm_splits(const struct hgemm *problem);
/* Steps of the longest chain, with those that zeros fill. */
int64_t hgemm_steps(const struct hgemm *problem);
/* Of an output: the chain, and the f32 additions of the splits' sums after it. */
void hgemm_depth(const struct hgemm *problem, struct depth *depth);

void hgemm_reference(const struct hgemm *problem, struct bound *out);
void hgemm_audit(const struct hgemm *problem, int64_t row, int64_t column, struct audit *audit);
void hgemm_model(const struct hgemm *problem, const struct policy *policy, double *out);
/* The sums behind outputs of integer factors. */
void hgemm_exact(const struct hgemm *problem, int64_t first, int64_t n, struct exact_sum *sums);

#endif
