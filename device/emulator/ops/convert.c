/*
 * Conversions (RDNA3.5 ISA, VOP1, VOP2, VOP3): between float formats, to and from integers, packed forms.
 *
 * Float to integer truncates and saturates, NaN gives 0 (ISA, V_CVT_I32_F32). Measured on gfx1201 by AMD's rocjitsu project
 * (conversion.h and its tests in ROCm/rocm-systems), elsewhere modelled: the normalised forms multiply exactly, then round
 * to nearest even; v_cvt_floor_i32_f32 and v_cvt_nearest_i32_f32 saturate a NaN by its sign, and the latter adds its half
 * exactly; v_cvt_pk_u8_f32 rounds as MODE says; v_pack_b32_f16 quiets NaNs and flushes denormals as MODE says. Modelled:
 * packing of integers saturates.
 */
#include "device/emulator/float_lanes.h"

/* Float to float. */

HANDLER(cvt_f32_f16)
{
    LANES16(a, 0);
    LANE_ARRAY32(r);
    const bool flush = env_f16(wave).flush_in;
    EACH_LANE
    {
        uint32_t half = flush && !(a[lane] & 0x7c00u) ? a[lane] & 0x8000u : a[lane];
        uint32_t bits = f16_to_f32_bits(half);
        r[lane] = f32_is_nan(bits) ? f32_quiet(bits) : bits;
    }
    finish_f32(wave, in, r);
}

HANDLER(cvt_f16_f32)
{
    LANES32(a, 0);
    LANE_ARRAY32(r);
    if (__builtin_expect(plain_f16(wave), 1)) { /* f32's denormals round to zero, flushed or not */
        EACH_LANE r[lane] = f32_to_f16_rne(a[lane]);
    } else {
        struct float_env env = env_f32_to_f16(wave);
        for (int lane = 0; lane < WAVE_LANES; lane++)
            r[lane] = (uint32_t)soft_convert(&format_f32, &format_f16, env, a[lane]);
    }
    finish_f16(wave, in, r);
}

HANDLER(cvt_pk_rtz_f16_f32)
{
    LANES32(a, 0);
    LANES32(b, 1);
    LANE_ARRAY32(r);
    const bool keeps_denormals = !env_f16(wave).flush_out;
    EACH_LANE
    {
        uint32_t low = f32_to_f16_rtz(a[lane], keeps_denormals), high = f32_to_f16_rtz(b[lane], keeps_denormals);
        r[lane] = low | high << 16;
    }
    commit_result32(wave, in, r);
}

/* By the host; false where a lane must be rounded in integers: a NaN, or a result that may have been rounded up to the
 * least normal number while MODE flushes (f32_rows.h). */
static bool narrow_f64_rows(struct float_env env, const uint64_t *a, uint32_t *r)
{
    uint32_t unsure = (env.rounding != ROUND_NEAREST_EVEN) | env.flush_in;
    EACH_LANE
    {
        uint32_t bits = f32_bits((float)bits_f64(a[lane]));
        unsure |= f32_is_nan(bits) | ((uint32_t)((bits & 0x7fffffffu) == 0x00800000u) & env.flush_out);
        r[lane] = f32_flush(env.flush_out, bits);
    }
    return !unsure;
}

HANDLER(cvt_f32_f64)
{
    LANES64(a, 0);
    LANE_ARRAY32(r);
    struct float_env env = env_f64_to_f32(wave);
    if (__builtin_expect(!narrow_f64_rows(env, a, r), 0))
        for (int lane = 0; lane < WAVE_LANES; lane++)
            r[lane] = (uint32_t)soft_convert(&format_f64, &format_f32, env, a[lane]);
    finish_f32(wave, in, r);
}

HANDLER(cvt_f64_f32)
{
    LANES32(a, 0);
    LANE_ARRAY64(r);
    struct float_env env = {.flush_in = env_f32(wave).flush_in};
    for (int lane = 0; lane < WAVE_LANES; lane++)
        r[lane] = soft_convert(&format_f32, &format_f64, env, a[lane]);
    finish_f64(wave, in, r);
}

/* Integer to float. */

static void from_integers(const struct float_format *format, struct float_env env, bool is_signed, const uint32_t *a,
                          uint32_t *r)
{
    for (int lane = 0; lane < WAVE_LANES; lane++) {
        bool negative = is_signed && (int32_t)a[lane] < 0;
        r[lane] = (uint32_t)soft_from_integer(format, env, negative, negative ? -a[lane] : a[lane]);
    }
}

static bool rounds_to_nearest(const struct wave *wave)
{
    return (wave->mode & MODE_ROUND_F32) == ROUND_NEAREST_EVEN;
}

HANDLER(cvt_f32_i32)
{
    LANES32(a, 0);
    LANE_ARRAY32(r);
    if (rounds_to_nearest(wave))
        EACH_LANE r[lane] = f32_bits((float)(int32_t)a[lane]);
    else
        from_integers(&format_f32, env_f32(wave), true, a, r);
    finish_f32(wave, in, r);
}

HANDLER(cvt_f32_u32)
{
    LANES32(a, 0);
    LANE_ARRAY32(r);
    if (rounds_to_nearest(wave))
        EACH_LANE r[lane] = f32_bits((float)a[lane]);
    else
        from_integers(&format_f32, env_f32(wave), false, a, r);
    finish_f32(wave, in, r);
}

HANDLER(cvt_f64_i32)
{
    LANES32(a, 0);
    LANE_ARRAY64(r);
    EACH_LANE r[lane] = f64_bits((double)(int32_t)a[lane]);
    finish_f64(wave, in, r);
}

HANDLER(cvt_f64_u32)
{
    LANES32(a, 0);
    LANE_ARRAY64(r);
    EACH_LANE r[lane] = f64_bits((double)a[lane]);
    finish_f64(wave, in, r);
}

HANDLER(cvt_f16_i16)
{
    LANES16(source, 0);
    LANE_ARRAY32(a);
    LANE_ARRAY32(r);
    EACH_LANE a[lane] = (uint32_t)(int32_t)(int16_t)source[lane];
    from_integers(&format_f16, env_f16(wave), true, a, r);
    finish_f16(wave, in, r);
}

HANDLER(cvt_f16_u16)
{
    LANES16(source, 0);
    LANE_ARRAY32(a);
    LANE_ARRAY32(r);
    EACH_LANE a[lane] = source[lane] & 0xffffu;
    from_integers(&format_f16, env_f16(wave), false, a, r);
    finish_f16(wave, in, r);
}

#define CVT_UBYTE(n)                                                                                                       \
    HANDLER(cvt_f32_ubyte##n)                                                                                              \
    {                                                                                                                      \
        LANES32(a, 0);                                                                                                     \
        LANE_ARRAY32(r);                                                                                                   \
        EACH_LANE r[lane] = f32_bits((float)(int32_t)(a[lane] >> (8 * n) & 0xffu));                                        \
        finish_f32(wave, in, r);                                                                                           \
    }

CVT_UBYTE(0)
CVT_UBYTE(1)
CVT_UBYTE(2)
CVT_UBYTE(3)

/* A signed nibble in sixteenths. */
HANDLER(cvt_off_f32_i4)
{
    LANES32(a, 0);
    LANE_ARRAY32(r);
    EACH_LANE r[lane] = f32_bits((float)((int32_t)(a[lane] << 28) >> 28) * 0.0625f);
    finish_f32(wave, in, r);
}

/* Float to integer. Everything narrower is exact as f64, whose comparisons also turn NaN away. */

static inline double between(double value, double least, double most)
{
    value = value >= least ? value : least; /* NaN too; callers mend that */
    return value <= most ? value : most;
}

static inline int64_t to_integer(double value, double least, double most)
{
    return value == value ? (int64_t)between(value, least, most) : 0;
}

#define I32_LEAST (-0x1p31)
#define I32_MOST  0x1.fffffffcp30
#define U32_MOST  0x1.fffffffep31

HANDLER(cvt_i32_f32)
{
    LANES32(a, 0);
    LANE_ARRAY32(r);
    EACH_LANE
    {
        float value = bits_f32(a[lane]);
        float inside = value >= -0x1p31f && value < 0x1p31f ? value : 0.0f;
        uint32_t saturated = value >= 0x1p31f ? 0x7fffffffu : value < -0x1p31f ? 0x80000000u : 0;
        r[lane] = (uint32_t)(int32_t)inside | saturated;
    }
    commit_result32(wave, in, r);
}

HANDLER(cvt_u32_f32)
{
    LANES32(a, 0);
    LANE_ARRAY32(r);
    EACH_LANE
    {
        float value = bits_f32(a[lane]);
        /* Values from 2^31 go through the signed conversion less 2^31, which is exact there. */
        uint32_t high = value >= 0x1p31f;
        float reduced = high ? value - 0x1p31f : value;
        float inside = reduced >= 0.0f && reduced < 0x1p31f ? reduced : 0.0f;
        uint32_t result = (uint32_t)(int32_t)inside + (high << 31);
        r[lane] = value >= 0x1p32f ? UINT32_MAX : result;
    }
    commit_result32(wave, in, r);
}

#define CVT_TO_32(name, lanes, value_of, least, most)                                                                      \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        lanes(a, 0);                                                                                                       \
        LANE_ARRAY32(r);                                                                                                   \
        for (int lane = 0; lane < WAVE_LANES; lane++)                                                                      \
            r[lane] = (uint32_t)to_integer(value_of, least, most);                                                         \
        commit_result32(wave, in, r);                                                                                      \
    }

CVT_TO_32(cvt_i32_f64, LANES64, bits_f64(a[lane]), I32_LEAST, I32_MOST)
CVT_TO_32(cvt_u32_f64, LANES64, bits_f64(a[lane]), 0.0, U32_MOST)

/* Down to an integer, after adding the number given; a NaN saturates by its sign. */
static void floor_to_i32(struct wave *wave, const struct instruction *in, double addend)
{
    LANES32(a, 0);
    LANE_ARRAY32(r);
    const bool flush = env_f32(wave).flush_in;
    for (int lane = 0; lane < WAVE_LANES; lane++) {
        uint32_t bits = f32_flush(flush, a[lane]), of_nan = bits >> 31 ? 0x80000000u : 0x7fffffffu;
        int64_t value = to_integer(floor((double)bits_f32(bits) + addend), I32_LEAST, I32_MOST);
        r[lane] = f32_is_nan(bits) ? of_nan : (uint32_t)value;
    }
    commit_result32(wave, in, r);
}

HANDLER(cvt_floor_i32_f32)
{
    floor_to_i32(wave, in, 0.0);
}

HANDLER(cvt_nearest_i32_f32)
{
    floor_to_i32(wave, in, 0.5);
}

#define CVT_TO_16(name, value_of, least, most)                                                                             \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        LANES16(a, 0);                                                                                                     \
        LANE_ARRAY32(r);                                                                                                   \
        const bool flush = env_f16(wave).flush_in;                                                                         \
        for (int lane = 0; lane < WAVE_LANES; lane++)                                                                      \
            r[lane] = (uint32_t)to_integer(value_of(a[lane]), least, most) & 0xffffu;                                      \
        commit_result16(wave, in, r);                                                                                      \
    }

/* Scaled to 32767 or 65535, nearest even. */
static double normalised(double value, double most)
{
    return rint(value * most);
}

/* Denormals below 2^-14 are 0 as integers, but not normalised. */
#define VALUE_F32(bits)  bits_f32(bits)
#define NORM_I_F32(bits) normalised(bits_f32(bits), 32767.0)
#define NORM_U_F32(bits) normalised(bits_f32(bits), 65535.0)
#define VALUE_F16(bits)  f16_to_f32(f16_flush(flush, bits))
#define NORM_I_F16(bits) normalised(VALUE_F16(bits), 32767.0)
#define NORM_U_F16(bits) normalised(VALUE_F16(bits), 65535.0)
#define VALUE_I32(bits)  (double)(int32_t)(bits)
#define VALUE_U32(bits)  (double)(bits)

CVT_TO_16(cvt_i16_f16, VALUE_F16, -32768.0, 32767.0)
CVT_TO_16(cvt_u16_f16, VALUE_F16, 0.0, 65535.0)
CVT_TO_16(cvt_norm_i16_f16, NORM_I_F16, -32767.0, 32767.0)
CVT_TO_16(cvt_norm_u16_f16, NORM_U_F16, 0.0, 65535.0)

/* Packed results: source 0 low, source 1 high. */

#define CVT_PK_16(name, lanes, value_of, least, most)                                                                      \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        lanes(a, 0);                                                                                                       \
        lanes(b, 1);                                                                                                       \
        LANE_ARRAY32(r);                                                                                                   \
        const bool flush = env_f16(wave).flush_in;                                                                         \
        (void)flush;                                                                                                       \
        for (int lane = 0; lane < WAVE_LANES; lane++) {                                                                    \
            uint32_t low = (uint32_t)to_integer(value_of(a[lane]), least, most) & 0xffffu;                                 \
            uint32_t high = (uint32_t)to_integer(value_of(b[lane]), least, most) << 16;                                    \
            r[lane] = low | high;                                                                                          \
        }                                                                                                                  \
        commit_result32(wave, in, r);                                                                                      \
    }

CVT_PK_16(cvt_pk_i16_f32, LANES32, VALUE_F32, -32768.0, 32767.0)
CVT_PK_16(cvt_pk_u16_f32, LANES32, VALUE_F32, 0.0, 65535.0)
CVT_PK_16(cvt_pk_norm_i16_f32, LANES32, NORM_I_F32, -32767.0, 32767.0)
CVT_PK_16(cvt_pk_norm_u16_f32, LANES32, NORM_U_F32, 0.0, 65535.0)
CVT_PK_16(cvt_pk_norm_i16_f16, LANES16, NORM_I_F16, -32767.0, 32767.0)
CVT_PK_16(cvt_pk_norm_u16_f16, LANES16, NORM_U_F16, 0.0, 65535.0)
CVT_PK_16(cvt_pk_i16_i32, LANES32, VALUE_I32, -32768.0, 32767.0)
CVT_PK_16(cvt_pk_u16_u32, LANES32, VALUE_U32, 0.0, 65535.0)

/* Replaces byte src1[1:0] of old. */
static void convert_to_byte(struct wave *wave, const struct instruction *in, const uint32_t *old)
{
    LANES32(a, 0);
    LANES32(byte, 1);
    LANE_ARRAY32(r);
    enum rounding rounding = env_f32(wave).rounding;
    for (int lane = 0; lane < WAVE_LANES; lane++) {
        uint32_t rounded = (uint32_t)soft_round_to_integer(&format_f32, rounding, a[lane]);
        uint32_t shift = (byte[lane] & 3) * 8;
        uint32_t value = (uint32_t)to_integer(bits_f32(rounded), 0.0, 255.0);
        r[lane] = (old[lane] & ~(0xffu << shift)) | value << shift;
    }
    commit_result32(wave, in, r);
}

HANDLER(cvt_pk_u8_f32)
{
    LANES32(old, 2);
    convert_to_byte(wave, in, old);
}

HANDLER(cvt_pkaccum_u8_f32)
{
    convert_to_byte(wave, in, vgpr_row(wave, operand_row(&in->dst[0])));
}

HANDLER(cvt_i32_i16)
{
    LANES16(a, 0);
    LANE_ARRAY32(r);
    EACH_LANE r[lane] = (uint32_t)(int32_t)(int16_t)a[lane];
    commit_result32(wave, in, r);
}

HANDLER(cvt_u32_u16)
{
    LANES16(a, 0);
    LANE_ARRAY32(r);
    EACH_LANE r[lane] = a[lane] & 0xffffu;
    commit_result32(wave, in, r);
}

/* Two f16 into one register, as a conversion to f16 would leave them. */
HANDLER(pack_b32_f16)
{
    LANES16(a, 0);
    LANES16(b, 1);
    LANE_ARRAY32(r);
    const bool flush = env_f16(wave).flush_in;
    EACH_LANE
    {
        uint32_t low = f16_flush(flush, a[lane] & 0xffffu), high = f16_flush(flush, b[lane] & 0xffffu);
        low = f16_is_nan(low) ? f16_quiet(low) : low;
        high = f16_is_nan(high) ? f16_quiet(high) : high;
        r[lane] = low | high << 16;
    }
    commit_result32(wave, in, r);
}
