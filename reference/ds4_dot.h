/*
 * Dot products of quantized rows with f32 activations, shared by the ds4 references of routed experts; not for others.
 *
 * A kernel's lane takes runs of a few neighbours that share their scale: it chains fma over the integers of a run, then
 * multiplies the run's sum by the scale in the fma that adds it to the lane's sum, and likewise the plain sum of the run's
 * activations by the minimum. Lanes are added last.
 */
#ifndef REFERENCE_DS4_DOT_H
#define REFERENCE_DS4_DOT_H

#include "reference/audit.h"
#include "reference/bound.h"
#include "reference/ds4_experts.h"

/* The runs of a dot product in float64: their sum, the sum of their magnitudes, and of the errors with which the kernel
 * holds each before it is added; n of them. */
struct ds4_dot {
    double sum, sum_abs, error;
    double finite_abs; /* of those that are finite, with their errors */
    int64_t n;
    bool is_nan; /* whatever else is undecided */
};

/* The first n weights of a row times x. */
struct ds4_dot ds4_dot_of(const struct ds4_format *format, const void *row, const float *x, int64_t n);
/* Adds weight times the other, as an fma in each of `lanes` lanes does. */
void ds4_dot_add(struct ds4_dot *dot, double weight, const struct ds4_dot *other, int lanes);
/* Where no term passes through more than `depth` of the kernel's additions. */
struct bound ds4_dot_bound(const struct ds4_dot *dot, int64_t depth);
/* The part of a run's own sum, of that many neighbours at most. */
void ds4_dot_depth(const struct ds4_format *format, struct depth *depth);
/* The additions to a lane's sum, where `lanes` lanes share a row's runs, and the levels of the tree over them. */
int64_t ds4_dot_additions(const struct ds4_format *format, int64_t n, int lanes);
int ds4_dot_levels(int lanes);

/* The exact sum in the slot. */
void ds4_dot_audit(const struct ds4_format *format, const void *row, const float *x, int64_t n, struct audit *audit,
                   int slot);
double ds4_dot_model(const struct ds4_format *format, const void *row, const float *x, int64_t n,
                     const struct policy *policy);

/* Integers in units of 2^DS4_EXACT_EXPONENT; exact: each term is one. */
enum { DS4_EXACT_EXPONENT = -6 };
struct ds4_integers {
    int64_t sum, sum_abs;
    bool exact;
};
struct ds4_integers ds4_dot_integers(const struct ds4_format *format, const void *row, const float *x, int64_t n);

#endif
