/*
 * Protocols between waves and between workgroups, for tests/unit/test_race_kernels.c. `fault` is 0 for the sound kernel, and
 * 1 for its twin with one thing out of order.
 */
#include <hip/hip_runtime.h>
#include <stdint.h>

static __device__ uint32_t load_acquire(uint32_t *at)
{
    return __hip_atomic_load(at, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
}

static __device__ void store_release(uint32_t *at, uint32_t value)
{
    __hip_atomic_store(at, value, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

/* Through LDS; the fault: no barrier between the stores and the loads. */
extern "C" __global__ void exchange_lds(uint32_t *out, uint32_t *, uint32_t *, uint32_t fault)
{
    __shared__ uint32_t shared[256];
    shared[threadIdx.x] = threadIdx.x;
    if (!fault)
        __syncthreads();
    else
        __builtin_amdgcn_wave_barrier();
    out[blockIdx.x * 256 + threadIdx.x] = shared[255 - threadIdx.x];
}

/* Through global memory. */
extern "C" __global__ void exchange_memory(uint32_t *out, uint32_t *data, uint32_t *, uint32_t fault)
{
    uint32_t *own = data + blockIdx.x * 256;
    own[threadIdx.x] = threadIdx.x;
    if (!fault)
        __syncthreads();
    else
        __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "wavefront");
    out[blockIdx.x * 256 + threadIdx.x] = own[255 - threadIdx.x];
}

/* The fault: each workgroup's last element is the next one's first, with the same value even. */
extern "C" __global__ void neighbours(uint32_t *out, uint32_t *, uint32_t *, uint32_t fault)
{
    out[blockIdx.x * (blockDim.x - fault) + threadIdx.x] = 7;
}

/* The last workgroup to take a ticket adds up all partial sums. The fault: the ticket before the sum is stored. */
extern "C" __global__ void last_group_adds(uint32_t *out, uint32_t *partial, uint32_t *ticket, uint32_t fault)
{
    __shared__ uint32_t mine;
    if (threadIdx.x == 0) {
        if (!fault)
            partial[blockIdx.x] = blockIdx.x + 1;
        __threadfence();
        mine = __hip_atomic_fetch_add(ticket, 1, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
        if (fault)
            partial[blockIdx.x] = blockIdx.x + 1;
        __threadfence();
    }
    __syncthreads();
    if (mine != gridDim.x - 1 || threadIdx.x != 0)
        return;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < gridDim.x; i++)
        sum += partial[i];
    out[0] = sum;
}

/* Each workgroup waits for the one before it, whose sum it goes on from. The fault: the flag before the sum. */
extern "C" __global__ void chain(uint32_t *out, uint32_t *sums, uint32_t *flags, uint32_t fault)
{
    uint32_t b = blockIdx.x, before = 0;
    if (threadIdx.x != 0)
        return;
    if (b > 0) {
        while (load_acquire(&flags[b - 1]) == 0)
            ;
        before = sums[b - 1];
    }
    if (fault)
        store_release(&flags[b], 1);
    sums[b] = before + b + 1;
    if (!fault)
        store_release(&flags[b], 1);
    out[b] = before;
}

/* A spin lock around a plain counter. The fault: odd workgroups do without. */
extern "C" __global__ void locked_counter(uint32_t *out, uint32_t *, uint32_t *lock, uint32_t fault)
{
    bool locks = !(fault && blockIdx.x & 1);
    if (threadIdx.x != 0)
        return;
    for (;;) {
        uint32_t unlocked = 0;
        if (!locks || __hip_atomic_compare_exchange_strong(lock, &unlocked, 1, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED,
                                                           __HIP_MEMORY_SCOPE_AGENT)) {
            out[0] += 1;
            if (locks)
                store_release(lock, 0);
            return;
        }
    }
}

/* A barrier of the whole grid. The fault: nobody waits at it. */
extern "C" __global__ void grid_barrier(uint32_t *out, uint32_t *data, uint32_t *count, uint32_t fault)
{
    uint32_t next = (blockIdx.x + 1) % gridDim.x;
    data[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        __hip_atomic_fetch_add(count, 1, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
        while (!fault && load_acquire(count) < gridDim.x)
            ;
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = data[next * blockDim.x + threadIdx.x];
}

/* Counts everything. The fault: the first workgroup clears the counter itself. */
extern "C" __global__ void count_all(uint32_t *out, uint32_t *, uint32_t *, uint32_t fault)
{
    if (fault && blockIdx.x == 0) {
        if (threadIdx.x == 0)
            out[0] = 0;
        __syncthreads();
    }
    atomicAdd(&out[0], 1);
}

/* Relaxed atomics order nothing: what a workgroup stores beside them is its own. The fault: another one's. */
extern "C" __global__ void histogram(uint32_t *out, uint32_t *data, uint32_t *bins, uint32_t fault)
{
    atomicAdd(&bins[threadIdx.x % 16], 1);
    data[(fault ? 0 : blockIdx.x) * blockDim.x + threadIdx.x] = blockIdx.x;
    atomicAdd(&bins[threadIdx.x % 16], 1);
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

/* A fence alone after each store of one lane: nothing that another workgroup could learn from. The fault: one place for
 * all. */
extern "C" __global__ void fenced(uint32_t *out, uint32_t *, uint32_t *, uint32_t fault)
{
    if (threadIdx.x != 0)
        return;
    for (uint32_t i = 0; i < blockDim.x; i++) {
        out[(fault ? 0 : blockIdx.x) * blockDim.x + i] = i;
        __threadfence();
    }
}

/* The barrier in the path of some lanes only, for the fault. */
extern "C" __global__ void half_a_barrier(uint32_t *out, uint32_t *, uint32_t *, uint32_t fault)
{
    __shared__ uint32_t shared[256];
    if (!fault || threadIdx.x % 32 < 20) {
        shared[threadIdx.x] = threadIdx.x;
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
        __builtin_amdgcn_s_barrier();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    }
    out[blockIdx.x * 256 + threadIdx.x] = fault ? 0 : shared[255 - threadIdx.x];
}

/* Spare waves return before the barrier; the fault: the waves wait at two barriers. */
extern "C" __global__ void early_return(uint32_t *out, uint32_t *, uint32_t *, uint32_t fault)
{
    __shared__ uint32_t shared[256];
    bool spare = __builtin_amdgcn_readfirstlane(threadIdx.x) >= 128;
    if (spare && !fault)
        return;
    shared[threadIdx.x] = threadIdx.x;
    if (spare) {
        __builtin_amdgcn_s_barrier();
        out[blockIdx.x * 256 + threadIdx.x] = 1;
        return;
    }
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = shared[127 - threadIdx.x % 128];
}
