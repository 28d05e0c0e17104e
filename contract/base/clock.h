/* Monotonic time, for durations only; nothing that is compared depends on it. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

uint64_t clock_ns(void);
/* Milliseconds up to a time of clock_ns, rounded up, as poll wants them: 0 where it has passed; -1, for ever, for the time
 * 0. */
int clock_milliseconds_to(uint64_t end_ns);

#endif
