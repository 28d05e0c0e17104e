/*
 * The scalar float ALU (RDNA3.5 ISA, "SOP2" and "SOP1", since gfx11.5): one value, in integers, for every MODE. Results and
 * NaNs are those of the vector instructions of the same name.
 */
#include "device/emulator/fpmode.h"
#include "device/emulator/ops/scalar_forms.h"

/* A format with the environment that MODE gives it. */
struct scalar_float {
    const struct float_format *format;
    struct float_env env;
};

static struct scalar_float scalar_f32(const struct wave *wave)
{
    return (struct scalar_float){&format_f32, env_f32(wave)};
}

static struct scalar_float scalar_f16(const struct wave *wave)
{
    return (struct scalar_float){&format_f16, env_f16(wave)};
}

/* Operands of f16 instructions are the low halves, results go to the low half with zeros above. */
static uint32_t read_float(struct wave *wave, const struct instruction *in, int k, struct scalar_float type)
{
    uint32_t value = scalar_read32(wave, &in->src[k]);
    return type.format->bits == 16 ? value & 0xffff : value;
}

static uint32_t add(struct scalar_float type, uint32_t a, uint32_t b)
{
    return (uint32_t)soft_add(type.format, type.env, a, b);
}

static uint32_t negated(struct scalar_float type, uint32_t a)
{
    return a ^ (uint32_t)format_sign(type.format);
}

static uint32_t multiply(struct scalar_float type, uint32_t a, uint32_t b)
{
    return (uint32_t)soft_multiply(type.format, type.env, a, b);
}

static uint32_t fused(struct scalar_float type, uint32_t a, uint32_t b, uint32_t c)
{
    return (uint32_t)soft_fma(type.format, type.env, a, b, c, 0);
}

/* Order of non-NaN bit patterns, as integers: -0 comes just below +0. */
static int32_t total_order(struct scalar_float type, uint32_t bits)
{
    uint32_t sign = (uint32_t)format_sign(type.format);
    return bits & sign ? -(int32_t)(bits & ~sign) - 1 : (int32_t)bits;
}

static bool is_nan(struct scalar_float type, uint32_t bits)
{
    return format_is_nan(type.format, bits);
}

static bool is_signalling(struct scalar_float type, uint32_t bits)
{
    return is_nan(type, bits) && format_quiet(type.format, bits) != bits;
}

static uint32_t quieted(struct scalar_float type, uint32_t bits)
{
    return (uint32_t)format_quiet(type.format, bits);
}

/* S_MIN_F32 and S_MAX_F32 with MODE.IEEE and without: a quiet NaN loses against a number, a signalling one wins under IEEE.
 */
static uint32_t min_or_max(const struct wave *wave, struct scalar_float type, uint32_t a, uint32_t b, bool want_max)
{
    a = (uint32_t)soft_flush(type.format, type.env.flush_in, a);
    b = (uint32_t)soft_flush(type.format, type.env.flush_in, b);
    if (wave->mode & MODE_IEEE && is_signalling(type, a))
        return quieted(type, a);
    if (wave->mode & MODE_IEEE && is_signalling(type, b))
        return quieted(type, b);
    if (is_nan(type, b))
        return a;
    if (is_nan(type, a))
        return b;
    return (total_order(type, a) < total_order(type, b)) != want_max ? a : b;
}

/* gfx12's minimumNumber: NaNs lose; two NaNs give the first, quieted. */
static uint32_t number_min_or_max(struct scalar_float type, uint32_t a, uint32_t b, bool want_max)
{
    a = (uint32_t)soft_flush(type.format, type.env.flush_in, a);
    b = (uint32_t)soft_flush(type.format, type.env.flush_in, b);
    if (is_nan(type, a))
        return is_nan(type, b) ? quieted(type, a) : b;
    if (is_nan(type, b))
        return a;
    return (total_order(type, a) < total_order(type, b)) != want_max ? a : b;
}

/* gfx12's minimum: a NaN wins, a signalling one first. */
static uint32_t ieee_min_or_max(struct scalar_float type, uint32_t a, uint32_t b, bool want_max)
{
    if (is_signalling(type, a))
        return quieted(type, a);
    if (is_signalling(type, b))
        return quieted(type, b);
    if (is_nan(type, a))
        return a;
    return is_nan(type, b) ? b : number_min_or_max(type, a, b, want_max);
}

#define FLOAT_BINARY(name, type_of, result)                                                                                \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        const struct scalar_float type = type_of(wave);                                                                    \
        const uint32_t a = read_float(wave, in, 0, type), b = read_float(wave, in, 1, type);                               \
        scalar_write32(wave, &in->dst[0], (result));                                                                       \
    }
#define FLOAT_PAIR(name, result)                                                                                           \
    FLOAT_BINARY(s_##name##_f32, scalar_f32, result)                                                                       \
    FLOAT_BINARY(s_##name##_f16, scalar_f16, result)

FLOAT_PAIR(add, add(type, a, b))
FLOAT_PAIR(sub, add(type, a, negated(type, b)))
FLOAT_PAIR(mul, multiply(type, a, b))
FLOAT_PAIR(fmac, fused(type, a, b, scalar_read32(wave, &in->dst[0]) & (uint32_t)(2 * format_sign(type.format) - 1)))
FLOAT_PAIR(min, min_or_max(wave, type, a, b, false))
FLOAT_PAIR(max, min_or_max(wave, type, a, b, true))
FLOAT_PAIR(min_num, number_min_or_max(type, a, b, false))
FLOAT_PAIR(max_num, number_min_or_max(type, a, b, true))
FLOAT_PAIR(minimum, ieee_min_or_max(type, a, b, false))
FLOAT_PAIR(maximum, ieee_min_or_max(type, a, b, true))
/* The text's order is S0, S1, S2 with D = S0 * S1 + S2 for both. */
FLOAT_BINARY(s_fma_f32, scalar_f32, fused(type, a, b, read_float(wave, in, 2, type)))

#define FLOAT_UNARY(name, type_of, result)                                                                                 \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        const struct scalar_float type = type_of(wave);                                                                    \
        const uint32_t a = (uint32_t)soft_flush(type.format, type.env.flush_in, read_float(wave, in, 0, type));            \
        scalar_write32(wave, &in->dst[0], (uint32_t)(result));                                                             \
    }
#define ROUND_PAIR(name, rounding)                                                                                         \
    FLOAT_UNARY(s_##name##_f32, scalar_f32, soft_round_to_integer(type.format, rounding, a))                               \
    FLOAT_UNARY(s_##name##_f16, scalar_f16, soft_round_to_integer(type.format, rounding, a))

ROUND_PAIR(ceil, ROUND_UP)
ROUND_PAIR(floor, ROUND_DOWN)
ROUND_PAIR(trunc, ROUND_ZERO)
ROUND_PAIR(rndne, ROUND_NEAREST_EVEN)

/* Truncated to an integer of [least, most]; a NaN gives 0. */
static int64_t saturated_integer(uint32_t bits, int64_t least, int64_t most)
{
    float value = bits_f32(bits);
    if (value != value)
        return 0;
    return value <= (float)least ? least : value >= (float)most ? most : (int64_t)value;
}

FLOAT_UNARY(s_cvt_i32_f32, scalar_f32, saturated_integer(a, INT32_MIN, INT32_MAX))
FLOAT_UNARY(s_cvt_u32_f32, scalar_f32, saturated_integer(a, 0, UINT32_MAX))

HANDLER(s_cvt_f32_i32)
{
    int64_t value = (int32_t)scalar_read32(wave, &in->src[0]);
    uint64_t bits = soft_from_integer(&format_f32, env_f32(wave), value < 0, (uint64_t)(value < 0 ? -value : value));
    scalar_write32(wave, &in->dst[0], (uint32_t)bits);
}

HANDLER(s_cvt_f32_u32)
{
    uint64_t bits = soft_from_integer(&format_f32, env_f32(wave), false, scalar_read32(wave, &in->src[0]));
    scalar_write32(wave, &in->dst[0], (uint32_t)bits);
}

static uint32_t to_f16(struct float_env env, uint32_t bits)
{
    return (uint32_t)soft_convert(&format_f32, &format_f16, env, bits);
}

HANDLER(s_cvt_f16_f32)
{
    scalar_write32(wave, &in->dst[0], to_f16(env_f32_to_f16(wave), scalar_read32(wave, &in->src[0])));
}

HANDLER(s_cvt_pk_rtz_f16_f32)
{
    struct float_env env = env_f32_to_f16(wave);
    env.rounding = ROUND_ZERO;
    uint32_t low = to_f16(env, scalar_read32(wave, &in->src[0])), high = to_f16(env, scalar_read32(wave, &in->src[1]));
    scalar_write32(wave, &in->dst[0], low | high << 16);
}

/* f16 to f32 is exact; the environment is f16's on the way in. */
static void widen(struct wave *wave, const struct instruction *in, unsigned shift)
{
    struct float_env env = env_f16(wave);
    env.flush_out = env_f32(wave).flush_out;
    uint64_t bits = scalar_read32(wave, &in->src[0]) >> shift & 0xffff;
    scalar_write32(wave, &in->dst[0], (uint32_t)soft_convert(&format_f16, &format_f32, env, bits));
}

HANDLER(s_cvt_f32_f16)
{
    widen(wave, in, 0);
}

HANDLER(s_cvt_hi_f32_f16)
{
    widen(wave, in, 16);
}

/* How two values lie: exactly one of four. */
enum relation { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

static enum relation relation_of(struct scalar_float type, uint32_t a, uint32_t b)
{
    a = (uint32_t)soft_flush(type.format, type.env.flush_in, a);
    b = (uint32_t)soft_flush(type.format, type.env.flush_in, b);
    uint32_t magnitude = (uint32_t)format_sign(type.format) - 1;
    if (is_nan(type, a) || is_nan(type, b))
        return UNORDERED;
    if (a == b || ((a | b) & magnitude) == 0)
        return EQUAL;
    return total_order(type, a) < total_order(type, b) ? LESS : GREATER;
}

#define FLOAT_COMPARE(name, type_of, wanted)                                                                               \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        const struct scalar_float type = type_of(wave);                                                                    \
        wave->scc = (relation_of(type, read_float(wave, in, 0, type), read_float(wave, in, 1, type)) & (wanted)) != 0;     \
    }
#define COMPARE_PAIR(name, wanted)                                                                                         \
    FLOAT_COMPARE(s_cmp_##name##_f32, scalar_f32, wanted)                                                                  \
    FLOAT_COMPARE(s_cmp_##name##_f16, scalar_f16, wanted)

COMPARE_PAIR(lt, LESS)
COMPARE_PAIR(eq, EQUAL)
COMPARE_PAIR(le, LESS | EQUAL)
COMPARE_PAIR(gt, GREATER)
COMPARE_PAIR(lg, LESS | GREATER)
COMPARE_PAIR(ge, GREATER | EQUAL)
COMPARE_PAIR(o, LESS | EQUAL | GREATER)
COMPARE_PAIR(u, UNORDERED)
COMPARE_PAIR(nge, LESS | UNORDERED)
COMPARE_PAIR(nlg, EQUAL | UNORDERED)
COMPARE_PAIR(ngt, LESS | EQUAL | UNORDERED)
COMPARE_PAIR(nle, GREATER | UNORDERED)
COMPARE_PAIR(neq, LESS | GREATER | UNORDERED)
COMPARE_PAIR(nlt, GREATER | EQUAL | UNORDERED)
