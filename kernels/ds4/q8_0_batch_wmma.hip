/* matmul_q8_0_batch by WMMA of 16 x 16 x 16 halves in waves of 32 lanes: gfx11 and gfx12. */
#if defined(__GFX11__) || defined(__GFX12__)

#include "q8_0_matrix.h"

namespace
{

struct wmma {
    static constexpr int lanes = 32, n_sums = 8;
    using sums_t = float8_t;

#if defined(__GFX12__)
    /* The parts share the k; each lane has 8. */
    using factors_t = half8_t;
    static __device__ __forceinline__ factors_t load(const half_t *row, int half, int part)
    {
        return *(const half8_t *)(row + 16 * half + 8 * part);
    }
    static __device__ __forceinline__ sums_t multiply_add(factors_t a, factors_t b, sums_t c)
    {
        return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c);
    }
    static __device__ __forceinline__ int row(int e, int part)
    {
        return 8 * part + e;
    }
#else
    /* Both parts hold all k. */
    using factors_t = half16_t;
    static __device__ __forceinline__ factors_t load(const half_t *row, int half, int part)
    {
        const half8_t *from = (const half8_t *)(row + 16 * half);
        return __builtin_shufflevector(from[0], from[1], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    }
    static __device__ __forceinline__ sums_t multiply_add(factors_t a, factors_t b, sums_t c)
    {
        return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c);
    }
    static __device__ __forceinline__ int row(int e, int part)
    {
        return 2 * e + part;
    }
#endif
};

} // namespace

Q8_0_BATCH(matmul_q8_0_batch_wmma, wmma)

#endif
