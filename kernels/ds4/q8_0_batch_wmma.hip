/* matmul_q8_0_batch by WMMA of 16 x 16 x 16 halves in waves of 32 lanes: gfx11 and gfx12. */
#if defined(__GFX11__) || defined(__GFX12__)

#include "../matrix.h"
#include "q8_0_matrix.h"

namespace
{

struct wmma : matrix<half_t> {
    static __device__ __forceinline__ factors_t load(const half_t *row, int half, int part)
    {
        factors_t factors;
        __builtin_memcpy(&factors, __builtin_assume_aligned(row + k * half + k_of_lane(part), 16), sizeof factors);
        return factors;
    }
};

} // namespace

Q8_0_BATCH(matmul_q8_0_batch_wmma, wmma)

#endif
