#include "reference/bound.h"

#include <float.h>
#include <math.h>

#include "reference/audit.h"

static double outward(double error)
{
    return isnan(error) ? INFINITY : error * BOUND_OUTWARD;
}

/* eta: half the smallest subnormal, in a form that a double can hold. */
static double eta(enum number_format format)
{
    return format == FORMAT_F64 ? DBL_TRUE_MIN : format_facts(format)->half_subnormal;
}

/* From this magnitude on rounding to nearest gives an infinity (IEEE 754-2019, 4.3.1). f64's is itself no double; there a
 * double sum that is finite has not reached it. */
static double overflow_threshold(enum number_format format)
{
    double largest = format_facts(format)->largest;
    return largest + format_half_spacing(format, largest);
}

static struct bound undecided(double value)
{
    return (struct bound){value, INFINITY};
}

static bool is_undecided(struct bound a)
{
    return isinf(a.error);
}

/* The kernel's operand may be zero, though it is not known to be. */
static bool may_vanish(struct bound a)
{
    return a.error > 0 && a.error >= fabs(a.value);
}

/* Classes come before bounds: what is not finite carries its class, and an interval [value - propagated, value +
 * propagated] that reaches the format's threshold overflows or is undecided. Else the rounding's error is added. Operands
 * are no NaN. */
static struct bound settle(enum number_format format, double value, double propagated, double rounding)
{
    if (isinf(propagated))
        return undecided(isnan(value) ? 0 : value);
    if (!isfinite(value)) /* an infinity that finite operands reach only nearly may be missed by the kernel */
        return propagated > 0 ? undecided(value) : bound_exact(value);
    double threshold = overflow_threshold(format), reach = outward(propagated);
    if (fabs(value) - reach >= threshold)
        return bound_exact(copysign(INFINITY, value));
    if (!(fabs(value) + reach < threshold))
        return undecided(value);
    return (struct bound){value, outward(propagated + rounding)};
}

/* One rounding to nearest of a result that is within `propagated` of value: u (|value| + propagated) + eta
 * (Higham, 2.4 and eq. 2.8, the model with underflow). float64's own rounding of value is one more u64 |value|. */
static struct bound rounded(enum number_format format, double value, double propagated)
{
    if (isfinite(value))
        propagated += BOUND_U64 * fabs(value) + (format == FORMAT_F64 ? DBL_TRUE_MIN : 0);
    double rounding = format_facts(format)->unit_roundoff * (fabs(value) + propagated) + eta(format);
    return settle(format, value, propagated, rounding);
}

static bool either_nan(struct bound a, struct bound b)
{
    return isnan(a.value) || isnan(b.value);
}

/* What two operands' errors add up to; an infinity that is sure swallows the other's. */
static double sum_error_of(struct bound a, struct bound b)
{
    if (is_undecided(a) || is_undecided(b))
        return INFINITY;
    return isinf(a.value) || isinf(b.value) ? 0 : a.error + b.error;
}

struct bound bound_add(enum number_format format, struct bound a, struct bound b)
{
    if (either_nan(a, b))
        return bound_exact(NAN);
    return rounded(format, a.value + b.value, sum_error_of(a, b)); /* |(a+b)-(a'+b')| <= ea + eb */
}

struct bound bound_sub(enum number_format format, struct bound a, struct bound b)
{
    return bound_add(format, a, bound_neg(b));
}

/* |a b - a' b'| <= |a| eb + |b| ea + ea eb (Higham, 3.1). An infinity times what may be zero, or of either sign, is
 * undecided. */
static double product_error(struct bound a, struct bound b)
{
    if (is_undecided(a) || is_undecided(b) || (isinf(a.value) && may_vanish(b)) || (isinf(b.value) && may_vanish(a)))
        return INFINITY;
    if (isinf(a.value) || isinf(b.value))
        return 0;
    return outward(fabs(a.value) * b.error + fabs(b.value) * a.error + a.error * b.error);
}

struct bound bound_mul(enum number_format format, struct bound a, struct bound b)
{
    return either_nan(a, b) ? bound_exact(NAN) : rounded(format, a.value * b.value, product_error(a, b));
}

/* As mul, plus the addend's error; rounded once (IEEE 754-2019, 5.4.1). */
struct bound bound_fma(enum number_format format, struct bound a, struct bound b, struct bound c)
{
    if (either_nan(a, b) || isnan(c.value))
        return bound_exact(NAN);
    struct bound product = {isinf(a.value) || isinf(b.value) ? a.value * b.value : 0, product_error(a, b)};
    if (isnan(product.value) && !is_undecided(product))
        return bound_exact(NAN);
    return rounded(format, fma(a.value, b.value, c.value), sum_error_of(product, c));
}

struct bound bound_div(enum number_format format, struct bound a, struct bound b)
{
    if (either_nan(a, b))
        return bound_exact(NAN);
    double value = a.value / b.value;
    bool only_nearly = !isfinite(value) && (may_vanish(a) || b.error > 0); /* perhaps 0/0, or finite */
    if (is_undecided(a) || is_undecided(b) || may_vanish(b) || only_nearly)
        return undecided(isnan(value) ? 0 : value);
    if (!isfinite(b.value)) /* a zero, whose sign matters to a later division */
        return (struct bound){value, may_vanish(a) ? DBL_TRUE_MIN : 0};
    if (!isfinite(value))
        return bound_exact(value);
    /* |a'/b' - a/b| = |(a'-a) b - a (b'-b)| / (|b'| |b|) <= (ea + |a/b| eb) / (|b| - eb), for |b| > eb. */
    return rounded(format, value, outward((a.error + fabs(value) * b.error) / (fabs(b.value) - b.error)));
}

struct bound bound_sqrt(enum number_format format, struct bound a)
{
    double low = a.value - a.error;
    if (isnan(a.value) || a.value + a.error < 0)
        return bound_exact(NAN);
    if (is_undecided(a) || low < 0)
        return undecided(0);
    /* sqrt is concave: the lower end is farther; sqrt(v) - sqrt(v-e) = e / (sqrt(v) + sqrt(v-e)). */
    double value = sqrt(a.value);
    return rounded(format, value, a.error > 0 ? outward(a.error / (value + sqrt(low))) : 0);
}

/* As fmaxf with +0 above -0: a NaN loses against a number. |max(a',b') - max(a,b)| <= max(ea, eb). */
struct bound bound_max(struct bound a, struct bound b)
{
    double value = a.value == b.value ? (signbit(a.value) ? b.value : a.value) : fmax(a.value, b.value);
    if (is_undecided(a) || is_undecided(b))
        return undecided(value);
    return isfinite(value) ? (struct bound){value, fmax(a.error, b.error)} : bound_exact(value);
}

struct bound bound_abs(struct bound a)
{
    return (struct bound){fabs(a.value), a.error};
}

struct bound bound_neg(struct bound a)
{
    return (struct bound){-a.value, a.error};
}

/* A function documented to k ulp of the format at the true result: its largest result is |value| + propagated. */
static struct bound within_ulps(enum number_format format, double value, double propagated, double ulps)
{
    propagated += BOUND_U64 * fabs(value);
    double reach = fabs(value) + outward(propagated);
    double rounding = isfinite(reach) ? ulps * 2 * format_half_spacing(format, reach) + eta(format) : 0;
    return settle(format, value, propagated + (isfinite(value) ? rounding : 0), 0);
}

/* exp(e) - 1 from above: e + e^2 for e <= 1 (series), else exp(e) with its rounding. */
static double expm1_above(double e)
{
    return e <= 1 ? e + e * e : correct_exp(e) * (1 + 0x1p-52);
}

/* Of an exponential whose value is exp(v): exp is convex, so the upper end is farther: exp(v) (exp(e) - 1). A value that
 * underflows float64 lies below 2^-1074. */
static struct bound exponential(enum number_format format, double value, double error, double ulps)
{
    if (isnan(value))
        return bound_exact(value);
    double base = value > 0 ? value : DBL_TRUE_MIN;
    return within_ulps(format, value, error > 0 ? base * expm1_above(error) : 0, ulps);
}

struct bound bound_exp(enum number_format format, struct bound a, double ulps)
{
    if (isinf(a.value) && !is_undecided(a))
        return bound_exact(a.value > 0 ? INFINITY : 0);
    return exponential(format, correct_exp(a.value), a.error, ulps);
}

struct bound bound_exp2(enum number_format format, struct bound a, double ulps)
{
    if (isinf(a.value) && !is_undecided(a))
        return bound_exact(a.value > 0 ? INFINITY : 0);
    return exponential(format, correct_exp2(a.value), outward(a.error * 0x1.62e42fefa39fp-1), ulps); /* ln 2, from above */
}

struct bound bound_rcp(enum number_format format, struct bound a, double ulps)
{
    double value = 1 / a.value;
    if (isnan(value))
        return bound_exact(value);
    if (may_vanish(a) || is_undecided(a) || (isinf(value) && a.error > 0))
        return undecided(value);
    if (!isfinite(value) || !isfinite(a.value))
        return bound_exact(value);
    /* Farther at the end nearer to zero: 1/(v-e) - 1/v = e / (v (v-e)). */
    double magnitude = fabs(a.value);
    return within_ulps(format, value, a.error / magnitude / (magnitude - a.error), ulps);
}

struct bound bound_rsqrt(enum number_format format, struct bound a, double ulps)
{
    double low = a.value - a.error, root = sqrt(a.value), low_root = sqrt(low);
    if (isnan(a.value) || a.value + a.error < 0)
        return bound_exact(NAN);
    if (is_undecided(a) || (a.error > 0 && !(low > 0)))
        return undecided(0);
    if (a.value == 0 || isinf(a.value))
        return bound_exact(1 / root);
    /* Convex and falling: 1/sqrt(v-e) - 1/sqrt(v) = e / ((sqrt(v) + sqrt(v-e)) sqrt(v) sqrt(v-e)). The value takes two
     * float64 roundings; within_ulps adds the one. */
    double value = 1 / root, propagated = a.error / (root + low_root) / root / low_root;
    return within_ulps(format, value, propagated + BOUND_U64 * value, ulps);
}

struct bound bound_convert(enum number_format format, struct bound a)
{
    if (a.error == 0 && isfinite(a.value)) { /* the kernel holds value itself, so its rounding is known */
        double stored = format_round(format, a.value);
        return isfinite(stored) ? (struct bound){a.value, fabs(stored - a.value)} : bound_exact(stored);
    }
    double reach = fabs(a.value) + a.error;
    return settle(format, a.value, a.error, isfinite(reach) ? format_half_spacing(format, reach) : 0);
}

double bound_gamma(enum number_format format, int64_t depth)
{
    double du = (double)depth * format_facts(format)->unit_roundoff; /* Higham, eq. 3.3 */
    return du < 1 ? outward(du / (1 - du)) : INFINITY;
}

/* float64's own error in a sum of n doubles, in any order (Higham, eq. 4.4). */
static double float64_sum_error(int64_t n_terms, double sum_abs)
{
    return bound_gamma(FORMAT_F64, n_terms) * sum_abs;
}

/* Whether partial sums may overflow to the sign that the sum does not have: the terms of that sign add up to
 * (sum |v| - |sum v|) / 2. */
static bool may_overflow_backwards(enum number_format format, double sum, double sum_abs, double error)
{
    return !((sum_abs - fabs(sum)) / 2 + error < overflow_threshold(format));
}

struct bound bound_sum(enum number_format format, int64_t n_terms, double sum, double sum_abs, double sum_error,
                       int64_t depth)
{
    if (isinf(sum_error))
        return undecided(isnan(sum) ? 0 : sum);
    if (!isfinite(sum))
        return bound_exact(sum);
    /* sum_abs and sum_error are float64 sums as well: the exact ones may be larger by gamma_n of float64. */
    double float64_gamma = bound_gamma(FORMAT_F64, n_terms), gamma = bound_gamma(format, depth);
    double abs_above = sum_abs * (1 + 2 * float64_gamma), error_above = sum_error * (1 + 2 * float64_gamma);
    double error = outward(error_above * (1 + gamma) + gamma * abs_above + float64_sum_error(n_terms, abs_above)); /* 4.2 */
    if (abs_above + error < overflow_threshold(format))
        return (struct bound){sum, error};
    bool surely = fabs(sum) - error >= overflow_threshold(format);
    return surely && !may_overflow_backwards(format, sum, abs_above, error) ? bound_exact(copysign(INFINITY, sum))
                                                                            : undecided(sum);
}

enum value_class value_class(double value)
{
    if (isnan(value))
        return CLASS_NAN;
    if (isinf(value))
        return value > 0 ? CLASS_PLUS_INF : CLASS_MINUS_INF;
    return CLASS_FINITE;
}

enum value_class bound_class(struct bound a, enum number_format stored)
{
    if (isnan(a.value))
        return CLASS_NAN;
    if (!isfinite(a.error))
        return CLASS_UNDECIDED;
    if (isinf(a.value))
        return value_class(a.value);
    double threshold = overflow_threshold(stored);
    if (fabs(a.value) - a.error >= threshold)
        return a.value > 0 ? CLASS_PLUS_INF : CLASS_MINUS_INF;
    return fabs(a.value) + a.error < threshold ? CLASS_FINITE : CLASS_UNDECIDED;
}
