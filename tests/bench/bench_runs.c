/*
 * Whole runs of the program: a contract, and limits with an empty and with a full compile cache. Prints figures, asserts
 * nothing.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contract/base/clock.h"

/* The program beside this one: BUILD/programs/bench/x -> BUILD/hipcontract. */
static bool program_path(char *path, size_t n_bytes)
{
    ssize_t length = readlink("/proc/self/exe", path, n_bytes - 1);
    if (length < 0)
        return false;
    path[length] = 0;
    for (int level = 0; level < 3; level++) {
        char *slash = strrchr(path, '/');
        if (!slash)
            return false;
        *slash = 0;
    }
    size_t used = strlen(path);
    return snprintf(path + used, n_bytes - used, "/hipcontract") > 0;
}

static void time_run(const char *name, const char *program, const char *arguments)
{
    char command[2000];
    snprintf(command, sizeof command, "%s %s >/dev/null 2>&1", program, arguments);
    uint64_t start = clock_ns();
    int status = system(command);
    printf("%-44s %8.2f s, exit %d\n", name, (double)(clock_ns() - start) * 1e-9,
           WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    fflush(stdout);
}

int main(void)
{
    char program[1000], cache[] = "/tmp/hipcontract-bench-XXXXXX", remove[1100];
    if (!program_path(program, sizeof program) || !mkdtemp(cache)) {
        perror("bench");
        return 3;
    }
    setenv("HIPCONTRACT_CACHE", cache, 1);
    printf("whole runs\n");
    time_run("limits, seven chips, empty cache", program, "limits --chip all");
    time_run("limits, seven chips, full cache", program, "limits --chip all");
    time_run("contract --quick, full cache", program, "contract --quick");
    time_run("contract, full cache", program, "contract");
    snprintf(remove, sizeof remove, "rm -rf %s", cache);
    return system(remove) == 0 ? 0 : 1;
}
