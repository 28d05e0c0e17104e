/* bound.c's arithmetic in vectors, for operands that are finite and results that overflow neither f32 nor float64: the
 * formulas and their derivations stand there. */
#ifndef REFERENCE_LANES_BOUNDS_H
#define REFERENCE_LANES_BOUNDS_H

#include "reference/bound.h"
#include "reference/lanes/vector.h"

struct bounds {
    f64s value, error;
};

/* How a format rounds. */
struct roundoff {
    double unit, eta;
};

static inline struct roundoff roundoff_of(enum number_format format)
{
    return (struct roundoff){format_facts(format)->unit_roundoff, format_facts(format)->half_subnormal};
}

static inline f64s outward(f64s error)
{
    return error * BOUND_OUTWARD;
}

/* Narrower formats than f64. */
static inline struct bounds rounded(struct roundoff r, f64s value, f64s propagated)
{
    f64s size = absolute(value);
    propagated = propagated + BOUND_U64 * size;
    f64s rounding = r.unit * (size + propagated) + r.eta;
    return (struct bounds){value, outward(propagated + rounding)};
}

static inline struct bounds bounds_add(struct roundoff r, struct bounds a, struct bounds b)
{
    return rounded(r, a.value + b.value, a.error + b.error);
}

static inline struct bounds bounds_sub(struct roundoff r, struct bounds a, struct bounds b)
{
    return rounded(r, a.value - b.value, a.error + b.error);
}

/* Times a factor that is exact. */
static inline struct bounds bounds_scale(struct roundoff r, struct bounds a, f64s factor)
{
    return rounded(r, a.value * factor, outward(absolute(factor) * a.error));
}

/* Stored in a format, from an error that is not 0. */
static inline struct bounds bounds_convert(enum number_format format, struct bounds a)
{
    const struct format_facts *f = format_facts(format);
    const double smallest = f->half_subnormal / f->unit_roundoff; /* normal */
    const uint64_t exponent = UINT64_C(0x7ff) << 52;
    f64s reach = absolute(a.value) + a.error, power = (f64s)((u64s)reach & exponent);
    f64s half_spacing = larger(power, all(smallest)) * f->unit_roundoff;
    return (struct bounds){a.value, outward(a.error + half_spacing)};
}

#endif
