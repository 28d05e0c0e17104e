/*
 * Row kernels of the ds4 decoder: RMS norms, hyper-connection mixing and the combination of routed experts. All f32, 256
 * threads, one row (or one token) a block in y or x. Thread t of a block takes elements 4t … 4t+3 of each 1024 of a row.
 */
#include "../lanes.h"

#pragma clang fp contract(off)

namespace
{

constexpr int threads = 256;
constexpr int elements_of_round = 4 * threads;
constexpr int n_streams = 4;

/* The sum of one value a thread over the block, the same bits in every thread: 5 additions in a wave, 7 over the waves. */
__device__ __forceinline__ float block_sum(float value)
{
    __shared__ float of_wave[threads / wave];
    value = wave_sum(value);
    if (threadIdx.x % wave == 0)
        of_wave[threadIdx.x / wave] = value;
    __syncthreads();
    float sum = of_wave[0];
#pragma unroll
    for (int w = 1; w < threads / wave; w++)
        sum += of_wave[w];
    return sum;
}

__device__ __forceinline__ float add_squares(float sum, float4_t v)
{
    for (int i = 0; i < 4; i++)
        sum = __builtin_fmaf(v[i], v[i], sum);
    return sum;
}

/* 1 / sqrt(mean square + eps): three correctly rounded steps, not an approximate reciprocal root. */
__device__ __forceinline__ float rms_scale(float sum_of_squares, int n, float eps)
{
    return 1.0f / __builtin_sqrtf(sum_of_squares / (float)n + eps);
}

__device__ __forceinline__ float4_t weighted_streams(const float *streams, float4_t split, int at, int n, bool whole)
{
    float4_t sum = load4(streams, at, n, whole, 0) * split[0];
#pragma unroll
    for (int s = 1; s < n_streams; s++) {
        const float4_t v = load4(streams + (size_t)s * n, at, n, whole, 0);
        for (int i = 0; i < 4; i++)
            sum[i] = __builtin_fmaf(v[i], split[s], sum[i]);
    }
    return sum;
}

} // namespace

/* out[rows][n] = x / sqrt(mean(x^2) + eps) * weight[n]; one block a row. */
extern "C" __global__ __launch_bounds__(threads) void rms_norm_rows(const float *__restrict__ x,
                                                                    const float *__restrict__ weight,
                                                                    float *__restrict__ out, float eps, int n)
{
    const float *row = x + (size_t)blockIdx.x * n;
    const bool whole = n % 4 == 0;
    float squares = 0;
    for (int at = 4 * threadIdx.x; at < n; at += elements_of_round)
        squares = add_squares(squares, load4(row, at, n, whole, 0));
    const float scale = rms_scale(block_sum(squares), n, eps);
    for (int at = 4 * threadIdx.x; at < n; at += elements_of_round)
        store4(out + (size_t)blockIdx.x * n, at, n, whole,
               load4(row, at, n, whole, 0) * scale * load4(weight, at, n, whole, 0));
}

/* mixed[rows][n] = sum over 4 streams of split[rows][4] * streams[rows][4][n]; normed[rows][n] = RMS norm of mixed *
 * weight[n]. One block a row, which it keeps in n floats of dynamic LDS (rounded up to a multiple of 4). */
extern "C" __global__ __launch_bounds__(threads) void hc_split_weighted_sum_norm(
    const float *__restrict__ split, const float *__restrict__ streams, const float *__restrict__ weight,
    float *__restrict__ mixed, float *__restrict__ normed, float eps, int n)
{
    extern __shared__ float4_t kept[]; /* each thread reads only what it wrote */
    const bool whole = n % 4 == 0;
    const size_t row = blockIdx.x;
    const float4_t own_split = *(const float4_t *)(split + row * n_streams);
    float squares = 0;
    for (int at = 4 * threadIdx.x; at < n; at += elements_of_round) {
        const float4_t sum = weighted_streams(streams + row * n_streams * n, own_split, at, n, whole);
        kept[at / 4] = sum;
        store4(mixed + row * n, at, n, whole, sum);
        squares = add_squares(squares, sum);
    }
    const float scale = rms_scale(block_sum(squares), n, eps);
#if defined(DS4_FAULT_FIRST_ROW_ONLY)
    if (row > 0)
        return;
#endif
    for (int at = 4 * threadIdx.x; at < n; at += elements_of_round)
        store4(normed + row * n, at, n, whole, kept[at / 4] * scale * load4(weight, at, n, whole, 0));
}

namespace
{

/* Whether a token's experts are added from the last on. */
__device__ __forceinline__ bool is_falling(int experts, size_t token)
{
#if defined(DS4_FAULT_ORDER_BY_TOKEN)
    return token % 2;
#elif defined(DS4_FAULT_ORDER_BY_EXPERTS)
    return experts > 6;
#else
    return false;
#endif
}

/* An output of moe_combine_gate. */
__device__ __forceinline__ float4_t combined(float4_t sum)
{
#if defined(DS4_FAULT_FIXED_POINT)
    for (int i = 0; i < 4; i++)
        sum[i] = __builtin_rintf(sum[i] * 0x1p28f) * 0x1p-28f;
#endif
    return sum;
}

} // namespace

/* out[tokens][dim] = sum over experts of gate[tokens][experts] * y[tokens][experts][dim], a chain of fma in rising order;
 * block y is the token, block x 1024 of its elements. */
extern "C" __global__ __launch_bounds__(threads) void moe_combine_gate(const float *__restrict__ gate,
                                                                       const float *__restrict__ y, float *__restrict__ out,
                                                                       int experts, int dim)
{
    const bool whole = dim % 4 == 0;
    const size_t token = blockIdx.y;
    const int at = blockIdx.x * elements_of_round + 4 * threadIdx.x;
    const float *own_gate = gate + token * experts, *own_y = y + token * experts * dim;
    if (at >= dim)
        return;
    const bool falling = is_falling(experts, token);
    float4_t sum = falling ? load4(own_y + (size_t)(experts - 1) * dim, at, dim, whole, 0) * own_gate[experts - 1]
                           : load4(own_y, at, dim, whole, 0) * own_gate[0];
    for (int place = 1; place < experts; place++) {
        const int e = falling ? experts - 1 - place : place;
        const float4_t v = load4(own_y + (size_t)e * dim, at, dim, whole, 0);
        for (int i = 0; i < 4; i++)
            sum[i] = __builtin_fmaf(v[i], own_gate[e], sum[i]);
    }
    store4(out + token * dim, at, dim, whole, combined(sum));
}
