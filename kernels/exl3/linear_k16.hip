/* tf_exl3_linear_k16_w4 and _w8, f32 and bf16 out: weights of 8 bits. */
#include "linear.h"

EXL3_LINEARS(k16, 8)
