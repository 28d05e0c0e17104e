/*
 * Integer vector instructions against host arithmetic: every instruction of a table runs on all pairs of edge values and on
 * random ones. Expected values are written the plain way (wide integers, loops over bits), never the way the emulator does
 * it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/base/random.h"
#include "contract/base/text.h"
#include "tests/support/wave_runner.h"

enum { N_LANES = 32, N_ROUNDS = 40, FIRST_RESULT = 16, OLD_RESULT = 0x5ca1ab1e };

static const uint32_t edges[] = {0,          1,          2,          3,         7,        8,        15,
                                 16,         31,         32,         33,        0x7f,     0x80,     0xff,
                                 0x7fff,     0x8000,     0xffff,     0x10000,   0x7fffff, 0x800000, 0xffffff,
                                 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
enum { N_EDGES = sizeof edges / sizeof *edges };

/* Sources of one lane: a, b, c in v1, v2, v3; 64-bit A and C in v[4:5] and v[6:7]; `carry` is its bit of vcc. */
struct sources {
    uint32_t a, b, c;
    uint64_t A, C;
    uint32_t carry;
};

static struct sources sources_of(unsigned round, unsigned lane)
{
    struct random_key key = random_key_for(1, "valu_int");
    uint64_t n = round * N_LANES + lane;
    struct sources s = {(uint32_t)random_bits(key, 5 * n),     (uint32_t)random_bits(key, 5 * n + 1),
                        (uint32_t)random_bits(key, 5 * n + 2), random_bits(key, 5 * n + 3),
                        random_bits(key, 5 * n + 4),           (uint32_t)random_below(key, 7 * n, 2)};
    if (n < N_EDGES * N_EDGES) {
        s.a = edges[n % N_EDGES];
        s.b = edges[n / N_EDGES];
        s.c = edges[random_below(key, 5 * n + 2, N_EDGES)];
        s.A = (uint64_t)s.c << 32 | s.a;
        s.C = n % 3 ? s.C : UINT64_MAX - s.b;
    }
    return s;
}

static uint32_t bits_from(uint64_t value, unsigned first, unsigned width)
{
    uint32_t field = 0;
    for (unsigned i = 0; i < width && first + i < 64; i++)
        field |= (uint32_t)(value >> (first + i) & 1) << i;
    return field;
}

static int64_t clamp_to(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static int32_t i24(uint32_t value)
{
    return value & 0x800000 ? (int32_t)(value & 0xffffff) - 0x1000000 : (int32_t)(value & 0xffffff);
}

static uint32_t ones(uint32_t value)
{
    uint32_t n = 0;
    for (int i = 0; i < 32; i++)
        n += value >> i & 1;
    return n;
}

static uint32_t first_one_from_top(uint32_t value)
{
    for (int i = 31; i >= 0; i--)
        if (value >> i & 1)
            return 31 - (uint32_t)i;
    return UINT32_MAX;
}

static uint32_t first_one_from_bottom(uint32_t value)
{
    for (uint32_t i = 0; i < 32; i++)
        if (value >> i & 1)
            return i;
    return UINT32_MAX;
}

static uint32_t first_change_from_top(uint32_t value)
{
    for (uint32_t i = 1; i < 32; i++)
        if ((value >> (31 - i) & 1) != value >> 31)
            return i;
    return UINT32_MAX;
}

static uint32_t bfe_i32(uint32_t value, unsigned first, unsigned width)
{
    uint64_t wide = (uint64_t)(int64_t)(int32_t)value;
    uint32_t field = bits_from(wide, first, width);
    return width && field >> (width - 1) & 1 ? field - (uint32_t)(UINT64_C(1) << width) : field;
}

static uint32_t perm_byte(uint32_t high, uint32_t low, uint32_t select)
{
    const uint64_t data = (uint64_t)high << 32 | low;
    if (select < 8)
        return data >> 8 * select & 0xff;
    if (select < 12)
        return data >> (8 * (2 * (select - 8) + 1) + 7) & 1 ? 0xff : 0;
    return select == 12 ? 0 : 0xff;
}

static uint32_t perm(uint32_t high, uint32_t low, uint32_t selects)
{
    uint32_t result = 0;
    for (int i = 0; i < 4; i++)
        result |= perm_byte(high, low, selects >> 8 * i & 0xff) << 8 * i;
    return result;
}

static uint32_t byte(uint64_t value, int i)
{
    return value >> 8 * i & 0xff;
}

static uint32_t sad_u8(uint32_t a, uint32_t b, bool masked)
{
    uint32_t sum = 0;
    for (int i = 0; i < 4; i++)
        sum += masked && !byte(b, i) ? 0 : (uint32_t)abs((int)byte(a, i) - (int)byte(b, i));
    return sum;
}

static uint64_t qsad(uint64_t a, uint32_t b, uint64_t c, bool masked)
{
    uint64_t result = 0;
    for (int i = 0; i < 4; i++)
        result |= ((sad_u8((uint32_t)(a >> 8 * i), b, masked) + (c >> 16 * i)) & 0xffff) << 16 * i;
    return result;
}

static uint32_t lerp(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t result = 0;
    for (int i = 0; i < 4; i++)
        result |= (byte(a, i) + byte(b, i) + (byte(c, i) & 1)) / 2 << 8 * i;
    return result;
}

static int64_t median(int64_t a, int64_t b, int64_t c)
{
    int64_t low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

#define MIN(x, y) ((x) < (y) ? (x) : (y))
#define MAX(x, y) ((x) > (y) ? (x) : (y))
#define I(x)      ((int32_t)(x))
#define LOW(x)    ((uint32_t)(x)&0xffff)
#define HIGH(x)   ((uint32_t)(x) >> 16)
#define I16(x)    ((int16_t)(x))
/* A 16-bit result in one half, the other kept from before. */
#define TO_LOW(x)  (((uint32_t)OLD_RESULT & 0xffff0000) | LOW(x))
#define TO_HIGH(x) (((uint32_t)OLD_RESULT & 0xffff) | (uint32_t)LOW(x) << 16)

/* X(text with %s for the result register, expected) */
#define CASES_32(X)                                                                                                        \
    X("v_mov_b32 %s, v1", s->a)                                                                                            \
    X("v_not_b32 %s, v1", ~s->a)                                                                                           \
    X("v_and_b32 %s, v1, v2", s->a & s->b)                                                                                 \
    X("v_or_b32 %s, v1, v2", s->a | s->b)                                                                                  \
    X("v_xor_b32 %s, v1, v2", s->a ^ s->b)                                                                                 \
    X("v_xnor_b32 %s, v1, v2", ~(s->a ^ s->b))                                                                             \
    X("v_and_or_b32 %s, v1, v2, v3", (s->a & s->b) | s->c)                                                                 \
    X("v_or3_b32 %s, v1, v2, v3", s->a | s->b | s->c)                                                                      \
    X("v_xor3_b32 %s, v1, v2, v3", s->a ^ s->b ^ s->c)                                                                     \
    X("v_add_nc_u32 %s, v1, v2", s->a + s->b)                                                                              \
    X("v_add_nc_u32 %s, v1, v2 clamp", MIN((uint64_t)s->a + s->b, UINT32_MAX))                                             \
    X("v_sub_nc_u32 %s, v1, v2", s->a - s->b)                                                                              \
    X("v_sub_nc_u32 %s, v1, v2 clamp", MAX((int64_t)s->a - s->b, 0))                                                       \
    X("v_subrev_nc_u32 %s, v1, v2", s->b - s->a)                                                                           \
    X("v_subrev_nc_u32 %s, v1, v2 clamp", MAX((int64_t)s->b - s->a, 0))                                                    \
    X("v_add_nc_i32 %s, v1, v2", s->a + s->b)                                                                              \
    X("v_add_nc_i32 %s, v1, v2 clamp", clamp_to((int64_t)I(s->a) + I(s->b), INT32_MIN, INT32_MAX))                         \
    X("v_sub_nc_i32 %s, v1, v2", s->a - s->b)                                                                              \
    X("v_sub_nc_i32 %s, v1, v2 clamp", clamp_to((int64_t)I(s->a) - I(s->b), INT32_MIN, INT32_MAX))                         \
    X("v_add3_u32 %s, v1, v2, v3", s->a + s->b + s->c)                                                                     \
    X("v_xad_u32 %s, v1, v2, v3", (s->a ^ s->b) + s->c)                                                                    \
    X("v_lshl_add_u32 %s, v1, v2, v3", (s->a << s->b % 32) + s->c)                                                         \
    X("v_add_lshl_u32 %s, v1, v2, v3", (s->a + s->b) << s->c % 32)                                                         \
    X("v_lshl_or_b32 %s, v1, v2, v3", (s->a << s->b % 32) | s->c)                                                          \
    X("v_mul_lo_u32 %s, v1, v2", s->a * s->b)                                                                              \
    X("v_mul_hi_u32 %s, v1, v2", (unsigned __int128)s->a * s->b >> 32)                                                     \
    X("v_mul_hi_i32 %s, v1, v2", (__int128)I(s->a) * I(s->b) >> 32)                                                        \
    X("v_mul_u32_u24 %s, v1, v2", (uint64_t)(s->a & 0xffffff) * (s->b & 0xffffff))                                         \
    X("v_mul_hi_u32_u24 %s, v1, v2", (uint64_t)(s->a & 0xffffff) * (s->b & 0xffffff) >> 32)                                \
    X("v_mul_i32_i24 %s, v1, v2", (int64_t)i24(s->a) * i24(s->b))                                                          \
    X("v_mul_hi_i32_i24 %s, v1, v2", (int64_t)i24(s->a) * i24(s->b) >> 32)                                                 \
    X("v_mad_u32_u24 %s, v1, v2, v3", (uint64_t)(s->a & 0xffffff) * (s->b & 0xffffff) + s->c)                              \
    X("v_mad_i32_i24 %s, v1, v2, v3", (int64_t)i24(s->a) * i24(s->b) + s->c)                                               \
    X("v_mad_u32_u16 %s, v1.l, v2.h, v3", LOW(s->a) * HIGH(s->b) + s->c)                                                   \
    X("v_mad_i32_i16 %s, v1.h, v2.l, v3", I16(HIGH(s->a)) * I16(s->b) + s->c)                                              \
    X("v_min_u32 %s, v1, v2", MIN(s->a, s->b))                                                                             \
    X("v_max_u32 %s, v1, v2", MAX(s->a, s->b))                                                                             \
    X("v_min_i32 %s, v1, v2", MIN(I(s->a), I(s->b)))                                                                       \
    X("v_max_i32 %s, v1, v2", MAX(I(s->a), I(s->b)))                                                                       \
    X("v_min3_u32 %s, v1, v2, v3", MIN(MIN(s->a, s->b), s->c))                                                             \
    X("v_max3_u32 %s, v1, v2, v3", MAX(MAX(s->a, s->b), s->c))                                                             \
    X("v_med3_u32 %s, v1, v2, v3", median(s->a, s->b, s->c))                                                               \
    X("v_min3_i32 %s, v1, v2, v3", MIN(MIN(I(s->a), I(s->b)), I(s->c)))                                                    \
    X("v_max3_i32 %s, v1, v2, v3", MAX(MAX(I(s->a), I(s->b)), I(s->c)))                                                    \
    X("v_med3_i32 %s, v1, v2, v3", median(I(s->a), I(s->b), I(s->c)))                                                      \
    X("v_maxmin_u32 %s, v1, v2, v3", MIN(MAX(s->a, s->b), s->c))                                                           \
    X("v_minmax_u32 %s, v1, v2, v3", MAX(MIN(s->a, s->b), s->c))                                                           \
    X("v_maxmin_i32 %s, v1, v2, v3", MIN(MAX(I(s->a), I(s->b)), I(s->c)))                                                  \
    X("v_minmax_i32 %s, v1, v2, v3", MAX(MIN(I(s->a), I(s->b)), I(s->c)))                                                  \
    X("v_lshlrev_b32 %s, v1, v2", s->b << s->a % 32)                                                                       \
    X("v_lshrrev_b32 %s, v1, v2", s->b >> s->a % 32)                                                                       \
    X("v_ashrrev_i32 %s, v1, v2", (int64_t)I(s->b) >> s->a % 32)                                                           \
    X("v_bfe_u32 %s, v1, v2, v3", bits_from(s->a, s->b % 32, s->c % 32))                                                   \
    X("v_bfe_i32 %s, v1, v2, v3", bfe_i32(s->a, s->b % 32, s->c % 32))                                                     \
    X("v_bfi_b32 %s, v1, v2, v3", (s->b & s->a) | (s->c & ~s->a))                                                          \
    X("v_bfm_b32 %s, v1, v2", ((UINT64_C(1) << s->a % 32) - 1) << s->b % 32)                                               \
    X("v_bcnt_u32_b32 %s, v1, v2", ones(s->a) + s->b)                                                                      \
    X("v_clz_i32_u32 %s, v1", first_one_from_top(s->a))                                                                    \
    X("v_ctz_i32_b32 %s, v1", first_one_from_bottom(s->a))                                                                 \
    X("v_cls_i32 %s, v1", first_change_from_top(s->a))                                                                     \
    X("v_alignbit_b32 %s, v1, v2, v3", ((uint64_t)s->a << 32 | s->b) >> s->c % 32)                                         \
    X("v_alignbyte_b32 %s, v1, v2, v3", ((uint64_t)s->a << 32 | s->b) >> 8 * (s->c % 4))                                   \
    X("v_perm_b32 %s, v1, v2, v3", perm(s->a, s->b, s->c))                                                                 \
    X("v_perm_b32 %s, v1, v2, 0x0b0a0908", perm(s->a, s->b, 0x0b0a0908))                                                   \
    X("v_perm_b32 %s, v1, v2, 0xff0d0c07", perm(s->a, s->b, 0xff0d0c07))                                                   \
    X("v_lerp_u8 %s, v1, v2, v3", lerp(s->a, s->b, s->c))                                                                  \
    X("v_sad_u8 %s, v1, v2, v3", sad_u8(s->a, s->b, false) + s->c)                                                         \
    X("v_sad_u8 %s, v1, v2, v3 clamp", MIN((uint64_t)sad_u8(s->a, s->b, false) + s->c, UINT32_MAX))                        \
    X("v_sad_hi_u8 %s, v1, v2, v3", (sad_u8(s->a, s->b, false) << 16) + s->c)                                              \
    X("v_sad_u16 %s, v1, v2, v3", labs((long)LOW(s->a) - LOW(s->b)) + labs((long)HIGH(s->a) - HIGH(s->b)) + s->c)          \
    X("v_sad_u32 %s, v1, v2, v3", llabs((long long)s->a - s->b) + s->c)                                                    \
    X("v_msad_u8 %s, v1, v2, v3", sad_u8(s->a, s->b, true) + s->c)                                                         \
    X("v_cndmask_b32 %s, v1, v2, vcc_lo", s->carry ? s->b : s->a)                                                          \
    X("v_cndmask_b32 %s, -v1, |v2|, vcc_lo", s->carry ? s->b & 0x7fffffff : s->a ^ 0x80000000)

#define CASES_16(X)                                                                                                        \
    X("v_mov_b16 %s.l, v1.h", TO_LOW(HIGH(s->a)))                                                                          \
    X("v_mov_b16 %s.h, v1.l", TO_HIGH(s->a))                                                                               \
    X("v_not_b16 %s.h, v1.h", TO_HIGH(~HIGH(s->a)))                                                                        \
    X("v_and_b16 %s.l, v1.l, v2.h", TO_LOW(s->a &HIGH(s->b)))                                                              \
    X("v_or_b16 %s.h, v1.h, v2.l", TO_HIGH(HIGH(s->a) | s->b))                                                             \
    X("v_xor_b16 %s.l, v1.h, v2.h", TO_LOW(HIGH(s->a ^ s->b)))                                                             \
    X("v_add_nc_u16 %s.l, v1.l, v2.l", TO_LOW(s->a + s->b))                                                                \
    X("v_add_nc_u16 %s.h, v1.l, v2.h clamp", TO_HIGH(MIN(LOW(s->a) + HIGH(s->b), 0xffff)))                                 \
    X("v_sub_nc_u16 %s.l, v1.l, v2.h", TO_LOW(LOW(s->a) - HIGH(s->b)))                                                     \
    X("v_sub_nc_u16 %s.h, v1.h, v2.l clamp", TO_HIGH(MAX(I(HIGH(s->a)) - I(LOW(s->b)), 0)))                                \
    X("v_add_nc_i16 %s.l, v1.l, v2.l", TO_LOW(s->a + s->b))                                                                \
    X("v_add_nc_i16 %s.h, v1.l, v2.l clamp", TO_HIGH(clamp_to(I16(s->a) + I16(s->b), INT16_MIN, INT16_MAX)))               \
    X("v_sub_nc_i16 %s.l, v1.l, v2.l clamp", TO_LOW(clamp_to(I16(s->a) - I16(s->b), INT16_MIN, INT16_MAX)))                \
    X("v_mul_lo_u16 %s.l, v1.l, v2.h", TO_LOW(LOW(s->a) * HIGH(s->b)))                                                     \
    X("v_mad_u16 %s.h, v1.l, v2.l, v3.l", TO_HIGH(LOW(s->a) * LOW(s->b) + s->c))                                           \
    X("v_mad_u16 %s.l, v1.l, v2.l, v3.h clamp", TO_LOW(MIN((uint64_t)LOW(s->a) * LOW(s->b) + HIGH(s->c), 0xffff)))         \
    X("v_mad_i16 %s.l, v1.l, v2.l, v3.l", TO_LOW(I16(s->a) * I16(s->b) + I16(s->c)))                                       \
    X("v_mad_i16 %s.h, v1.l, v2.l, v3.l clamp",                                                                            \
      TO_HIGH(clamp_to((int64_t)I16(s->a) * I16(s->b) + I16(s->c), INT16_MIN, INT16_MAX)))                                 \
    X("v_min_u16 %s.l, v1.l, v2.l", TO_LOW(MIN(LOW(s->a), LOW(s->b))))                                                     \
    X("v_max_u16 %s.l, v1.l, v2.h", TO_LOW(MAX(LOW(s->a), HIGH(s->b))))                                                    \
    X("v_min_i16 %s.h, v1.l, v2.l", TO_HIGH(MIN(I16(s->a), I16(s->b))))                                                    \
    X("v_max_i16 %s.l, v1.l, v2.l", TO_LOW(MAX(I16(s->a), I16(s->b))))                                                     \
    X("v_min3_u16 %s.l, v1.l, v2.l, v3.l", TO_LOW(MIN(MIN(LOW(s->a), LOW(s->b)), LOW(s->c))))                              \
    X("v_max3_u16 %s.l, v1.l, v2.l, v3.l", TO_LOW(MAX(MAX(LOW(s->a), LOW(s->b)), LOW(s->c))))                              \
    X("v_med3_u16 %s.l, v1.l, v2.l, v3.l", TO_LOW(median(LOW(s->a), LOW(s->b), LOW(s->c))))                                \
    X("v_min3_i16 %s.l, v1.l, v2.l, v3.l", TO_LOW(MIN(MIN(I16(s->a), I16(s->b)), I16(s->c))))                              \
    X("v_max3_i16 %s.h, v1.l, v2.l, v3.l", TO_HIGH(MAX(MAX(I16(s->a), I16(s->b)), I16(s->c))))                             \
    X("v_med3_i16 %s.l, v1.l, v2.l, v3.l", TO_LOW(median(I16(s->a), I16(s->b), I16(s->c))))                                \
    X("v_lshlrev_b16 %s.l, v1.l, v2.h", TO_LOW(HIGH(s->b) << s->a % 16))                                                   \
    X("v_lshrrev_b16 %s.h, v1.l, v2.l", TO_HIGH(LOW(s->b) >> s->a % 16))                                                   \
    X("v_ashrrev_i16 %s.l, v1.l, v2.l", TO_LOW(I16(s->b) >> s->a % 16))                                                    \
    X("v_cndmask_b16 %s.h, v1.h, v2.l, vcc_lo", TO_HIGH(s->carry ? s->b : HIGH(s->a)))                                     \
    X("v_sat_pk_u8_i16 %s.l, v1", TO_LOW(clamp_to(I16(s->a), 0, 255) | clamp_to(I16(HIGH(s->a)), 0, 255) << 8))

#define CASES_64(X)                                                                                                        \
    X("v_lshlrev_b64 %s, v1, v[6:7]", s->C << s->a % 64)                                                                   \
    X("v_lshrrev_b64 %s, v1, v[6:7]", s->C >> s->a % 64)                                                                   \
    X("v_ashrrev_i64 %s, v1, v[6:7]", (uint64_t)((__int128)(int64_t)s->C >> s->a % 64))                                    \
    X("v_mad_u64_u32 %s, null, v1, v2, v[6:7]", (uint64_t)s->a * s->b + s->C)                                              \
    X("v_mad_i64_i32 %s, null, v1, v2, v[6:7]", (uint64_t)((int64_t)I(s->a) * I(s->b)) + s->C)                             \
    X("v_mad_u64_u32 %s, null, v1, v2, v[6:7] clamp", MIN((unsigned __int128)s->a * s->b + s->C, UINT64_MAX))              \
    X("v_mad_i64_i32 %s, null, v1, v2, v[6:7] clamp",                                                                      \
      (uint64_t)MAX(MIN((__int128)I(s->a) * I(s->b) + (int64_t)s->C, INT64_MAX), INT64_MIN))                               \
    X("v_qsad_pk_u16_u8 %s, v[4:5], v1, v[6:7]", qsad(s->A, s->a, s->C, false))                                            \
    X("v_mqsad_pk_u16_u8 %s, v[4:5], v1, v[6:7]", qsad(s->A, s->a, s->C, true))

#define TEXT(text, expected)  text,
#define VALUE(text, expected) *values++ = (uint64_t)(expected);

static const char *const texts_32[] = {CASES_32(TEXT) CASES_16(TEXT)};
static const char *const texts_64[] = {CASES_64(TEXT)};
enum { N_32 = sizeof texts_32 / sizeof *texts_32, N_64 = sizeof texts_64 / sizeof *texts_64 };

static void expect_32(const struct sources *s, uint64_t *values)
{
    CASES_32(VALUE)
    CASES_16(VALUE)
}

static void expect_64(const struct sources *s, uint64_t *values)
{
    CASES_64(VALUE)
}

/* One instruction a case, each with result registers of its own. */
static char *program(const char *const *texts, size_t n_texts, unsigned width)
{
    struct text text = {0};
    for (size_t i = 0; i < n_texts; i++) {
        char result[24];
        unsigned first = FIRST_RESULT + width * (unsigned)i;
        snprintf(result, sizeof result, width == 2 ? "v[%u:%u]" : "v%u", first, first + 1);
        const char *mark = strstr(texts[i], "%s");
        text_append(&text, "%.*s%s%s\n", (int)(mark - texts[i]), texts[i], result, mark + 2);
    }
    return text.data;
}

static void set_sources(struct wave_runner *runner, unsigned round, struct sources *sources)
{
    uint32_t carry = 0;
    for (unsigned lane = 0; lane < N_LANES; lane++) {
        struct sources s = sources[lane] = sources_of(round, lane);
        const uint32_t words[] = {
            s.a, s.b, s.c, (uint32_t)s.A, (uint32_t)(s.A >> 32), (uint32_t)s.C, (uint32_t)(s.C >> 32)};
        for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
            wave_runner_vgpr(runner, 1 + i)[lane] = words[i];
        for (unsigned i = FIRST_RESULT; i < 256; i++)
            wave_runner_vgpr(runner, i)[lane] = OLD_RESULT;
        carry |= s.carry << lane;
    }
    runner->wave.vcc = carry;
}

static void run_cases(const char *const *texts, size_t n_texts, unsigned width,
                      void (*expect)(const struct sources *s, uint64_t *values))
{
    char *text = program(texts, n_texts, width);
    struct wave_runner *runner = wave_runner_open("gfx1151", N_LANES);
    for (unsigned round = 0; round < N_ROUNDS; round++) {
        struct sources sources[N_LANES];
        uint64_t expected[N_32];
        set_sources(runner, round, sources);
        assert_true(round ? wave_runner_repeat(runner) : wave_runner_run(runner, text));
        for (unsigned lane = 0; lane < N_LANES; lane++) {
            expect(&sources[lane], expected);
            for (size_t i = 0; i < n_texts; i++) {
                unsigned first = FIRST_RESULT + width * (unsigned)i;
                uint64_t got = wave_runner_vgpr(runner, first)[lane];
                uint64_t want = width == 2 ? expected[i] : (uint32_t)expected[i];
                if (width == 2)
                    got |= (uint64_t)wave_runner_vgpr(runner, first + 1)[lane] << 32;
                if (got != want)
                    fail_msg(
                        "%s with v1 0x%x v2 0x%x v3 0x%x v[4:5] 0x%llx v[6:7] 0x%llx vcc %u: got 0x%llx, expected 0x%llx",
                        texts[i], sources[lane].a, sources[lane].b, sources[lane].c, (unsigned long long)sources[lane].A,
                        (unsigned long long)sources[lane].C, sources[lane].carry, (unsigned long long)got,
                        (unsigned long long)want);
            }
        }
    }
    wave_runner_close(runner);
    free(text);
}

static void results_of_32_and_16_bits_match_host_integers(void **state)
{
    (void)state;
    run_cases(texts_32, N_32, 1, expect_32);
}

static void results_of_64_bits_match_host_integers(void **state)
{
    (void)state;
    run_cases(texts_64, N_64, 2, expect_64);
}

/* X(text with mask s4, s6, …; 64-bit sum that the carry is bit 32 of, or a borrow) */
#define CARRY_CASES(X)                                                                                                     \
    X("v_add_co_u32 v16, s4, v1, v2", (uint64_t)s->a + s->b)                                                               \
    X("v_sub_co_u32 v17, s5, v1, v2", (uint64_t)s->a - s->b)                                                               \
    X("v_subrev_co_u32 v18, s6, v1, v2", (uint64_t)s->b - s->a)                                                            \
    X("v_add_co_ci_u32 v19, s7, v1, v2, vcc_lo", (uint64_t)s->a + s->b + s->carry)                                         \
    X("v_sub_co_ci_u32 v20, s8, v1, v2, vcc_lo", (uint64_t)s->a - s->b - s->carry)                                         \
    X("v_subrev_co_ci_u32 v21, s9, v1, v2, vcc_lo", (uint64_t)s->b - s->a - s->carry)

static const char *const carry_texts[] = {CARRY_CASES(TEXT)};
enum { N_CARRY = sizeof carry_texts / sizeof *carry_texts };

static void expect_carry(const struct sources *s, uint64_t *values)
{
    CARRY_CASES(VALUE)
}

/* Sums with lanes 3 and 30 off: results and carries as the 33-bit sum has them, carries of lanes that are off 0. */
static void carries_are_bit_32_of_the_sum_and_0_for_lanes_off(void **state)
{
    (void)state;
    const uint32_t exec = ~(1u << 3 | 1u << 30);
    struct wave_runner *runner = wave_runner_open("gfx1151", N_LANES);
    struct text text = {0};
    for (size_t i = 0; i < N_CARRY; i++)
        text_append(&text, "%s\n", carry_texts[i]);
    for (unsigned round = 0; round < 20; round += 5) {
        struct sources sources[N_LANES];
        set_sources(runner, round, sources);
        runner->wave.exec = exec;
        assert_true(wave_runner_run(runner, text.data));
        for (unsigned lane = 0; lane < N_LANES; lane++) {
            uint64_t sums[N_CARRY];
            expect_carry(&sources[lane], sums);
            for (unsigned i = 0; i < N_CARRY; i++) {
                bool on = exec >> lane & 1;
                assert_int_equal(wave_runner_vgpr(runner, 16 + i)[lane], on ? (uint32_t)sums[i] : OLD_RESULT);
                assert_int_equal(runner->wave.sgpr[4 + i] >> lane & 1, on ? sums[i] >> 32 & 1 : 0);
            }
        }
    }
    text_free(&text);
    wave_runner_close(runner);
}

/* The ISA writes bit 64 of the exact sum: the carry of the unsigned form, the sign of the signed one. */
static void wide_multiply_add_gives_bit_64_of_the_exact_sum(void **state)
{
    (void)state;
    struct wave_runner *runner = wave_runner_open("gfx1151", N_LANES);
    struct sources sources[N_LANES];
    set_sources(runner, 3, sources);
    assert_true(
        wave_runner_run(runner, "v_mad_u64_u32 v[16:17], s4, v1, v2, v[6:7]\nv_mad_i64_i32 v[18:19], s5, v1, v2, v[6:7]"));
    for (unsigned lane = 0; lane < N_LANES; lane++) {
        const struct sources *s = &sources[lane];
        unsigned __int128 sum = (unsigned __int128)s->a * s->b + s->C;
        __int128 signed_sum = (__int128)I(s->a) * I(s->b) + (int64_t)s->C;
        assert_int_equal(runner->wave.sgpr[4] >> lane & 1, (unsigned)(sum >> 64) & 1);
        assert_int_equal(runner->wave.sgpr[5] >> lane & 1, signed_sum < 0);
    }
    wave_runner_close(runner);
}

/* A carry may go to the mask that it came from, and the result to a source (quirk: carry is of the sources as they were).
 */
static void carry_sees_sources_from_before_the_result(void **state)
{
    (void)state;
    struct wave_runner *runner = wave_runner_open("gfx1151", N_LANES);
    for (unsigned lane = 0; lane < N_LANES; lane++)
        wave_runner_vgpr(runner, 1)[lane] = lane % 2 ? 0xffffffff : 1;
    assert_true(wave_runner_run(runner, "v_add_co_u32 v1, vcc_lo, v1, v1\nv_add_co_ci_u32 v2, vcc_lo, v1, v1, vcc_lo"));
    for (unsigned lane = 0; lane < N_LANES; lane++) {
        assert_int_equal(wave_runner_vgpr(runner, 1)[lane], lane % 2 ? 0xfffffffe : 2);
        assert_int_equal(wave_runner_vgpr(runner, 2)[lane], lane % 2 ? 0xfffffffd : 4);
    }
    assert_int_equal(runner->wave.vcc, 0xaaaaaaaa);
    wave_runner_close(runner);
}

static void mqsad_reads_its_registers_before_it_writes_them(void **state)
{
    (void)state;
    struct wave_runner *runner = wave_runner_open("gfx1151", N_LANES);
    struct sources sources[N_LANES];
    set_sources(runner, 2, sources);
    assert_true(wave_runner_run(runner, "v_mqsad_u32_u8 v[20:23], v[4:5], v1, v[20:23]"));
    for (unsigned lane = 0; lane < N_LANES; lane++)
        for (unsigned i = 0; i < 4; i++)
            assert_int_equal(wave_runner_vgpr(runner, 20 + i)[lane],
                             OLD_RESULT + sad_u8((uint32_t)(sources[lane].A >> 8 * i), sources[lane].a, true));
    wave_runner_close(runner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_of_32_and_16_bits_match_host_integers),
        cmocka_unit_test(results_of_64_bits_match_host_integers),
        cmocka_unit_test(carries_are_bit_32_of_the_sum_and_0_for_lanes_off),
        cmocka_unit_test(wide_multiply_add_gives_bit_64_of_the_exact_sum),
        cmocka_unit_test(carry_sees_sources_from_before_the_result),
        cmocka_unit_test(mqsad_reads_its_registers_before_it_writes_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
