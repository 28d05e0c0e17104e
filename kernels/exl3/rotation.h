/*
 * What the kernels of the EXL3 projection y = H128( H128(x . suh) W ) . svh share: vectors and the rotation.
 *
 * H128 is the Sylvester Hadamard matrix over each aligned group of 128, by butterflies h = 1, 2, ... 64; the scale
 * (1/sqrt(128) in f32) is multiplied in afterwards. Work is laid out in logical waves of 32 lanes on every chip, so a
 * wave64 chip runs two of them in one wave and every result keeps its order of additions.
 */
#ifndef KERNELS_EXL3_ROTATION_H
#define KERNELS_EXL3_ROTATION_H

#include "../lanes.h"
#include "../vectors.h"

#pragma clang fp contract(off)

typedef __bf16 bfloat4_t __attribute__((ext_vector_type(4)));

namespace
{

constexpr int group = 128; /* columns of one Hadamard group */

/* One butterfly across lanes: the lower lane gets lower + upper, the upper one lower - upper. */
template <int MASK> __device__ __forceinline__ float4_t butterfly(float4_t v, int lane)
{
    const unsigned sign = lane & MASK ? 0x80000000u : 0u;
    float4_t out;
    for (int i = 0; i < 4; i++) {
        const float own = v[i]; /* a copy: clang's bit_cast of a vector's element takes the first one's bits */
        out[i] = lane_xor<MASK>(own) + __builtin_bit_cast(float, __builtin_bit_cast(unsigned, own) ^ sign);
    }
    return out;
}

/* H128 of the group whose columns 4*lane ... 4*lane+3 this lane holds: h = 1 and 2 in the lane, 4 to 64 across lanes. */
__device__ __forceinline__ float4_t hadamard128(float4_t v, int lane)
{
    v = float4_t{v[0] + v[1], v[0] - v[1], v[2] + v[3], v[2] - v[3]};
    v = float4_t{v[0] + v[2], v[1] + v[3], v[0] - v[2], v[1] - v[3]};
    v = butterfly<1>(v, lane);
    v = butterfly<2>(v, lane);
    v = butterfly<4>(v, lane);
    v = butterfly<8>(v, lane);
    return butterfly<16>(v, lane);
}

} // namespace

#endif
