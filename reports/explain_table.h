/*
 * What an explanation of kernels says, as rows in each format: one thing a row, with its place in the source and its
 * number, in two builds where two are compared.
 */
#ifndef REPORTS_EXPLAIN_TABLE_H
#define REPORTS_EXPLAIN_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "reports/audit_table.h"

/* Strings are borrowed. */
struct explain_row {
    const char *what;  /* "VGPRs live", "VGPR stores" */
    const char *where; /* "kernels/softmax/softmax.hip:41", a mnemonic; "" where it is of the whole kernel */
    bool has_before, has_after;
    uint32_t before, after;
    const char *note; /* may be "" */
};

struct explain_report {
    const char *kernel, *chip, *compiler;
    const char *against; /* what `before` is of; NULL: there is none */
    const struct explain_row *rows;
    size_t n_rows;
};

/* The reports in their order. In text and Markdown of each `what` only the first rows, with a count of the others. false
 * only out of memory. */
bool explain_table_write(FILE *out, enum audit_format format, const struct explain_report *reports, size_t n_reports);

#endif
