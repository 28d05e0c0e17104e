/* matmul_q8_0_batch by MFMA of 16 x 16 x 16 halves in waves of 64 lanes: gfx90a, gfx942, gfx950. */
#if defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)

#include "q8_0_matrix.h"

namespace
{

struct mfma {
    static constexpr int lanes = 64, n_sums = 4;
    using sums_t = float4_t;
    using factors_t = half4_t;

    /* A part has 8 consecutive k of a block, 4 an instruction. */
    static __device__ __forceinline__ factors_t load(const half_t *row, int half, int part)
    {
        return *(const half4_t *)(row + 8 * part + 4 * half);
    }
    static __device__ __forceinline__ sums_t multiply_add(factors_t a, factors_t b, sums_t c)
    {
        return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0);
    }
    static __device__ __forceinline__ int row(int e, int part)
    {
        return 4 * part + e;
    }
};

} // namespace

Q8_0_BATCH(matmul_q8_0_batch_mfma, mfma)

#endif
