#include "reference/format.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The double's own layout (IEEE 754 binary64), from which every conversion starts. */
enum { F64_FRACTION_BITS = 52, F64_BIAS = 1023 };
#define F64_FRACTION ((UINT64_C(1) << F64_FRACTION_BITS) - 1)
#define F64_SIGN     (UINT64_C(1) << 63)

static const struct format_facts facts[FORMAT_COUNT] = {
    [FORMAT_F64] = {"f64", 8, true, 53, 1023, -1022, 0x1p-53, 0, DBL_MAX},
    [FORMAT_F32] = {"f32", 4, true, 24, 127, -126, 0x1p-24, 0x1p-150, 0x1.fffffep127},
    [FORMAT_F16] = {"f16", 2, true, 11, 15, -14, 0x1p-11, 0x1p-25, 65504},
    [FORMAT_BF16] = {"bf16", 2, true, 8, 127, -126, 0x1p-8, 0x1p-134, 0x1.fep127},
    [FORMAT_I8] = {"i8", 1, false, 0, 0, 0, 0, 0, INT8_MAX},
    [FORMAT_U8] = {"u8", 1, false, 0, 0, 0, 0, 0, UINT8_MAX},
    [FORMAT_I16] = {"i16", 2, false, 0, 0, 0, 0, 0, INT16_MAX},
    [FORMAT_U16] = {"u16", 2, false, 0, 0, 0, 0, 0, UINT16_MAX},
    [FORMAT_I32] = {"i32", 4, false, 0, 0, 0, 0, 0, INT32_MAX},
    [FORMAT_U32] = {"u32", 4, false, 0, 0, 0, 0, 0, UINT32_MAX},
};

const struct format_facts *format_facts(enum number_format format)
{
    return &facts[format];
}

enum number_format format_find(const char *name)
{
    int format = 0;
    while (format < FORMAT_COUNT && strcmp(facts[format].name, name) != 0)
        format++;
    return (enum number_format)format;
}

static uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double bits_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* 2^exponent for a double in the normal range. */
static double power_of_two(int exponent)
{
    return bits_double((uint64_t)(exponent + F64_BIAS) << F64_FRACTION_BITS);
}

/* floor(log2 |value|) where value is a normal double; -1022 for subnormal ones and zero. */
static int exponent_of(double value)
{
    int field = (int)(double_bits(value) >> F64_FRACTION_BITS & 0x7ff);
    return (field ? field : 1) - F64_BIAS;
}

/* Exponent of the format's spacing at a magnitude of the given exponent. */
static int spacing_exponent(const struct format_facts *f, int exponent)
{
    return (exponent > f->exponent_min ? exponent : f->exponent_min) - (f->precision_bits - 1);
}

/* bits without sign, rounded to nearest even at bit `shift`; a carry runs into the exponent as it should. 1 <= shift < 52.
 */
static uint64_t round_bits(uint64_t bits, int shift)
{
    uint64_t below = (UINT64_C(1) << shift) - 1;
    uint64_t odd = bits >> shift & 1;
    return (bits + (below >> 1) + odd) & ~below;
}

double format_round(enum number_format format, double value)
{
    const struct format_facts *f = &facts[format];
    uint64_t bits = double_bits(value), sign = bits & F64_SIGN, magnitude = bits & ~F64_SIGN;
    if (format == FORMAT_F64 || magnitude >= (uint64_t)0x7ff << F64_FRACTION_BITS)
        return value;
    int exponent = exponent_of(value);
    int spacing = spacing_exponent(f, exponent);
    int shift = spacing - (exponent - F64_FRACTION_BITS);
    double rounded;
    if (shift < F64_FRACTION_BITS)
        rounded = bits_double(round_bits(magnitude, shift));
    else { /* at most about one spacing: 0 up to half of it (a tie goes to the even 0), one from there, two from one and a
              half */
        double half = power_of_two(spacing - 1), absolute = bits_double(magnitude);
        rounded = absolute <= half ? 0 : absolute < 3 * half ? 2 * half : 4 * half;
    }
    if (rounded > f->largest)
        rounded = HUGE_VAL;
    return bits_double(double_bits(rounded) | sign);
}

double format_half_spacing(enum number_format format, double value)
{
    if (!isfinite(value))
        return value * value; /* an infinity, or NaN */
    const struct format_facts *f = &facts[format];
    if (format == FORMAT_F64)
        return ldexp(1, spacing_exponent(f, exponent_of(value)) - 1);
    return power_of_two(spacing_exponent(f, exponent_of(value)) - 1);
}

/* A 16- or 32-bit float's bits for a value that the format holds, or NaN. */
static uint32_t encode(const struct format_facts *f, double value)
{
    int fraction_bits = f->precision_bits - 1, n_bits = 8 * f->n_bytes;
    uint32_t infinity = (uint32_t)(2 * f->exponent_max + 1) << fraction_bits;
    if (isnan(value))
        return infinity | 1u << (fraction_bits - 1);
    uint64_t bits = double_bits(value);
    uint32_t sign = (uint32_t)(bits >> 63) << (n_bits - 1);
    if (isinf(value))
        return sign | infinity;
    int exponent = exponent_of(value);
    if (exponent < f->exponent_min)
        return sign | (uint32_t)(fabs(value) * power_of_two(fraction_bits - f->exponent_min));
    uint32_t fraction = (uint32_t)((bits & F64_FRACTION) >> (F64_FRACTION_BITS - fraction_bits));
    return sign | (uint32_t)(exponent + f->exponent_max) << fraction_bits | fraction;
}

static double decode(const struct format_facts *f, uint32_t bits)
{
    int fraction_bits = f->precision_bits - 1, n_bits = 8 * f->n_bytes;
    uint32_t fraction = bits & ((1u << fraction_bits) - 1);
    int field = (int)(bits >> fraction_bits & (uint32_t)(2 * f->exponent_max + 1));
    uint64_t sign = (uint64_t)(bits >> (n_bits - 1)) << 63;
    uint64_t wide_fraction = (uint64_t)fraction << (F64_FRACTION_BITS - fraction_bits);
    if (field == 2 * f->exponent_max + 1)
        return bits_double(sign | (uint64_t)0x7ff << F64_FRACTION_BITS | wide_fraction);
    if (field == 0) {
        double magnitude = fraction * power_of_two(f->exponent_min - fraction_bits);
        return bits_double(sign | double_bits(magnitude));
    }
    return bits_double(sign | (uint64_t)(field - f->exponent_max + F64_BIAS) << F64_FRACTION_BITS | wide_fraction);
}

uint64_t format_bits(enum number_format format, const void *array, int64_t index)
{
    size_t n_bytes = facts[format].n_bytes;
    uint64_t bits = 0;
    memcpy(&bits, (const char *)array + (size_t)index * n_bytes, n_bytes); /* little-endian hosts, as the devices are */
    return bits;
}

/* Parts an element into sign and magnitude, which count up from 0; true where it has a sign. */
static bool split_sign(enum number_format format, uint64_t bits, uint64_t *magnitude)
{
    uint64_t sign = UINT64_C(1) << (8 * facts[format].n_bytes - 1);
    bool is_unsigned = format == FORMAT_U8 || format == FORMAT_U16 || format == FORMAT_U32;
    *magnitude = bits;
    if (is_unsigned || !(bits & sign))
        return false;
    *magnitude = facts[format].is_float ? bits & ~sign : 2 * sign - bits;
    return true;
}

static bool is_nan(enum number_format format, uint64_t magnitude)
{
    const struct format_facts *f = &facts[format];
    return f->is_float && magnitude > (uint64_t)(2 * f->exponent_max + 1) << (f->precision_bits - 1);
}

uint64_t format_ulps(enum number_format format, uint64_t a_bits, uint64_t b_bits)
{
    uint64_t a, b;
    bool a_is_negative = split_sign(format, a_bits, &a), b_is_negative = split_sign(format, b_bits, &b);
    bool a_is_nan = is_nan(format, a), b_is_nan = is_nan(format, b);
    if (a_is_nan || b_is_nan)
        return a_is_nan && b_is_nan ? 0 : UINT64_MAX;
    if (a_is_negative != b_is_negative)
        return a + b;
    return a > b ? a - b : b - a;
}

double format_load(enum number_format format, const void *array, int64_t index)
{
    uint64_t bits = format_bits(format, array, index);
    switch (format) {
    case FORMAT_F64:
        return bits_double(bits);
    case FORMAT_I8:
        return (int8_t)bits;
    case FORMAT_I16:
        return (int16_t)bits;
    case FORMAT_I32:
        return (int32_t)bits;
    case FORMAT_U8:
    case FORMAT_U16:
    case FORMAT_U32:
        return (double)bits;
    default:
        return decode(&facts[format], (uint32_t)bits);
    }
}

/* Nearest integer of the format, saturated; NaN becomes 0. */
static int64_t nearest_integer(enum number_format format, double value)
{
    bool is_signed = format == FORMAT_I8 || format == FORMAT_I16 || format == FORMAT_I32;
    double highest = facts[format].largest, lowest = is_signed ? -highest - 1 : 0;
    if (isnan(value))
        return 0;
    return (int64_t)rint(value < lowest ? lowest : value > highest ? highest : value);
}

void format_store(enum number_format format, void *array, int64_t index, double value)
{
    const struct format_facts *f = &facts[format];
    uint64_t bits;
    if (!f->is_float)
        bits = (uint64_t)nearest_integer(format, value);
    else if (format == FORMAT_F64)
        bits = isnan(value) ? UINT64_C(0x7ff8) << 48 : double_bits(value);
    else
        bits = encode(f, format_round(format, value));
    memcpy((char *)array + (size_t)index * f->n_bytes, &bits, f->n_bytes);
}
