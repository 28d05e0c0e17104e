/*
 * The changes of an audit against something else, in each format of its table.
 */
#ifndef REPORTS_AUDIT_CHANGES_H
#define REPORTS_AUDIT_CHANGES_H

#include <stdbool.h>
#include <stdio.h>

#include "records/audit_diff.h"
#include "reports/audit_table.h"

/* The changes in their order: in text "WORSE gfx1151 KERNEL  205 → 211 VGPRs: …" each; in CSV and JSON with the figures of
 * both sides, of which those that are not there are empty or absent. false only out of memory. */
bool audit_changes_write(FILE *out, enum audit_format format, const struct audit_diff *diff);

#endif
