/*
 * What HIP gives a kernel, for kernels compiled as C for the host (tests/kernels/agreement/): each work-item of a block is
 * a coroutine that runs to its next barrier. Blocks run one after another, so plain loads and stores serve as atomics.
 */
#ifndef SUPPORT_HOST_GROUP_H
#define SUPPORT_HOST_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct host_dim {
    unsigned x, y, z;
};

/* The work-item that runs, of the thread that called host_group_run. */
struct host_item {
    struct host_dim thread, block, block_size, grid_size;
    uint32_t *dynamic_lds;
};

typedef void host_kernel(const uint32_t *in, uint32_t *out, int n);

/* Runs n_blocks blocks of block_size work-items (at most 256). false: a larger block, or out of memory. */
bool host_group_run(host_kernel *kernel, unsigned n_blocks, unsigned block_size, size_t dynamic_lds_bytes,
                    const uint32_t *in, uint32_t *out, int n);
const struct host_item *host_group_item(void);
/* Returns when every work-item of the block has called it. */
void host_group_barrier(void);
/* value of the work-item `lane` of the caller's 32; the whole block must call. */
uint32_t host_group_shuffle(uint32_t value, unsigned lane);
uint32_t host_group_ballot(bool condition);

#define KERNEL(name)                                                                                                       \
    void agree_##name(const uint32_t *in, uint32_t *out, int n);                                                           \
    void agree_##name(const uint32_t *in, uint32_t *out, int n)
#define DEVICE              static inline __attribute__((unused))
#define NOINLINE            static __attribute__((noinline))
#define CALLABLE            static __attribute__((noinline))
#define SHARED              static
#define CONSTANT            static const
#define DYNAMIC_LDS(name)   uint32_t *name = host_group_item()->dynamic_lds
#define BARRIER()           host_group_barrier()
#define HOST_LANE           (threadIdx.x % 32)
#define SHUFFLE(v, lane)    host_group_shuffle(v, (unsigned)(lane) % 32)
#define SHUFFLE_UP(v, by)   host_group_shuffle(v, HOST_LANE >= (unsigned)(by) ? HOST_LANE - (by) : HOST_LANE)
#define SHUFFLE_DOWN(v, by) host_group_shuffle(v, HOST_LANE + (unsigned)(by) < 32 ? HOST_LANE + (by) : HOST_LANE)
#define SHUFFLE_XOR(v, by)  host_group_shuffle(v, HOST_LANE ^ (by))
#define BALLOT(condition)   host_group_ballot(condition)
#define threadIdx           (host_group_item()->thread)
#define blockIdx            (host_group_item()->block)
#define blockDim            (host_group_item()->block_size)
#define gridDim             (host_group_item()->grid_size)
#define __threadfence()     ((void)0)

#define HOST_ATOMIC(p, expression)                                                                                         \
    ({                                                                                                                     \
        __typeof__(*(p)) old = *(p);                                                                                       \
        *(p) = (expression);                                                                                               \
        old;                                                                                                               \
    })
#define atomicAdd(p, v)    HOST_ATOMIC(p, old + (v))
#define atomicSub(p, v)    HOST_ATOMIC(p, old - (v))
#define atomicMin(p, v)    HOST_ATOMIC(p, old < (v) ? old : (v))
#define atomicMax(p, v)    HOST_ATOMIC(p, old > (v) ? old : (v))
#define atomicAnd(p, v)    HOST_ATOMIC(p, old &(v))
#define atomicOr(p, v)     HOST_ATOMIC(p, old | (v))
#define atomicXor(p, v)    HOST_ATOMIC(p, old ^ (v))
#define atomicExch(p, v)   HOST_ATOMIC(p, (v))
#define atomicCAS(p, c, v) HOST_ATOMIC(p, old == (c) ? (v) : old)

#endif
