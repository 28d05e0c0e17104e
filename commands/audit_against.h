/*
 * `audit --against`: what changed, worst first.
 */
#ifndef COMMANDS_AUDIT_AGAINST_H
#define COMMANDS_AUDIT_AGAINST_H

#include "commands/session.h"

/* Compares with what the session's arguments name and prints it. The exit status: STATUS_RED where a budget is exceeded, a
 * source does not compile or a launch does not fit; STATUS_USAGE where a line of a record file is wrong. */
int audit_against(const struct session *session);

#endif
