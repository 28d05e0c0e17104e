/* NaN as people and logs see it. */
#ifndef CONTRACT_BASE_NAN_H
#define CONTRACT_BASE_NAN_H

#include <math.h>

/* The value, a NaN without its sign: a log's "nan" has none, so a line has none either. The bits beside it have it. */
static inline double unsigned_nan(double value)
{
    return isnan(value) ? (double)NAN : value;
}

#endif
