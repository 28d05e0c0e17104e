/* hgemm by matrix instructions, for the chips that have them: each of a block's 4 waves has all rows of 16 columns. */
#ifndef KERNELS_HGEMM_MATRIX_H
#define KERNELS_HGEMM_MATRIX_H

#include "../matrix.h"
#include "hgemm.h"

#if HAS_MATRIX

namespace
{

struct matrix_math {
    using unit = matrix<bf16_t>;
    static constexpr int side = matrix_side;
#if defined(__GFX9__)
    static constexpr hgemm_tile tile = tile_mfma;
#else
    static constexpr hgemm_tile tile = tile_wmma;
#endif
    /* A lane reads whole vectors from LDS: on gfx90a and gfx942 one feeds two instructions. */
    static constexpr int vector = unit::n_of_lane < n_of_vector ? n_of_vector : unit::n_of_lane;
    static constexpr int units_of_vector = vector / unit::n_of_lane, k_of_vector = unit::k * units_of_vector;
    static constexpr int tiles = tile.m / side;
    static_assert(tile.threads == tile.n / side * unit::lanes);
    struct sums_t {
        unit::sums_t of[tiles];
    };
    struct factors_t {
        unit::factors_t of[units_of_vector];
    };

    static __device__ __forceinline__ int place()
    {
        return threadIdx.x % side;
    }
    static __device__ __forceinline__ int part()
    {
        return threadIdx.x % unit::lanes / side;
    }
    static __device__ __forceinline__ int column()
    {
        return threadIdx.x / unit::lanes * side + place();
    }
    static __device__ __forceinline__ factors_t load(const bf16_t *row, int k)
    {
        factors_t factors;
        const bf16_t *from = row + k + units_of_vector * unit::k_of_lane(part());
        __builtin_memcpy(&factors, __builtin_assume_aligned(from, HGEMM_VECTOR_BYTES), sizeof factors);
        return factors;
    }

    static __device__ __forceinline__ void add(const stage<matrix_math> &from, sums_t &sums)
    {
#pragma unroll
        for (int k = 0; k < tile.k; k += k_of_vector) {
            const factors_t b = load(from.b[column()], k);
#pragma unroll
            for (int i = 0; i < tiles; i++) {
                const factors_t a = load(from.a[i * side + place()], k);
#pragma unroll
                for (int u = 0; u < units_of_vector; u++)
                    sums.of[i] = unit::multiply_add(a.of[u], b.of[u], sums.of[i]);
            }
        }
    }

    template <typename F> static __device__ __forceinline__ void each(const sums_t &sums, F f)
    {
#pragma unroll
        for (int i = 0; i < tiles; i++)
#pragma unroll
            for (int e = 0; e < unit::n_sums; e++)
                f(i * side + unit::row(e, part()), column(), sums.of[i][e]);
    }
};

} // namespace

#endif

#endif
