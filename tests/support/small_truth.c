#include "tests/support/small_truth.h"

#include <math.h>

const struct small_truth small_truth_fp8 = {"fp8", 8, 3, 7, SMALL_OCP_FP8};
const struct small_truth small_truth_bf8 = {"bf8", 8, 2, 15, SMALL_OCP_BF8};
const struct small_truth small_truth_fp8_fnuz = {"fp8", 8, 3, 8, SMALL_FNUZ};
const struct small_truth small_truth_bf8_fnuz = {"bf8", 8, 2, 16, SMALL_FNUZ};
const struct small_truth small_truth_fp6 = {"fp6", 6, 3, 1, SMALL_NO_SPECIALS};
const struct small_truth small_truth_bf6 = {"bf6", 6, 2, 3, SMALL_NO_SPECIALS};
const struct small_truth small_truth_fp4 = {"fp4", 4, 1, 1, SMALL_NO_SPECIALS};

/* A magnitude as a number, were there no special patterns and exponents without end. */
static double magnitude_value(const struct small_truth *format, unsigned magnitude)
{
    int exponent = (int)(magnitude >> format->fraction_bits), fraction_unit = -format->fraction_bits;
    double fraction = ldexp(magnitude & ((1u << format->fraction_bits) - 1), fraction_unit);
    return exponent ? ldexp(1 + fraction, exponent - format->bias) : ldexp(fraction, 1 - format->bias);
}

double small_truth_value(const struct small_truth *format, unsigned code)
{
    unsigned sign = code >> (format->bits - 1), magnitude = code & ((1u << (format->bits - 1)) - 1);
    bool is_nan = (format->kind == SMALL_OCP_FP8 && magnitude == 0x7f) ||
                  (format->kind == SMALL_OCP_BF8 && magnitude > 0x7c) || (format->kind == SMALL_FNUZ && code == 0x80);
    if (is_nan)
        return NAN;
    bool is_infinite = format->kind == SMALL_OCP_BF8 && magnitude == 0x7c;
    double value = is_infinite ? INFINITY : magnitude_value(format, magnitude);
    return sign ? -value : value;
}

static unsigned largest_magnitude(const struct small_truth *format)
{
    unsigned magnitude = (1u << (format->bits - 1)) - 1;
    while (!isfinite(small_truth_value(format, magnitude)))
        magnitude--;
    return magnitude;
}

/* The last magnitude whose number is x or less, at most one above the largest. */
static unsigned magnitude_below(const struct small_truth *format, unsigned largest, double x)
{
    unsigned below = 0, above = largest + 2;
    while (above - below > 1) {
        unsigned middle = (below + above) / 2;
        if (magnitude_value(format, middle) <= x)
            below = middle;
        else
            above = middle;
    }
    return below;
}

/* The nearest magnitude, the even one of two; one above the largest stands for all beyond. */
static unsigned nearest_magnitude(const struct small_truth *format, unsigned largest, double x)
{
    unsigned below = magnitude_below(format, largest, x);
    if (below > largest)
        return below;
    double down = x - magnitude_value(format, below), up = magnitude_value(format, below + 1) - x;
    return down < up || (down == up && below % 2 == 0) ? below : below + 1;
}

/* x cut to as many places as an f32 of the format's least normal binade or above has, the top bits of random added below
 * the last place kept, and cut. */
static unsigned stochastic_magnitude(const struct small_truth *format, unsigned largest, double x, uint32_t random)
{
    int exponent = x > 0 ? ilogb(x) : 1 - format->bias, dropped = 23 - format->fraction_bits;
    exponent = exponent < 1 - format->bias ? 1 - format->bias : exponent;
    double place = ldexp(1, exponent - 23);
    double units = floor((floor(x / place) + (random >> (32 - dropped))) / ldexp(1, dropped));
    double rounded = ldexp(units, exponent - format->fraction_bits);
    return magnitude_below(format, largest, rounded);
}

static unsigned nan_code(const struct small_truth *format, double x)
{
    switch (format->kind) {
    case SMALL_OCP_FP8:
        return 0xff;
    case SMALL_OCP_BF8:
        return 0xfe;
    case SMALL_FNUZ:
        return 0x80;
    default:
        return largest_magnitude(format) | (unsigned)(signbit(x) != 0) << (format->bits - 1);
    }
}

static unsigned overflow_code(const struct small_truth *format, unsigned sign, bool saturates)
{
    if (saturates || format->kind == SMALL_NO_SPECIALS)
        return sign | largest_magnitude(format);
    return format->kind == SMALL_FNUZ ? 0x80 : sign | (largest_magnitude(format) + 1); /* OCP: NaN or infinity */
}

unsigned small_truth_code(const struct small_truth *format, struct small_truth_rounding how, double x)
{
    unsigned sign = (unsigned)(signbit(x) != 0) << (format->bits - 1), largest = largest_magnitude(format);
    if (isnan(x))
        return nan_code(format, x);
    if (isinf(x))
        return overflow_code(format, sign, how.saturate && how.saturates_infinity);
    unsigned magnitude = how.stochastic ? stochastic_magnitude(format, largest, fabs(x), how.random)
                                        : nearest_magnitude(format, largest, fabs(x));
    if (magnitude > largest)
        return overflow_code(format, sign, how.saturate);
    return format->kind == SMALL_FNUZ && magnitude == 0 ? 0 : sign | magnitude;
}
