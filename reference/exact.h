/*
 * Exact integer sums (gate 4): the harness proves in integers that every partial sum, in any order, is an integer times one
 * power of two below 2^24, so that f32 holds it exactly whatever the order.
 */
#ifndef REFERENCE_EXACT_H
#define REFERENCE_EXACT_H

#include <stdbool.h>
#include <stdint.h>

struct exact_sum {
    int64_t sum;     /* of the terms, in units of 2^exponent */
    int64_t sum_abs; /* of their absolute values */
    int exponent;
    bool products_exact; /* each term is an exact product of normal numbers in the kernel's formats (a subnormal factor
                          * coarsens the grid of dot steps) */
    bool one_signed;     /* no two terms of opposite sign (what a gfx11 dot2 step needs to be exact) */
    double expected;     /* the output bit for bit: the sum after the kernel's own final roundings, in the stored format */
};

/* An integer below 2^24: in units of 2^exponent, what a sum may take as a term. */
bool exact_is_term(double units);
/* Adds a term; one that may not be is left out, and products_exact is false. */
void exact_add(struct exact_sum *sum, double units);
/* The premise: products exact and sum_abs < 2^24 (and one_signed where needs_one_signed). */
bool exact_premise_holds(const struct exact_sum *sum, bool needs_one_signed);

#endif
