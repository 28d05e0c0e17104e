/*
 * The Sylvester Hadamard transform of 128 (H[i][j] = (-1)^popcount(i & j)), unnormalised, by the butterflies h = 1, 2,
 * ... 64.
 */
#ifndef REFERENCE_HADAMARD_H
#define REFERENCE_HADAMARD_H

#include "reference/audit.h"
#include "reference/bound.h"
#include "reference/policy.h"

enum { HADAMARD_SIZE = 128, HADAMARD_LEVELS = 7 };

/* +1 or -1: H[row][column]. */
int hadamard_sign(int row, int column);
/* In place, each butterfly rounded once to `format` by the kernel: HADAMARD_LEVELS additions deep. */
void hadamard_bound(enum number_format format, struct bound values[HADAMARD_SIZE]);
/* In place in float64, with the policy's rounding of every partial sum. */
void hadamard_model(const struct policy *policy, double values[HADAMARD_SIZE]);
/* In place in f32, as a kernel's butterflies give it. */
void hadamard_f32(float values[HADAMARD_SIZE]);

#endif
