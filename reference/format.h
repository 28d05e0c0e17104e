/*
 * Number formats as data: one row describes each, and every conversion is correctly rounded (nearest, ties to even).
 * Sources: IEEE 754-2019; bfloat16 as AMD's ISA documents use it (8-bit exponent, 7-bit fraction).
 */
#ifndef REFERENCE_FORMAT_H
#define REFERENCE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum number_format {
    FORMAT_F64,
    FORMAT_F32,
    FORMAT_F16,
    FORMAT_BF16,
    FORMAT_I8,
    FORMAT_U8,
    FORMAT_I16,
    FORMAT_U16,
    FORMAT_I32,
    FORMAT_U32,
    FORMAT_COUNT
};

struct format_facts {
    const char *name; /* "f32" */
    uint8_t n_bytes;
    bool is_float;
    int precision_bits;    /* significand with the hidden bit; 0 for integers */
    int exponent_max;      /* of the largest finite value */
    int exponent_min;      /* of the smallest normal value */
    double unit_roundoff;  /* u: half the spacing at 1 */
    double half_subnormal; /* eta: half the smallest subnormal (0 where a double cannot hold it) */
    double largest;        /* largest finite value */
};

const struct format_facts *format_facts(enum number_format format);
/* FORMAT_COUNT where no format has that name. */
enum number_format format_find(const char *name);
/* value rounded once to the format and given back as a double; overflow gives an infinity. Floats only. */
double format_round(enum number_format format, double value);
/* Half the spacing of the format's numbers around |value| (eta in the subnormal range). Floats only. */
double format_half_spacing(enum number_format format, double value);
/* Reads element `index` of an array of the format. */
double format_load(enum number_format format, const void *array, int64_t index);
/* Rounds value to the format and stores it as element `index`; a NaN is stored as the format's positive quiet NaN. */
void format_store(enum number_format format, void *array, int64_t index, double value);
/* Element `index` as raw bits in the low end of the result. */
uint64_t format_bits(enum number_format format, const void *array, int64_t index);
/* How many of the format's numbers apart two elements are, given as format_bits gives them: 1 for neighbours, 0 for zeros
 * of both signs and for two NaNs, UINT64_MAX for a NaN and a number. An infinity comes after the largest finite number. */
uint64_t format_ulps(enum number_format format, uint64_t a_bits, uint64_t b_bits);

#endif
