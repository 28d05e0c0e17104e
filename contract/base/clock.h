/* Monotonic time, for durations only; nothing that is compared depends on it. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

uint64_t clock_ns(void);

#endif
