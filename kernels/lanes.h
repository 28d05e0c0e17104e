/*
 * What the lanes of a group tell each other, for every family: aligned groups of WIDTH = 2, 4 … 32 lanes on every chip, and
 * of 64 on gfx9 (its waves have 64). The width is always said: none defaults to the chip's wave, so a result and its order
 * of additions are the same everywhere. A lane's place is its place in the wave, never threadIdx, which agrees with it only
 * in one-dimensional blocks. Device code only; every lane of a group must be active.
 */
#ifndef KERNELS_LANES_H
#define KERNELS_LANES_H

#include <hip/hip_runtime.h>

#pragma clang fp contract(off)

typedef float float4_t __attribute__((ext_vector_type(4)));

constexpr int wave = 32; /* lanes of a logical wave, whatever the chip's */

/* The calling lane's place in its wave. */
__device__ __forceinline__ unsigned lane_of_wave()
{
    const unsigned below = __builtin_amdgcn_mbcnt_lo(~0u, 0);
    return __builtin_amdgcn_wavefrontsize() == 32 ? below : __builtin_amdgcn_mbcnt_hi(~0u, below);
}

template <int WIDTH> constexpr bool is_group_width()
{
#if defined(__GFX9__)
    constexpr int widest = 64;
#else
    constexpr int widest = 32;
#endif
    return WIDTH >= 2 && WIDTH <= widest && (WIDTH & (WIDTH - 1)) == 0;
}

/* The calling lane's place in its group. */
template <int WIDTH> __device__ __forceinline__ unsigned lane_of_group()
{
    static_assert(is_group_width<WIDTH>());
    return lane_of_wave() % WIDTH;
}

/* The value that lane ^ MASK holds. DPP controls: quad_perm in bits 7:0, 0x128 row_ror:8, 0x141 row_half_mirror (lane ^ 7);
 * ds_swizzle in bit mode: and_mask 0x1f, xor_mask in bits 14:10, within 32 lanes. */
template <int MASK> __device__ __forceinline__ float lane_xor(float value)
{
    static_assert(is_group_width<2 * MASK>());
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
    else if constexpr (MASK == 16)
        other = __builtin_amdgcn_ds_swizzle(bits, (MASK << 10) | 0x1f);
    else
        other = __builtin_amdgcn_ds_bpermute((lane_of_wave() ^ MASK) * 4, bits);
    return __builtin_bit_cast(float, other);
}

/* The sum over the group, the same bits in each of its lanes: log2(WIDTH) additions deep, neighbours first. */
template <int WIDTH> __device__ __forceinline__ float lanes_sum(float value)
{
    if constexpr (WIDTH > 2)
        value = lanes_sum<WIDTH / 2>(value);
    return value + lane_xor<WIDTH / 2>(value);
}

template <int WIDTH> __device__ __forceinline__ float lanes_max(float value)
{
    if constexpr (WIDTH > 2)
        value = lanes_max<WIDTH / 2>(value);
    return __builtin_fmaxf(value, lane_xor<WIDTH / 2>(value));
}

/* What lane `from` (modulo WIDTH) of the caller's group holds, a value of 32 bits; `from` may differ between lanes. */
template <int WIDTH, typename T> __device__ __forceinline__ T lanes_broadcast(T value, unsigned from)
{
    static_assert(is_group_width<WIDTH>() && sizeof(T) == 4);
    const unsigned lane = (lane_of_wave() & -WIDTH) | (from & (WIDTH - 1));
    return __builtin_bit_cast(T, __builtin_amdgcn_ds_bpermute(lane * 4, __builtin_bit_cast(int, value)));
}

/* Over the logical wave. */
__device__ __forceinline__ float wave_sum(float value)
{
    return lanes_sum<wave>(value);
}

__device__ __forceinline__ float wave_max(float value)
{
    return lanes_max<wave>(value);
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
