/*
 * What was added to a report and is not settled yet: entries in the order in which they came. Inner header of reports/.
 */
#ifndef REPORTS_REPORT_ENTRIES_H
#define REPORTS_REPORT_ENTRIES_H

#include "reports/report.h"

/* Verdicts of one registration on one chip of one log: those of one go at it (a log that was resumed may hold two), or the
 * limits of that name. */
struct report_entry {
    const char *registration, *chip;
    size_t log;       /* index */
    size_t place;     /* among all entries */
    size_t rank;      /* of the chip, in the report's order; report_settle's */
    bool is_limits;   /* gate 5 */
    bool is_finished; /* its `end` came, or it was left out as a whole */
    uint64_t duration_ns;
    const struct verdict **verdicts;
    size_t n, capacity;
};

struct report_entries {
    struct report_entry *rows;
    size_t n, capacity;
    struct counts *summaries; /* by log: cells and durations as its summary holds them; no chips without one */
};

/* Appends a copy. STATUS_ENVIRONMENT out of host memory. */
bool report_add_verdict(struct report *report, const struct verdict *verdict, struct error *error);
/* Says nothing where no verdict of it came: the log of a resumed run ends a registration twice. */
void report_add_end(struct report *report, const struct registration_end *end);
/* A log more, whose verdicts come next; NULL out of host memory. */
struct report_log *report_new_log(struct report *report, const char *path);

/* A registration that a chip does not run has such a verdict alone, and no end. */
bool report_leaves_out_all(const struct verdict *verdict);

/* Worst first; the order of problems. Arguments are pointers to pointers to verdicts, as qsort gives them. */
int report_by_severity(const void *a, const void *b);
/* Fills notes and the status that they lead to. */
bool report_note(struct report *report, struct error *error);

#endif
