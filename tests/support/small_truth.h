/*
 * What formats of 4 to 8 bits mean and how numbers become them, from their definitions (OCP "8-bit Floating Point" and
 * "Microscaling Formats"; CDNA3 ISA for FNUZ) in doubles and by search: independent of the emulator's arithmetic.
 */
#ifndef SUPPORT_SMALL_TRUTH_H
#define SUPPORT_SMALL_TRUTH_H

#include <stdbool.h>
#include <stdint.h>

enum small_kind { SMALL_OCP_FP8, SMALL_OCP_BF8, SMALL_FNUZ, SMALL_NO_SPECIALS };

struct small_truth {
    const char *name; /* as mnemonics have it */
    int bits, fraction_bits, bias;
    enum small_kind kind;
};

extern const struct small_truth small_truth_fp8, small_truth_bf8, small_truth_fp8_fnuz, small_truth_bf8_fnuz,
    small_truth_fp6, small_truth_bf6, small_truth_fp4;

/* NaN and infinities as such. */
double small_truth_value(const struct small_truth *format, unsigned code);

struct small_truth_rounding {
    bool saturate;           /* MODE.FP16_OVFL */
    bool saturates_infinity; /* CDNA */
    bool stochastic;
    uint32_t random;
};

/* x: exact, any double; NaN's sign counts for formats without one. */
unsigned small_truth_code(const struct small_truth *format, struct small_truth_rounding how, double x);

#endif
