/*
 * Two sets of records as a review: only what changed, worst first, each with what it means for the waves of a SIMD. Pure:
 * records in, ordered changes out; where the records come from is the caller's matter.
 */
#ifndef RECORDS_AUDIT_DIFF_H
#define RECORDS_AUDIT_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "contract/base/arena.h"
#include "contract/base/error.h"
#include "contract/base/text.h"
#include "records/budget.h"
#include "records/record_file.h"

/* X(grade, its word on a line, why): worst first. */
#define AUDIT_GRADES(X)                                                                                                    \
    X(OVER, "OVER", "over its budget, changed or not; what became worse first")                                            \
    X(SPILLS, "WORSE", "more scratch or spills")                                                                           \
    X(WAVES, "WORSE", "fewer lanes a SIMD")                                                                                \
    X(LARGER, "WORSE", "more vector registers or LDS, and less of neither")                                                \
    X(GONE, "GONE", "has no record any more")                                                                              \
    X(NEW, "NEW", "had no record")                                                                                         \
    X(CHANGED, "CHANGED", "neither worse nor better: code, bounds, one register for another")                              \
    X(BETTER, "BETTER", "more lanes a SIMD, or less of something and more of nothing")

#define AUDIT_GRADE_ENUM(grade, word, why) AUDIT_##grade,
enum audit_grade { AUDIT_GRADES(AUDIT_GRADE_ENUM) AUDIT_GRADE_COUNT };
#undef AUDIT_GRADE_ENUM

const char *audit_grade_word(enum audit_grade grade);

/* One kernel on one chip. */
struct audit_change {
    enum audit_grade grade;
    const char *kernel, *chip;           /* borrowed from the records, as are: */
    const struct record *before, *after; /* NULL: there is none */
    double weight;                       /* within a grade the largest come first */
    char over[BUDGET_TEXT_BYTES];        /* AUDIT_OVER: which ceilings */
    const char *note;                    /* that the caller adds to the words; NULL: none */
};

struct audit_diff {
    struct audit_change *changes; /* by grade, weight, kernel, chip */
    size_t n_changes;
    size_t n_of[AUDIT_GRADE_COUNT];
    size_t n_unchanged; /* kernels on chips, that are within their budgets */
    struct arena arena;
};

/* The budget of a kernel on a chip. */
struct audit_budgets {
    struct budget (*find)(void *context, const char *kernel, const char *chip);
    void *context;
};

/* Compares records by kernel and chip; they stay the caller's and must outlive the diff. budgets may be NULL, and hold for
 * `after`. In neither set may a kernel have two records for a chip. false only out of memory. The caller frees with
 * audit_diff_free. */
bool audit_diff_make(const struct record *before, size_t n_before, const struct record *after, size_t n_after,
                     const struct audit_budgets *budgets, struct audit_diff *diff, struct error *error);
void audit_diff_free(struct audit_diff *diff);

/* Appends the change in words, without grade and kernel: "64 → 40064 bytes of LDS: 16 → 6 waves a SIMD on gfx1151". */
void audit_change_text(const struct audit_change *change, struct text *text);

#endif
