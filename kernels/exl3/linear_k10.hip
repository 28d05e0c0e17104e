/* tf_exl3_linear_k10_w4 and _w8, f32 and bf16 out: weights of 5 bits. */
#include "linear.h"

EXL3_LINEARS(k10, 5)
