/*
 * Reductions that every family shares: logical waves of 32 lanes on every chip (two of them in a wave of 64), so that a
 * result's order of additions is the same everywhere. Device code only; blocks are one-dimensional.
 */
#ifndef KERNELS_LANES_H
#define KERNELS_LANES_H

#include <hip/hip_runtime.h>

#pragma clang fp contract(off)

typedef float float4_t __attribute__((ext_vector_type(4)));

constexpr int wave = 32; /* lanes of a logical wave, whatever the chip's */

/* The value that lane ^ MASK of the same 32 lanes holds. DPP controls: quad_perm in bits 7:0, 0x128 row_ror:8, 0x141
 * row_half_mirror (lane ^ 7); ds_swizzle in bit mode: and_mask 0x1f, xor_mask in bits 14:10. */
template <int MASK> __device__ __forceinline__ float lane_xor(float value)
{
    const int bits = __builtin_bit_cast(int, value);
    int other;
    if constexpr (MASK == 1)
        other = __builtin_amdgcn_mov_dpp(bits, 0xb1, 0xf, 0xf, true);
    else if constexpr (MASK == 2)
        other = __builtin_amdgcn_mov_dpp(bits, 0x4e, 0xf, 0xf, true);
    else if constexpr (MASK == 4)
        other = __builtin_amdgcn_mov_dpp(__builtin_amdgcn_mov_dpp(bits, 0x141, 0xf, 0xf, true), 0x1b, 0xf, 0xf, true);
    else if constexpr (MASK == 8)
        other = __builtin_amdgcn_mov_dpp(bits, 0x128, 0xf, 0xf, true);
    else
        other = __builtin_amdgcn_ds_swizzle(bits, (MASK << 10) | 0x1f);
    return __builtin_bit_cast(float, other);
}

/* The sum over the logical wave, the same bits in each of its lanes: 5 additions deep. */
__device__ __forceinline__ float wave_sum(float value)
{
    value += lane_xor<1>(value);
    value += lane_xor<2>(value);
    value += lane_xor<4>(value);
    value += lane_xor<8>(value);
    value += lane_xor<16>(value);
    return value;
}

__device__ __forceinline__ float wave_max(float value)
{
    value = __builtin_fmaxf(value, lane_xor<1>(value));
    value = __builtin_fmaxf(value, lane_xor<2>(value));
    value = __builtin_fmaxf(value, lane_xor<4>(value));
    value = __builtin_fmaxf(value, lane_xor<8>(value));
    return __builtin_fmaxf(value, lane_xor<16>(value));
}

/* Elements at … at+3 of a row of n: one vector load where `whole` (n is a multiple of 4), else one by one with `fill` past
 * the end. `whole` is uniform. */
__device__ __forceinline__ float4_t load4(const float *row, int at, int n, bool whole, float fill)
{
    if (whole)
        return at < n ? *(const float4_t *)(row + at) : float4_t{fill, fill, fill, fill};
    float4_t v;
    for (int i = 0; i < 4; i++)
        v[i] = at + i < n ? row[at + i] : fill;
    return v;
}

__device__ __forceinline__ void store4(float *row, int at, int n, bool whole, float4_t v)
{
    if (whole) {
        if (at < n)
            *(float4_t *)(row + at) = v;
        return;
    }
    for (int i = 0; i < 4; i++)
        if (at + i < n)
            row[at + i] = v[i];
}

#endif
