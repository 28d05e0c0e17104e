/*
 * The rows that an explanation gives, of one build or of two beside each other.
 */
#ifndef COMMANDS_EXPLAIN_ROWS_H
#define COMMANDS_EXPLAIN_ROWS_H

#include "device/emulator/explain.h"
#include "reports/explain_table.h"

/* A kernel as one build has it. */
struct explained_build {
    const struct code_kernel *kernel;
    const struct explanation *explanation;
};

/* Fills report->rows and n_rows: peaks of live registers with the lines that wrote them, lines by how many are live there,
 * spills by line, the instructions. With `before` (NULL: one build) of all that is equal in both only the peaks. Strings
 * and rows belong to the arena. False when the host is out of memory. */
bool explain_rows(const struct explained_build *before, const struct explained_build *after, struct arena *arena,
                  struct explain_report *report);

#endif
