/* hgemm_bf16_fp32c and hgemm_bf16_bf16c by MFMA in waves of 64 lanes: 16 x 16 x 32 on gfx950, 16 x 16 x 16 on gfx90a and
 * gfx942. */
#if defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)

#include "matrix.h"

HGEMM(hgemm_bf16_fp32c_mfma, matrix_math, float)
HGEMM(hgemm_bf16_bf16c_mfma, matrix_math, __bf16)

#endif
