/* `hipcontract contract`: the CI gate. */
#include "commands/commands.h"
#include "commands/contract_run.h"

int command_contract(int argc, char **argv)
{
    return contract_run(argc, argv, true,
                        "usage: hipcontract contract [OPTIONS]\n\n"
                        "Gates 1-4, teeth, controls and limits of every registered kernel.\n");
}
