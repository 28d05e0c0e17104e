/*
 * `audit KERNEL --explain`: which source lines cost a kernel its registers, and what changed between two builds.
 */
#ifndef COMMANDS_AUDIT_EXPLAIN_H
#define COMMANDS_AUDIT_EXPLAIN_H

#include "commands/session.h"

/* Explains the kernels that the session's arguments name, as the compiler of --compiler (the session's where none is given)
 * makes them, beside those of --against: another compiler's, or of the sources in a folder or at a git revision. The exit
 * status: STATUS_RED where a source does not compile, STATUS_USAGE where nothing is named so. */
int audit_explain(const struct session *session);

#endif
