/*
 * A load whose wait is missing (the compiler does not know of it: it is written in assembly), beside its twin that waits.
 */
#include <hip/hip_runtime.h>

#if defined(__gfx90a__)
#define LOAD "global_load_dword %0, %1, off"
#else
#define LOAD "global_load_b32 %0, %1, off"
#endif

extern "C" __global__ void load_and_wait(int *out, const int *in)
{
    int value;
    asm volatile(LOAD "\n\ts_waitcnt vmcnt(0)" : "=&v"(value) : "v"(in + threadIdx.x) : "memory");
    out[threadIdx.x] = value + 1;
}

extern "C" __global__ void load_without_wait(int *out, const int *in)
{
    int value;
    asm volatile(LOAD : "=&v"(value) : "v"(in + threadIdx.x) : "memory");
    out[threadIdx.x] = value + 1;
}
