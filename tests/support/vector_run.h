/*
 * Runs published instruction vectors on the emulator and compares what they leave behind.
 */
#ifndef SUPPORT_VECTOR_RUN_H
#define SUPPORT_VECTOR_RUN_H

#include <stddef.h>
#include <stdio.h>

#include "tests/support/vector.h"

struct vector_tally {
    size_t n_run, n_passed;
    size_t
        n_left_out; /* failed, and optional, as the instruction set does not allow the encoding: in neither of the above */
    size_t n_whole; /* agree in the whole output buffer, beyond what is asserted */
};

/* One line to out for a vector that fails, is left out, or differs where nothing is asserted. */
void vector_run(const struct vector *vector, FILE *out, struct vector_tally *tally);

#endif
