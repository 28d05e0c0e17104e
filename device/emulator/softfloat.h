/*
 * Binary floating point in integers, for every rounding and denormal mode: what handlers run when MODE is not the plain
 * one, or where the host has no such operation. Values are bit patterns of a format in the low bits of a uint64_t.
 *
 * Callers may rely on: each operation rounds once (IEEE 754-2019, 4.3); where an operand is a NaN the result is the first
 * NaN operand in source order, quieted; a NaN that an operation makes is the format's quiet NaN with the sign set (the
 * functional examples of the RDNA 3.5 ISA show 0xffc00000 and 0xfe00).
 */
#ifndef EMULATOR_SOFTFLOAT_H
#define EMULATOR_SOFTFLOAT_H

#include <stdbool.h>
#include <stdint.h>

struct float_format {
    uint8_t bits;          /* whole width */
    uint8_t fraction_bits; /* stored ones */
    int16_t bias;          /* also the largest exponent */
};

extern const struct float_format format_f16, format_bf16, format_f32, format_f64;

/* As MODE encodes it. */
enum rounding { ROUND_NEAREST_EVEN, ROUND_UP, ROUND_DOWN, ROUND_ZERO };

struct float_env {
    uint8_t rounding; /* enum rounding */
    bool flush_in;    /* a denormal operand counts as zero of its sign */
    bool flush_out;   /* a result below the normal range after rounding (as if exponents had no end) is zero of its sign */
    bool saturate;    /* MODE.FP16_OVFL: a finite result that overflows is the largest finite number */
};

/* A finite value: significand * 2^exponent; a significand of 0 is a zero of that sign. Bit 0 may be sticky. */
struct exact {
    bool negative;
    int32_t exponent;
    unsigned __int128 significand;
};

static inline uint64_t format_exponent_mask(const struct float_format *format)
{
    return ((UINT64_C(1) << (format->bits - 1)) - 1) & ~((UINT64_C(1) << format->fraction_bits) - 1);
}

static inline uint64_t format_sign(const struct float_format *format)
{
    return UINT64_C(1) << (format->bits - 1);
}

static inline bool format_is_nan(const struct float_format *format, uint64_t bits)
{
    return (bits & (format_sign(format) - 1)) > format_exponent_mask(format);
}

static inline bool format_is_infinite(const struct float_format *format, uint64_t bits)
{
    return (bits & (format_sign(format) - 1)) == format_exponent_mask(format);
}

static inline uint64_t format_quiet(const struct float_format *format, uint64_t bits)
{
    return bits | UINT64_C(1) << (format->fraction_bits - 1);
}

/* The NaN that operations make. */
static inline uint64_t format_made_nan(const struct float_format *format)
{
    return format_quiet(format, format_sign(format) | format_exponent_mask(format));
}

/* A finite bit pattern as a value. */
struct exact soft_unpack(const struct float_format *format, struct float_env env, uint64_t bits);
/* Rounds once. Zero keeps the value's sign. */
uint64_t soft_round(const struct float_format *format, struct float_env env, struct exact value);
/* x + y, where bits far below the larger one are kept as a sticky bit; an exact zero has the sign of env's rule. */
struct exact soft_sum(struct float_env env, struct exact x, struct exact y);
/* Clears a denormal to zero of its sign when flush is set. */
uint64_t soft_flush(const struct float_format *format, bool flush, uint64_t bits);

uint64_t soft_add(const struct float_format *format, struct float_env env, uint64_t a, uint64_t b);
uint64_t soft_multiply(const struct float_format *format, struct float_env env, uint64_t a, uint64_t b);
/* (a * b + c) * 2^scale, rounded once. */
uint64_t soft_fma(const struct float_format *format, struct float_env env, uint64_t a, uint64_t b, uint64_t c, int scale);
/* a * b + c of one format, rounded once to another; env.flush_in is about the operands. */
uint64_t soft_fma_convert(const struct float_format *from, const struct float_format *to, struct float_env env, uint64_t a,
                          uint64_t b, uint64_t c);
/* a * 2^n */
uint64_t soft_scale(const struct float_format *format, struct float_env env, uint64_t a, int64_t n);
/* To another format; env.flush_in is about the source's denormals. A NaN keeps its sign and the top of its payload. */
uint64_t soft_convert(const struct float_format *from, const struct float_format *to, struct float_env env, uint64_t bits);
/* negative ? -magnitude : magnitude */
uint64_t soft_from_integer(const struct float_format *format, struct float_env env, bool negative, uint64_t magnitude);
/* To the integer of the rounding mode, as a float (v_trunc, v_floor, v_ceil, v_rndne). Zero keeps the sign. */
uint64_t soft_round_to_integer(const struct float_format *format, enum rounding rounding, uint64_t bits);

#endif
