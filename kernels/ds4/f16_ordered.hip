/*
 * matmul_f16_ordered_t32, matmul_f16_ordered_t64: f32 rows of x times f16 rows of W, one row of W a block, in one order of
 * additions whatever the chip and the number of threads: 64 strands, strand s taking elements 8s … 8s+7 of every 512 in a
 * chain of fma, then the strands' sums through LDS in rising order. So routing, which compares outputs, is the same
 * everywhere, byte for byte.
 */
#include "../lanes.h"
#include "../vectors.h"

#pragma clang fp contract(off)

namespace
{

constexpr int strands = 64, run = 8;

struct terms {
    half8_t w;
    float4_t x[2];
};

/* Elements at … at+7 of both rows: vector loads where `whole` (k is a multiple of 8), else one by one with 0 past the end. */
__device__ __forceinline__ terms load(const _Float16 *w, const float *x, int at, int k, bool whole)
{
    terms t;
    if (whole)
        t.w = *(const half8_t *)(w + at);
    else
        for (int i = 0; i < run; i++)
            t.w[i] = at + i < k ? w[at + i] : (_Float16)0;
    for (int half = 0; half < 2; half++)
        t.x[half] = load4(x, at + 4 * half, k, whole, 0);
    return t;
}

__device__ __forceinline__ float chain(float sum, const terms &t)
{
    for (int i = 0; i < run; i++)
        sum = __builtin_fmaf((float)t.w[i], t.x[i / 4][i % 4], sum);
    return sum;
}

template <int THREADS>
__device__ __forceinline__ void ordered(const float *__restrict__ x, const _Float16 *__restrict__ weights,
                                        float *__restrict__ out, int k, int n)
{
    __shared__ float of_strand[strands];
    const _Float16 *row = weights + (size_t)blockIdx.x * k;
    const float *own_x = x + (size_t)blockIdx.y * k;
    const bool whole = k % run == 0;
    float sum[strands / THREADS] = {};
    for (int first = 0; first < k; first += strands * run)
#pragma unroll
        for (int s = 0; s < strands / THREADS; s++) {
            const int at = first + (s * THREADS + threadIdx.x) * run;
            if (at < k)
                sum[s] = chain(sum[s], load(row, own_x, at, k, whole));
        }
#pragma unroll
    for (int s = 0; s < strands / THREADS; s++)
        of_strand[s * THREADS + threadIdx.x] = sum[s];
#if !defined(DS4_FAULT_NO_BARRIER)
    __syncthreads();
#endif
    if (threadIdx.x > 0)
        return;
    float total = of_strand[0];
#if defined(DS4_FAULT_UNORDERED)
    for (int s = strands - 1; s > 0; s--)
#else
    for (int s = 1; s < strands; s++)
#endif
        total += of_strand[s];
    out[(size_t)blockIdx.y * n + blockIdx.x] = total;
}

} // namespace

/* x[rows][k] f32, weights[n][k] f16 -> out[rows][n] f32. Block x is the row of W, block y that of x. */
#define ORDERED(symbol, threads)                                                                                           \
    extern "C" __global__ __launch_bounds__(threads) void symbol(                                                          \
        const float *__restrict__ x, const _Float16 *__restrict__ weights, float *__restrict__ out, int k, int n)          \
    {                                                                                                                      \
        ordered<threads>(x, weights, out, k, n);                                                                           \
    }

ORDERED(matmul_f16_ordered_t32, 32)
ORDERED(matmul_f16_ordered_t64, 64)
