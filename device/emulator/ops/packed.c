/* Packed f16 and 16-bit integer arithmetic, and fma_mix (RDNA3.5 ISA, VOP3P). */
#include "device/emulator/f32_rows.h"
#include "device/emulator/packed_lanes.h"

/* ---- packed f16 ---- */

typedef uint64_t soft_binary(const struct float_format *format, struct float_env env, uint64_t a, uint64_t b);

static void run_soft(struct wave *wave, soft_binary *operation, const uint32_t *a, const uint32_t *b, uint32_t *low,
                     uint32_t *high)
{
    struct float_env env = env_f16(wave);
    for (int lane = 0; lane < WAVE_LANES; lane++) {
        low[lane] = (uint32_t)operation(&format_f16, env, a[lane] & 0xffffu, b[lane] & 0xffffu);
        high[lane] = (uint32_t)operation(&format_f16, env, a[lane] >> 16, b[lane] >> 16);
    }
}

/* NaNs of both halves of packed sources. */
static void mend_packed(uint32_t *low, uint32_t *high, const uint32_t *a, const uint32_t *b, const uint32_t *c)
{
    LANE_ARRAY32(a_high);
    LANE_ARRAY32(b_high);
    LANE_ARRAY32(c_high);
    EACH_LANE a_high[lane] = a[lane] >> 16;
    EACH_LANE b_high[lane] = b[lane] >> 16;
    EACH_LANE c_high[lane] = c ? c[lane] >> 16 : 0;
    mend_nans_f16(low, a, b, c);
    mend_nans_f16(high, a_high, b_high, c ? c_high : NULL);
}

#define PACKED_F16(name, operator, soft)                                                                                   \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        PACKED_LANES(a, 0);                                                                                                \
        PACKED_LANES(b, 1);                                                                                                \
        LANE_ARRAY32(low);                                                                                                 \
        LANE_ARRAY32(high);                                                                                                \
        if (__builtin_expect(plain_f16(wave), 1)) {                                                                        \
            uint32_t any_nan = 0;                                                                                          \
            EACH_LANE                                                                                                      \
            {                                                                                                              \
                float x = f16_to_f32(a[lane] & 0xffffu), y = f16_to_f32(b[lane] & 0xffffu);                                \
                float u = f16_to_f32(a[lane] >> 16), v = f16_to_f32(b[lane] >> 16);                                        \
                low[lane] = f32_to_f16_rne(f32_bits(x operator y));                                                        \
                high[lane] = f32_to_f16_rne(f32_bits(u operator v));                                                       \
                any_nan |= f16_is_nan(low[lane]) | f16_is_nan(high[lane]);                                                 \
            }                                                                                                              \
            if (__builtin_expect(any_nan, 0))                                                                              \
                mend_packed(low, high, a, b, NULL);                                                                        \
        } else {                                                                                                           \
            run_soft(wave, soft, a, b, low, high);                                                                         \
        }                                                                                                                  \
        finish_packed_f16(wave, in, low, high);                                                                            \
    }

PACKED_F16(pk_add_f16, +, soft_add)
PACKED_F16(pk_mul_f16, *, soft_multiply)

static void packed_fma_rows(struct wave *wave, const struct instruction *in, const uint32_t *a, const uint32_t *b,
                            const uint32_t *c)
{
    LANE_ARRAY32(low);
    LANE_ARRAY32(high);
    if (__builtin_expect(plain_f16(wave), 1)) {
        uint32_t any_nan = 0;
        EACH_LANE
        {
            low[lane] = fma_f16_rne(a[lane] & 0xffffu, b[lane] & 0xffffu, c[lane] & 0xffffu);
            high[lane] = fma_f16_rne(a[lane] >> 16, b[lane] >> 16, c[lane] >> 16);
            any_nan |= f16_is_nan(low[lane]) | f16_is_nan(high[lane]);
        }
        if (__builtin_expect(any_nan, 0))
            mend_packed(low, high, a, b, c);
    } else {
        struct float_env env = env_f16(wave);
        for (int lane = 0; lane < WAVE_LANES; lane++) {
            low[lane] = (uint32_t)soft_fma(&format_f16, env, a[lane] & 0xffffu, b[lane] & 0xffffu, c[lane] & 0xffffu, 0);
            high[lane] = (uint32_t)soft_fma(&format_f16, env, a[lane] >> 16, b[lane] >> 16, c[lane] >> 16, 0);
        }
    }
    finish_packed_f16(wave, in, low, high);
}

HANDLER(pk_fma_f16)
{
    PACKED_LANES(a, 0);
    PACKED_LANES(b, 1);
    PACKED_LANES(c, 2);
    packed_fma_rows(wave, in, a, b, c);
}

HANDLER(pk_fmac_f16)
{
    PACKED_LANES(a, 0);
    PACKED_LANES(b, 1);
    packed_fma_rows(wave, in, a, b, vgpr_row(wave, operand_row(&in->dst[0])));
}

/* ---- packed integers; op_sel as for floats, no negation ---- */

static inline uint32_t clamp_to(int32_t value, int32_t least, int32_t most)
{
    return (uint32_t)(value < least ? least : value > most ? most : value);
}

static inline uint32_t clamp_i16(int32_t value, bool clamp)
{
    return (clamp ? clamp_to(value, INT16_MIN, INT16_MAX) : (uint32_t)value) & 0xffffu;
}

static inline uint32_t clamp_u16(int64_t value, bool clamp)
{
    return (uint32_t)(!clamp ? value : value < 0 ? 0 : value > UINT16_MAX ? UINT16_MAX : value) & 0xffffu;
}

static inline int32_t extend(uint32_t half)
{
    return (int16_t)half;
}

/* expression of x, y and, with three sources, z: halves, zero-extended. */
#define PACKED_LOOP(expression, x_row, y_row, z_row)                                                                       \
    for (int half = 0; half < 2; half++) {                                                                                 \
        const int shift = 16 * half;                                                                                       \
        EACH_LANE                                                                                                          \
        {                                                                                                                  \
            uint32_t x = x_row[lane] >> shift & 0xffffu, y = y_row[lane] >> shift & 0xffffu;                               \
            uint32_t z = z_row[lane] >> shift & 0xffffu;                                                                   \
            (void)z;                                                                                                       \
            uint32_t value = (expression)&0xffffu;                                                                         \
            r[lane] = half ? r[lane] | value << 16 : value;                                                                \
        }                                                                                                                  \
    }

#define PACKED_16(name, n_sources, expression)                                                                             \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        PACKED_LANES(a, 0);                                                                                                \
        PACKED_LANES(b, 1);                                                                                                \
        PACKED_LANES(c, n_sources - 1);                                                                                    \
        LANE_ARRAY32(r);                                                                                                   \
        const bool clamp = (in->flags & FLAG_CLAMP) != 0;                                                                  \
        (void)clamp;                                                                                                       \
        PACKED_LOOP(expression, a, b, c)                                                                                   \
        commit_result32(wave, in, r);                                                                                      \
    }

PACKED_16(pk_add_i16, 2, clamp_i16(extend(x) + extend(y), clamp))
PACKED_16(pk_sub_i16, 2, clamp_i16(extend(x) - extend(y), clamp))
PACKED_16(pk_add_u16, 2, clamp_u16((int64_t)x + y, clamp))
PACKED_16(pk_sub_u16, 2, clamp_u16((int64_t)x - y, clamp))
PACKED_16(pk_mul_lo_u16, 2, x *y)
PACKED_16(pk_mad_i16, 3, clamp_i16(extend(x) * extend(y) + extend(z), clamp))
PACKED_16(pk_mad_u16, 3, clamp_u16((int64_t)x *y + z, clamp))
PACKED_16(pk_min_i16, 2, extend(x) < extend(y) ? x : y)
PACKED_16(pk_max_i16, 2, extend(x) >= extend(y) ? x : y)
PACKED_16(pk_min_u16, 2, x < y ? x : y)
PACKED_16(pk_max_u16, 2, x >= y ? x : y)
PACKED_16(pk_lshlrev_b16, 2, y << (x & 15))
PACKED_16(pk_lshrrev_b16, 2, y >> (x & 15))
PACKED_16(pk_ashrrev_i16, 2, (uint32_t)(extend(y) >> (x & 15)))

/* ---- fma_mix: each source f32, or the f16 half that op_sel picks where op_sel_hi is set; neg and abs act on what was
 * picked ---- */

static void mix_source(struct wave *wave, const struct instruction *in, int k, uint32_t *lanes)
{
    LANE_ARRAY32(scratch);
    const uint32_t *row = source32(wave, in, k, scratch);
    uint32_t keep = in->src[k].modifiers & MODIFIER_ABS ? 0x7fffffffu : UINT32_MAX;
    uint32_t flip = in->src[k].modifiers & MODIFIER_NEG ? 0x80000000u : 0;
    if (!(in->op_sel_hi >> k & 1)) {
        EACH_LANE lanes[lane] = (row[lane] & keep) ^ flip;
        return;
    }
    unsigned shift = in->op_sel >> k & 1 ? 16 : 0;
    const bool flush = env_f16(wave).flush_in;
    EACH_LANE
    {
        uint32_t half = row[lane] >> shift & 0xffffu;
        half = flush && !(half & 0x7c00u) ? half & 0x8000u : half;
        lanes[lane] = (f16_to_f32_bits(half) & keep) ^ flip;
    }
}

HANDLER(fma_mix_f32)
{
    LANE_ARRAY32(a);
    LANE_ARRAY32(b);
    LANE_ARRAY32(c);
    LANE_ARRAY32(r);
    mix_source(wave, in, 0, a);
    mix_source(wave, in, 1, b);
    mix_source(wave, in, 2, c);
    fma_f32_rows(env_f32(wave), r, a, b, c);
    finish_f32(wave, in, r);
}

/* The exact a * b + c rounded once, to f16, as measured on gfx1100 and gfx1036; the ISA's pseudocode writes a rounding to
 * f32 before. */
static void mix_to_f16(struct wave *wave, const struct instruction *in, enum operand_half half)
{
    LANE_ARRAY32(a);
    LANE_ARRAY32(b);
    LANE_ARRAY32(c);
    LANE_ARRAY32(r);
    mix_source(wave, in, 0, a);
    mix_source(wave, in, 1, b);
    mix_source(wave, in, 2, c);
    if (plain_f16(wave)) {
        const bool flush = env_f32(wave).flush_in;
        uint32_t any_nan = 0;
        EACH_LANE
        {
            float x = bits_f32(f32_flush(flush, a[lane])), y = bits_f32(f32_flush(flush, b[lane]));
            double product = (double)x * y; /* exact */
            r[lane] = narrow_f64_odd(sum_f64_odd(product, bits_f32(f32_flush(flush, c[lane]))));
            any_nan |= f32_is_nan(r[lane]);
        }
        if (__builtin_expect(any_nan, 0))
            mend_nans_f32(r, a, b, c);
        EACH_LANE r[lane] = f32_to_f16_rne(r[lane]);
    } else {
        struct float_env env = env_f32_to_f16(wave);
        for (int lane = 0; lane < WAVE_LANES; lane++)
            r[lane] = (uint32_t)soft_fma_convert(&format_f32, &format_f16, env, a[lane], b[lane], c[lane]);
    }
    if (has_output_modifiers(in))
        VARIANT(modify_f16)(wave, in, r);
    commit_half(wave, in, r, half);
}

HANDLER(fma_mixlo_f16)
{
    mix_to_f16(wave, in, HALF_LOW);
}

HANDLER(fma_mixhi_f16)
{
    mix_to_f16(wave, in, HALF_HIGH);
}
