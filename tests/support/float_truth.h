/*
 * What IEEE operations give, by MPFR and a few lines of integers: independent of the emulator's arithmetic. NaN rule: the
 * first NaN operand quieted; a made NaN is negative and quiet.
 */
#ifndef SUPPORT_FLOAT_TRUTH_H
#define SUPPORT_FLOAT_TRUTH_H

#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>

struct truth_format {
    int bits, fraction_bits, bias;
};

extern const struct truth_format truth_f16, truth_bf16, truth_f32, truth_f64;

struct truth_mode {
    unsigned rounding; /* as MODE: nearest even, up, down, zero */
    bool flush_in, flush_out;
};

enum truth_operation { TRUTH_ADD, TRUTH_SUBTRACT, TRUTH_MULTIPLY, TRUTH_FMA };

uint64_t truth_operation(const struct truth_format *format, struct truth_mode mode, enum truth_operation operation,
                         uint64_t a, uint64_t b, uint64_t c);
uint64_t truth_convert(const struct truth_format *from, const struct truth_format *to, struct truth_mode mode,
                       uint64_t bits);
/* a * b + c rounded once to another format. */
uint64_t truth_fma_convert(const struct truth_format *from, const struct truth_format *to, struct truth_mode mode,
                           uint64_t a, uint64_t b, uint64_t c);
/* A finite or infinite bit pattern as an MPFR number (precision at least 64), exactly. */
void truth_load(const struct truth_format *format, uint64_t bits, mpfr_t value);
/* Rounds an MPFR number (NaN gives the made NaN). value must be exact, or rounded to odd. */
uint64_t truth_round(const struct truth_format *format, struct truth_mode mode, mpfr_t value);
/* A bit pattern made of random bits that is often special, a border case, or near the others. */
uint64_t truth_interesting(const struct truth_format *format, uint64_t random, uint64_t choice);
bool truth_is_nan(const struct truth_format *format, uint64_t bits);
uint64_t truth_made_nan(const struct truth_format *format);

#endif
