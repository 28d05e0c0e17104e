/*
 * Moves, logic, shifts, bit fields, bytes and sums of byte differences (ISA, "Vector ALU Operations"). Shift counts use the
 * low bits that the width needs.
 */
#include "device/emulator/ops/int_loops.h"

DEFINE_U32(v_mov_b32, 1, a)
DEFINE_U16(v_mov_b16, 1, a)
DEFINE_U32(v_not_b32, 1, ~a)
DEFINE_U16(v_not_b16, 1, ~a)
DEFINE_U32(v_and_b32, 2, a &b)
DEFINE_U32(v_or_b32, 2, a | b)
DEFINE_U32(v_xor_b32, 2, a ^ b)
DEFINE_U32(v_xnor_b32, 2, ~(a ^ b))
DEFINE_U16(v_and_b16, 2, a &b)
DEFINE_U16(v_or_b16, 2, a | b)
DEFINE_U16(v_xor_b16, 2, a ^ b)
DEFINE_U32(v_and_or_b32, 3, (a & b) | c)
DEFINE_U32(v_or3_b32, 3, a | b | c)
DEFINE_U32(v_xor3_b32, 3, a ^ b ^ c)

/* Every function of three bits: bit 4a+2b+c of the table is the result (CDNA4 ISA, V_BITOP3_B32). */
static inline uint32_t look_up_bits(uint32_t table, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t result = 0;
    for (uint32_t row = 0; row < 8; row++) {
        uint32_t taken = (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
        result |= table >> row & 1 ? taken : 0;
    }
    return result;
}

DEFINE_LANES(v_bitop3_b32, 3, uint32_t, uint32_t, look_up_bits((uint32_t)in->immediate, a, b, c))
DEFINE_LANES(v_bitop3_b16, 3, uint32_t, uint16_t, look_up_bits((uint32_t)in->immediate, a, b, c))
/* One step of a linear feedback shift register (CDNA4 ISA, V_PRNG_B32). */
DEFINE_U32(v_prng_b32, 1, a << 1 ^ (a >> 31) * 0xc5u)

DEFINE_U32(v_lshlrev_b32, 2, b << (a & 31))
DEFINE_U32(v_lshrrev_b32, 2, b >> (a & 31))
DEFINE_I32(v_ashrrev_i32, 2, b >> (a & 31))
DEFINE_U16(v_lshlrev_b16, 2, (uint32_t)b << (a & 15))
DEFINE_U16(v_lshrrev_b16, 2, (uint32_t)b >> (a & 15))
DEFINE_LANES(v_ashrrev_i16, 2, uint32_t, uint16_t, (int32_t)(b << 16) >> 16 >> (a & 15))
DEFINE_U32(v_lshl_or_b32, 3, (a << (b & 31)) | c)

/* Ones in the low n bits, n below 32. */
#define LOW_ONES(n) ((1u << (n)) - 1)
/* The field of `width` bits (below 32) sign-extended; width 0 gives 0. */
static inline uint32_t sign_extend_field(uint32_t field, uint32_t width)
{
    uint32_t sign = width ? 1u << (width - 1) : 0;
    return (field ^ sign) - sign;
}

DEFINE_U32(v_bfe_u32, 3, a >> (b & 31) & LOW_ONES(c & 31))
DEFINE_U32(v_bfe_i32, 3, sign_extend_field((uint32_t)((int32_t)a >> (b & 31)) & LOW_ONES(c & 31), c & 31))
DEFINE_U32(v_bfi_b32, 3, (a & b) | (~a & c))
DEFINE_U32(v_bfm_b32, 2, LOW_ONES(a & 31) << (b & 31))
DEFINE_U32(v_bfrev_b32, 1, reverse_bits(a))
DEFINE_U32(v_bcnt_u32_b32, 2, count_ones(a) + b)

/* Searches give -1 where they find nothing. */
static inline uint32_t all_ones_unless(uint32_t x)
{
    return x ? 0 : UINT32_MAX;
}
DEFINE_U32(v_clz_i32_u32, 1, leading_zeros(a) | all_ones_unless(a))
DEFINE_U32(v_ctz_i32_b32, 1, count_ones((a & -a) - 1) | all_ones_unless(a))
/* Bits after the sign bit that equal it, plus one; -1 where all do. */
static inline uint32_t leading_signs(uint32_t x)
{
    uint32_t changes = x ^ (uint32_t)((int32_t)x >> 31);
    return leading_zeros(changes) | all_ones_unless(changes);
}
DEFINE_U32(v_cls_i32, 1, leading_signs(a))

DEFINE_U32(v_alignbit_b32, 3, ((uint64_t)a << 32 | b) >> (c & 31))
DEFINE_U32(v_alignbyte_b32, 3, ((uint64_t)a << 32 | b) >> (8 * (c & 3)))

/* One byte of v_perm_b32: 0 … 7 a byte of {a, b}, 8 … 11 the sign of byte 1, 3, 5, 7 as 0 or 0xff, 12 0, above 0xff. */
static inline uint32_t permuted_byte(uint32_t a, uint32_t b, uint32_t select)
{
    uint32_t is_sign = select >= 8 ? UINT32_MAX : 0;
    uint32_t from_a = select & (4 ^ (is_sign & 6)) ? UINT32_MAX : 0;
    uint32_t index = ((select & 3) & ~is_sign) | (((select & 1) * 2 + 1) & is_sign);
    uint32_t byte = ((a & from_a) | (b & ~from_a)) >> 8 * index & 0xff;
    uint32_t value = (byte & ~is_sign) | ((0 - (byte >> 7)) & is_sign & 0xff);
    value |= select > 12 ? 0xff : 0;
    return select == 12 ? 0 : value;
}

static inline uint32_t permuted_bytes(uint32_t a, uint32_t b, uint32_t selects)
{
    return permuted_byte(a, b, selects & 0xff) | permuted_byte(a, b, selects >> 8 & 0xff) << 8 |
           permuted_byte(a, b, selects >> 16 & 0xff) << 16 | permuted_byte(a, b, selects >> 24) << 24;
}
DEFINE_U32(v_perm_b32, 3, permuted_bytes(a, b, c))

/* Averages of bytes; the low bit of each byte of c rounds up. */
static inline uint32_t lerp_byte(uint32_t a, uint32_t b, uint32_t c, int shift)
{
    return ((a >> shift & 0xff) + (b >> shift & 0xff) + (c >> shift & 1)) >> 1 << shift;
}
DEFINE_U32(v_lerp_u8, 3, lerp_byte(a, b, c, 0) + lerp_byte(a, b, c, 8) + lerp_byte(a, b, c, 16) + lerp_byte(a, b, c, 24))

/* Two signed halves as two saturated bytes. */
static inline uint32_t saturate_u8(int32_t value)
{
    return (uint32_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}
DEFINE_LANES(v_sat_pk_u8_i16, 1, uint32_t, uint16_t, saturate_u8((int16_t)a) | saturate_u8((int16_t)(a >> 16)) << 8)

static inline uint32_t saturate_i8(int32_t value)
{
    return (uint32_t)(value < INT8_MIN ? INT8_MIN : value > INT8_MAX ? INT8_MAX : value) & 0xff;
}
DEFINE_LANES(v_ashr_pk_i8_i32, 3, int32_t, uint16_t, saturate_i8(a >> (c & 31)) | saturate_i8(b >> (c & 31)) << 8)
DEFINE_LANES(v_ashr_pk_u8_i32, 3, int32_t, uint16_t, saturate_u8(a >> (c & 31)) | saturate_u8(b >> (c & 31)) << 8)

static inline uint32_t distance(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

static inline uint32_t byte_distances(uint32_t a, uint32_t b)
{
    uint32_t sum = 0;
    for (int shift = 0; shift < 32; shift += 8)
        sum += distance(a >> shift & 0xff, b >> shift & 0xff);
    return sum;
}

/* Bytes of b that are 0 are masked out. */
static inline uint32_t masked_byte_distances(uint32_t a, uint32_t b)
{
    uint32_t sum = 0;
    for (int shift = 0; shift < 32; shift += 8)
        sum += (b >> shift & 0xff) ? distance(a >> shift & 0xff, b >> shift & 0xff) : 0;
    return sum;
}

#define DISTANCES_U16               (distance(a & 0xffff, b & 0xffff) + distance(a >> 16, b >> 16))
#define DEFINE_SAD(name, distances) DEFINE_U32_CLAMP(name, 3, (distances) + c, saturate_u32((uint64_t)(distances) + c))
DEFINE_SAD(v_sad_u8, byte_distances(a, b))
DEFINE_SAD(v_sad_hi_u8, byte_distances(a, b) << 16)
DEFINE_SAD(v_sad_u16, DISTANCES_U16)
DEFINE_SAD(v_sad_u32, distance(a, b))
DEFINE_SAD(v_msad_u8, masked_byte_distances(a, b))

typedef uint32_t distances(uint32_t a, uint32_t b);

/* Four sums over windows that start at bytes 0 … 3 of the 64-bit source, added to four 16-bit accumulators. */
static inline void quad_distances(struct wave *wave, const struct instruction *in, distances *measure)
{
    LANES64(a, 0);
    LANES32(b, 1);
    LANES64(c, 2);
    bool clamp = in->flags & FLAG_CLAMP;
    for (int lane = 0; lane < WAVE_LANES; lane++) {
        uint64_t packed = 0;
        for (int i = 0; i < 4; i++) {
            uint32_t sum = measure((uint32_t)(a[lane] >> 8 * i), b[lane]) + (c[lane] >> 16 * i & 0xffff);
            packed |= (uint64_t)((clamp ? saturate_u16(sum) : sum) & 0xffff) << 16 * i;
        }
        c[lane] = packed;
    }
    commit64(wave, in, c);
}

HANDLER(v_qsad_pk_u16_u8)
{
    quad_distances(wave, in, byte_distances);
}

HANDLER(v_mqsad_pk_u16_u8)
{
    quad_distances(wave, in, masked_byte_distances);
}

/* Four such sums with 32-bit accumulators in four registers. All sources are read before the first result is written. */
HANDLER(v_mqsad_u32_u8)
{
    LANES64(a, 0);
    LANES32(b, 1);
    LANE_ARRAY32(sums[4]);
    unsigned accumulators = operand_row(&in->src[2]), results = operand_row(&in->dst[0]);
    bool constant = in->src[2].kind != OPERAND_VGPR;
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t *c = vgpr_row(wave, constant ? 0 : accumulators + i);
        for (int lane = 0; lane < WAVE_LANES; lane++) {
            uint32_t start = constant ? scalar_read32(wave, &in->src[2]) : c[lane];
            uint64_t sum = (uint64_t)masked_byte_distances((uint32_t)(a[lane] >> 8 * i), b[lane]) + start;
            sums[i][lane] = in->flags & FLAG_CLAMP ? saturate_u32(sum) : (uint32_t)sum;
        }
    }
    for (unsigned i = 0; i < 4; i++)
        commit_row(wave, results + i, sums[i]);
}
