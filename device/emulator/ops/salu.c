/*
 * Scalar integer arithmetic, logic and bit operations (RDNA3.5 ISA, "SOP1", "SOP2", "SOPK").
 */
#include "device/emulator/ops/scalar_forms.h"

#define SIGN32 0x80000000u
#define ALL64  UINT64_MAX

BINARY32(s_add_u32, a + b, d < a)
BINARY32(s_sub_u32, a - b, b > a)
BINARY32(s_add_i32, a + b, (~(a ^ b) & (a ^ d)) >> 31)
BINARY32(s_sub_i32, a - b, ((a ^ b) & (a ^ d)) >> 31)
BINARY32(s_addc_u32, a + b + wave->scc, ((uint64_t)a + b + wave->scc) >> 32 != 0)
BINARY32(s_subb_u32, a - b - wave->scc, (uint64_t)b + wave->scc > a)
BINARY64(s_add_u64, a + b, wave->scc)
BINARY64(s_sub_u64, a - b, wave->scc)
BINARY64(s_mul_u64, (a * b), wave->scc)
BINARY32(s_mul_i32, (a * b), wave->scc)
BINARY32(s_mul_hi_u32, ((uint64_t)a * b) >> 32, wave->scc)
BINARY32(s_mul_hi_i32, (uint64_t)((int64_t)(int32_t)a *(int32_t)b) >> 32, wave->scc)
BINARY32(s_absdiff_i32, (a - b) & SIGN32 ? b - a : a - b, d != 0)
BINARY32(s_lshl1_add_u32, (a << 1) + b, (((uint64_t)a << 1) + b) >> 32 != 0)
BINARY32(s_lshl2_add_u32, (a << 2) + b, (((uint64_t)a << 2) + b) >> 32 != 0)
BINARY32(s_lshl3_add_u32, (a << 3) + b, (((uint64_t)a << 3) + b) >> 32 != 0)
BINARY32(s_lshl4_add_u32, (a << 4) + b, (((uint64_t)a << 4) + b) >> 32 != 0)
BINARY32(s_min_i32, (int32_t)a < (int32_t)b ? a : b, (int32_t)a < (int32_t)b)
BINARY32(s_min_u32, a < b ? a : b, a < b)
BINARY32(s_max_i32, (int32_t)a >= (int32_t)b ? a : b, (int32_t)a >= (int32_t)b)
BINARY32(s_max_u32, a >= b ? a : b, a >= b)

BINARY32(s_and_b32, (a & b), d != 0)
BINARY32(s_or_b32, a | b, d != 0)
BINARY32(s_xor_b32, a ^ b, d != 0)
BINARY32(s_nand_b32, ~a | ~b, d != 0)
BINARY32(s_nor_b32, ~(a | b), d != 0)
BINARY32(s_xnor_b32, ~(a ^ b), d != 0)
BINARY32(s_and_not1_b32, a & ~b, d != 0)
BINARY32(s_or_not1_b32, a | ~b, d != 0)
BINARY64(s_and_b64, (a & b), d != 0)
BINARY64(s_or_b64, a | b, d != 0)
BINARY64(s_xor_b64, a ^ b, d != 0)
BINARY64(s_nand_b64, ~a | ~b, d != 0)
BINARY64(s_nor_b64, ~(a | b), d != 0)
BINARY64(s_xnor_b64, ~(a ^ b), d != 0)
BINARY64(s_and_not1_b64, a & ~b, d != 0)
BINARY64(s_or_not1_b64, a | ~b, d != 0)
UNARY32(s_not_b32, ~a, d != 0)
UNARY64(s_not_b64, ~a, d != 0)

BINARY32(s_lshl_b32, a << (b & 31), d != 0)
BINARY32(s_lshr_b32, a >> (b & 31), d != 0)
BINARY32(s_ashr_i32, (int32_t)a >> (b & 31), d != 0)
SHIFT64(s_lshl_b64, a << (b & 63), d != 0)
SHIFT64(s_lshr_b64, a >> (b & 63), d != 0)
SHIFT64(s_ashr_i64, (int64_t)a >> (b & 63), d != 0)

/* Bit fields: b holds the offset in its low bits and the width in bits 22:16. */
static inline unsigned field_width(uint32_t b)
{
    return b >> 16 & 0x7f;
}

static inline uint64_t low_ones(unsigned width)
{
    return width >= 64 ? ALL64 : (UINT64_C(1) << width) - 1;
}

static inline int64_t sign_extended(uint64_t field, unsigned width)
{
    return width == 0 ? 0 : width >= 64 ? (int64_t)field : (int64_t)(field << (64 - width)) >> (64 - width);
}

BINARY32(s_bfe_u32, (a >> (b & 31)) & low_ones(field_width(b)), d != 0)
BINARY32(s_bfe_i32, sign_extended(((uint64_t)(int64_t)(int32_t)a >> (b & 31)) & low_ones(field_width(b)), field_width(b)),
         d != 0)
SHIFT64(s_bfe_u64, (a >> (b & 63)) & low_ones(field_width(b)), d != 0)
SHIFT64(s_bfe_i64, sign_extended((uint64_t)((int64_t)a >> (b & 63)) & low_ones(field_width(b)), field_width(b)), d != 0)
BINARY32(s_bfm_b32, ((1u << (a & 31)) - 1) << (b & 31), wave->scc)
BINARY32_64(s_bfm_b64, ((UINT64_C(1) << (a & 63)) - 1) << (b & 63), wave->scc)

BINARY32(s_pack_ll_b32_b16, b << 16 | (a & 0xffff), wave->scc)
BINARY32(s_pack_lh_b32_b16, (b & 0xffff0000u) | (a & 0xffff), wave->scc)
BINARY32(s_pack_hh_b32_b16, (b & 0xffff0000u) | a >> 16, wave->scc)
BINARY32(s_pack_hl_b32_b16, b << 16 | a >> 16, wave->scc)
BINARY32(s_cselect_b32, wave->scc ? a : b, wave->scc)
BINARY64(s_cselect_b64, wave->scc ? a : b, wave->scc)

UNARY32(s_mov_b32, a, wave->scc)
UNARY64(s_mov_b64, a, wave->scc)
UNARY32(s_sext_i32_i8, (int8_t)a, wave->scc)
UNARY32(s_sext_i32_i16, (int16_t)a, wave->scc)
UNARY32(s_abs_i32, (a & SIGN32) ? 0 - a : a, d != 0)
UNARY32(s_bcnt0_i32_b32, 32 - __builtin_popcount(a), d != 0)
UNARY32(s_bcnt1_i32_b32, __builtin_popcount(a), d != 0)
UNARY64_32(s_bcnt0_i32_b64, 64 - __builtin_popcountll(a), d != 0)
UNARY64_32(s_bcnt1_i32_b64, __builtin_popcountll(a), d != 0)
UNARY32(s_ff0_i32_b32, ~a ? __builtin_ctz(~a) : -1, wave->scc)
UNARY64_32(s_ff0_i32_b64, ~a ? __builtin_ctzll(~a) : -1, wave->scc)
UNARY32(s_ctz_i32_b32, a ? __builtin_ctz(a) : -1, wave->scc)
UNARY64_32(s_ctz_i32_b64, a ? __builtin_ctzll(a) : -1, wave->scc)
UNARY32(s_clz_i32_u32, a ? __builtin_clz(a) : -1, wave->scc)
UNARY64_32(s_clz_i32_u64, a ? __builtin_clzll(a) : -1, wave->scc)
/* Place of the first bit that differs from the sign bit, from the top. */
UNARY32(s_cls_i32, (a ^ (a >> 31 ? UINT32_MAX : 0)) ? __builtin_clz(a ^ (a >> 31 ? UINT32_MAX : 0)) : -1, wave->scc)
UNARY64_32(s_cls_i32_i64, (a ^ (a >> 63 ? ALL64 : 0)) ? __builtin_clzll(a ^ (a >> 63 ? ALL64 : 0)) : -1, wave->scc)

static inline uint64_t reversed64(uint64_t value)
{
    uint64_t result = 0;
    for (int bit = 0; bit < 64; bit++)
        result |= (value >> bit & 1) << (63 - bit);
    return result;
}

static inline uint64_t doubled_bits(uint32_t value)
{
    uint64_t result = 0;
    for (int bit = 0; bit < 32; bit++)
        result |= (uint64_t)(value >> bit & 1) * 3 << 2 * bit;
    return result;
}

/* One bit for each group of four that is not all 0. */
static inline uint64_t quad_mask(uint64_t value)
{
    uint64_t result = 0;
    for (int quad = 0; quad < 16; quad++)
        result |= (uint64_t)((value >> 4 * quad & 0xf) != 0) << quad;
    return result;
}

static inline uint64_t whole_quads(uint64_t value)
{
    uint64_t result = 0;
    for (int quad = 0; quad < 16; quad++)
        result |= (value >> 4 * quad & 0xf ? UINT64_C(0xf) : 0) << 4 * quad;
    return result;
}

UNARY32(s_brev_b32, reversed64(a) >> 32, wave->scc)
UNARY64(s_brev_b64, reversed64(a), wave->scc)
UNARY32_64(s_bitreplicate_b64_b32, doubled_bits(a), wave->scc)
UNARY32(s_quadmask_b32, quad_mask(a), d != 0)
UNARY64(s_quadmask_b64, quad_mask(a), d != 0)
UNARY32(s_wqm_b32, whole_quads(a), d != 0)
UNARY64(s_wqm_b64, whole_quads(a), d != 0)

/* The destination is a source too. */
#define OLD32 scalar_read32(wave, &in->dst[0])
#define OLD64 scalar_read64(wave, &in->dst[0])
UNARY32(s_bitset0_b32, OLD32 & ~(1u << (a & 31)), wave->scc)
UNARY32(s_bitset1_b32, OLD32 | 1u << (a & 31), wave->scc)
UNARY32_64(s_bitset0_b64, OLD64 & ~(UINT64_C(1) << (a & 63)), wave->scc)
UNARY32_64(s_bitset1_b64, OLD64 | UINT64_C(1) << (a & 63), wave->scc)
UNARY32(s_cmov_b32, wave->scc ? a : OLD32, wave->scc)
UNARY64(s_cmov_b64, wave->scc ? a : OLD64, wave->scc)

/* SOPK: SIMM16, sign-extended, stands in the instruction. */
HANDLER(s_movk_i32)
{
    scalar_write32(wave, &in->dst[0], (uint32_t)in->immediate);
}

HANDLER(s_cmovk_i32)
{
    if (wave->scc)
        scalar_write32(wave, &in->dst[0], (uint32_t)in->immediate);
}

HANDLER(s_addk_i32)
{
    uint32_t a = OLD32, b = (uint32_t)in->immediate, d = a + b;
    wave->scc = (~(a ^ b) & (a ^ d)) >> 31;
    scalar_write32(wave, &in->dst[0], d);
}

HANDLER(s_mulk_i32)
{
    scalar_write32(wave, &in->dst[0], OLD32 * (uint32_t)in->immediate);
}

/* Relative moves: the register that the text names, plus M0. n: registers moved. */
static void move_relative(struct wave *wave, uint64_t to, uint64_t from, unsigned n)
{
    if (to + n > SREG_VCC_HI + 1u || from + n > SREG_VCC_HI + 1u) {
        wave_finding(wave, FINDING_MEM, -1, "M0 0x%x leads past the last scalar register", wave->sgpr[SREG_M0]);
        return;
    }
    memmove(&wave->sgpr[to], &wave->sgpr[from], 4 * (size_t)n);
}

HANDLER(s_movrels_b32)
{
    move_relative(wave, in->dst[0].index, (uint64_t)in->src[0].index + wave->sgpr[SREG_M0], 1);
}

HANDLER(s_movrels_b64)
{
    move_relative(wave, in->dst[0].index, (uint64_t)in->src[0].index + wave->sgpr[SREG_M0], 2);
}

HANDLER(s_movreld_b32)
{
    struct operand to = in->dst[0];
    uint64_t index = (uint64_t)to.index + wave->sgpr[SREG_M0];
    uint32_t value = scalar_read32(wave, &in->src[0]);
    if (index > SREG_VCC_HI)
        wave_finding(wave, FINDING_MEM, -1, "M0 0x%x leads past the last scalar register", wave->sgpr[SREG_M0]);
    else
        wave->sgpr[index] = value;
}

HANDLER(s_movreld_b64)
{
    uint64_t index = (uint64_t)in->dst[0].index + wave->sgpr[SREG_M0];
    uint64_t value = scalar_read64(wave, &in->src[0]);
    if (index + 1 > SREG_VCC_HI)
        wave_finding(wave, FINDING_MEM, -1, "M0 0x%x leads past the last scalar register", wave->sgpr[SREG_M0]);
    else
        memcpy(&wave->sgpr[index], &value, 8);
}

HANDLER(s_movrelsd_2_b32)
{
    uint32_t m0 = wave->sgpr[SREG_M0];
    move_relative(wave, (uint64_t)in->dst[0].index + (m0 >> 16 & 0x3ff), (uint64_t)in->src[0].index + (m0 & 0x3ff), 1);
}
