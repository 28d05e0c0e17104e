/* The RMS norm of one row, shared by the ds4 references; not for others. */
#ifndef REFERENCE_DS4_NORM_H
#define REFERENCE_DS4_NORM_H

#include "reference/ds4.h"

/* Parts of the scale's way: the sum of n squares, and eps. Division and root are correctly rounded: no additions. */
void ds4_norm_depth(int64_t n, struct depth *depth);
/* 1 / sqrt(mean(x^2) + eps). */
struct bound ds4_norm_scale(const struct bound *x, int64_t n, float eps);
/* out may be x. */
void ds4_norm_row(const struct bound *x, const float *weight, int64_t n, float eps, struct bound *out);
void ds4_norm_model_row(const struct policy *policy, const double *x, const float *weight, int64_t n, float eps,
                        double *out);
/* Adds the square of a value in units of 64; false where it is no integer of them, or is above 1024. */
bool ds4_add_integer_square(double value, int64_t *squares);
/* From the sum of squares of a row of n integers times 64, in units of 2^12: proves the mean square to be 2^16, which
 * swallows eps and has exact roots, and gives the output of the element `own`. */
void ds4_norm_exact(double own, double weight, int64_t n, int64_t squares, struct exact_sum *sum);
/* Slot 1 holds the sum of squares and slot 2 the element; leaves the output in slot 0. */
void ds4_norm_audit(struct audit *audit, int64_t n, float eps, float weight);

#endif
