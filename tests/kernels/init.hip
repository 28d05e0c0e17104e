/*
 * Kernels that use values nobody wrote, each beside its clean twin: what the init check finds, and what it must not.
 */
#include <hip/hip_runtime.h>

extern "C" __global__ void lds_unwritten(float *out, int n)
{
    __shared__ float tile[256];
    if ((int)threadIdx.x < n) /* the twin writes all that is read */
        tile[threadIdx.x] = (float)threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[255 - threadIdx.x];
}

extern "C" __global__ void array_unwritten(float *out, int n)
{
    volatile float parts[16]; /* kept in scratch */
    for (int i = 0; i < n; i++) /* 16 in the twin */
        parts[(i * 5) & 15] = (float)i;
    out[threadIdx.x] = parts[threadIdx.x & 15];
}

extern "C" __global__ void memory_unwritten(float *out, const float *in)
{
    out[threadIdx.x] = in[threadIdx.x] * 2.0f;
}

extern "C" __global__ void branch_unwritten(float *out, const int *flags)
{
    float value = 1.0f;
    for (int i = 0; i < flags[0]; i++)
        value = value * 1.5f + 0.25f;
    out[threadIdx.x] = value;
}

extern "C" __global__ void lane_branch_unwritten(float *out, const int *flags)
{
    float value = 1.0f;
    if (flags[threadIdx.x] > 3)
        for (int i = 0; i < flags[threadIdx.x]; i++)
            value = value * 1.5f + 0.25f;
    out[threadIdx.x] = value;
}

extern "C" __global__ void index_unwritten(float *out, const int *index)
{
    out[index[threadIdx.x] & 255] = 1.0f;
}

extern "C" __global__ void counter_unwritten(unsigned *out, int clear)
{
    __shared__ unsigned counter;
    if (clear && threadIdx.x == 0)
        counter = 0;
    __syncthreads();
    unsigned place = atomicAdd(&counter, 1u);
    out[threadIdx.x] = place;
}

/* Clean, though much of what it moves about is undefined: padding, bytes, lanes that are off, registers of calls. */
struct padded {
    char tag;
    int value;
};

__device__ __attribute__((noinline)) int twice(struct padded item)
{
    return item.tag ? item.value * 2 : item.value;
}

extern "C" __global__ void clean_mixture(int *out, const int *in, int n)
{
    __shared__ struct padded items[256];
    __shared__ unsigned char bytes[256];
    struct padded mine;
    mine.tag = (char)(threadIdx.x & 1);
    mine.value = (int)threadIdx.x < n ? in[threadIdx.x] : 0;
    items[threadIdx.x] = mine;
    bytes[threadIdx.x] = (unsigned char)threadIdx.x;
    __syncthreads();
    struct padded other = items[255 - threadIdx.x];
    int sum = twice(other) + bytes[threadIdx.x ^ 1];
    if (threadIdx.x & 2)
        sum += __shfl_xor(sum, 1);
    for (int i = 0; i < (int)(threadIdx.x & 3); i++)
        sum = sum * 3 + i;
    out[threadIdx.x] = sum;
}
