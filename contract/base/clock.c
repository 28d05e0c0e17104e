#include "contract/base/clock.h"

#include <time.h>

uint64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int clock_milliseconds_to(uint64_t end_ns)
{
    uint64_t now_ns = clock_ns();
    if (!end_ns)
        return -1;
    return now_ns >= end_ns ? 0 : (int)((end_ns - now_ns) / 1000000) + 1;
}
