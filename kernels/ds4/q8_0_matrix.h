/*
 * matmul_q8_0_batch by matrix instructions on halves, 4 waves of a block with a quarter of its tile each. x is rounded to
 * f16; q is an integer that f16 holds, so the scale, one a column and block, is applied to the f32 sum of the block's 32
 * products.
 *
 * INSTRUCTION is D = A B + C of 16 x 16 x 16: A has rows of x, B columns of w. Its parts (lanes / 16 of them) hold any k,
 * as long as A and B agree.
 */
#ifndef KERNELS_DS4_Q8_0_MATRIX_H
#define KERNELS_DS4_Q8_0_MATRIX_H

#include "q8_0_tile.h"
#include "../vectors.h"

namespace
{

constexpr int n_waves = 4;
constexpr int side = 16;         /* of an instruction's tile */
constexpr int tiles_of_wave = 2; /* in each direction */
constexpr int stride = 40;       /* halves of a row in LDS: 16 rows start in different banks */

struct q8_0_halves {
    alignas(16) half_t x[tile][stride], q[tile][stride];
    float scale[tile];
};

/* Four signed bytes: as unsigned ones they are the last bits of 1024 + 128 + q, from which 1152 is taken. */
__device__ __forceinline__ half4_t halves_of(unsigned bytes)
{
    const unsigned biased = bytes ^ 0x80808080u;
    const half2_t low = __builtin_bit_cast(half2_t, __builtin_amdgcn_perm(0x64646464u, biased, 0x04010400u));
    const half2_t high = __builtin_bit_cast(half2_t, __builtin_amdgcn_perm(0x64646464u, biased, 0x04030402u));
    const half2_t bias = {1152, 1152};
    return __builtin_shufflevector(low - bias, high - bias, 0, 1, 2, 3);
}

template <int THREADS> __device__ __forceinline__ void store_halves(const q8_0_step<THREADS> &step, q8_0_halves &to)
{
    using staged = q8_0_step<THREADS>;
#pragma unroll
    for (int i = 0; i < staged::n_float4s; i++)
        *(half4_t *)&to.x[staged::x_row(i)][staged::x_at()] = __builtin_convertvector(step.x[i], half4_t);
#pragma unroll
    for (int i = 0; i < staged::n_words; i++)
        *(half4_t *)&to.q[staged::w_column()][4 * (staged::w_word() + i)] = halves_of(step.q[i]);
    if (staged::w_word() == 0)
        to.scale[staged::w_column()] = step.scale;
}

template <typename INSTRUCTION> struct wave_sums {
    typename INSTRUCTION::sums_t of[tiles_of_wave][tiles_of_wave];
};

/* One block's products of the wave's 32 x 32 outputs from `row` and `column` of the tile on, times their scales. */
template <typename INSTRUCTION>
__device__ __forceinline__ void add_block(const q8_0_halves &from, int row, int column, wave_sums<INSTRUCTION> &sums)
{
    const int lane = threadIdx.x % INSTRUCTION::lanes, place = lane % side, part = lane / side;
    wave_sums<INSTRUCTION> block = {};
#pragma unroll
    for (int half = 0; half < 2; half++) {
        typename INSTRUCTION::factors_t a[tiles_of_wave], b[tiles_of_wave];
#pragma unroll
        for (int i = 0; i < tiles_of_wave; i++) {
            a[i] = INSTRUCTION::load(from.x[row + i * side + place], half, part);
            b[i] = INSTRUCTION::load(from.q[column + i * side + place], half, part);
        }
#pragma unroll
        for (int i = 0; i < tiles_of_wave; i++)
#pragma unroll
            for (int j = 0; j < tiles_of_wave; j++)
                block.of[i][j] = INSTRUCTION::multiply_add(a[i], b[j], block.of[i][j]);
    }
#pragma unroll
    for (int j = 0; j < tiles_of_wave; j++) {
        const float scale = from.scale[column + j * side + place];
#pragma unroll
        for (int i = 0; i < tiles_of_wave; i++)
#pragma unroll
            for (int e = 0; e < INSTRUCTION::n_sums; e++)
                sums.of[i][j][e] = __builtin_fmaf(scale, block.of[i][j][e], sums.of[i][j][e]);
    }
}

template <typename INSTRUCTION>
__device__ __forceinline__ void store_sums(const wave_sums<INSTRUCTION> &sums, int row, int column, const q8_0_problem &p,
                                           float *__restrict__ out)
{
    const int lane = threadIdx.x % INSTRUCTION::lanes, place = lane % side, part = lane / side;
#pragma unroll
    for (int i = 0; i < tiles_of_wave; i++) {
#if defined(DS4_FAULT_HALF_OF_TILES)
        if (i > 0)
            return;
#endif
#pragma unroll
        for (int j = 0; j < tiles_of_wave; j++)
#pragma unroll
            for (int e = 0; e < INSTRUCTION::n_sums; e++) {
#if defined(DS4_FAULT_EPILOGUE)
                const int of_tile = INSTRUCTION::row((e + 1) % INSTRUCTION::n_sums, part);
#else
                const int of_tile = INSTRUCTION::row(e, part);
#endif
                const int to_row = row + i * side + of_tile, to_column = column + j * side + place;
                if (to_row < p.rows && to_column < p.n)
                    out[(size_t)to_row * p.n + to_column] = sums.of[i][j][e];
            }
    }
}

template <typename INSTRUCTION> __device__ __forceinline__ void batch(const q8_0_problem &p, float *__restrict__ out)
{
    constexpr int of_wave = tiles_of_wave * side;
    __shared__ q8_0_halves staged;
    const int own = __builtin_amdgcn_readfirstlane(threadIdx.x / INSTRUCTION::lanes);
    const int row = blockIdx.y * tile, column = blockIdx.x * tile;
    const int row_of_wave = own / 2 * of_wave, column_of_wave = own % 2 * of_wave;
    wave_sums<INSTRUCTION> sums = {};
    q8_0_step<n_waves * INSTRUCTION::lanes> step;
    step.load(p, row, column, 0);
    for (int b = 0; b < p.blocks(); b++) {
        store_halves(step, staged);
        __syncthreads();
        if (b + 1 < p.blocks())
            step.load(p, row, column, b + 1);
        add_block<INSTRUCTION>(staged, row_of_wave, column_of_wave, sums);
#if !defined(DS4_FAULT_NO_REUSE_BARRIER)
        __syncthreads();
#endif
    }
    store_sums<INSTRUCTION>(sums, row + row_of_wave, column + column_of_wave, p, out);
}

} // namespace

#define Q8_0_BATCH(symbol, INSTRUCTION)                                                                                    \
    extern "C" __global__ __launch_bounds__(n_waves *INSTRUCTION::lanes) void symbol(                                      \
        const float *__restrict__ x, const q8_0_block *__restrict__ w, float *__restrict__ out, int rows, int k, int n)    \
    {                                                                                                                      \
        batch<INSTRUCTION>(q8_0_problem{x, w, rows, k, n}, out);                                                           \
    }

#endif
