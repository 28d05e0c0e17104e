#include "tests/support/room.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

void room_limit(size_t n_bytes)
{
    long n_pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (!statm || fscanf(statm, "%ld", &n_pages) != 1)
        _exit(1);
    fclose(statm);
    rlim_t most = (rlim_t)n_pages * (rlim_t)sysconf(_SC_PAGESIZE) + n_bytes;
    setrlimit(RLIMIT_AS, &(struct rlimit){most, most});
}
