/*
 * hgemm by matrix instructions D = A B + C of 16 x 16 outputs, for the chips that have them: 4 waves, each with all rows of
 * 16 columns.
 *
 * bf16_matrix is the chip's instruction: a lane gives 8 or 16 neighbouring factors of its row (`factors_t`) to a step of
 * k_of_step products; lanes with the same lane % 16 have the same row, and the parts of the wave (lane / 16) share the k as
 * at(part) says. It sums a step's products in an order of its own.
 */
#ifndef KERNELS_HGEMM_MATRIX_H
#define KERNELS_HGEMM_MATRIX_H

#include "../lanes.h"
#include "hgemm.h"

#if defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__) || defined(__GFX11__) || defined(__GFX12__)

namespace
{

constexpr int side = 16; /* of an instruction's tile */

#if defined(__GFX9__)

/* A part has 8 neighbouring k of 32. 16 x 16 x 32 is gfx950's; 32 x 32 x 16 would leave two of four waves without a tile.
 */
struct bf16_matrix {
    static constexpr hgemm_tile tile = tile_mfma;
    static constexpr int lanes = 64, n_sums = 4, k_of_step = 32;
    using sums_t = float4_t;
    using factors_t = bf16x8_t;

    static __device__ __forceinline__ int at(int part)
    {
        return 8 * part;
    }
    static __device__ __forceinline__ int row(int e, int part)
    {
        return 4 * part + e;
    }
    static __device__ __forceinline__ sums_t multiply_add(factors_t a, factors_t b, sums_t c)
    {
#if defined(__gfx950__)
        using bf16s_t = __bf16 __attribute__((ext_vector_type(8)));
        return __builtin_amdgcn_mfma_f32_16x16x32_bf16(__builtin_bit_cast(bf16s_t, a), __builtin_bit_cast(bf16s_t, b), c, 0,
                                                       0, 0);
#else
        c = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a.lo, b.lo, c, 0, 0, 0);
        return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a.hi, b.hi, c, 0, 0, 0);
#endif
    }
};

#else

struct wmma_shape {
    static constexpr hgemm_tile tile = tile_wmma;
    static constexpr int lanes = 32, n_sums = 8, k_of_step = 16;
    using sums_t = float8_t;
};

#if defined(__GFX12__)
/* The parts share the k. */
struct bf16_matrix : wmma_shape {
    using factors_t = bf16x8_t;

    static __device__ __forceinline__ int at(int part)
    {
        return 8 * part;
    }
    static __device__ __forceinline__ int row(int e, int part)
    {
        return 8 * part + e;
    }
    static __device__ __forceinline__ sums_t multiply_add(factors_t a, factors_t b, sums_t c)
    {
        return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(a, b, c);
    }
};
#else
/* Both parts hold all k. */
struct bf16_matrix : wmma_shape {
    using factors_t = bf16x16_t;

    static __device__ __forceinline__ int at(int)
    {
        return 0;
    }
    static __device__ __forceinline__ int row(int e, int part)
    {
        return 2 * e + part;
    }
    static __device__ __forceinline__ sums_t multiply_add(factors_t a, factors_t b, sums_t c)
    {
        return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(a, b, c);
    }
};
#endif

#endif

struct matrix_math {
    using matrix = bf16_matrix;
    static constexpr hgemm_tile tile = matrix::tile;
    static constexpr int tiles = tile.m / side;
    static_assert(tile.threads == tile.n / side * matrix::lanes);
    struct sums_t {
        matrix::sums_t of[tiles];
    };

    static __device__ __forceinline__ int place()
    {
        return threadIdx.x % side;
    }
    static __device__ __forceinline__ int part()
    {
        return threadIdx.x % matrix::lanes / side;
    }
    static __device__ __forceinline__ int column()
    {
        return threadIdx.x / matrix::lanes * side + place();
    }
    static __device__ __forceinline__ matrix::factors_t load(const bf16_t *row, int k)
    {
        matrix::factors_t factors;
        __builtin_memcpy(&factors, __builtin_assume_aligned(row + k + matrix::at(part()), HGEMM_VECTOR_BYTES),
                         sizeof factors);
        return factors;
    }

    static __device__ __forceinline__ void add(const stage<matrix_math> &from, sums_t &sums)
    {
#pragma unroll
        for (int k = 0; k < tile.k; k += matrix::k_of_step) {
            const matrix::factors_t b = load(from.b[column()], k);
#pragma unroll
            for (int i = 0; i < tiles; i++)
                sums.of[i] = matrix::multiply_add(load(from.a[i * side + place()], k), b, sums.of[i]);
        }
    }

    template <typename F> static __device__ __forceinline__ void each(const sums_t &sums, F f)
    {
#pragma unroll
        for (int i = 0; i < tiles; i++)
#pragma unroll
            for (int e = 0; e < matrix::n_sums; e++)
                f(i * side + matrix::row(e, part()), column(), sums.of[i][e]);
    }
};

} // namespace

#define HGEMM_HAS_MATRIX 1
#else
#define HGEMM_HAS_MATRIX 0
#endif

#endif
