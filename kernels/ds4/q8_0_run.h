/*
 * Four weights of a Q8_0 block at a time, as the decoding kernels take them: a lane multiplies their integers with four
 * activations and leaves the scale to the fma that adds their sum. Eight lanes share a block.
 */
#ifndef KERNELS_DS4_Q8_0_RUN_H
#define KERNELS_DS4_Q8_0_RUN_H

#include "../lanes.h"

#pragma clang fp contract(off)

namespace
{

constexpr int weights_of_block = 32, weights_of_lane = 4;
constexpr int lanes_of_block = weights_of_block / weights_of_lane;

struct block {
    _Float16 scale;
    signed char q[weights_of_block];
};
static_assert(sizeof(block) == 34);

typedef int __attribute__((aligned(2), may_alias)) four_bytes;

__device__ __forceinline__ float4_t load_q(const block *from, int first)
{
    const int q = *(const four_bytes *)(from->q + first);
    return float4_t{(float)(signed char)q, (float)(signed char)(q >> 8), (float)(signed char)(q >> 16), (float)(q >> 24)};
}

__device__ __forceinline__ float dot(float4_t q, float4_t x)
{
    float sum = q[0] * x[0];
    for (int i = 1; i < weights_of_lane; i++)
        sum = __builtin_fmaf(q[i], x[i], sum);
    return sum;
}

} // namespace

#endif
