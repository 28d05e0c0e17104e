/* indexer_scores by MFMA in waves of 64 lanes: 16 x 16 x 32 on gfx950, 16 x 16 x 16 on gfx90a and gfx942. */
#if defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)

#include "indexer_matrix.h"

namespace
{

/* A part has 32 consecutive numbers of its row, so that neighbouring steps share a vector load. */
template <typename NUMBER> struct mfma : matrix<NUMBER> {
    static __device__ __forceinline__ int at(int step, int part)
    {
        return width / 4 * part + matrix<NUMBER>::n_of_lane * step;
    }
};

} // namespace

INDEXER_SCORES(indexer_scores_f16_mfma, matrix_dots<mfma<half_t>>)
INDEXER_SCORES(indexer_scores_bf16_mfma, matrix_dots<mfma<bf16_t>>)

#endif
