/* indexer_scores by WMMA of 16 x 16 x 16 in waves of 32 lanes: gfx11 and gfx12. */
#if defined(__GFX11__) || defined(__GFX12__)

#include "indexer_matrix.h"

namespace
{

struct wmma_shape {
    static constexpr int lanes = 32, n_steps = width / 16;
    using sums_t = float8_t;
};

#if defined(__GFX12__)
#define WMMA(format) __builtin_amdgcn_wmma_f32_16x16x16_##format##_w32_gfx12
using halves_t = half8_t;
using bf16s_t = bf16x8_t;

/* The parts share the numbers of a step. */
struct wmma : wmma_shape {
    static __device__ __forceinline__ int at(int step, int part)
    {
        return 16 * step + 8 * part;
    }
    static __device__ __forceinline__ int row(int e, int part)
    {
        return 8 * part + e;
    }
};
#else
#define WMMA(format) __builtin_amdgcn_wmma_f32_16x16x16_##format##_w32
using halves_t = half16_t;
using bf16s_t = bf16x16_t;

/* Both parts hold all numbers of a step. */
struct wmma : wmma_shape {
    static __device__ __forceinline__ int at(int step, int)
    {
        return 16 * step;
    }
    static __device__ __forceinline__ int row(int e, int part)
    {
        return 2 * e + part;
    }
};
#endif

struct wmma_f16 : wmma {
    using number = half_t;
    using factor_t = halves_t;
    static __device__ __forceinline__ sums_t multiply_add(factor_t a, factor_t b, sums_t c)
    {
        return WMMA(f16)(a, b, c);
    }
};

struct wmma_bf16 : wmma {
    using number = bf16_t;
    using factor_t = bf16s_t;
    static __device__ __forceinline__ sums_t multiply_add(factor_t a, factor_t b, sums_t c)
    {
        return WMMA(bf16)(a, b, c);
    }
};

} // namespace

INDEXER_SCORES(indexer_scores_f16_wmma, matrix_dots<wmma_f16>)
INDEXER_SCORES(indexer_scores_bf16_wmma, matrix_dots<wmma_bf16>)

#endif
