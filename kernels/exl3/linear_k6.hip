/* tf_exl3_linear_k6_w4 and _w8, f32 and bf16 out: weights of 3 bits. */
#include "linear.h"

EXL3_LINEARS(k6, 3)
