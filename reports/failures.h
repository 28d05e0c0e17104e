/*
 * The failures of a run once more at its end, where they are read: each with the command that repeats it.
 */
#ifndef REPORTS_FAILURES_H
#define REPORTS_FAILURES_H

#include <stdio.h>

#include "reports/repeat.h"

/* So many are repeated of one registration on a chip, and so many of all together; lines below a failure's are indented. */
enum { FAILURES_EACH = 3, FAILURES_ALL = 100, FAILURES_INDENT = 6 };

struct failures {
    const struct log_environment *environment; /* NULL: no commands are printed */
    int64_t n, n_repeated;
    struct text lines; /* those that are repeated, with their commands */
    /* Of the registration that failed last: */
    char registration[VERDICT_NAME_BYTES], chip[32];
    int64_t n_here, n_here_repeated;
};

/* Notes a verdict that makes a run fail, with its output line and what its diagnosis guesses; does nothing for others. */
void failures_note(struct failures *failures, const struct verdict *verdict, const char *line);
/* "FAILURES 3", then the lines in the order in which they were noted, and how many there are beside them; nothing where
 * none was noted. Nothing may be noted after. */
void failures_print(struct failures *failures, FILE *out);
void failures_free(struct failures *failures);

#endif
