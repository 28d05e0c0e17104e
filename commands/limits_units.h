/*
 * What a limits pass compiles: each source of the selected registrations, once a chip. Inner header of limits_*.c.
 */
#ifndef COMMANDS_LIMITS_UNITS_H
#define COMMANDS_LIMITS_UNITS_H

#include "commands/limits_run.h"

struct limits_units {
    struct limits_unit *list; /* by root, family, chip, source; in the run's arena */
    size_t n;
};

/* Compiles all, and counts in the run's totals. A kernel that does not compile is a unit that is not ok. Errors: a chip
 * that nobody knows (STATUS_USAGE), no compiler, out of memory (STATUS_ENVIRONMENT). limits_units_free in either case. */
bool limits_units_compile(struct limits_run *run, struct limits_units *units);
void limits_units_free(struct limits_units *units);

#endif
