/*
 * Lists of the sanitizer's checks on command lines: `--check mem,race`, `--no-check init`, `--check none`.
 */
#ifndef COMMANDS_CHECKS_H
#define COMMANDS_CHECKS_H

#include <stdbool.h>

#include "contract/base/error.h"

#define CHECKS_HELP                                                                                                        \
    "only these: a list of mem, init, race, sync, wait, nan, or all, or none (default: all, which leaves out nan)"
#define NO_CHECKS_HELP "not these"

/* The bits 1 << FINDING_… of a list; kinds that are always on (trap and the like) may be named and add none. option names
 * it in errors (STATUS_USAGE). */
bool checks_parse(const char *option, const char *list, unsigned *checks, struct error *error);
/* Takes the kinds of a list out of *checks. One that is always on cannot be: STATUS_USAGE. */
bool checks_leave_out(const char *option, const char *list, unsigned *checks, struct error *error);

#endif
