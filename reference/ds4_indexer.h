/*
 * Reference of the indexer's scores:
 *
 *   out[t][s] = sum over heads h of w[t][h] * max(0, sum over 128 d of q[t][h][d] * k[s][d])
 *
 * q and k are f16 or bf16, w and the scores f32. The inner sum is one chain of the variant's steps, max keeps a NaN, and
 * the outer sum is a chain of fma in f32, one a head.
 */
#ifndef REFERENCE_DS4_INDEXER_H
#define REFERENCE_DS4_INDEXER_H

#include "reference/audit.h"
#include "reference/bound.h"
#include "reference/depth.h"
#include "reference/exact.h"
#include "reference/policy.h"
#include "reference/step.h"

enum { DS4_INDEXER_WIDTH = 128 };

struct ds4_indexer {
    int64_t tokens, heads, keys;
    enum number_format format; /* of q and k */
    enum step_model step;
    const uint16_t *q, *k; /* [tokens][heads][128], [keys][128] */
    const float *w;        /* [tokens][heads] */
    int n_threads;
};

/* Adds the parts of a score's way (reference/depth.h). */
void ds4_indexer_depth(const struct ds4_indexer *problem, struct depth *depth);
void ds4_indexer_reference(const struct ds4_indexer *problem, struct bound *out);
void ds4_indexer_audit(const struct ds4_indexer *problem, int64_t token, int64_t key, struct audit *audit);
void ds4_indexer_model(const struct ds4_indexer *problem, const struct policy *policy, double *out);
/* The sums behind scores of integer q, k and w, each dot of one sign. */
void ds4_indexer_exact(const struct ds4_indexer *problem, int64_t first, int64_t n, struct exact_sum *sums);

#endif
