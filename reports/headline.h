/*
 * The one line of a verdict that stands alone, away from its neighbours: in a failure of JUnit XML, an annotation, a row of
 * a receipt. Inner header of reports/.
 */
#ifndef REPORTS_HEADLINE_H
#define REPORTS_HEADLINE_H

#include "contract/base/text.h"
#include "contract/verdict.h"
#include "reports/report.h"

/* "gate 3, 4x4096 (signed)", "gate 1, control rms_norm_stale, 4x4096 (signed)": what it is among the verdicts of a
 * registration on a chip. What it concerns none of is left out. */
void headline_case(const struct verdict *verdict, struct text *text);
/* "gate 3, rms_norm_rows, gfx1151, 4x4096 (signed)": the same among those of a report. */
void headline_place(const struct verdict *verdict, struct text *text);
/* "2447 times the bound, at most 1": the figure that decided and its limit; where a verdict has none, the first line of its
 * reason. */
void headline_figure(const struct verdict *verdict, struct text *text);
/* Both: "PLACE: FIGURE". */
void headline(const struct verdict *verdict, struct text *text);
/* The lines below it, each with a newline: the explanation of the console's line, its diagnosis, where the registration
 * stands, and the command that repeats the verdict. */
void headline_detail(const struct report *report, const struct verdict *verdict, struct text *text);

#endif
