/* hgemm_bf16_fp32c and hgemm_bf16_bf16c by WMMA of 16 x 16 x 16 in waves of 32 lanes: gfx11 and gfx12. */
#if defined(__GFX11__) || defined(__GFX12__)

#include "matrix.h"

HGEMM(hgemm_bf16_fp32c_wmma, matrix_math, float)
HGEMM(hgemm_bf16_bf16c_wmma, matrix_math, __bf16)

#endif
