/* `hipcontract gates`: as contract, without limits. */
#include "commands/commands.h"
#include "commands/contract_run.h"

int command_gates(int argc, char **argv)
{
    return contract_run(argc, argv, false,
                        "usage: hipcontract gates [OPTIONS]\n\n"
                        "Gates 1-4, teeth and controls of every registered kernel.\n");
}
