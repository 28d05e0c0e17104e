/* f32 add, multiply and fused multiply-add (RDNA3.5 ISA, VOP2 and VOP3). */
#include "device/emulator/f32_rows.h"

typedef uint32_t slow_f32(struct float_env env, uint32_t a, uint32_t b, uint32_t c);

static __attribute__((noinline)) void run_slow(struct wave *wave, slow_f32 *operation, uint32_t *r, const uint32_t *a,
                                               const uint32_t *b, const uint32_t *c)
{
    struct float_env env = env_f32(wave);
    for (int lane = 0; lane < WAVE_LANES; lane++)
        r[lane] = operation(env, a[lane], b[lane], c ? c[lane] : 0);
}

static void subtract_reversed_f32_rows(struct float_env env, uint32_t *r, const uint32_t *a, const uint32_t *b,
                                       const uint32_t *c)
{
    subtract_f32_rows(env, r, b, a, c);
    if (any_nan_f32(r))
        mend_nans_f32(r, a, b, NULL);
}

/* ---- the common case: f32 in the plain mode, whole vector registers, no output modifier. The row is computed in host
 * registers and stored once; where a lane comes out a NaN nothing was written and the general path does it all. ---- */

static inline bool is_common_f32(const struct wave *wave, const struct instruction *in, unsigned n_sources)
{
    unsigned wanted = PLAIN_RESULT | ((1u << n_sources) - 1);
    return __builtin_expect((in->plain & wanted) == wanted && wave->plain_f32, 1);
}

static inline const uint32_t *plain_row(const struct wave *wave, const struct instruction *in, int k)
{
    return vgpr_row(wave, in->plain_row[k]);
}

static inline void store_plain_row(struct wave *wave, const struct instruction *in, const uint32_t *result)
{
    uint32_t *row = vgpr_row(wave, in->plain_result_row);
    if (__builtin_expect(exec_read(wave) == wave->full_exec, 1)) {
        EACH_LANE row[lane] = result[lane];
    } else {
        blend32(row, result, exec_lanes(wave));
    }
}

/* NAME_row computes a row in the host's arithmetic and says whether any lane came out a NaN. */
#define BINARY_F32(name, expression, rows)                                                                                 \
    static inline __attribute__((always_inline)) bool name##_row(uint32_t *r, const uint32_t *a, const uint32_t *b)        \
    {                                                                                                                      \
        EACH_LANE                                                                                                          \
        {                                                                                                                  \
            float x = bits_f32(a[lane]), y = bits_f32(b[lane]);                                                            \
            r[lane] = f32_bits(expression);                                                                                \
        }                                                                                                                  \
        return any_nan_f32(r);                                                                                             \
    }                                                                                                                      \
    static __attribute__((noinline)) void name##_general(struct wave *wave, const struct instruction *in)                  \
    {                                                                                                                      \
        LANES32(a, 0);                                                                                                     \
        LANES32(b, 1);                                                                                                     \
        LANE_ARRAY32(scratch);                                                                                             \
        uint32_t *r = __builtin_assume_aligned(float_result(wave, in, scratch, a, b, NULL), 64);                           \
        if (!wave->plain_f32)                                                                                              \
            rows(env_f32(wave), r, a, b, NULL);                                                                            \
        else if (name##_row(r, a, b))                                                                                      \
            mend_nans_f32(r, a, b, NULL);                                                                                  \
        finish_f32(wave, in, r);                                                                                           \
    }                                                                                                                      \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        LANE_ARRAY32(r);                                                                                                   \
        if (!is_common_f32(wave, in, 2) || name##_row(r, plain_row(wave, in, 0), plain_row(wave, in, 1)))                  \
            name##_general(wave, in);                                                                                      \
        else                                                                                                               \
            store_plain_row(wave, in, r);                                                                                  \
    }

BINARY_F32(add_f32, x + y, add_f32_rows)
BINARY_F32(sub_f32, x - y, subtract_f32_rows)
BINARY_F32(subrev_f32, y - x, subtract_reversed_f32_rows)
BINARY_F32(mul_f32, x *y, multiply_f32_rows)

static inline __attribute__((always_inline)) bool fma_row(uint32_t *r, const uint32_t *a, const uint32_t *b,
                                                          const uint32_t *c)
{
    EACH_LANE r[lane] = f32_bits(fma_f32(bits_f32(a[lane]), bits_f32(b[lane]), bits_f32(c[lane])));
    return any_nan_f32(r);
}

static void fma_general(struct wave *wave, const struct instruction *in, const uint32_t *a, const uint32_t *b,
                        const uint32_t *c)
{
    LANE_ARRAY32(scratch);
    uint32_t *r = __builtin_assume_aligned(float_result(wave, in, scratch, a, b, c), 64);
    if (!wave->plain_f32)
        fma_f32_rows(env_f32(wave), r, a, b, c);
    else if (fma_row(r, a, b, c))
        mend_nans_f32(r, a, b, c);
    finish_f32(wave, in, r);
}

/* own_c: the addend's row; NULL: source 2. */
static __attribute__((noinline)) void fma_sources(struct wave *wave, const struct instruction *in, const uint32_t *own_c)
{
    LANES32(a, 0);
    LANES32(b, 1);
    LANE_ARRAY32(scratch);
    fma_general(wave, in, a, b, own_c ? own_c : source32(wave, in, 2, scratch));
}

/* v_fma_f32, and v_fmamk_f32 and v_fmaak_f32, whose literal stands in the text where fma's source would. */
HANDLER(fma_f32)
{
    LANE_ARRAY32(r);
    if (!is_common_f32(wave, in, 3) || fma_row(r, plain_row(wave, in, 0), plain_row(wave, in, 1), plain_row(wave, in, 2)))
        fma_sources(wave, in, NULL);
    else
        store_plain_row(wave, in, r);
}

HANDLER(fmac_f32)
{
    LANE_ARRAY32(r);
    const uint32_t *own = vgpr_row(wave, operand_row(&in->dst[0]));
    if (!is_common_f32(wave, in, 2) || fma_row(r, plain_row(wave, in, 0), plain_row(wave, in, 1), own))
        fma_sources(wave, in, own);
    else
        store_plain_row(wave, in, r);
}

/* ---- gfx9's multiply-add: two roundings, denormals flushed whatever MODE says (GFX9 ISA, V_MAD_F32 and V_MAC_F32) ---- */

static uint32_t slow_mad(struct float_env env, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t product = soft_multiply_f32(env, a, b, 0);
    return f32_is_nan(product) && f32_is_nan(c) && !f32_is_nan(a) && !f32_is_nan(b) ? f32_quiet(c)
                                                                                    : soft_add_f32(env, product, c, 0);
}

static void mad_rows(struct wave *wave, const struct instruction *in, const uint32_t *own_c)
{
    LANES32(a, 0);
    LANES32(b, 1);
    LANE_ARRAY32(scratch);
    LANE_ARRAY32(product);
    LANE_ARRAY32(r);
    const uint32_t *c = own_c ? own_c : source32(wave, in, 2, scratch);
    struct float_env env = env_f32(wave);
    env.flush_in = env.flush_out = true;
    multiply_f32_rows(env, product, a, b, NULL);
    add_f32_rows(env, r, product, c, NULL);
    if (__builtin_expect(any_nan_f32(r), 0))
        for (int lane = 0; lane < WAVE_LANES; lane++)
            r[lane] = slow_mad(env, a[lane], b[lane], c[lane]);
    finish_f32(wave, in, r);
}

HANDLER(mad_f32)
{
    mad_rows(wave, in, NULL);
}

HANDLER(mac_f32)
{
    mad_rows(wave, in, vgpr_row(wave, operand_row(&in->dst[0])));
}

/* ---- rare: DirectX 9's zero, mullit, cube maps, interpolation ---- */

static bool is_zero(struct float_env env, uint32_t bits)
{
    return (soft_flush(&format_f32, env.flush_in, bits) & 0x7fffffffu) == 0;
}

/* 0 * x is +0 whatever x is. */
static uint32_t slow_multiply_dx9(struct float_env env, uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return is_zero(env, a) || is_zero(env, b) ? 0 : soft_multiply_f32(env, a, b, 0);
}

/* 0 * x + y is y, of two roundings as ever (GFX9 ISA, V_MAD_LEGACY_F32). */
static uint32_t slow_mad_dx9(struct float_env env, uint32_t a, uint32_t b, uint32_t c)
{
    env.flush_in = env.flush_out = true;
    return is_zero(env, a) || is_zero(env, b) ? soft_add_f32(env, 0, c, 0) : slow_mad(env, a, b, c);
}

/* With a zero factor the addend comes through as it is (ISA, V_FMA_DX9_ZERO_F32). */
static uint32_t slow_fma_dx9(struct float_env env, uint32_t a, uint32_t b, uint32_t c)
{
    if (!is_zero(env, a) && !is_zero(env, b))
        return soft_fma_f32(env, a, b, c);
    return (uint32_t)soft_flush(&format_f32, env.flush_in, f32_is_nan(c) ? f32_quiet(c) : c);
}

/* For lighting: a product, but -MAX_FLOAT where the second or third operand says so (ISA, V_MULLIT_F32). */
static uint32_t slow_mullit(struct float_env env, uint32_t a, uint32_t b, uint32_t c)
{
    bool c_positive = !f32_is_nan(c) && !(c >> 31) && !is_zero(env, c);
    bool guard = b >= 0xff7fffffu || f32_is_nan(b) || !c_positive;
    return guard ? 0xff7fffffu : soft_multiply_f32(env, a, b, 0);
}

enum cube_axis { CUBE_X, CUBE_Y, CUBE_Z };

static enum cube_axis cube_major(uint32_t x, uint32_t y, uint32_t z)
{
    float ax = fabsf(bits_f32(x)), ay = fabsf(bits_f32(y)), az = fabsf(bits_f32(z));
    return az >= ax && az >= ay ? CUBE_Z : ay >= ax ? CUBE_Y : CUBE_X;
}

static uint32_t slow_cubeid(struct float_env env, uint32_t x, uint32_t y, uint32_t z)
{
    (void)env;
    enum cube_axis axis = cube_major(x, y, z);
    float major = bits_f32(axis == CUBE_Z ? z : axis == CUBE_Y ? y : x);
    return f32_bits((float)(2 * (int)axis + (major < 0.0f)));
}

static uint32_t slow_cubesc(struct float_env env, uint32_t x, uint32_t y, uint32_t z)
{
    (void)env;
    switch (cube_major(x, y, z)) {
    case CUBE_Z:
        return bits_f32(z) < 0.0f ? x ^ 0x80000000u : x;
    case CUBE_Y:
        return x;
    default:
        return bits_f32(x) < 0.0f ? z : z ^ 0x80000000u;
    }
}

static uint32_t slow_cubetc(struct float_env env, uint32_t x, uint32_t y, uint32_t z)
{
    (void)env;
    if (cube_major(x, y, z) == CUBE_Y)
        return bits_f32(y) < 0.0f ? z ^ 0x80000000u : z;
    return y ^ 0x80000000u;
}

static uint32_t slow_cubema(struct float_env env, uint32_t x, uint32_t y, uint32_t z)
{
    enum cube_axis axis = cube_major(x, y, z);
    return (uint32_t)soft_scale(&format_f32, env, axis == CUBE_Z ? z : axis == CUBE_Y ? y : x, 1);
}

#define SLOW_F32(name, n_sources, operation)                                                                               \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        LANES32(a, 0);                                                                                                     \
        LANES32(b, 1);                                                                                                     \
        LANES32(c, n_sources - 1);                                                                                         \
        LANE_ARRAY32(r);                                                                                                   \
        run_slow(wave, operation, r, a, b, c);                                                                             \
        finish_f32(wave, in, r);                                                                                           \
    }

SLOW_F32(mul_dx9_zero_f32, 2, slow_multiply_dx9)
SLOW_F32(mad_legacy_f32, 3, slow_mad_dx9)
SLOW_F32(fma_dx9_zero_f32, 3, slow_fma_dx9)
SLOW_F32(mullit_f32, 3, slow_mullit)
SLOW_F32(cubeid_f32, 3, slow_cubeid)
SLOW_F32(cubesc_f32, 3, slow_cubesc)
SLOW_F32(cubetc_f32, 3, slow_cubetc)
SLOW_F32(cubema_f32, 3, slow_cubema)

HANDLER(fmac_dx9_zero_f32)
{
    LANES32(a, 0);
    LANES32(b, 1);
    LANE_ARRAY32(r);
    run_slow(wave, slow_fma_dx9, r, a, b, vgpr_row(wave, operand_row(&in->dst[0])));
    finish_f32(wave, in, r);
}

/* Each quad's lane `from` for all its lanes. */
static void spread_in_quad(const uint32_t *row, int from, uint32_t *lanes)
{
    for (int lane = 0; lane < WAVE_LANES; lane++)
        lanes[lane] = row[(lane & ~3) + from];
}

/* VINTERP: the parameter's P10 comes from lane 1 of the quad and P0 from lane 0, P20 from lane 2 (ISA, VINTERP). */
HANDLER(interp_p10_f32)
{
    LANES32(source_a, 0);
    LANES32(b, 1);
    LANES32(source_c, 2);
    LANE_ARRAY32(a);
    LANE_ARRAY32(c);
    spread_in_quad(source_a, 1, a);
    spread_in_quad(source_c, 0, c);
    fma_general(wave, in, a, b, c);
}

HANDLER(interp_p2_f32)
{
    LANES32(source_a, 0);
    LANES32(b, 1);
    LANES32(c, 2);
    LANE_ARRAY32(a);
    spread_in_quad(source_a, 2, a);
    fma_general(wave, in, a, b, c);
}

/* An f16 source as f32, denormals as MODE says. */
static void widen_f16(struct wave *wave, const uint32_t *halves, uint32_t *lanes)
{
    const bool flush = env_f16(wave).flush_in;
    EACH_LANE
    {
        uint32_t half = halves[lane] & 0xffffu;
        lanes[lane] = f16_to_f32_bits(flush && !(half & 0x7c00u) ? half & 0x8000u : half);
    }
}

HANDLER(interp_p10_f16_f32)
{
    LANES16(source_a, 0);
    LANES32(b, 1);
    LANES16(source_c, 2);
    LANE_ARRAY32(wide);
    LANE_ARRAY32(a);
    LANE_ARRAY32(c);
    widen_f16(wave, source_a, wide);
    spread_in_quad(wide, 1, a);
    widen_f16(wave, source_c, wide);
    spread_in_quad(wide, 0, c);
    fma_general(wave, in, a, b, c);
}

/* The f32 result rounded again to f16; the RTZ form (modelled) rounds that step toward zero. */
static void interp_p2_f16(struct wave *wave, const struct instruction *in, bool toward_zero)
{
    LANES16(source_a, 0);
    LANES32(b, 1);
    LANES32(c, 2);
    LANE_ARRAY32(wide);
    LANE_ARRAY32(a);
    LANE_ARRAY32(r);
    widen_f16(wave, source_a, wide);
    spread_in_quad(wide, 2, a);
    struct float_env env = env_f32(wave), narrow = env_f16(wave);
    narrow.flush_in = false;
    narrow.rounding = toward_zero ? ROUND_ZERO : narrow.rounding;
    for (int lane = 0; lane < WAVE_LANES; lane++)
        r[lane] = (uint32_t)soft_convert(&format_f32, &format_f16, narrow, soft_fma_f32(env, a[lane], b[lane], c[lane]));
    finish_f16(wave, in, r);
}

HANDLER(interp_p2_f16_f32)
{
    interp_p2_f16(wave, in, false);
}

HANDLER(interp_p2_rtz_f16_f32)
{
    interp_p2_f16(wave, in, true);
}
