/*
 * The output lines that people and tools read (docs/concepts.md): one fold over the verdict stream.
 */
#ifndef REPORTS_CONSOLE_H
#define REPORTS_CONSOLE_H

#include <stdio.h>

#include "contract/base/text.h"
#include "contract/counts.h"
#include "contract/verdict.h"
#include "reports/failures.h"
#include "reports/progress.h"

enum { CONSOLE_FAILURES = 20, CONSOLE_GATES = 6 };

/* Names of what held, and how many were left out. */
struct console_names {
    char held[VERDICT_REASON_BYTES];
    int n_left_out;
};

struct console {
    FILE *out;
    bool color;
    struct progress *progress; /* cleared before each line; may be NULL */
    bool is_cut;               /* there was no host memory for a line, or for part of one */
    struct failures failures;  /* repeated before the summary; console_free */
    /* Of the registration whose verdicts come now: */
    char last_shape[VERDICT_NAME_BYTES];
    int n_shapes, n_left_out, n_runs, n_failures, n_diagnosed;
    bool knows[CONSOLE_GATES]; /* a finding of the gate is known */
    int64_t n_finite, n_nonfinite, n_undecided;
    bool has_bound;
    double worst_ratio;
    char twin[VERDICT_NAME_BYTES]; /* "" where it has none */
    int64_t n_twin;
    double twin_ratio;
    int64_t depth_declared, depth_measured; /* of the shape nearest to its declared depth; 0: none was measured */
    struct verdict proof;                   /* gate 4: the case with the largest misses; gate 0: none */
    char checks[48];
    char exact_note[VERDICT_REASON_BYTES];
    struct console_names bytes, launcher; /* its byte contracts, its launcher's checks */
};

struct verdict_sink console_sink(struct console *console);
/* The failures, one COVERAGE line a chip, then one SUMMARY line a chip, which says so where the run was interrupted. */
void console_summary(struct console *console, const struct counts *counts, bool interrupted);
/* False where a line lacks something for want of host memory, as where standard output cannot be written: STATUS_USAGE. */
bool console_is_whole(const struct console *console, struct error *error);
void console_free(struct console *console);
/* The text after "NAME  " of a verdict's line: "gate 3 at 64x512x128 (signed): output 0 is …". */
void console_explain(const struct verdict *verdict, struct text *text);

#endif
