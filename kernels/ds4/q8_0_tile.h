/*
 * What the variants of matmul_q8_0_batch share: out[rows][n] = x[rows][k] f32 times w[n][k] Q8_0, in output tiles of 64 x
 * 64 and steps of one block of 32 along k. A step's f32 activations and blocks go from memory to registers while the step
 * before is computed, then to LDS.
 */
#ifndef KERNELS_DS4_Q8_0_TILE_H
#define KERNELS_DS4_Q8_0_TILE_H

#include "../lanes.h"

namespace
{

constexpr int tile = 64;   /* rows and columns of an output tile */
constexpr int k_tile = 32; /* the weights of a Q8_0 block */
constexpr int float4s_of_row = k_tile / 4, words_of_row = k_tile / 4;

struct q8_0_block { /* 34 bytes, aligned to 2 */
    _Float16 scale;
    signed char q[k_tile];
};

struct q8_0_problem {
    const float *__restrict__ x;
    const q8_0_block *__restrict__ w;
    int rows, k, n;

    __device__ __forceinline__ int blocks() const
    {
#if defined(DS4_FAULT_K_TAIL)
        return k / k_tile;
#else
        return (k + k_tile - 1) / k_tile;
#endif
    }
};

/* One thread's part of a step: THREADS of them share 64 rows of x and 64 blocks of w. Rows and columns past the last are
 * the last's again, which nobody stores; what lies past k is 0. */
template <int THREADS> struct q8_0_step {
    static constexpr int n_float4s = tile * float4s_of_row / THREADS, n_words = tile * words_of_row / THREADS;
    static constexpr int threads_of_block = words_of_row / n_words;

    float4_t x[n_float4s];
    unsigned q[n_words];
    float scale;

    /* The rows and float4s of x, and the column and first word of w, that are this thread's. */
    static __device__ __forceinline__ int x_row(int i)
    {
        return (threadIdx.x + i * THREADS) / float4s_of_row;
    }
    static __device__ __forceinline__ int x_at()
    {
        return 4 * (threadIdx.x % float4s_of_row);
    }
    static __device__ __forceinline__ int w_column()
    {
        return threadIdx.x / threads_of_block;
    }
    static __device__ __forceinline__ int w_word()
    {
        return threadIdx.x % threads_of_block * n_words;
    }

    __device__ __forceinline__ void load(const q8_0_problem &p, int row, int column, int b)
    {
        const int left = p.k - b * k_tile;
#pragma unroll
        for (int i = 0; i < n_float4s; i++) {
            const int own = min(row + x_row(i), p.rows - 1);
            x[i] = load4(p.x + (size_t)own * p.k + b * k_tile, x_at(), left, p.k % 4 == 0, 0);
        }
        const int own = min(column + w_column(), p.n - 1);
        const q8_0_block *block = p.w + (size_t)own * p.blocks() + b;
        scale = (float)block->scale;
        __builtin_memcpy(q, block->q + 4 * w_word(), sizeof q);
        if (left < k_tile)
            keep_bytes(left - 4 * w_word());
    }

    __device__ __forceinline__ void keep_bytes(int n)
    {
#pragma unroll
        for (int i = 0; i < n_words; i++, n -= 4)
            q[i] = n >= 4 ? q[i] : n <= 0 ? 0 : q[i] & ((1u << 8 * n) - 1);
    }
};

} // namespace

#endif
