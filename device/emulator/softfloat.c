#include "device/emulator/softfloat.h"

typedef unsigned __int128 wide;

const struct float_format format_f16 = {.bits = 16, .fraction_bits = 10, .bias = 15};
const struct float_format format_bf16 = {.bits = 16, .fraction_bits = 7, .bias = 127};
const struct float_format format_f32 = {.bits = 32, .fraction_bits = 23, .bias = 127};
const struct float_format format_f64 = {.bits = 64, .fraction_bits = 52, .bias = 1023};

/* Where soft_sum puts leading bits: room above for a carry, and 18 bits and more below any product of two f64. */
enum { SUM_LEADING_BIT = 124 };

static int leading_bit(wide value)
{
    uint64_t high = (uint64_t)(value >> 64);
    return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((uint64_t)value);
}

uint64_t soft_flush(const struct float_format *format, bool flush, uint64_t bits)
{
    return flush && !(bits & format_exponent_mask(format)) ? bits & format_sign(format) : bits;
}

struct exact soft_unpack(const struct float_format *format, struct float_env env, uint64_t bits)
{
    bits = soft_flush(format, env.flush_in, bits);
    uint64_t fraction = bits & ((UINT64_C(1) << format->fraction_bits) - 1);
    int field = (int)((bits & format_exponent_mask(format)) >> format->fraction_bits);
    struct exact value = {.negative = (bits & format_sign(format)) != 0,
                          .exponent = (field ? field : 1) - format->bias - format->fraction_bits,
                          .significand = fraction | (field ? UINT64_C(1) << format->fraction_bits : 0)};
    return value;
}

/* The lower `shift` bits collapse into bit 0. */
static wide shift_right_sticky(wide value, unsigned shift)
{
    if (shift == 0)
        return value;
    if (shift > 127)
        return value != 0;
    return value >> shift | ((value & (((wide)1 << shift) - 1)) != 0);
}

/* value / 2^shift to an integer; a shift below 0 multiplies. */
static wide round_shift(wide value, int shift, enum rounding rounding, bool negative)
{
    if (shift <= 0)
        return value << -shift;
    if (shift > 126) {
        value = value != 0;
        shift = 2;
    }
    wide kept = value >> shift, rest = value & (((wide)1 << shift) - 1), half = (wide)1 << (shift - 1);
    bool up = false;
    switch (rounding) {
    case ROUND_NEAREST_EVEN:
        up = rest > half || (rest == half && (kept & 1));
        break;
    case ROUND_UP:
        up = rest && !negative;
        break;
    case ROUND_DOWN:
        up = rest && negative;
        break;
    case ROUND_ZERO:
        break;
    }
    return kept + up;
}

static uint64_t overflow(const struct float_format *format, struct float_env env, bool negative)
{
    uint64_t sign = negative ? format_sign(format) : 0, infinity = format_exponent_mask(format);
    bool to_infinity = env.rounding == ROUND_NEAREST_EVEN || env.rounding == (negative ? ROUND_DOWN : ROUND_UP);
    return sign | (to_infinity && !env.saturate ? infinity : infinity - 1);
}

/* Whether the value, rounded as if exponents had no end, lies below the normal range. */
static bool is_tiny(const struct float_format *format, struct float_env env, struct exact value)
{
    int lead = value.exponent + leading_bit(value.significand);
    int shift = leading_bit(value.significand) - format->fraction_bits;
    wide rounded = round_shift(value.significand, shift, env.rounding, value.negative);
    if (rounded >> (format->fraction_bits + 1))
        lead++;
    return lead < 1 - format->bias;
}

uint64_t soft_round(const struct float_format *format, struct float_env env, struct exact value)
{
    uint64_t sign = value.negative ? format_sign(format) : 0;
    if (value.significand == 0 || (env.flush_out && is_tiny(format, env, value)))
        return sign;
    int lead = value.exponent + leading_bit(value.significand), least = 1 - format->bias;
    if (lead > format->bias)
        return overflow(format, env, value.negative);
    int quantum = (lead > least ? lead : least) - format->fraction_bits;
    uint64_t kept = (uint64_t)round_shift(value.significand, quantum - value.exponent, env.rounding, value.negative);
    /* A carry out of the fraction runs into the exponent field, which is what it should do. */
    uint64_t field = (uint64_t)(quantum + format->fraction_bits - least);
    uint64_t bits = (field << format->fraction_bits) + kept;
    return bits >= format_exponent_mask(format) ? overflow(format, env, value.negative) : sign | bits;
}

static struct exact zero_of_sum(struct float_env env, struct exact x, struct exact y)
{
    struct exact zero = {.negative = x.negative && y.negative};
    if (x.negative != y.negative)
        zero.negative = env.rounding == ROUND_DOWN;
    return zero;
}

static struct exact align(struct exact value)
{
    int shift = SUM_LEADING_BIT - leading_bit(value.significand);
    value.exponent -= shift;
    value.significand <<= shift;
    return value;
}

struct exact soft_sum(struct float_env env, struct exact x, struct exact y)
{
    if (x.significand == 0 && y.significand == 0)
        return zero_of_sum(env, x, y);
    if (x.significand == 0)
        return y;
    if (y.significand == 0)
        return x;
    x = align(x);
    y = align(y);
    if (x.exponent < y.exponent) {
        struct exact swap = x;
        x = y;
        y = swap;
    }
    y.significand = shift_right_sticky(y.significand, (unsigned)(x.exponent - y.exponent));
    if (x.negative == y.negative) {
        x.significand += y.significand;
        return x;
    }
    if (x.significand == y.significand)
        return zero_of_sum(env, x, y);
    bool y_larger = y.significand > x.significand;
    x.significand = y_larger ? y.significand - x.significand : x.significand - y.significand;
    x.negative ^= y_larger;
    return x;
}

/* The first NaN of n operands, quieted, into *result. */
static bool propagate_nan(const struct float_format *format, const uint64_t *operand, int n, uint64_t *result)
{
    for (int k = 0; k < n; k++) {
        if (format_is_nan(format, operand[k])) {
            *result = format_quiet(format, operand[k]);
            return true;
        }
    }
    return false;
}

uint64_t soft_add(const struct float_format *format, struct float_env env, uint64_t a, uint64_t b)
{
    uint64_t result;
    if (propagate_nan(format, (uint64_t[]){a, b}, 2, &result))
        return result;
    bool a_infinite = format_is_infinite(format, a), b_infinite = format_is_infinite(format, b);
    if (a_infinite && b_infinite)
        return a == b ? a : format_made_nan(format);
    if (a_infinite || b_infinite)
        return a_infinite ? a : b;
    return soft_round(format, env, soft_sum(env, soft_unpack(format, env, a), soft_unpack(format, env, b)));
}

static struct exact product(struct exact x, struct exact y)
{
    struct exact value = {.negative = x.negative != y.negative,
                          .exponent = x.exponent + y.exponent,
                          .significand = x.significand * y.significand};
    return value;
}

static bool is_zero(const struct float_format *format, struct float_env env, uint64_t bits)
{
    return (soft_flush(format, env.flush_in, bits) & (format_sign(format) - 1)) == 0;
}

/* a * b where one is infinite: true, with the product. */
static bool infinite_product(const struct float_format *format, struct float_env env, uint64_t a, uint64_t b,
                             uint64_t *result)
{
    if (!format_is_infinite(format, a) && !format_is_infinite(format, b))
        return false;
    *result = is_zero(format, env, a) || is_zero(format, env, b)
                  ? format_made_nan(format)
                  : ((a ^ b) & format_sign(format)) | format_exponent_mask(format);
    return true;
}

uint64_t soft_multiply(const struct float_format *format, struct float_env env, uint64_t a, uint64_t b)
{
    uint64_t result;
    if (propagate_nan(format, (uint64_t[]){a, b}, 2, &result) || infinite_product(format, env, a, b, &result))
        return result;
    return soft_round(format, env, product(soft_unpack(format, env, a), soft_unpack(format, env, b)));
}

/* A NaN or infinity in another format. */
static uint64_t convert_special(const struct float_format *from, const struct float_format *to, uint64_t bits)
{
    uint64_t sign = bits & format_sign(from) ? format_sign(to) : 0;
    if (format_is_infinite(from, bits))
        return sign | format_exponent_mask(to);
    uint64_t payload = bits & ((UINT64_C(1) << from->fraction_bits) - 1);
    int shift = from->fraction_bits - to->fraction_bits;
    payload = shift >= 0 ? payload >> shift : payload << -shift;
    return format_quiet(to, sign | format_exponent_mask(to) | payload);
}

/* a * b + c where one is NaN or infinite: true, with the result. */
static bool fma_special(const struct float_format *format, struct float_env env, uint64_t a, uint64_t b, uint64_t c,
                        uint64_t *result)
{
    if (propagate_nan(format, (uint64_t[]){a, b, c}, 3, result))
        return true;
    if (infinite_product(format, env, a, b, result)) {
        if (format_is_infinite(format, c) && c != *result)
            *result = format_made_nan(format);
        return true;
    }
    *result = c;
    return format_is_infinite(format, c);
}

uint64_t soft_fma(const struct float_format *format, struct float_env env, uint64_t a, uint64_t b, uint64_t c, int scale)
{
    uint64_t result;
    if (fma_special(format, env, a, b, c, &result))
        return result;
    struct exact ab = product(soft_unpack(format, env, a), soft_unpack(format, env, b));
    struct exact sum = soft_sum(env, ab, soft_unpack(format, env, c));
    sum.exponent += scale;
    return soft_round(format, env, sum);
}

uint64_t soft_fma_convert(const struct float_format *from, const struct float_format *to, struct float_env env, uint64_t a,
                          uint64_t b, uint64_t c)
{
    uint64_t result;
    if (fma_special(from, env, a, b, c, &result))
        return convert_special(from, to, result);
    struct exact ab = product(soft_unpack(from, env, a), soft_unpack(from, env, b));
    return soft_round(to, env, soft_sum(env, ab, soft_unpack(from, env, c)));
}

uint64_t soft_scale(const struct float_format *format, struct float_env env, uint64_t a, int64_t n)
{
    if (format_is_nan(format, a))
        return format_quiet(format, a);
    if (format_is_infinite(format, a))
        return a;
    struct exact value = soft_unpack(format, env, a);
    int64_t limit = 4 * (int64_t)format->bias;
    value.exponent += (int32_t)(n > limit ? limit : n < -limit ? -limit : n);
    return soft_round(format, env, value);
}

uint64_t soft_convert(const struct float_format *from, const struct float_format *to, struct float_env env, uint64_t bits)
{
    if (format_is_nan(from, bits) || format_is_infinite(from, bits))
        return convert_special(from, to, bits);
    return soft_round(to, env, soft_unpack(from, env, bits));
}

uint64_t soft_from_integer(const struct float_format *format, struct float_env env, bool negative, uint64_t magnitude)
{
    return soft_round(format, env, (struct exact){.negative = negative, .significand = magnitude});
}

uint64_t soft_round_to_integer(const struct float_format *format, enum rounding rounding, uint64_t bits)
{
    if (format_is_nan(format, bits))
        return format_quiet(format, bits);
    struct float_env env = {.rounding = ROUND_NEAREST_EVEN};
    if (format_is_infinite(format, bits))
        return bits;
    struct exact value = soft_unpack(format, env, bits);
    if (value.exponent >= 0)
        return bits;
    value.significand = round_shift(value.significand, -value.exponent, rounding, value.negative);
    value.exponent = 0;
    return soft_round(format, env, value);
}
