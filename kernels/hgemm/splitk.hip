/*
 * C[m][n] = A[m][k] B[n][k]^T with k in splits: the splits' sums in f32, and the kernels that add them; or splits that add
 * to C by atomics. A chip has the product by its own math alone.
 */
#include "chip.h"
#include "reduce.h"

namespace
{

/* In the place of the store: *to += value, for all of the device. Memory is of the device and coarse-grained. */
struct add_to_c {
    static __device__ __forceinline__ void element(float *to, float value)
    {
#if __has_extension(clang_atomic_attributes)
        [[clang::atomic(no_remote_memory, no_fine_grained_memory, ignore_denormal_mode)]]
#endif
        {
            __hip_atomic_fetch_add(to, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        }
    }
    /* Downwards: clang merges additions that come first in the whole and the ragged store, and loses their attribute. */
    static __device__ __forceinline__ void vector(float *to, float4_t value)
    {
#pragma unroll
        for (int i = 3; i >= 0; i--)
            element(to + i, value[i]);
    }
};

} // namespace

/* c[m][n] += the sums of blockIdx.z's k_of_split products, a multiple of the tile's k. */
#define HGEMM_ATOMIC(symbol, MATH)                                                                                         \
    extern "C" __global__ __launch_bounds__(MATH::tile.threads) void symbol(                                               \
        const bf16_t *__restrict__ a, const bf16_t *__restrict__ b, float *__restrict__ c, int m, int n, int k,            \
        int k_of_split)                                                                                                    \
    {                                                                                                                      \
        const int k_first = blockIdx.z * k_of_split;                                                                       \
        hgemm<MATH, float, add_to_c>({a, b, m, n, k}, k_first, min(k, k_first + k_of_split), c);                           \
    }

#if HAS_MATRIX && defined(__GFX9__)
HGEMM_SPLIT(hgemm_splitk_mfma, chip_math, float)
HGEMM_ATOMIC(hgemm_atomic_mfma, chip_math)
#elif HAS_MATRIX
HGEMM_SPLIT(hgemm_splitk_wmma, chip_math, float)
HGEMM_ATOMIC(hgemm_atomic_wmma, chip_math)
#else
HGEMM_SPLIT(hgemm_splitk_fma, chip_math, float)
HGEMM_ATOMIC(hgemm_atomic_fma, chip_math)
#endif

HGEMM_REDUCE(hgemm_reduce_fp32, float)
HGEMM_REDUCE(hgemm_reduce_bf16, __bf16)
