/*
 * Bounded arithmetic: a value and how far from it the kernel's own arithmetic may end, by induction over the operations.
 *
 * { value, error }: value is what exact real arithmetic on the exact inputs gives (computed in float64); error is at least
 * |what the kernel may have computed - value|, float64's own error included. Every formula cites its source beside the
 * function (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., chapters 2-4; Muller et al., "Handbook of
 * Floating-Point Arithmetic", 2nd ed.). Bounds are proofs: if one is loosened, its derivation changes, never a factor.
 */
#ifndef REFERENCE_BOUND_H
#define REFERENCE_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "reference/format.h"

struct bound {
    double value, error;
};

/* Unit roundoff of the reference's own float64. */
#define BOUND_U64 0x1p-53
/* Errors are sums and products of non-negative doubles, each operation off by at most 2^-53 of its result; no formula takes
 * more than 32 of them, so this factor puts the computed error above the exact one (Higham, lemma 3.1). What underflows in
 * them is below 2^-1000, far below the eta that every rounded operation adds. */
#define BOUND_OUTWARD (1 + 0x1p-48)
/* Half of what overflows f32: sums of magnitudes that stay below it round to no infinity on the way. */
#define BOUND_NEAR_OVERFLOW 0x1p127

/* An input as stored, in its own format: error 0. */
static inline struct bound bound_exact(double value)
{
    return (struct bound){value, 0};
}

/* Operations that the kernel rounds once to `format`. */
struct bound bound_add(enum number_format format, struct bound a, struct bound b);
struct bound bound_sub(enum number_format format, struct bound a, struct bound b);
struct bound bound_mul(enum number_format format, struct bound a, struct bound b);
struct bound bound_div(enum number_format format, struct bound a, struct bound b);
struct bound bound_fma(enum number_format format, struct bound a, struct bound b, struct bound c);
struct bound bound_sqrt(enum number_format format, struct bound a);
struct bound bound_max(struct bound a, struct bound b);
struct bound bound_abs(struct bound a);
struct bound bound_neg(struct bound a);

/* Functions accurate to `ulps` units in the last place of `format` at the true result (documented figures of the hardware
 * or of the device library; the caller names its source). Propagated over [value-error, value+error] by monotone ends. */
struct bound bound_exp(enum number_format format, struct bound a, double ulps);
struct bound bound_exp2(enum number_format format, struct bound a, double ulps);
struct bound bound_rcp(enum number_format format, struct bound a, double ulps);
struct bound bound_rsqrt(enum number_format format, struct bound a, double ulps);

/* The kernel's conversion of a to `format`: plus half a spacing at |value|+error. */
struct bound bound_convert(enum number_format format, struct bound a);

/* A sum of terms over any tree in which no term passes through more than `depth` additions rounded to `format`:
 * sum e_i (1+g) + g sum |v_i|, g = gamma_depth = d u/(1-d u) (Higham, 4.2; eq. 3.3 for gamma). sum_abs is sum |v_i|,
 * sum_error is sum e_i, n_terms their number (for float64's own error). */
struct bound bound_sum(enum number_format format, int64_t n_terms, double sum, double sum_abs, double sum_error,
                       int64_t depth);

/* gamma_d = d u / (1 - d u) for the format. */
double bound_gamma(enum number_format format, int64_t depth);

/* How a result class follows from a bound when it is stored in `format`. */
enum value_class { CLASS_FINITE, CLASS_NAN, CLASS_PLUS_INF, CLASS_MINUS_INF, CLASS_UNDECIDED };
enum value_class bound_class(struct bound a, enum number_format stored);
enum value_class value_class(double value);

#endif
