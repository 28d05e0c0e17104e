/*
 * Kernels that are wrong on purpose, each with its clean twin, for the sanitizer's tests (tests/unit/test_faults.c): `x` holds
 * the fault, `x_fixed` does not. The line of the fault, or of one of its two parties, ends in a comment "here: x". All take
 * (in, out, n): n words of each, blocks of 128.
 */
#include "tests/kernels/wave64.h"

#include <hip/hip_runtime.h>
#include <stdint.h>

#define KERNEL extern "C" __global__ __launch_bounds__(128) void

static __device__ int global_index()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

/* mem: the last work-item reads one element too far. */
KERNEL read_past_the_end(const uint32_t *in, uint32_t *out, int n)
{
    int i = global_index();
    out[i] = in[i + 1]; /* here: read_past_the_end */
}

KERNEL read_past_the_end_fixed(const uint32_t *in, uint32_t *out, int n)
{
    int i = global_index();
    out[i] = i + 1 < n ? in[i + 1] : 0;
}

/* mem: the guard is wrong by one. */
KERNEL write_past_the_end(const uint32_t *in, uint32_t *out, int n)
{
    int i = global_index();
    if (i <= n - 1)
        out[i + 1] = in[i]; /* here: write_past_the_end */
}

KERNEL write_past_the_end_fixed(const uint32_t *in, uint32_t *out, int n)
{
    int i = global_index();
    if (i < n - 1)
        out[i + 1] = in[i];
}

/* mem: an index of 32 bits wraps and lies far before the buffer. */
KERNEL wrapped_index(const uint32_t *in, uint32_t *out, int n)
{
    int i = global_index(), far = i - n;
    out[i] = in[far]; /* here: wrapped_index */
}

KERNEL wrapped_index_fixed(const uint32_t *in, uint32_t *out, int n)
{
    int i = global_index(), far = i - n;
    out[i] = in[far < 0 ? far + n : far];
}

/* mem: dynamic LDS that the launch did not ask for. */
KERNEL lds_past_the_end(const uint32_t *in, uint32_t *out, int n)
{
    extern __shared__ uint32_t memory[];
    memory[threadIdx.x + 1] = in[global_index()]; /* here: lds_past_the_end */
    __syncthreads();
    out[global_index()] = memory[threadIdx.x ? threadIdx.x : 1];
}

KERNEL lds_past_the_end_fixed(const uint32_t *in, uint32_t *out, int n)
{
    extern __shared__ uint32_t memory[];
    memory[threadIdx.x] = in[global_index()];
    __syncthreads();
    out[global_index()] = memory[threadIdx.x ? threadIdx.x : 1];
}

/* init: the halo of a tile is never filled. */
KERNEL unwritten_halo(const uint32_t *in, uint32_t *out, int n)
{
    __shared__ uint32_t tile[130];
    int t = threadIdx.x;
    tile[t + 1] = in[global_index()];
    __syncthreads();
    out[global_index()] = tile[t] + tile[t + 2]; /* here: unwritten_halo */
}

KERNEL unwritten_halo_fixed(const uint32_t *in, uint32_t *out, int n)
{
    __shared__ uint32_t tile[130];
    int t = threadIdx.x;
    tile[t + 1] = in[global_index()];
    if (t < 2)
        tile[t * 129] = 0;
    __syncthreads();
    out[global_index()] = tile[t] + tile[t + 2];
}

/* init: a private array of which one element in four stays unset; what is read of it decides. */
KERNEL unwritten_private(const uint32_t *in, uint32_t *out, int n)
{
    volatile uint32_t values[16];
    for (int k = 0; k < 16; k++)
        if (k % 4 != 3)
            values[k] = in[(global_index() + k) % n];
    out[global_index()] = values[in[global_index()] % 16] > 1000 ? 1 : 0; /* here: unwritten_private */
}

KERNEL unwritten_private_fixed(const uint32_t *in, uint32_t *out, int n)
{
    volatile uint32_t values[16];
    for (int k = 0; k < 16; k++)
        values[k] = in[(global_index() + k) % n];
    out[global_index()] = values[in[global_index()] % 16] > 1000 ? 1 : 0;
}

/* race, read and write: no barrier between one wave's store and another's load. */
KERNEL missing_barrier(const uint32_t *in, uint32_t *out, int n)
{
    __shared__ uint32_t tile[128];
    volatile uint32_t *cells = tile;
    cells[threadIdx.x] = in[global_index()];
    out[global_index()] = cells[127 - threadIdx.x]; /* here: missing_barrier */
}

KERNEL missing_barrier_fixed(const uint32_t *in, uint32_t *out, int n)
{
    __shared__ uint32_t tile[128];
    volatile uint32_t *cells = tile;
    cells[threadIdx.x] = in[global_index()];
    __syncthreads();
    out[global_index()] = cells[127 - threadIdx.x];
}

/* race, write and read: the second round overwrites what others still read. */
KERNEL reused_tile(const uint32_t *in, uint32_t *out, int n)
{
    __shared__ uint32_t tile[128];
    uint32_t sum = 0;
    for (int round = 0; round < 3; round++) {
        tile[threadIdx.x] = in[global_index()] + round; /* here: reused_tile */
        __syncthreads();
        sum += tile[(threadIdx.x + 64) % 128];
    }
    out[global_index()] = sum;
}

KERNEL reused_tile_fixed(const uint32_t *in, uint32_t *out, int n)
{
    __shared__ uint32_t tile[128];
    uint32_t sum = 0;
    for (int round = 0; round < 3; round++) {
        tile[threadIdx.x] = in[global_index()] + round;
        __syncthreads();
        sum += tile[(threadIdx.x + 64) % 128];
        __syncthreads();
    }
    out[global_index()] = sum;
}

/* race, two writes: two waves count in one word of LDS without an atomic. */
KERNEL plain_counter(const uint32_t *in, uint32_t *out, int n)
{
    __shared__ volatile uint32_t counter;
    counter = in[global_index()]; /* here: plain_counter */
    __syncthreads();
    out[global_index()] = counter;
}

KERNEL plain_counter_fixed(const uint32_t *in, uint32_t *out, int n)
{
    __shared__ uint32_t counter;
    if (threadIdx.x == 0)
        counter = 0;
    __syncthreads();
    atomicMax(&counter, in[global_index()]);
    __syncthreads();
    out[global_index()] = counter;
}

/* race between workgroups: each stores to a word that the others store to. */
KERNEL shared_total(const uint32_t *in, uint32_t *out, int n)
{
    if (threadIdx.x == 0)
        out[0] = out[0] + in[global_index()]; /* here: shared_total */
}

KERNEL shared_total_fixed(const uint32_t *in, uint32_t *out, int n)
{
    if (threadIdx.x == 0)
        atomicAdd(&out[0], in[global_index()]);
}

/* race between workgroups: a flag by plain stores and loads, which nothing orders with the data before it. */
KERNEL unreleased_flag(const uint32_t *in, uint32_t *out, int n)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        out[1] = in[0];
        asm volatile("" ::: "memory");
        out[0] = 1; /* here: unreleased_flag */
    } else {
        out[2 + blockIdx.x] = out[0] ? out[1] : 0;
    }
}

KERNEL unreleased_flag_fixed(const uint32_t *in, uint32_t *out, int n)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        out[1] = in[0];
        __hip_atomic_store(&out[0], 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
    } else {
        uint32_t flag = __hip_atomic_load(&out[0], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
        out[2 + blockIdx.x] = flag ? out[1] : 0;
    }
}

/* sync: a barrier that half of a wave's lanes step around. */
KERNEL divergent_barrier(const uint32_t *in, uint32_t *out, int n)
{
    __shared__ uint32_t tile[128];
    tile[threadIdx.x] = in[global_index()];
    if (in[global_index()] % 2)
        __builtin_amdgcn_s_barrier(); /* here: divergent_barrier */
    out[global_index()] = tile[threadIdx.x];
}

KERNEL divergent_barrier_fixed(const uint32_t *in, uint32_t *out, int n)
{
    __shared__ uint32_t tile[128];
    tile[threadIdx.x] = in[global_index()];
    __builtin_amdgcn_s_barrier();
    out[global_index()] = tile[threadIdx.x];
}
