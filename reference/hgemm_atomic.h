/*
 * Reference of the product of reference/hgemm.h whose splits add their sums to C, which was cleared, by atomics: in any
 * order, and what is subnormal may count as zero (docs/numerics.md).
 */
#ifndef REFERENCE_HGEMM_ATOMIC_H
#define REFERENCE_HGEMM_ATOMIC_H

#include "reference/hgemm.h"

void hgemm_atomic_reference(const struct hgemm *problem, struct bound *out);

#endif
