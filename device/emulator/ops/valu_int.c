/*
 * Integer arithmetic in one 32-bit register or one half: sums, products, minima, maxima (ISA, "Vector ALU Operations";
 * clamp saturates: "Output modifiers").
 */
#include "device/emulator/ops/int_loops.h"

DEFINE_U32_CLAMP(v_add_u32, 2, a + b, saturate_u32((uint64_t)a + b))
DEFINE_U32_CLAMP(v_sub_u32, 2, a - b, a > b ? a - b : 0)
DEFINE_U32_CLAMP(v_subrev_u32, 2, b - a, b > a ? b - a : 0)
DEFINE_I32_CLAMP(v_add_i32, 2, (uint32_t)a + (uint32_t)b, saturate_i32((int64_t)a + b))
DEFINE_I32_CLAMP(v_sub_i32, 2, (uint32_t)a - (uint32_t)b, saturate_i32((int64_t)a - b))
DEFINE_U16_CLAMP(v_add_u16, 2, a + b, saturate_u16((uint32_t)a + b))
DEFINE_U16_CLAMP(v_sub_u16, 2, a - b, a > b ? a - b : 0)
DEFINE_U16_CLAMP(v_subrev_u16, 2, b - a, b > a ? b - a : 0)
DEFINE_I16_CLAMP(v_add_i16, 2, a + b, saturate_i16(a + b))
DEFINE_I16_CLAMP(v_sub_i16, 2, a - b, saturate_i16(a - b))

DEFINE_U32(v_add3_u32, 3, a + b + c)
DEFINE_U32(v_xad_u32, 3, (a ^ b) + c)
DEFINE_U32(v_lshl_add_u32, 3, (a << (b & 31)) + c)
DEFINE_U32(v_add_lshl_u32, 3, (a + b) << (c & 31))

DEFINE_U32(v_mul_lo_u32, 2, a *b)
DEFINE_U32(v_mul_hi_u32, 2, (uint64_t)a *b >> 32)
DEFINE_I32(v_mul_hi_i32, 2, (int64_t)a *b >> 32)
DEFINE_U16(v_mul_lo_u16, 2, (uint32_t)a *b)

/* 24-bit sources: the high byte of a register does not count. */
#define PRODUCT_U24 ((uint64_t)(a & 0xffffff) * (b & 0xffffff))
#define PRODUCT_I24 ((int64_t)sign_extend_24(a) * sign_extend_24(b))
DEFINE_U32_CLAMP(v_mul_u32_u24, 2, PRODUCT_U24, saturate_u32(PRODUCT_U24))
DEFINE_U32_CLAMP(v_mul_i32_i24, 2, PRODUCT_I24, saturate_i32(PRODUCT_I24))
DEFINE_U32(v_mul_hi_u32_u24, 2, PRODUCT_U24 >> 32)
DEFINE_U32(v_mul_hi_i32_i24, 2, PRODUCT_I24 >> 32)
DEFINE_U32_CLAMP(v_mad_u32_u24, 3, PRODUCT_U24 + c, saturate_u32(PRODUCT_U24 + c))
DEFINE_U32_CLAMP(v_mad_i32_i24, 3, PRODUCT_I24 + (int32_t)c, saturate_i32(PRODUCT_I24 + (int32_t)c))

/* 16-bit: products are exact in 32 bits, sums in 64. */
DEFINE_U16_CLAMP(v_mad_u16, 3, (uint32_t)a *b + c, saturate_u16((uint32_t)a *b + c))
DEFINE_I16_CLAMP(v_mad_i16, 3, (int32_t)a *b + c, saturate_i16((int32_t)a *b + c))
#define PRODUCT_U16 ((uint64_t)(a & 0xffff) * (b & 0xffff))
#define PRODUCT_I16 ((int64_t)(int16_t)a * (int16_t)b)
DEFINE_U32_CLAMP(v_mad_u32_u16, 3, PRODUCT_U16 + c, saturate_u32(PRODUCT_U16 + c))
DEFINE_U32_CLAMP(v_mad_i32_i16, 3, PRODUCT_I16 + (int32_t)c, saturate_i32(PRODUCT_I16 + (int32_t)c))

DEFINE_U32(v_min_u32, 2, min_u32(a, b))
DEFINE_U32(v_max_u32, 2, max_u32(a, b))
DEFINE_I32(v_min_i32, 2, min_i32(a, b))
DEFINE_I32(v_max_i32, 2, max_i32(a, b))
DEFINE_U16(v_min_u16, 2, min_u32(a, b))
DEFINE_U16(v_max_u16, 2, max_u32(a, b))
DEFINE_I16(v_min_i16, 2, min_i32(a, b))
DEFINE_I16(v_max_i16, 2, max_i32(a, b))

DEFINE_U32(v_min3_u32, 3, min_u32(min_u32(a, b), c))
DEFINE_U32(v_max3_u32, 3, max_u32(max_u32(a, b), c))
DEFINE_U32(v_med3_u32, 3, med3_u32(a, b, c))
DEFINE_I32(v_min3_i32, 3, min_i32(min_i32(a, b), c))
DEFINE_I32(v_max3_i32, 3, max_i32(max_i32(a, b), c))
DEFINE_I32(v_med3_i32, 3, med3_i32(a, b, c))
DEFINE_U16(v_min3_u16, 3, min_u32(min_u32(a, b), c))
DEFINE_U16(v_max3_u16, 3, max_u32(max_u32(a, b), c))
DEFINE_U16(v_med3_u16, 3, med3_u32(a, b, c))
DEFINE_I16(v_min3_i16, 3, min_i32(min_i32(a, b), c))
DEFINE_I16(v_max3_i16, 3, max_i32(max_i32(a, b), c))
DEFINE_I16(v_med3_i16, 3, med3_i32(a, b, c))

DEFINE_U32(v_maxmin_u32, 3, min_u32(max_u32(a, b), c))
DEFINE_U32(v_minmax_u32, 3, max_u32(min_u32(a, b), c))
DEFINE_I32(v_maxmin_i32, 3, min_i32(max_i32(a, b), c))
DEFINE_I32(v_minmax_i32, 3, max_i32(min_i32(a, b), c))
