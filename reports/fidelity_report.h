/*
 * What a comparison of a GPU with the emulator says of the instructions that were executed (docs/comparing.md).
 *
 * Evidence is a case that ran the same code object on the same chip on both sides, and left outputs on both that are the
 * same from run to run. An instruction that was executed in such a case *agrees* where the outputs of every one of them are
 * equal byte for byte, *differs* where those of none are, and is *in doubt* between.
 */
#ifndef REPORTS_FIDELITY_REPORT_H
#define REPORTS_FIDELITY_REPORT_H

#include <stdio.h>

#include "reports/compare.h"

enum fidelity_state { FIDELITY_DIFFERS, FIDELITY_IN_DOUBT, FIDELITY_AGREES, FIDELITY_STATES };

/* An instruction on a chip. */
struct fidelity_row {
    const char *chip, *class, *mnemonic;
    bool is_modelled;            /* verdicts say that gates rest on an assumption about it */
    size_t n_equal, n_different; /* cases */
    uint64_t n_executed;         /* in equal cases, by waves of the emulator */
};

struct fidelity_report {
    const struct comparison *comparison;
    struct fidelity_row *rows; /* by chip; those that differ, are in doubt, agree; the likeliest to be wrong first */
    size_t n_rows;
    size_t n_equal, n_different;                                  /* cases that are evidence */
    size_t n_other_code, n_other_chip, n_unstable, n_not_counted; /* and that are not, by the first reason */
    bool is_silicon;                                              /* one side is a GPU */
};

enum fidelity_state fidelity_state(const struct fidelity_row *row);
/* Adds up. Errors: STATUS_USAGE where no case says what it executed, or none is evidence; STATUS_ENVIRONMENT out of host
 * memory. fidelity_report_free in either case. */
bool fidelity_report_make(struct fidelity_report *report, const struct comparison *comparison, struct error *error);
void fidelity_report_free(struct fidelity_report *report);
/* Counts, a line a class, a line an instruction, those that differ first. */
void fidelity_report_print(FILE *out, const struct fidelity_report *report);

#endif
