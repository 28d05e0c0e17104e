/* indexer_scores by MFMA in waves of 64 lanes: 16 x 16 x 32 on gfx950, 16 x 16 x 16 on gfx90a and gfx942. */
#if defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)

#include "indexer_matrix.h"

namespace
{

#if defined(__gfx950__)
using halves_t = half8_t;
using bf16s_t = __bf16 __attribute__((ext_vector_type(8)));
#define MFMA_F16  __builtin_amdgcn_mfma_f32_16x16x32_f16
#define MFMA_BF16 __builtin_amdgcn_mfma_f32_16x16x32_bf16
#else
using halves_t = half4_t;
using bf16s_t = bf16x4_t;
#define MFMA_F16  __builtin_amdgcn_mfma_f32_16x16x16f16
#define MFMA_BF16 __builtin_amdgcn_mfma_f32_16x16x16bf16_1k
#endif

/* A part has 32 consecutive numbers of its row, so that neighbouring steps share a vector load. */
struct mfma {
    static constexpr int lanes = 64, n_of_step = sizeof(halves_t) / sizeof(half_t), n_steps = width / 4 / n_of_step;
    using sums_t = float4_t;
    static __device__ __forceinline__ int at(int step, int part)
    {
        return width / 4 * part + n_of_step * step;
    }
    static __device__ __forceinline__ int row(int e, int part)
    {
        return 4 * part + e;
    }
};

struct mfma_f16 : mfma {
    using number = half_t;
    using factor_t = halves_t;
    static __device__ __forceinline__ sums_t multiply_add(factor_t a, factor_t b, sums_t c)
    {
        return MFMA_F16(a, b, c, 0, 0, 0);
    }
};

struct mfma_bf16 : mfma {
    using number = bf16_t;
    using factor_t = bf16s_t;
    static __device__ __forceinline__ sums_t multiply_add(factor_t a, factor_t b, sums_t c)
    {
        return MFMA_BF16(a, b, c, 0, 0, 0);
    }
};

} // namespace

INDEXER_SCORES(indexer_scores_f16_mfma, matrix_dots<mfma_f16>)
INDEXER_SCORES(indexer_scores_bf16_mfma, matrix_dots<mfma_bf16>)

#endif
