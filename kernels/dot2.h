/* A step of a dot product in f16, for every family. Device code only. */
#ifndef KERNELS_DOT2_H
#define KERNELS_DOT2_H

#include <hip/hip_runtime.h>

#include "vectors.h"

#if defined(__gfx900__) || defined(__gfx902__) || defined(__gfx909__) || defined(__gfx90c__) || defined(__gfx1010__) ||    \
    defined(__gfx1013__)
#define HAS_DOT2_F16 0
#else
#define HAS_DOT2_F16 1
#endif

namespace
{

/* sum + a.x b.x + a.y b.y: v_dot2_f32_f16 where the chip has it; elsewhere one fma a product, low half first. */
__device__ __forceinline__ float dot2(half2_t a, half2_t b, float sum)
{
#if HAS_DOT2_F16
    return __builtin_amdgcn_fdot2(a, b, sum, false);
#else
    return __builtin_fmaf((float)a.y, (float)b.y, __builtin_fmaf((float)a.x, (float)b.x, sum));
#endif
}

} // namespace

#endif
