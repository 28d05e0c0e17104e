/* silu(v) = v / (1 + exp(-v)), with the hardware's exp2 and a correctly rounded division. */
#ifndef KERNELS_DS4_SILU_H
#define KERNELS_DS4_SILU_H

#include "../lanes.h"

namespace
{

__device__ __forceinline__ float silu(float v)
{
    return v / (1.0f + __builtin_amdgcn_exp2f(-v * 1.44269504f));
}

} // namespace

#endif
