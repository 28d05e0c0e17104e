/*
 * One source for a chip and for the host: kernels of tests/kernels/agreement/ compile as HIP for every chip and as C for
 * the host (tests/support/host_group.h), and must leave the same bytes. So they keep to what C, IEEE 754 and HIP specify:
 * unsigned arithmetic where it may wrap, shifts below the width, conversions in range, NaNs in one form only, no
 * contraction.
 *
 * A kernel takes n work-items' words `in`, and writes words `out`; kernels.def says how many of each. All work-items of a
 * block must reach a barrier, a shuffle or a ballot together.
 */
#ifndef AGREEMENT_H
#define AGREEMENT_H

#ifdef __HIP__
#include "tests/kernels/wave64.h"

#include <hip/hip_runtime.h>
#include <stdint.h>

#define KERNEL(name)        extern "C" __global__ __launch_bounds__(256) void name(const uint32_t *in, uint32_t *out, int n)
#define DEVICE              static __device__
#define NOINLINE            static __device__ __attribute__((noinline))
#define CALLABLE            __device__ __attribute__((noinline))
#define SHARED              __shared__
#define CONSTANT            static __constant__ const
#define DYNAMIC_LDS(name)   extern __shared__ uint32_t name[]
#define BARRIER()           __syncthreads()
#define SHUFFLE(v, lane)    ((uint32_t)__shfl((int)(v), (int)(lane), 32))
#define SHUFFLE_UP(v, by)   ((uint32_t)__shfl_up((int)(v), (by), 32))
#define SHUFFLE_DOWN(v, by) ((uint32_t)__shfl_down((int)(v), (by), 32))
#define SHUFFLE_XOR(v, by)  ((uint32_t)__shfl_xor((int)(v), (by), 32))
/* Of the 32 lanes of which this is one. */
#define BALLOT(condition) ((uint32_t)(__ballot(condition) >> (threadIdx.x % warpSize & 32)))
#else
#include "tests/support/host_group.h"
#endif

#pragma clang fp contract(off)

DEVICE int item(void)
{
    return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

DEVICE float as_float(uint32_t bits)
{
    float value;
    __builtin_memcpy(&value, &bits, 4);
    return value;
}

DEVICE double as_double(uint64_t bits)
{
    double value;
    __builtin_memcpy(&value, &bits, 8);
    return value;
}

DEVICE uint64_t as_long(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

/* Bits of a result; NaNs, whose sign and payload IEEE leaves open, in one form. */
DEVICE uint32_t bits_of(float value)
{
    uint32_t bits;
    __builtin_memcpy(&bits, &value, 4);
    return value != value ? 0x7fc00000u : bits;
}

DEVICE uint64_t bits_of_double(double value)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &value, 8);
    return value != value ? UINT64_C(0x7ff8000000000000) : bits;
}

DEVICE void put64(uint32_t *out, uint64_t value)
{
    out[0] = (uint32_t)value;
    out[1] = (uint32_t)(value >> 32);
}

/* A float of magnitude 2^-16 to 2^16 from any bits. */
DEVICE float moderate(uint32_t bits)
{
    return as_float((bits & 0x807fffffu) | (111 + (bits >> 23 & 31)) << 23);
}

DEVICE double moderate_double(uint32_t low, uint32_t high)
{
    return as_double(as_long(low, (high & 0x800fffffu) | (1007 + (high >> 20 & 31)) << 20));
}

#endif
