/*
 * The second half of a split-K product: partial sums in f32, added in rising order of the splits, then stored in the
 * output's type. One order, so the bytes are the same in every run and on every chip. Device code only.
 */
#ifndef KERNELS_HGEMM_REDUCE_H
#define KERNELS_HGEMM_REDUCE_H

#include "../lanes.h"

namespace
{

constexpr int reduce_threads = 256;

__device__ __forceinline__ void store_vector(float *out, int at, int n, bool whole, float4_t v)
{
    store4(out, at, n, whole, v);
}

typedef __bf16 bfloat4_t __attribute__((ext_vector_type(4)));

__device__ __forceinline__ void store_vector(__bf16 *out, int at, int n, bool whole, float4_t v)
{
    const bfloat4_t rounded = __builtin_convertvector(v, bfloat4_t);
    if (whole) {
        *(bfloat4_t *)(out + at) = rounded;
        return;
    }
    for (int i = 0; i < 4; i++)
        if (at + i < n)
            out[at + i] = rounded[i];
}

/* partial[n_splits][n_out]; four outputs a thread. */
template <typename OUT>
__device__ __forceinline__ void reduce(const float *__restrict__ partial, OUT *__restrict__ out, int n_out, int n_splits)
{
    const int at = (blockIdx.x * reduce_threads + threadIdx.x) * 4;
    const bool whole = n_out % 4 == 0;
    if (at >= n_out)
        return;
    float4_t sum = load4(partial, at, n_out, whole, 0);
    for (int split = 1; split < n_splits; split++)
        sum += load4(partial + (size_t)split * n_out, at, n_out, whole, 0);
    store_vector(out, at, n_out, whole, sum);
}

} // namespace

#define HGEMM_REDUCE(symbol, OUT)                                                                                          \
    extern "C" __global__ __launch_bounds__(reduce_threads) void symbol(const float *__restrict__ partial,                 \
                                                                        OUT *__restrict__ out, int n_out, int n_splits)    \
    {                                                                                                                      \
        reduce(partial, out, n_out, n_splits);                                                                             \
    }

#endif
