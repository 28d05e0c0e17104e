/*
 * Conversions between f32 and fp8, bf8 and bf16, to nearest or stochastic (CDNA3, CDNA4 and RDNA4 ISA, VOP1 and VOP3). fp8
 * and bf8 are FNUZ on gfx942 and the OCP's elsewhere. MODE's rounding has no say; f32 denormals are flushed on the way in
 * where MODE says so.
 *
 * Modelled: NaNs of gfx942 and gfx950 as measured on gfx1201 (small_float.h); f32 to bf16 and to f16 with random bits
 * truncate a result below the normal range as small_float.h has it for fp8; v_cvt_f32_bf16 leaves signalling NaNs.
 */
#include "device/emulator/small_float.h"

static bool is_fnuz(const struct wave *wave)
{
    return wave->chip && wave->chip->family == CHIP_CDNA3;
}

static struct small_format fp8_of(const struct wave *wave)
{
    return is_fnuz(wave) ? small_fp8_fnuz : small_fp8;
}

static struct small_format bf8_of(const struct wave *wave)
{
    return is_fnuz(wave) ? small_bf8_fnuz : small_bf8;
}

static bool is_rdna(const struct wave *wave)
{
    return wave->chip && !chip_is_cdna(wave->chip);
}

/* ---- from 8 bits ---- */

/* The byte of source 0 that byte_sel names; SDWA has moved it down already. */
static void widen(struct wave *wave, const struct instruction *in, const struct small_format format)
{
    LANES32(a, 0);
    LANE_ARRAY32(r);
    const unsigned shift = 8u * (in->op_sel & 3);
    EACH_LANE r[lane] = small_to_f32(format, a[lane] >> shift);
    finish_f32(wave, in, r);
}

HANDLER(cvt_f32_fp8)
{
    widen(wave, in, fp8_of(wave));
}

HANDLER(cvt_f32_bf8)
{
    widen(wave, in, bf8_of(wave));
}

/* Both bytes of a half. */
static void widen_pair(struct wave *wave, const struct instruction *in, const struct small_format format)
{
    LANES16(a, 0);
    LANE_ARRAY64(r);
    EACH_LANE r[lane] = small_to_f32(format, a[lane]) | (uint64_t)small_to_f32(format, a[lane] >> 8) << 32;
    commit64(wave, in, r);
}

HANDLER(cvt_pk_f32_fp8)
{
    widen_pair(wave, in, fp8_of(wave));
}

HANDLER(cvt_pk_f32_bf8)
{
    widen_pair(wave, in, bf8_of(wave));
}

/* ---- to 8 bits ---- */

static struct small_rounding rounding_of(const struct wave *wave, bool stochastic)
{
    return (struct small_rounding){
        .saturate = (wave->mode & MODE_FP16_OVFL) != 0, .saturates_infinity = !is_rdna(wave), .stochastic = stochastic};
}

static void narrow_pair(struct wave *wave, const struct instruction *in, const struct small_format format)
{
    LANES32(a, 0);
    LANES32(b, 1);
    LANE_ARRAY32(r);
    const struct small_rounding how = rounding_of(wave, false);
    const bool flush = env_f32(wave).flush_in;
    EACH_LANE
    {
        uint32_t low = small_from_f32(format, how, 0, 0, f32_flush(flush, a[lane]));
        r[lane] = low | small_from_f32(format, how, 0, 0, f32_flush(flush, b[lane])) << 8;
    }
    commit_result16(wave, in, r);
}

HANDLER(cvt_pk_fp8_f32)
{
    narrow_pair(wave, in, fp8_of(wave));
}

HANDLER(cvt_pk_bf8_f32)
{
    narrow_pair(wave, in, bf8_of(wave));
}

/* One byte of the destination: gfx12 names it by byte_sel, gfx9 by the upper bits of op_sel. */
static void narrow_stochastic(struct wave *wave, const struct instruction *in, const struct small_format format)
{
    LANES32(a, 0);
    LANES32(random, 1);
    LANE_ARRAY32(r);
    const struct small_rounding how = rounding_of(wave, true);
    const bool flush = env_f32(wave).flush_in;
    const unsigned shift = 8u * ((is_rdna(wave) ? in->op_sel : in->op_sel >> 2) & 3u);
    const uint32_t *old = vgpr_row(wave, operand_row(&in->dst[0]));
    EACH_LANE
    {
        uint32_t code = small_from_f32(format, how, random[lane], 0, f32_flush(flush, a[lane]));
        r[lane] = (old[lane] & ~(0xffu << shift)) | code << shift;
    }
    commit_result32(wave, in, r);
}

HANDLER(cvt_sr_fp8_f32)
{
    narrow_stochastic(wave, in, fp8_of(wave));
}

HANDLER(cvt_sr_bf8_f32)
{
    narrow_stochastic(wave, in, bf8_of(wave));
}

/* ---- 16 bits (gfx950) ---- */

HANDLER(cvt_f32_bf16)
{
    LANES16(a, 0);
    LANE_ARRAY32(r);
    EACH_LANE r[lane] = a[lane] << 16;
    finish_f32(wave, in, r);
}

HANDLER(cvt_pk_f16_f32)
{
    LANES32(a, 0);
    LANES32(b, 1);
    LANE_ARRAY32(r);
    struct float_env env = env_f32_to_f16(wave);
    env.rounding = ROUND_NEAREST_EVEN;
    if (!env.flush_out && !env.saturate) { /* f32's denormals round to zero, flushed or not */
        EACH_LANE r[lane] = f32_to_f16_rne(a[lane]) | f32_to_f16_rne(b[lane]) << 16;
    } else {
        for (int lane = 0; lane < WAVE_LANES; lane++)
            r[lane] = (uint32_t)(soft_convert(&format_f32, &format_f16, env, a[lane]) |
                                 soft_convert(&format_f32, &format_f16, env, b[lane]) << 16);
    }
    commit_result32(wave, in, r);
}

/* Nearest even. A denormal result that rounds to the least normal number with bf16's 8 places is none (softfloat.h). */
static inline uint32_t f32_to_bf16(struct float_env env, uint32_t bits)
{
    const uint32_t magnitude = bits & 0x7fffffffu, sign = bits & 0x80000000u, least_kept = 0x007fc000u;
    bool flushes = (env.flush_in & (magnitude < 0x00800000u)) | (env.flush_out & (magnitude < least_kept));
    uint32_t rounded = sign | (magnitude + 0x7fffu + (magnitude >> 16 & 1));
    rounded = flushes ? sign : rounded;
    return (magnitude > 0x7f800000u ? f32_quiet(bits) : rounded) >> 16;
}

HANDLER(cvt_pk_bf16_f32)
{
    LANES32(a, 0);
    LANES32(b, 1);
    LANE_ARRAY32(r);
    const struct float_env env = env_f32(wave);
    EACH_LANE r[lane] = f32_to_bf16(env, a[lane]) | f32_to_bf16(env, b[lane]) << 16;
    commit_result32(wave, in, r);
}

/* NaNs and infinities convert as ever. */
static uint32_t stochastic_16(const struct small_format shape, const struct float_format *format, struct float_env env,
                              uint32_t bits, uint32_t random)
{
    bits = f32_flush(env.flush_in, bits);
    uint32_t magnitude = bits & 0x7fffffffu, infinity = (uint32_t)format_exponent_mask(format);
    if (magnitude >= 0x7f800000u)
        return (uint32_t)soft_convert(&format_f32, format, env, bits);
    int32_t field = (int32_t)(magnitude >> 23) - (127 - shape.bias);
    uint32_t significand = (magnitude & 0x7fffffu) | 0x800000u;
    if (magnitude < 0x800000u) {
        significand = magnitude;
        field++;
    }
    uint32_t rounded = small_round(shape, true, random, field, significand);
    rounded = rounded < infinity ? rounded : infinity - env.saturate;
    return (bits >> 16 & 0x8000u) | (env.flush_out && !(rounded & infinity) ? 0 : rounded);
}

static void narrow_stochastic_16(struct wave *wave, const struct instruction *in, const struct small_format shape,
                                 const struct float_format *format, struct float_env env)
{
    LANES32(a, 0);
    LANES32(random, 1);
    LANE_ARRAY32(r);
    for (int lane = 0; lane < WAVE_LANES; lane++)
        r[lane] = stochastic_16(shape, format, env, a[lane], random[lane]);
    commit_result16(wave, in, r);
}

HANDLER(cvt_sr_f16_f32)
{
    narrow_stochastic_16(wave, in, small_f16, &format_f16, env_f32_to_f16(wave));
}

HANDLER(cvt_sr_bf16_f32)
{
    narrow_stochastic_16(wave, in, small_bf16, &format_bf16, env_f32(wave));
}
