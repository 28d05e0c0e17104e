/*
 * Bytes of a case's tensors as lines that are the same wherever the bytes are, so that two machines or devices are compared
 * by comparing lines (docs/concepts.md).
 */
#ifndef COMMANDS_ROW_DUMP_H
#define COMMANDS_ROW_DUMP_H

#include <stdio.h>

#include "contract/gates.h"

struct row_dump {
    bool hashes;
    int64_t row; /* to print in full; -1: none */
};

/* False with STATUS_USAGE where no input or output of the plan has the row that is asked for. */
bool row_dump_fits(const struct row_dump *dump, const struct reg_plan *plan, struct error *error);
/* The lines that are asked for, of inputs and of outputs; an output that is not there, because no launch left it, is
 * "none". */
void row_dump_print(const struct row_dump *dump, FILE *out, const struct host_case *host, const struct outputs *outputs);

#endif
