/*
 * The status line on a terminal: rewritten in place with what has passed and failed, the share done, and the time that is
 * left. Elsewhere nothing is written.
 */
#ifndef REPORTS_PROGRESS_H
#define REPORTS_PROGRESS_H

#include <stdio.h>

#include "contract/verdict.h"

struct progress {
    FILE *out;
    bool is_terminal, is_shown;
    uint64_t start_ns, last_ns;
    int part, n_parts; /* the run is so many parts of about the same length (a chip each), and this one of them, from 0 */
    bool has_counts;   /* of registrations, each on a chip: */
    int64_t n_passed, n_failed;
    bool fails; /* the registration whose verdicts come now does */
};

/* Of a run that starts now, in one part. */
struct progress progress_begin(FILE *out, bool is_terminal);
struct progress_sink progress_sink(struct progress *progress);
/* Counts registrations for the line, which else is without counts. */
struct verdict_sink progress_counts(struct progress *progress);
/* Takes the rewritten line off the terminal, before anything else is printed there. */
void progress_clear(struct progress *progress);
/* "1:05", "2:03:00": how long the rest takes if it goes on as so far; "" while that cannot be told. */
void progress_left(double done_share, uint64_t elapsed_ns, char text[16]);
/* "[#####...............]  25 %  3:10 left  12 passed, 1 failed  rms_norm_rows 1x33", cut to fit in n_columns. The share is
 * that of the part. */
enum { PROGRESS_COLUMNS = 200 };
void progress_line(const struct progress *progress, const char *registration, const char *shape, double done_share,
                   uint64_t elapsed_ns, int n_columns, char text[PROGRESS_COLUMNS]);

#endif
