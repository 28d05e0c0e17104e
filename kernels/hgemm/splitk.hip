/* C[m][n] = A[m][k] B[n][k]^T with k in splits: their partial sums in f32, and the kernels that add them. */
#include "reduce.h"

HGEMM_REDUCE(hgemm_reduce_fp32, float)
HGEMM_REDUCE(hgemm_reduce_bf16, __bf16)
