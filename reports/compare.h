/*
 * Two runs compared by what their kernels left: devices, chips, compilers, models or commits (docs/comparing.md). Cases are
 * matched by registration, shape and pattern, and by chip where a run has several; outputs are compared by their hashes, a
 * row at a time where the logs have them, and element by element where both kept them.
 */
#ifndef REPORTS_COMPARE_H
#define REPORTS_COMPARE_H

#include <stdio.h>

#include "reports/compare_side.h"

/* An output tensor whose bytes differ. */
struct compare_tensor {
    const char *name;
    bool has_shape; /* the next four hold: both logs have its hashes, and it is alike in both */
    enum number_format format;
    int64_t rows, columns;
    int64_t n_rows_different, first_row;
    bool has_elements; /* the rest holds: both runs kept it */
    int64_t n_different, n_within_an_ulp;
    uint64_t most_ulps; /* UINT64_MAX: a number and a NaN */
    int64_t worst;      /* the first element with most_ulps, row-major */
    uint64_t a_bits, b_bits;
    double a, b;
};

enum compare_outcome {
    COMPARE_EQUAL,
    COMPARE_UNSTABLE, /* differs, and is registered as a known finding of gate 1: so it may, from run to run */
    COMPARE_DIFFERENT,
    COMPARE_NO_OUTPUTS /* a launch failed, on one side at least */
};

struct compare_case {
    const struct side_case *a, *b;
    enum compare_outcome outcome;
    bool is_same_code;
    const struct compare_tensor *tensors; /* those that differ; none where the logs only have one hash for all outputs */
    size_t n_tensors;
};

struct comparison {
    struct compare_side a, b;
    struct compare_case *cases;  /* equal ones last, the others worst first */
    size_t n_cases, n_different; /* n_different: all but equal and unstable ones */
    size_t n_equal, n_unstable;
    const struct side_case **only_a, **only_b; /* cases that the other run does not have */
    size_t n_only_a, n_only_b;
    const char *const *problems; /* kept outputs that cannot be used, a line each */
    size_t n_problems;
    struct arena arena;
};

/* Reads and compares. Errors: those of compare_side_read; STATUS_USAGE where the inputs are not the same (another seed) or
 * no case is in both. compare_free in either case. */
bool compare_logs(struct comparison *comparison, const char *a_path, const char *b_path, struct error *error);
void compare_free(struct comparison *comparison);

/* The largest difference of a case in ulps: 0 where it is not known. */
uint64_t compare_ulps(const struct compare_case *c, bool *is_known);

#endif
