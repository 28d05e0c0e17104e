/*
 * Softmax over rows with the online maximum (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018):
 * one pass keeps a running maximum and the sum rescaled to it, a second writes. f32; 256 threads, one row a block. Thread t
 * takes elements 4t … 4t+3 of each 1024.
 */
#include "../lanes.h"

#pragma clang fp contract(off)

namespace
{

constexpr int threads = 256;
constexpr int elements_of_round = 4 * threads;

/* exp(x) for x <= 0 by the hardware's exp2. */
__device__ __forceinline__ float exp_of(float x)
{
    return __builtin_amdgcn_exp2f(x * 1.44269504f);
}

/* What to subtract for a maximum: rows or parts that are all -inf must not make inf - inf. */
__device__ __forceinline__ float shift_for(float maximum)
{
    return maximum == -__builtin_inff() ? 0.0f : maximum;
}

/* The sum of exp(x - maximum) over what was seen. */
struct running {
    float maximum, sum;
};

__device__ __forceinline__ running take4(running r, float4_t v)
{
    const float maximum =
        __builtin_fmaxf(r.maximum, __builtin_fmaxf(__builtin_fmaxf(v[0], v[1]), __builtin_fmaxf(v[2], v[3])));
    const float shift = shift_for(maximum);
    const float added = (exp_of(v[0] - shift) + exp_of(v[1] - shift)) + (exp_of(v[2] - shift) + exp_of(v[3] - shift));
#if defined(SOFTMAX_FAULT_NO_RESCALE)
    return {maximum, r.sum + added};
#else
    return {maximum, __builtin_fmaf(r.sum, exp_of(r.maximum - shift), added)};
#endif
}

/* Merges the lanes of a logical wave: one rescaling a lane, then 5 additions. */
__device__ __forceinline__ running merge_wave(running r)
{
    const float maximum = wave_max(r.maximum);
    return {maximum, wave_sum(r.sum * exp_of(r.maximum - shift_for(maximum)))};
}

/* Merges the waves through LDS: one rescaling a wave, summed in rising order by every thread. */
__device__ __forceinline__ running merge_block(running r)
{
    __shared__ running of_wave[threads / wave];
#if defined(SOFTMAX_FAULT_WAVE_UNWRITTEN)
    if (threadIdx.x % wave == 0 && threadIdx.x < threads - wave)
#else
    if (threadIdx.x % wave == 0)
#endif
        of_wave[threadIdx.x / wave] = r;
#if !defined(SOFTMAX_FAULT_NO_BARRIER)
    __syncthreads();
#endif
    float maximum = of_wave[0].maximum;
#pragma unroll
    for (int w = 1; w < threads / wave; w++)
        maximum = __builtin_fmaxf(maximum, of_wave[w].maximum);
    float sum = 0;
#pragma unroll
    for (int w = 0; w < threads / wave; w++)
        sum = __builtin_fmaf(of_wave[w].sum, exp_of(of_wave[w].maximum - shift_for(maximum)), sum);
    return {maximum, sum};
}

} // namespace

/* out[rows][n] = exp(x - max) / sum(exp(x - max)); one block a row. */
extern "C" __global__ __launch_bounds__(threads) void softmax_rows(const float *__restrict__ x, float *__restrict__ out,
                                                                   int n)
{
    const float *row = x + (size_t)blockIdx.x * n;
    const bool whole = n % 4 == 0;
    running r = {-__builtin_inff(), 0};
    for (int at = 4 * threadIdx.x; at < n; at += elements_of_round)
        r = take4(r, load4(row, at, n, whole, -__builtin_inff()));
    r = merge_block(merge_wave(r));
    const float shift = shift_for(r.maximum), inverse = 1.0f / r.sum;
    for (int at = 4 * threadIdx.x; at < n; at += elements_of_round) {
        float4_t v = load4(row, at, n, whole, 0);
        for (int i = 0; i < 4; i++)
            v[i] = exp_of(v[i] - shift) * inverse;
        store4(out + (size_t)blockIdx.x * n, at, n, whole, v);
    }
}
