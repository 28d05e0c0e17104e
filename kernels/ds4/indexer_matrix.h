/*
 * indexer_scores by matrix instructions D = A B + C: A has the 16 tokens of q, B the 16 keys of a tile.
 *
 * INSTRUCTION is a matrix of kernels/matrix.h that says which of the 128 numbers a lane gives to each step (at; token and
 * key agree on it).
 */
#ifndef KERNELS_DS4_INDEXER_MATRIX_H
#define KERNELS_DS4_INDEXER_MATRIX_H

#include "../matrix.h"
#include "indexer.h"

namespace
{

template <typename INSTRUCTION> struct matrix_dots {
    using number = typename INSTRUCTION::number;
    using factor_t = typename INSTRUCTION::factors_t;
    static constexpr int lanes = INSTRUCTION::lanes, n_steps = width / INSTRUCTION::k;
    struct keys_t {
        factor_t of[n_steps];
    };

    static __device__ __forceinline__ factor_t load(const number *row, int step, int part)
    {
        constexpr int alignment = sizeof(factor_t) < 16 ? sizeof(factor_t) : 16;
        factor_t factor;
        __builtin_memcpy(&factor, __builtin_assume_aligned(row + INSTRUCTION::at(step, part), alignment), sizeof factor);
        return factor;
    }
    static __device__ __forceinline__ keys_t load(const number *row, int part)
    {
        keys_t keys;
#pragma unroll
        for (int step = 0; step < n_steps; step++)
            keys.of[step] = load(row, step, part);
        return keys;
    }
    static __device__ __forceinline__ int token(int e, int part)
    {
        return INSTRUCTION::row(e, part);
    }
    template <int N_TILES, int N_SUMS>
    static __device__ __forceinline__ void dots(const number (&q)[side][stride], const keys_t (&keys)[N_TILES], int place,
                                                int part, float (&sums)[N_TILES][N_SUMS])
    {
        typename INSTRUCTION::sums_t of[N_TILES] = {};
#pragma unroll
        for (int step = 0; step < n_steps; step++) {
            const factor_t tokens = load(q[place], step, part);
#pragma unroll
            for (int i = 0; i < N_TILES; i++)
                of[i] = INSTRUCTION::multiply_add(tokens, keys[i].of[step], of[i]);
        }
#pragma unroll
        for (int i = 0; i < N_TILES; i++)
#pragma unroll
            for (int e = 0; e < N_SUMS; e++)
                sums[i][e] = of[i][e];
    }
};

} // namespace

#endif
