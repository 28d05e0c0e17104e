/*
 * Record files of families that nothing registers any more. Inner header of limits_*.c.
 */
#ifndef COMMANDS_LIMITS_ORPHANS_H
#define COMMANDS_LIMITS_ORPHANS_H

#include "commands/limits_units.h"

/* Of every file in the project's folder of the compiler's records whose family no unit is of, the records of the run's
 * chips are orphans; updating, they are removed, and with the last of them the file. Does nothing where names select, and
 * nothing for files of kernels: which others of the same project there are, nobody knows here. Errors as of
 * limits_records_update. */
bool limits_judge_orphans(struct limits_run *run, const struct limits_units *units);

#endif
