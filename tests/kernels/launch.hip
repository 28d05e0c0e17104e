/*
 * Small kernels for tests/unit/test_launch.c: each shows one thing that a launch sets up or refuses.
 */
#include <hip/hip_runtime.h>
#include <stdint.h>

extern "C" __global__ void saxpy(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

/* One dword a work-item of a three-dimensional launch: its workgroup's and its own coordinates, four bits each. */
extern "C" __global__ void coordinates(uint32_t *out)
{
    uint32_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    uint32_t z = blockIdx.z * blockDim.z + threadIdx.z;
    out[(z * gridDim.y * blockDim.y + y) * gridDim.x * blockDim.x + x] = blockIdx.x | blockIdx.y << 4 | blockIdx.z << 8 |
                                                                         threadIdx.x << 12 | threadIdx.y << 16 | threadIdx.z << 20;
}

/* The implicit arguments and the dispatch packet, as they lie in memory. */
extern "C" __global__ void implicit(uint32_t *arguments, uint32_t *packet)
{
    const uint32_t *from = (const uint32_t *)__builtin_amdgcn_implicitarg_ptr();
    const uint32_t *dispatch = (const uint32_t *)__builtin_amdgcn_dispatch_ptr();
    for (int i = 0; i < 64; i++)
        arguments[i] = from[i];
    for (int i = 0; i < 16; i++)
        packet[i] = dispatch[i];
}

/* Reverses the block's values through static and dynamic LDS. */
extern "C" __global__ void reverse_block(const uint32_t *in, uint32_t *out)
{
    __shared__ uint32_t fixed[256];
    extern __shared__ uint32_t dynamic[];
    unsigned i = threadIdx.x, n = blockDim.x;
    fixed[n - 1 - i] = in[blockIdx.x * n + i];
    __syncthreads();
    dynamic[i] = fixed[i] + 1;
    __syncthreads();
    out[blockIdx.x * n + i] = dynamic[i];
}

extern "C" __global__ void store_at(uint32_t *out, long index)
{
    out[index] = 7;
}

extern "C" __global__ void load_at(uint32_t *out, const uint32_t *in, long index)
{
    out[threadIdx.x] = in[index + threadIdx.x];
}

extern "C" __global__ void spin(volatile uint32_t *flag)
{
    while (*flag == 0)
        ;
}

/* The barrier is in the path of some of a wave's lanes only. */
extern "C" __global__ void half_barrier(uint32_t *out)
{
    if (threadIdx.x % 32 < 16)
        __builtin_amdgcn_s_barrier();
    out[threadIdx.x] = threadIdx.x;
}

extern "C" __global__ void stop_here(uint32_t *out)
{
    out[0] = 1;
    __builtin_trap();
}

/* The first three workgroups take their time and store out of bounds; the later ones trap at once. */
extern "C" __global__ void fail_by_group(uint32_t *out)
{
    if (blockIdx.x >= 3)
        __builtin_trap();
    for (int i = 0; i < 1000000; i++)
        __builtin_amdgcn_s_sleep(1);
    out[100 + threadIdx.x] = blockIdx.x;
}

/* Every workgroup makes an infinity, those from `fails` on store it out of bounds, and `traps` then traps; the first three
 * take their time. */
extern "C" __global__ void note_by_group(const float *in, float *out, int fails, int traps)
{
    int group = blockIdx.x;
    if (group < 3)
        for (int i = 0; i < 10000; i++)
            __builtin_amdgcn_s_sleep(1);
    out[group >= fails ? 1 << 20 : group] = *in * *in;
    if (group == traps)
        __builtin_trap();
}

extern "C" __global__ __launch_bounds__(64) void bounded(uint32_t *out)
{
    out[threadIdx.x] = threadIdx.x;
}

extern "C" __global__ void count(uint32_t *total, uint32_t *order)
{
    order[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(total, 1);
}

/* A private array whose index the compiler cannot know. */
extern "C" __global__ void private_array(const uint32_t *index, uint32_t *out)
{
    uint32_t values[64];
    for (uint32_t i = 0; i < 64; i++)
        values[(i * 5 + threadIdx.x) % 64] = i;
    out[threadIdx.x] = values[index[threadIdx.x] % 64];
}

/* A generic pointer: LDS in even lanes, global memory in odd ones. */
extern "C" __global__ void generic_pointer(const uint32_t *in, uint32_t *out)
{
    __shared__ uint32_t local[64];
    local[threadIdx.x] = 1000 + threadIdx.x;
    __syncthreads();
    const volatile uint32_t *from = threadIdx.x & 1 ? (const volatile uint32_t *)&in[threadIdx.x]
                                                    : (const volatile uint32_t *)&local[threadIdx.x];
    out[threadIdx.x] = *from;
}

/* A register that nobody wrote: what it holds must depend on the run. */
extern "C" __global__ void unwritten_lds(uint32_t *out)
{
    __shared__ uint32_t values[64];
    volatile uint32_t *from = values;
    out[threadIdx.x] = from[threadIdx.x];
}

__device__ uint32_t counter = 40;
extern "C" __global__ void module_variable(uint32_t *out)
{
    counter += 1;
    out[0] = counter;
}
