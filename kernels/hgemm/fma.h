/* hgemm by a chain of fma an output, for every chip: a thread has 2 rows of 4 columns that are 16 apart. */
#ifndef KERNELS_HGEMM_FMA_H
#define KERNELS_HGEMM_FMA_H

#include "hgemm.h"

namespace
{

struct fma_math {
    static constexpr hgemm_tile tile = tile_fma;
    static constexpr int threads_of_row = 16, rows = tile.m / (tile.threads / threads_of_row);
    static constexpr int columns = tile.n / threads_of_row;
    struct sums_t {
        float of[rows][columns];
    };

    static __device__ __forceinline__ int row(int i)
    {
        return threadIdx.x / threads_of_row * rows + i;
    }
    static __device__ __forceinline__ int column(int j)
    {
        return threadIdx.x % threads_of_row + j * threads_of_row;
    }

    /* The eight factors of a vector in f32: its halves of a word are the upper bits of one. */
    static __device__ __forceinline__ float8_t widened(const bf16_t *from)
    {
        using words_t = unsigned __attribute__((ext_vector_type(4)));
        const words_t words = *(const words_t *)from;
        float8_t wide;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            wide[2 * i] = __builtin_bit_cast(float, words[i] << 16);
            wide[2 * i + 1] = __builtin_bit_cast(float, words[i] & 0xffff0000u);
        }
        return wide;
    }

    static __device__ __forceinline__ void add(const stage<fma_math> &from, sums_t &sums)
    {
#pragma unroll 2
        for (int k = 0; k < tile.k; k += n_of_vector) {
            float8_t a[rows];
#pragma unroll
            for (int i = 0; i < rows; i++)
                a[i] = widened(&from.a[row(i)][k]);
#pragma unroll
            for (int j = 0; j < columns; j++) {
                const float8_t b = widened(&from.b[column(j)][k]);
#pragma unroll
                for (int i = 0; i < rows; i++)
#pragma unroll
                    for (int e = 0; e < n_of_vector; e++)
                        sums.of[i][j] = __builtin_fmaf(a[i][e], b[e], sums.of[i][j]);
            }
        }
    }

    template <typename F> static __device__ __forceinline__ void each(const sums_t &sums, F f)
    {
#pragma unroll
        for (int i = 0; i < rows; i++)
#pragma unroll
            for (int j = 0; j < columns; j++)
                f(row(i), column(j), sums.of[i][j]);
    }
};

} // namespace

#endif
