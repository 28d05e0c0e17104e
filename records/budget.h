/*
 * A kernel's budget: ceilings that its project sets for what the compiler may make of it. A record tells what changed; a
 * budget tells what may not. Pure: figures in, a verdict out.
 */
#ifndef RECORDS_BUDGET_H
#define RECORDS_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "records/record_file.h"

enum { BUDGET_TEXT_BYTES = 320 };

/* All zero: nothing is limited. */
struct budget {
    bool no_scratch;      /* no scratch, known when it runs or before, and no spilled register */
    uint32_t most_vgprs;  /* a lane, AGPRs included where they share a file; 0: any number */
    uint32_t least_waves; /* a SIMD; 0: any number */
};

/* Of two budgets of one kernel both hold: the stricter ceiling of each figure. */
struct budget budget_both(struct budget a, struct budget b);

/* true if the record, which lacks no figure, keeps every ceiling; else false, with each that it breaks in text: "211 VGPRs,
 * the budget is 208; 64 bytes of scratch, the budget is none". */
bool budget_holds(const struct budget *budget, const struct record *record, char text[BUDGET_TEXT_BYTES]);

#endif
