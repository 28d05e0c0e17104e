/*
 * matmul_q8_0_batch by fma in f32, for every chip: 256 threads with 4 x 4 outputs each. A block's 32 products are a chain
 * of fma on x and the integers q; the scale is applied to their sum.
 */
#include "q8_0_tile.h"

namespace
{

constexpr int threads = 256, side = 4;

/* Transposed, so that a thread reads its 4 rows (or columns) of one k at once. The 4s of a line change places with k / 4,
 * for the threads that store neighbouring k to have banks of their own. */
struct q8_0_floats {
    alignas(16) float x[k_tile][tile], q[k_tile][tile];
    alignas(16) float scale[tile];
};

__device__ __forceinline__ int place(int k, int index)
{
    return index ^ (k / 4 * 4);
}

__device__ __forceinline__ void store_floats(const q8_0_step<threads> &step, q8_0_floats &to)
{
    using staged = q8_0_step<threads>;
#pragma unroll
    for (int i = 0; i < staged::n_float4s; i++)
#pragma unroll
        for (int e = 0; e < 4; e++) {
            const int k = staged::x_at() + e;
            to.x[k][place(k, staged::x_row(i))] = step.x[i][e];
        }
#pragma unroll
    for (int i = 0; i < 4 * staged::n_words; i++) {
        const int k = 4 * staged::w_word() + i;
        to.q[k][place(k, staged::w_column())] = (float)(signed char)(step.q[i / 4] >> 8 * (i % 4));
    }
    if (staged::w_word() == 0)
        to.scale[staged::w_column()] = step.scale;
}

struct thread_sums {
    float4_t of_row[side];
};

__device__ __forceinline__ void add_block(const q8_0_floats &from, int row, int column, thread_sums &sums)
{
    thread_sums block = {};
#pragma unroll 4
    for (int k = 0; k < k_tile; k++) {
        const float4_t x = *(const float4_t *)&from.x[k][place(k, row)],
                       q = *(const float4_t *)&from.q[k][place(k, column)];
#pragma unroll
        for (int i = 0; i < side; i++)
#pragma unroll
            for (int j = 0; j < side; j++)
                block.of_row[i][j] = __builtin_fmaf(x[i], q[j], block.of_row[i][j]);
    }
    const float4_t scale = *(const float4_t *)&from.scale[column];
#pragma unroll
    for (int i = 0; i < side; i++)
#pragma unroll
        for (int j = 0; j < side; j++)
            sums.of_row[i][j] = __builtin_fmaf(scale[j], block.of_row[i][j], sums.of_row[i][j]);
}

} // namespace

extern "C" __global__ __launch_bounds__(threads) void matmul_q8_0_batch(const float *__restrict__ x,
                                                                        const q8_0_block *__restrict__ w,
                                                                        float *__restrict__ out, int rows, int k, int n)
{
    __shared__ q8_0_floats staged;
    const q8_0_problem p = {x, w, rows, k, n};
    const int row = blockIdx.y * tile, column = blockIdx.x * tile;
    const int own_row = threadIdx.x / (tile / side) * side, own_column = threadIdx.x % (tile / side) * side;
    thread_sums sums = {};
    q8_0_step<threads> step;
    step.load(p, row, column, 0);
    for (int b = 0; b < p.blocks(); b++) {
        store_floats(step, staged);
        __syncthreads();
        if (b + 1 < p.blocks())
            step.load(p, row, column, b + 1);
        add_block(staged, own_row, own_column, sums);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < side; i++)
        if (row + own_row + i < rows)
            store4(out + (size_t)(row + own_row + i) * n, column + own_column, n, n % 4 == 0, sums.of_row[i]);
}
