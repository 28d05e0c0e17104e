/*
 * References of the EXL3 kernels: what they compute, bounded by the formats in which they do.
 *
 *   rot_in   out[r][j] = f16( scale * sum_i H[j][i] x[r][i] suh[i] )                     over each aligned group of 128
 *   linear   out[r][j] = svh[j] * scale * sum_c H[j][c] sum_k x[r][k] W[k][c]            over each aligned group of 128
 * columns
 *
 * Every step in f32: products, butterflies, the product with the scale (f32); then one conversion to the output's format.
 * The models round after scale and svh as well: those roundings belong to the definition.
 */
#ifndef REFERENCE_EXL3_H
#define REFERENCE_EXL3_H

#include <stdint.h>

#include "reference/audit.h"
#include "reference/bound.h"
#include "reference/depth.h"
#include "reference/exact.h"
#include "reference/exl3_trellis.h"
#include "reference/hadamard.h"
#include "reference/policy.h"

/* 1 / sqrt(128) as f32: what the launcher passes for scale. */
#define EXL3_SCALE 0x1.6a09e6p-4f

struct exl3_rot_in {
    int64_t rows, k;
    enum number_format x_format;
    float scale;
    const void *x;       /* [rows][k] */
    const uint16_t *suh; /* [k] f16 bits */
    int n_threads;
};

/* Adds the parts of an output's way (reference/depth.h); likewise below. */
void exl3_rot_in_depth(const struct exl3_rot_in *problem, struct depth *depth);
void exl3_rot_in_reference(const struct exl3_rot_in *problem, struct bound *out);
/* The exact value of out[row][column] in slot 0. */
void exl3_rot_in_audit(const struct exl3_rot_in *problem, int64_t row, int64_t column, struct audit *audit);
void exl3_rot_in_model(const struct exl3_rot_in *problem, const struct policy *policy, double *out);
/* The sum behind out[row][column] where x and suh hold integers. */
void exl3_rot_in_exact(const struct exl3_rot_in *problem, int64_t first, int64_t n, struct exact_sum *sums);
/* The outputs bit for bit: each step in f32 on the host, and two roundings at the end. May replace x, if
 * that is f16. */
void exl3_rot_in_bytes(const struct exl3_rot_in *problem, uint16_t *out);

struct exl3_linear {
    int64_t rows, k, n;
    int bits;    /* a weight */
    int n_waves; /* that split K */
    enum number_format out_format;
    float scale;
    const uint16_t *x;   /* [rows][k] f16 bits */
    const uint16_t *w;   /* tiles of 16 * bits words, in one of two layouts */
    const uint16_t *svh; /* [n] f16 bits */
    int n_threads;
    bool strips; /* w: false: [k/16][n/16], as a checkpoint stores it; true: [n/128][k/16][8], a block's tiles together */
};

enum { EXL3_TILES_OF_GROUP = HADAMARD_SIZE / EXL3_TILE };
/* The first of the eight tiles of a tile row under a group of columns, which follow one another in either layout. */
const uint16_t *exl3_tiles_of_group(const struct exl3_linear *problem, int64_t tile_row, int64_t group);

void exl3_linear_depth(const struct exl3_linear *problem, struct depth *depth);
void exl3_linear_reference(const struct exl3_linear *problem, struct bound *out);
void exl3_linear_audit(const struct exl3_linear *problem, int64_t row, int64_t column, struct audit *audit);
void exl3_linear_model(const struct exl3_linear *problem, const struct policy *policy, double *out);
/* The sum over K behind column 0 of the output's group, and the output itself, where all windows are ones and x holds
 * integers times 16: every column's sum is the same, so that out is 128 times it in the group's first column and 0
 * elsewhere. */
void exl3_linear_exact(const struct exl3_linear *problem, int64_t first, int64_t n, struct exact_sum *sums);
/* The outputs bit for bit, where every sum over K is exact in f32 whatever its order (identity rows): f32 steps from the
 * sums on. False where the host is out of memory. */
bool exl3_linear_bytes(const struct exl3_linear *problem, void *out);

#endif
