/*
 * References of the ds4 row kernels, all f32:
 *
 *   rms_norm    out[r][j] = x[r][j] / sqrt(mean_j x[r][j]^2 + eps) * weight[j]
 *   hc          mixed[r][j] = sum over 4 streams of split[r][s] * streams[r][s][j]; normed = rms_norm of mixed
 *   moe         out[t][j] = sum over experts of gate[t][e] * y[t][e][j]
 *
 * Sums of squares chain fma within a lane; chains, lanes and waves are then added by a tree. Root and divisions are
 * correctly rounded (clang's default for HIP, -fhip-fp32-correctly-rounded-divide-sqrt).
 */
#ifndef REFERENCE_DS4_H
#define REFERENCE_DS4_H

#include <stdint.h>

#include "reference/audit.h"
#include "reference/bound.h"
#include "reference/depth.h"
#include "reference/exact.h"
#include "reference/policy.h"

enum { DS4_STREAMS = 4, DS4_LANES = 256 };

struct ds4_rms_norm {
    int64_t rows, n;
    float eps;
    const float *x, *weight; /* [rows][n], [n] */
};

/* Adds the parts of an output's way (reference/depth.h); likewise below. */
void ds4_rms_norm_depth(const struct ds4_rms_norm *problem, struct depth *depth);
void ds4_rms_norm_reference(const struct ds4_rms_norm *problem, struct bound *out);
void ds4_rms_norm_audit(const struct ds4_rms_norm *problem, int64_t row, int64_t column, struct audit *audit);
void ds4_rms_norm_model(const struct ds4_rms_norm *problem, const struct policy *policy, double *out);
/* The sum of squares behind a row of integers times 64 whose mean square is 2^16, which swallows eps. */
void ds4_rms_norm_exact(const struct ds4_rms_norm *problem, int64_t first, int64_t n, struct exact_sum *sums);

struct ds4_hc {
    int64_t rows, n;
    float eps;
    const float *split, *streams, *weight; /* [rows][4], [rows][4][n], [n] */
};

/* normed: which of the two outputs. */
void ds4_hc_depth(const struct ds4_hc *problem, bool normed, struct depth *depth);
void ds4_hc_reference(const struct ds4_hc *problem, bool normed, struct bound *out);
void ds4_hc_audit(const struct ds4_hc *problem, bool normed, int64_t row, int64_t column, struct audit *audit);
void ds4_hc_model(const struct ds4_hc *problem, bool normed, const struct policy *policy, double *out);
void ds4_hc_exact(const struct ds4_hc *problem, bool normed, int64_t first, int64_t n, struct exact_sum *sums);

struct ds4_moe {
    int64_t tokens, experts, dim;
    const float *gate, *y; /* [tokens][experts], [tokens][experts][dim] */
};

void ds4_moe_depth(const struct ds4_moe *problem, struct depth *depth);
void ds4_moe_reference(const struct ds4_moe *problem, struct bound *out);
void ds4_moe_audit(const struct ds4_moe *problem, int64_t token, int64_t column, struct audit *audit);
void ds4_moe_model(const struct ds4_moe *problem, const struct policy *policy, double *out);
void ds4_moe_exact(const struct ds4_moe *problem, int64_t first, int64_t n, struct exact_sum *sums);

#endif
