/*
 * What a run is of, for the first line of its log.
 */
#ifndef COMMANDS_RUN_ENVIRONMENT_H
#define COMMANDS_RUN_ENVIRONMENT_H

#include "commands/session.h"
#include "reports/log_environment.h"

/* Strings live as long as the session. */
struct log_environment run_environment(struct session *session);

#endif
