/* Whole numbers of groups. */
#ifndef CONTRACT_BASE_DIVIDE_H
#define CONTRACT_BASE_DIVIDE_H

#include <stdint.h>

/* How many groups of `b` hold `a` things: a / b, rounded up. a >= 0, b > 0, and a + b - 1 is in range. */
static inline int64_t divide_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

#endif
