/*
 * Progress on standard error: on a terminal one line that is rewritten, with the time that is left; elsewhere a plain line
 * now and then.
 */
#ifndef REPORTS_PROGRESS_H
#define REPORTS_PROGRESS_H

#include <stdio.h>

#include "contract/verdict.h"

struct progress {
    FILE *out;
    bool is_terminal, is_shown;
    uint64_t start_ns, last_ns;
};

/* Of a run that starts now. */
struct progress progress_begin(FILE *out, bool is_terminal);
struct progress_sink progress_sink(struct progress *progress);
/* Takes the rewritten line off the terminal, before anything else is printed there. */
void progress_clear(struct progress *progress);
/* "1:05", "2:03:00": how long the rest takes if it goes on as so far; "" while that cannot be told. */
void progress_left(double done_share, uint64_t elapsed_ns, char text[16]);

#endif
