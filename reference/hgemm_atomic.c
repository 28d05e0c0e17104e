#include "reference/hgemm_atomic.h"

#include <math.h>

/* An addition loses a subnormal operand of the split's and a subnormal sum, each below 2^-126; what C holds is none. The
 * first addition, to zero, rounds nothing, and the others are a chain in whatever order, as the reference has them. */
void hgemm_atomic_reference(const struct hgemm *p, struct bound *out)
{
    double flushed = 2 * (double)hgemm_splits(p) * 0x1p-126;
    hgemm_reference(p, out);
    for (int64_t i = 0; i < p->m * p->n; i++)
        if (isfinite(out[i].value))
            out[i].error = (out[i].error + flushed) * BOUND_OUTWARD;
}
