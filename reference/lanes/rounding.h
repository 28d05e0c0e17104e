/* format_round of vectors. */
#ifndef REFERENCE_LANES_ROUNDING_H
#define REFERENCE_LANES_ROUNDING_H

#include <math.h>

#include "reference/lanes/vector.h"

/* What rounding to a format needs, as bits of doubles. */
struct rounding {
    int shift;                /* bits of a double's fraction below the format's; 0: FORMAT_F64, which rounds nothing */
    uint64_t smallest_normal; /* of the format */
    uint64_t largest;
    double unit; /* a double whose spacing is the format's subnormal spacing: adding it rounds to that */
};

static inline uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline struct rounding rounding_to(enum number_format format)
{
    const struct format_facts *f = format_facts(format);
    if (format == FORMAT_F64)
        return (struct rounding){0};
    return (struct rounding){.shift = 53 - f->precision_bits,
                             .smallest_normal = bits_of(ldexp(1, f->exponent_min)),
                             .largest = bits_of(f->largest),
                             .unit = ldexp(1, f->exponent_min - f->precision_bits + 1 + 52)};
}

/* Nearest, ties to even: in the normal range a carry runs into the exponent as it should; below it the sum with `unit` is
 * rounded by the host. */
static inline f64s round_to(const struct rounding *r, f64s value)
{
    const uint64_t infinity = UINT64_C(0x7ff) << 52, below = (UINT64_C(1) << r->shift) - 1;
    u64s bits = (u64s)value, magnitude = bits & ~sign_bit;
    u64s normal = (magnitude + (below >> 1) + (magnitude >> r->shift & 1)) & ~below;
    u64s subnormal = (u64s)(((f64s)magnitude + r->unit) - r->unit);
    u64s rounded = either(magnitude < r->smallest_normal, subnormal, normal);
    rounded = either(rounded > r->largest, (u64s){0} + infinity, rounded);
    return (f64s)(either(magnitude >= infinity, magnitude, rounded) | (bits & sign_bit));
}

/* The same where `rounds` is known when the code is compiled. */
static inline f64s round_if(bool rounds, const struct rounding *r, f64s value)
{
    return rounds ? round_to(r, value) : value;
}

#endif
