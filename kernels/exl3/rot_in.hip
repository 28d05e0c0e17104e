/*
 * tf_exl3_rot_in*: rows of f32, f16 or bf16 times suh, rotated by H128, scaled, rounded to f16.
 */
#include "rotation.h"

namespace
{

constexpr int rot_in_threads = 128;

/* Hides a value from the optimiser, so that what made it and what follows stay two roundings. */
__device__ __forceinline__ float rounded_here(float value)
{
    asm volatile("" : "+v"(value));
    return value;
}

/* The product with the scale and the conversion to f16: two roundings. */
__device__ __forceinline__ _Float16 scaled_f16(float value, float scale)
{
#if defined(EXL3_FAULT_DIVIDE)
    return (_Float16)rounded_here(value / 11.3137085f);
#elif defined(EXL3_FAULT_FUSED)
    unsigned fused = 0;
    asm("v_fma_mixlo_f16 %0, %1, %2, 0" : "+v"(fused) : "v"(value), "v"(scale));
    return __builtin_bit_cast(half2_t, fused).x;
#else
    return (_Float16)rounded_here(value * scale);
#endif
}

/* One element of x times its suh. */
__device__ __forceinline__ float product(float x, float suh)
{
#if defined(EXL3_FAULT_F16_PRODUCT)
    return (float)(_Float16)rounded_here(x * suh);
#else
    return x * suh;
#endif
}

/* x[rows][k] . suh[k] -> H128 -> * scale -> f16. One logical wave a group of 128, one row of blocks a row of x. */
template <typename VECTOR>
__device__ __forceinline__ void rot_in(const VECTOR *__restrict__ x, const half4_t *__restrict__ suh,
                                       half4_t *__restrict__ out, float scale, int k)
{
    const int lane = threadIdx.x % wave;
    const unsigned groups_of_row = (unsigned)k / group;
    const unsigned g = blockIdx.x * (rot_in_threads / wave) + threadIdx.x / wave;
    if (g >= groups_of_row)
        return;
    const size_t from = ((size_t)blockIdx.y * groups_of_row + g) * wave + lane;
    const VECTOR in = x[from];
    const half4_t sign = suh[g * wave + lane];
    float4_t v;
    for (int i = 0; i < 4; i++)
        v[i] = product((float)in[i], (float)sign[i]);
    v = hadamard128(v, lane);
    half4_t result;
    for (int i = 0; i < 4; i++)
        result[i] = scaled_f16(v[i], scale);
    out[from] = result;
}

} // namespace

#define EXL3_ROT_IN(symbol, VECTOR)                                                                                        \
    extern "C" __global__ __launch_bounds__(rot_in_threads) void symbol(                                                   \
        const VECTOR *__restrict__ x, const half4_t *__restrict__ suh, half4_t *__restrict__ out, float scale, int k)      \
    {                                                                                                                      \
        rot_in(x, suh, out, scale, k);                                                                                     \
    }

EXL3_ROT_IN(tf_exl3_rot_in, float4_t)
EXL3_ROT_IN(tf_exl3_rot_in_f16, half4_t)
EXL3_ROT_IN(tf_exl3_rot_in_bf16, bfloat4_t)
