/* hgemm_bf16_fp32c and hgemm_bf16_bf16c for every chip. */
#include "fma.h"

HGEMM(hgemm_bf16_fp32c, fma_math, float)
HGEMM(hgemm_bf16_bf16c, fma_math, __bf16)
