/*
 * Kernels that hold a known number of values at once. Each value passes through an empty assembly statement, which no
 * compiler moves past another, so that all are there at the fence between the loads and the stores.
 */
#include <hip/hip_runtime.h>

#define FENCE() asm volatile("" ::: "memory")

template <int N> static __device__ __forceinline__ void hold_vectors(float *out, const float *in)
{
    float value[N];
#pragma unroll
    for (int i = 0; i < N; i++) {
        value[i] = in[N * threadIdx.x + i];
        asm volatile("" : "+v"(value[i]));
    }
    FENCE();
#pragma unroll
    for (int i = 0; i < N; i++)
        out[N * threadIdx.x + i] = value[i];
}

template <int N> static __device__ __forceinline__ void hold_scalars(int *out, const int *in)
{
    int value[N];
#pragma unroll
    for (int i = 0; i < N; i++) {
        value[i] = __builtin_amdgcn_readfirstlane(in[i]);
        asm volatile("" : "+s"(value[i]));
    }
    int sum = 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
        asm volatile("" : "+s"(value[i])); /* all N are needed before the first sum */
        sum ^= value[i] + i;
    }
    out[threadIdx.x] = sum;
}

extern "C" __global__ __launch_bounds__(64) void hold_40(float *out, const float *in)
{
    hold_vectors<40>(out, in);
}

extern "C" __global__ __launch_bounds__(64) void hold_96(float *out, const float *in)
{
    hold_vectors<96>(out, in);
}

/* More values than registers: some go to memory. */
extern "C" __global__ __launch_bounds__(64) __attribute__((amdgpu_num_vgpr(32))) void hold_96_in_32(float *out,
                                                                                                    const float *in)
{
    hold_vectors<96>(out, in);
}

extern "C" __global__ __launch_bounds__(64) void hold_scalars_60(int *out, const int *in)
{
    hold_scalars<60>(out, in);
}

/* Likewise of scalar registers: some go to lanes of a vector register. */
extern "C" __global__ __launch_bounds__(64) __attribute__((amdgpu_num_sgpr(48))) void hold_scalars_60_in_48(int *out,
                                                                                                           const int *in)
{
    hold_scalars<60>(out, in);
}

/* Scratch that is no spill: an array that a lane indexes, with one element at a fixed place. */
extern "C" __global__ __launch_bounds__(64) void index_array(float *out, const float *in, int n)
{
    float value[200]; /* too many for registers */
    for (int i = 0; i < 200; i++)
        value[i] = in[i * 64 + threadIdx.x];
    for (int i = 0; i < n; i++)
        value[(i * 7 + (int)threadIdx.x) % 200] = 1.0f;
    value[5] = 2.0f;
    out[threadIdx.x] = value[n % 200];
}
