/* What `contract` and `gates` do; they differ only in gate 5. */
#ifndef COMMANDS_CONTRACT_RUN_H
#define COMMANDS_CONTRACT_RUN_H

#include <stdbool.h>

/* Runs the command with its arguments and returns the exit status. */
int contract_run(int argc, char **argv, bool with_limits, const char *usage);

#endif
