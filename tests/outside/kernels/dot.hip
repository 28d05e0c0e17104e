/*
 * example_dot: out[row] = sum over j of x[row][j] * w[j], in f32. One block a row, of as many threads as a wave has lanes: thread t chains
 * j = t, t + threads, … by fused multiply-adds, then rounds through LDS add the threads' sums in a fixed order.
 */
#include <hip/hip_runtime.h>

template <int threads> static __device__ void dot(const float *x, const float *w, float *out, int n)
{
    __shared__ float part[threads];
    const float *row = x + (size_t)blockIdx.x * n;
    float sum = 0;
    for (int j = threadIdx.x; j < n; j += threads)
        sum = __builtin_fmaf(row[j], w[j], sum);
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}

#define DOT(name, threads)                                                                                                 \
    extern "C" __global__ __launch_bounds__(threads) void name(const float *__restrict__ x, const float *__restrict__ w,   \
                                                               float *__restrict__ out, int n)                             \
    {                                                                                                                      \
        dot<threads>(x, w, out, n);                                                                                        \
    }

DOT(example_dot_32, 32)
DOT(example_dot_64, 64)
