/*
 * Matrix instructions D = A B + C of 16 x 16 sums in f32, for every family: WMMA in waves of 32 lanes on gfx11 and gfx12,
 * MFMA in waves of 64 on gfx90a, gfx942 and gfx950. HAS_MATRIX says whether the chip has them. Device code only.
 *
 * matrix<NUMBER> (half_t or bf16_t) adds the products of `k` pairs of numbers. A lane gives `n_of_lane` of its row of A and
 * of its column of B (lane % 16), `factors_t`; its part of the wave (lane / 16) decides which of the k: from
 * k_of_lane(part) on, or any others, if those of A and of B agree and the parts' do not overlap. It receives `n_sums` of
 * column lane % 16 of D, of the rows that row() says.
 */
#ifndef KERNELS_MATRIX_H
#define KERNELS_MATRIX_H

#include "lanes.h"
#include "vectors.h"

#if defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__) || defined(__GFX11__) || defined(__GFX12__)
#define HAS_MATRIX 1

namespace
{

constexpr int matrix_side = 16;

#if defined(__GFX9__)

struct matrix_shape {
#if defined(__gfx950__)
    static constexpr int k = 32;
#else
    static constexpr int k = 16;
#endif
    static constexpr int lanes = 64, n_sums = 4, n_of_lane = k / 4;
    using sums_t = float4_t;

    static __device__ __forceinline__ int k_of_lane(int part)
    {
        return n_of_lane * part;
    }
    static __device__ __forceinline__ int row(int e, int part)
    {
        return 4 * part + e;
    }
};

#elif defined(__GFX12__)

struct matrix_shape {
    static constexpr int k = 16, lanes = 32, n_sums = 8, n_of_lane = 8;
    using sums_t = float8_t;

    static __device__ __forceinline__ int k_of_lane(int part)
    {
        return n_of_lane * part;
    }
    static __device__ __forceinline__ int row(int e, int part)
    {
        return 8 * part + e;
    }
};

#else

/* Both parts hold all k. */
struct matrix_shape {
    static constexpr int k = 16, lanes = 32, n_sums = 8, n_of_lane = 16;
    using sums_t = float8_t;

    static __device__ __forceinline__ int k_of_lane(int)
    {
        return 0;
    }
    static __device__ __forceinline__ int row(int e, int part)
    {
        return 2 * e + part;
    }
};

#endif

template <typename NUMBER> struct matrix;

template <> struct matrix<half_t> : matrix_shape {
    using number = half_t;
    using factors_t = half_t __attribute__((ext_vector_type(n_of_lane)));

    static __device__ __forceinline__ sums_t multiply_add(factors_t a, factors_t b, sums_t c)
    {
#if defined(__gfx950__)
        return __builtin_amdgcn_mfma_f32_16x16x32_f16(a, b, c, 0, 0, 0);
#elif defined(__GFX9__)
        return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0);
#elif defined(__GFX12__)
        return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c);
#else
        return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c);
#endif
    }
};

template <> struct matrix<bf16_t> : matrix_shape {
    using number = bf16_t;
    using factors_t = bf16_t __attribute__((ext_vector_type(n_of_lane)));

    static __device__ __forceinline__ sums_t multiply_add(factors_t a, factors_t b, sums_t c)
    {
#if defined(__gfx950__)
        using bf16s_t = __bf16 __attribute__((ext_vector_type(n_of_lane)));
        return __builtin_amdgcn_mfma_f32_16x16x32_bf16(__builtin_bit_cast(bf16s_t, a), __builtin_bit_cast(bf16s_t, b), c, 0,
                                                       0, 0);
#elif defined(__GFX9__)
        return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, c, 0, 0, 0);
#elif defined(__GFX12__)
        return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(a, b, c);
#else
        return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(a, b, c);
#endif
    }
};

} // namespace

#else
#define HAS_MATRIX 0
#endif

#endif
