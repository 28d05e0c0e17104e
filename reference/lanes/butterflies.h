/* The butterflies of a Hadamard transform of 128, in vectors. */
#ifndef REFERENCE_LANES_BUTTERFLIES_H
#define REFERENCE_LANES_BUTTERFLIES_H

#include "reference/lanes/vector.h"

enum { N_VECTORS = LANES_GROUP / N_LANES };

/* Each lane's partner so many lanes away. */
#define SWAP_LANES(away, ...)                                                                                              \
    static inline f64s swapped_##away(f64s v)                                                                              \
    {                                                                                                                      \
        return __builtin_shufflevector(v, v, __VA_ARGS__);                                                                 \
    }
LANE_SWAPS(SWAP_LANES)
#undef SWAP_LANES

/* v with the upper lane of each pair negated: what its partner's sum takes from it. */
static inline f64s negated_upper(f64s v, int away)
{
    u64s signs;
    for (int i = 0; i < N_LANES; i++)
        signs[i] = i & away ? sign_bit : 0;
    return (f64s)((u64s)v ^ signs);
}

#endif
