/*
 * Sums of known depth, for tests/unit/test_depth.c: chains, trees over lanes, through LDS and through memory, and matrix
 * instructions. A block of 64, which is one or two waves.
 */
#include "wave64.h"

#include <hip/hip_runtime.h>

#define KERNEL extern "C" __global__ __launch_bounds__(64) void

enum { TERMS = 48, LANES = 64, SPLITS = 6 };

typedef _Float16 half_t;
typedef half_t half2_t __attribute__((ext_vector_type(2)));

/* fma from a zero of the code's: TERMS - 1. */
KERNEL chain(const float *a, const float *b, float *out)
{
    float sum = 0;
    for (int k = 0; k < TERMS; k++)
        sum = __builtin_fmaf(a[k * LANES + threadIdx.x], b[k], sum);
    out[threadIdx.x] = sum;
}

/* The same from memory, whose zero might be anything: TERMS. */
KERNEL chain_on(const float *a, const float *b, float *out)
{
    float sum = out[threadIdx.x];
    for (int k = 0; k < TERMS; k++)
        sum = __builtin_fmaf(a[k * LANES + threadIdx.x], b[k], sum);
    out[threadIdx.x] = sum;
}

/* A tree over 64 lanes in LDS: 6 levels. */
KERNEL tree(const float *a, const float *, float *out)
{
    __shared__ float part[LANES];
    part[threadIdx.x] = a[threadIdx.x];
    for (int n = LANES / 2; n > 0; n /= 2) {
        __syncthreads();
        if (threadIdx.x < n)
            part[threadIdx.x] += part[threadIdx.x + n];
    }
    __syncthreads();
    out[threadIdx.x] = part[0];
}

/* Butterflies over 32 lanes by shuffles: 5 levels. */
KERNEL butterflies(const float *a, const float *, float *out)
{
    float sum = a[threadIdx.x];
    for (int n = 16; n > 0; n /= 2)
        sum += __shfl_xor(sum, n, 32);
    out[threadIdx.x] = sum;
}

/* Butterflies over 16 lanes by DPP: 4 levels, their difference from a product no more. */
KERNEL rows(const float *a, const float *b, float *out)
{
#define DPP(x, control) __builtin_bit_cast(float, __builtin_amdgcn_update_dpp(0, __builtin_bit_cast(int, x), control, 0xf, 0xf, true))
    float sum = a[threadIdx.x] * b[threadIdx.x];
    sum += DPP(sum, 0xb1);  /* quad_perm 1, 0, 3, 2 */
    sum += DPP(sum, 0x4e);  /* quad_perm 2, 3, 0, 1 */
    sum += DPP(sum, 0x141); /* row_half_mirror */
    sum += DPP(sum, 0x140); /* row_mirror */
    out[threadIdx.x] = sum * b[0];
}

/* Split sums: SPLITS chains of TERMS / SPLITS, to memory; then joined in a chain: TERMS / SPLITS - 1 + SPLITS - 1. */
KERNEL split(const float *a, const float *, float *partial)
{
    float sum = 0;
    for (int k = 0; k < TERMS / SPLITS; k++)
        sum += a[(blockIdx.x * (TERMS / SPLITS) + k) * LANES + threadIdx.x];
    partial[blockIdx.x * LANES + threadIdx.x] = sum;
}

KERNEL join(const float *partial, const float *, float *out)
{
    float sum = 0;
    for (int s = 0; s < SPLITS; s++)
        sum += partial[s * LANES + threadIdx.x];
    out[threadIdx.x] = sum;
}

/* Each block adds its sum to what is there: TERMS / SPLITS - 1, then as many additions as blocks, the first of which adds to
 * what the host put there. */
KERNEL split_atomic(const float *a, const float *, float *out)
{
    float sum = 0;
    for (int k = 0; k < TERMS / SPLITS; k++)
        sum += a[(blockIdx.x * (TERMS / SPLITS) + k) * LANES + threadIdx.x];
    atomicAdd(out + threadIdx.x, sum);
}

/* Two chains of halves in a register, of which one is stored: TERMS - 1. The other has TERMS more. */
KERNEL halves(const half2_t *a, const half2_t *, half_t *out)
{
    half2_t sum = 0;
    for (int k = 0; k < TERMS; k++)
        sum += a[k * LANES + threadIdx.x];
    out[threadIdx.x] = sum[0];
    half_t other = sum[1];
    for (int k = 0; k < TERMS; k++)
        other += a[k * LANES + threadIdx.x][0];
    out[LANES + threadIdx.x] = other;
}

/* A quotient and a root of sums of two: 1. */
KERNEL quotient(const float *a, const float *b, float *out)
{
    float above = a[threadIdx.x] + b[threadIdx.x], below = a[threadIdx.x] + b[0];
    out[threadIdx.x] = above / below;
    out[LANES + threadIdx.x] = __builtin_sqrtf(below);
}

/* A sum over terms that are selected: those of the lanes that are not stay at 0 additions, the others count their own. */
KERNEL selected(const float *a, const float *, float *out)
{
    float sum = a[threadIdx.x];
    for (int k = 1; k < TERMS; k++)
        sum = threadIdx.x == 5 ? sum + a[k * LANES + threadIdx.x] : sum;
    out[threadIdx.x] = sum;
}

/* No addition: what moves keeps its count. */
KERNEL moved(const float *a, const float *, float *out)
{
    out[63 - threadIdx.x] = a[threadIdx.x] * 3;
}
