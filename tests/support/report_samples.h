/*
 * Reports of verdicts that a test makes by hand, and what a writer makes of them.
 */
#ifndef SUPPORT_REPORT_SAMPLES_H
#define SUPPORT_REPORT_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "reports/report.h"

/* A gate that passed, on "1x33" (signed) of registration "k" on gfx1151. */
struct verdict sample_pass(int gate);
/* Gate 3 of "k": its worst output, of 33, is `ratio` bounds off. */
struct verdict sample_miss(double ratio);
/* A race of two waves in the kernel "k", at gate 1. */
struct verdict sample_race(void);

/* The report of a run that decided these, each registration ended after its last verdict. The caller frees it with
 * report_free. Fails the test where it cannot be made. */
struct report sample_report(const struct verdict *verdicts, size_t n, bool interrupted);
/* What a writer leaves, malloc'ed. Fails the test where it does not write. */
typedef bool report_writer(FILE *out, const struct report *report, struct error *error);
char *sample_written(report_writer *write, const struct report *report);
/* How often `part` is in `text`. */
size_t count_of(const char *text, const char *part);

#endif
