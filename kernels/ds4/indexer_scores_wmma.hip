/* indexer_scores by WMMA of 16 x 16 x 16 in waves of 32 lanes: gfx11 and gfx12. */
#if defined(__GFX11__) || defined(__GFX12__)

#include "indexer_matrix.h"

namespace
{

template <typename NUMBER> struct wmma : matrix<NUMBER> {
    static __device__ __forceinline__ int at(int step, int part)
    {
        return matrix<NUMBER>::k * step + matrix<NUMBER>::k_of_lane(part);
    }
};

} // namespace

INDEXER_SCORES(indexer_scores_f16_wmma, matrix_dots<wmma<half_t>>)
INDEXER_SCORES(indexer_scores_bf16_wmma, matrix_dots<wmma<bf16_t>>)

#endif
