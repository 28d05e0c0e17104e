#include "contract/base/memory_needed.h"

#include <stdio.h>
#include <unistd.h>

#include "contract/base/error.h"

void *memory_needed(void *memory)
{
    if (memory)
        return memory;
    fflush(stdout);
    fputs("hipcontract: out of host memory for a reference; a log goes on with --resume\n", stderr);
    _exit(STATUS_ENVIRONMENT);
}
