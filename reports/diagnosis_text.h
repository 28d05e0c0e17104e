/*
 * The diagnosis of a gate-3 verdict as lines for people.
 */
#ifndef REPORTS_DIAGNOSIS_TEXT_H
#define REPORTS_DIAGNOSIS_TEXT_H

#include "contract/base/text.h"
#include "contract/verdict.h"

/* A line for the first wrong output, each of those around the worst and the guess, indented by so many blanks, each with
 * its newline: "worst  out[0][20]  got -0.147756442 = 0xbe174d77, reference …, bound 1.14e-07: 129.2 bounds, 993 ulps".
 * Nothing where there is no diagnosis. */
void diagnosis_lines(const struct diagnosis *diagnosis, int indent, struct text *text);
/* "guess: they are 1.0001 times the reference" likewise, alone. */
void diagnosis_guess(const struct diagnosis *diagnosis, int indent, struct text *text);

#endif
