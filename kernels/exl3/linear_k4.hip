/* tf_exl3_linear_k4_w4 and _w8, f32 and bf16 out: weights of 2 bits. */
#include "linear.h"

EXL3_LINEARS(k4, 2)
