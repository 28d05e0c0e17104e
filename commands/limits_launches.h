/*
 * Registered launches of a kernel against what was compiled. Inner header of limits_*.c.
 */
#ifndef COMMANDS_LIMITS_LAUNCHES_H
#define COMMANDS_LIMITS_LAUNCHES_H

#include "commands/limits_run.h"

/* Puts a problem for each launch that does not fit, that its plan refuses or that is over its budget, and for a compiled
 * bound that no launch uses. false only out of memory. */
bool limits_judge_launches(struct limits_run *run, const struct limits_unit *unit, const struct code_kernel *kernel);

#endif
