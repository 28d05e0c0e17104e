/*
 * Scalar integer compares into SCC (RDNA3.5 ISA, "SOPC", and the S_CMPK of "SOPK").
 */
#include "device/emulator/ops/scalar_forms.h"

#define COMPARE32(name, type, operator) SCALAR_COMPARE(s_cmp_##name, type, scalar_read32, type, scalar_read32, a operator b)
#define COMPARE64(name, operator)                                                                                          \
    SCALAR_COMPARE(s_cmp_##name, uint64_t, scalar_read64, uint64_t, scalar_read64, a operator b)

COMPARE32(eq_i32, int32_t, ==)
COMPARE32(lg_i32, int32_t, !=)
COMPARE32(gt_i32, int32_t, >)
COMPARE32(ge_i32, int32_t, >=)
COMPARE32(lt_i32, int32_t, <)
COMPARE32(le_i32, int32_t, <=)
COMPARE32(gt_u32, uint32_t, >)
COMPARE32(ge_u32, uint32_t, >=)
COMPARE32(lt_u32, uint32_t, <)
COMPARE32(le_u32, uint32_t, <=)
COMPARE64(eq_u64, ==)
COMPARE64(lg_u64, !=)

SCALAR_COMPARE(s_bitcmp0_b32, uint32_t, scalar_read32, uint32_t, scalar_read32, !(a >> (b & 31) & 1))
SCALAR_COMPARE(s_bitcmp1_b32, uint32_t, scalar_read32, uint32_t, scalar_read32, a >> (b & 31) & 1)
SCALAR_COMPARE(s_bitcmp0_b64, uint64_t, scalar_read64, uint32_t, scalar_read32, !(a >> (b & 63) & 1))
SCALAR_COMPARE(s_bitcmp1_b64, uint64_t, scalar_read64, uint32_t, scalar_read32, a >> (b & 63) & 1)

/* SIMM16: sign-extended for signed compares, zero-extended for unsigned ones. */
#define COMPARE_K(name, type, immediate_type, operator)                                                                    \
    HANDLER(s_cmpk_##name)                                                                                                 \
    {                                                                                                                      \
        wave->scc = (type)scalar_read32(wave, &in->src[0]) operator(type)(immediate_type) in->immediate;                   \
    }

COMPARE_K(eq_i32, int32_t, int16_t, ==)
COMPARE_K(lg_i32, int32_t, int16_t, !=)
COMPARE_K(gt_i32, int32_t, int16_t, >)
COMPARE_K(ge_i32, int32_t, int16_t, >=)
COMPARE_K(lt_i32, int32_t, int16_t, <)
COMPARE_K(le_i32, int32_t, int16_t, <=)
COMPARE_K(eq_u32, uint32_t, uint16_t, ==)
COMPARE_K(lg_u32, uint32_t, uint16_t, !=)
COMPARE_K(gt_u32, uint32_t, uint16_t, >)
COMPARE_K(ge_u32, uint32_t, uint16_t, >=)
COMPARE_K(lt_u32, uint32_t, uint16_t, <)
COMPARE_K(le_u32, uint32_t, uint16_t, <=)
