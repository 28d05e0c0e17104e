/*
 * What wrong outputs look like: hypotheses on how they came to be, for people. A table of pure functions over one tensor's
 * outputs and references. Each claims its pattern only where nearly all of the wrong outputs show it and chance would not;
 * where none does, nothing is said. No verdict depends on any.
 */
#ifndef CONTRACT_HYPOTHESES_H
#define CONTRACT_HYPOTHESES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reference/bound.h"

/* One output tensor, row-major; all arrays have rows * columns elements. */
struct wrong_sample {
    int64_t rows, columns;
    enum number_format format; /* as the outputs are stored */
    const double *got;
    const struct bound *reference;
    const bool *is_wrong; /* outside of its bound, or of another class than its reference */
    int64_t n_wrong;
};

/* Fewer wrong outputs show no pattern. */
enum { HYPOTHESIS_FEWEST = 8, HYPOTHESIS_BYTES = 120 };

/* X(name): what the wrong outputs hold, then where they are; within each the more telling first. */
#define WHAT_HYPOTHESES(X)                                                                                                 \
    X(zeros)                                                                                                               \
    X(row_late)                                                                                                            \
    X(row_early)                                                                                                           \
    X(column_late)                                                                                                         \
    X(column_early)                                                                                                        \
    X(factor)                                                                                                              \
    X(bf16)                                                                                                                \
    X(fp16)
#define WHERE_HYPOTHESES(X)                                                                                                \
    X(tiles)                                                                                                               \
    X(lanes)                                                                                                               \
    X(rows)

/* bool hypothesis_zeros(sample, text): whether the sample shows it, with the words for that in text. */
#define DECLARE_HYPOTHESIS(name) bool hypothesis_##name(const struct wrong_sample *sample, char text[HYPOTHESIS_BYTES]);
WHAT_HYPOTHESES(DECLARE_HYPOTHESIS)
WHERE_HYPOTHESES(DECLARE_HYPOTHESIS)
#undef DECLARE_HYPOTHESIS

/* The first that the sample shows of what its wrong outputs hold, and the first of where they are, as "they …; they …"; ""
 * where it shows none. */
void hypotheses_guess(const struct wrong_sample *sample, char text[2 * HYPOTHESIS_BYTES]);

#endif
