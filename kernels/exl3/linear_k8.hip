/* tf_exl3_linear_k8_w4 and _w8, f32 and bf16 out: weights of 4 bits. */
#include "linear.h"

EXL3_LINEARS(k8, 4)
