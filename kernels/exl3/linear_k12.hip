/* tf_exl3_linear_k12_w4 and _w8, f32 and bf16 out: weights of 6 bits. */
#include "linear.h"

EXL3_LINEARS(k12, 6)
