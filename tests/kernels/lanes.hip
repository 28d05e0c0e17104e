/*
 * The group functions of kernels/lanes.h, one kernel a width: lane i of the block, counted as waves count it, writes what it
 * got of in[i] to out[0][i], out[1][i] … tests/unit/test_group_lanes.c knows what that must be.
 */
#include "tests/kernels/wave64.h"

#include "kernels/lanes.h"

namespace
{

__device__ unsigned place_in_block()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

template <int WIDTH> __device__ void group(const float *in, const unsigned *from, float *out)
{
    const unsigned at = place_in_block(), n = blockDim.x * blockDim.y * blockDim.z;
    out[at] = lanes_sum<WIDTH>(in[at]);
    out[n + at] = lanes_max<WIDTH>(in[at]);
    out[2 * n + at] = lanes_broadcast<WIDTH>(in[at], from[at]);
    out[3 * n + at] = (float)lanes_broadcast<WIDTH>((int)at, 0); /* an integer, of one lane for all */
    out[4 * n + at] = (float)lane_of_group<WIDTH>();
}

} // namespace

#define GROUP(width)                                                                                                       \
    extern "C" __global__ __launch_bounds__(256) void group##width(const float *in, const unsigned *from, float *out)      \
    {                                                                                                                      \
        group<width>(in, from, out);                                                                                       \
    }

GROUP(2)
GROUP(4)
GROUP(8)
GROUP(16)
GROUP(32)
#if defined(__GFX9__)
GROUP(64)
#endif
