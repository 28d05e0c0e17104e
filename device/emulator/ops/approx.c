/*
 * The approximate functions: rcp, rsq, sqrt, exp2, log2, sin and cos of turns (RDNA3.5 ISA, VOP1).
 *
 * The hardware's bits are not public; its error bounds are. Results are correctly rounded (nearest even, whatever MODE
 * says), so they do not depend on the host: computed in f64 and, where that lies too near the middle of two results to
 * tell, in x87 extended precision. With the dispatch's approx_seed a hash of seed, opcode and input picks, where the
 * documented bound allows it, the result's neighbour on the other side of the exact value: 1 ulp for f32, 0.51 ulp for f16;
 * f64's three functions move by up to 2^28 of their 2^29 ulp. sin and cos have no documented bound and move within 1 ulp.
 *
 * f32 rcp, rsq, sqrt, exp and log flush denormals in and out whatever MODE says ("denormals are flushed"); the others
 * follow MODE. Edge values are those of the ISA's functional examples.
 */
#include "device/emulator/float_lanes.h"

/* A function of one argument: exact where it can be, in two precisions. */
struct function {
    double (*value)(double x);
    long double (*precise)(long double x);
};

static double reciprocal(double x)
{
    return 1.0 / x;
}

static long double reciprocal_precise(long double x)
{
    return 1.0L / x;
}

/* rsq(-0) is -inf, where 1 / sqrt gives it too. */
static double reciprocal_root(double x)
{
    return 1.0 / sqrt(x);
}

static long double reciprocal_root_precise(long double x)
{
    return 1.0L / sqrtl(x);
}

/* The argument less the nearest quarter turn, exactly; that quarter's number modulo 4. */
static long double reduce_turns(long double x, int *quarter)
{
    long double turns = x - rintl(x); /* exact: both have few bits, or x is an integer */
    long double quarters = rintl(4.0L * turns);
    *quarter = (int)quarters & 3;
    return turns - quarters / 4.0L;
}

static long double sine_of_turns(long double x, int quarter_ahead)
{
    const long double two_pi = 6.283185307179586476925286766559005768L;
    int quarter;
    if (!isfinite(x))
        return x - x; /* NaN: an infinity has no place in a turn */
    long double rest = reduce_turns(x, &quarter);
    quarter += quarter_ahead;
    long double result = quarter & 1 ? cosl(two_pi * rest) : sinl(two_pi * rest);
    if (result == 0)
        return x == 0 && !quarter_ahead ? x : 0; /* sin(-0) is -0; every other zero is +0 */
    return quarter & 2 ? -result : result;
}

static long double sine_precise(long double x)
{
    return sine_of_turns(x, 0);
}

static long double cosine_precise(long double x)
{
    return sine_of_turns(x, 1);
}

static double sine(double x)
{
    return (double)sine_of_turns(x, 0);
}

static double cosine(double x)
{
    return (double)sine_of_turns(x, 1);
}

static const struct function function_rcp = {reciprocal, reciprocal_precise};
static const struct function function_rsq = {reciprocal_root, reciprocal_root_precise};
static const struct function function_sqrt = {sqrt, sqrtl};
static const struct function function_exp = {exp2, exp2l};
static const struct function function_log = {log2, log2l};
static const struct function function_sin = {sine, sine_precise};
static const struct function function_cos = {cosine, cosine_precise};

/* Rounding to the result's format. */

/* Whether d, good to 8 units in its last place, may round to a format of fraction_bits either way. */
static bool near_middle(double d, unsigned fraction_bits)
{
    unsigned dropped = 52 - fraction_bits;
    uint64_t rest = f64_bits(d) & ((UINT64_C(1) << dropped) - 1), middle = UINT64_C(1) << (dropped - 1);
    return rest - (middle - 8) <= 16;
}

/* To nearest even with the sticky rest of x87's 11 further bits. */
static uint64_t round_precise(const struct float_format *format, struct float_env env, long double value)
{
    double high = (double)value;
    long double rest = value - high;
    uint64_t bits = f64_bits(high);
    if (rest != 0 && !(bits & 1)) /* to odd */
        bits += (rest < 0) == (high < 0) ? 1 : UINT64_MAX;
    return soft_convert(&format_f64, format, env, bits);
}

/* Whether approx_seed moves an instruction's results, and what all of them hash with. */
struct perturbation {
    bool is_on;
    uint64_t key;
};

static bool is_perturbed(const struct wave *wave)
{
    return wave->dispatch && wave->dispatch->approx_seed;
}

/* By the mnemonic, not its place in the table: a seed means the same in every version. */
static struct perturbation perturbation_of(const struct wave *wave, const struct instruction *in)
{
    if (!is_perturbed(wave))
        return (struct perturbation){0};
    uint64_t name = 0;
    for (const char *c = in->opcode->mnemonic; *c; c++)
        name = name * 31 + (uint8_t)*c;
    return (struct perturbation){true, wave->dispatch->approx_seed * UINT64_C(0x9e3779b97f4a7c15) + (name << 40)};
}

static uint64_t hash_input(struct perturbation by, uint64_t bits)
{
    uint64_t z = bits + by.key;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9); /* SplitMix64's finaliser */
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* The neighbour of result on the side of exact, if within bound_ulp of it. */
static uint64_t perturb(const struct float_format *format, uint64_t result, double exact, double bound_ulp, uint64_t hash)
{
    struct float_env env = {0};
    double rounded = bits_f64(soft_convert(format, &format_f64, env, result));
    if (rounded == exact || !isfinite(rounded) || rounded == 0 || !(hash & 1))
        return result;
    uint64_t neighbour = fabs(exact) > fabs(rounded) ? result + 1 : result - 1;
    double other = bits_f64(soft_convert(format, &format_f64, env, neighbour));
    double ulp = fabs(other - rounded);
    return isfinite(other) && fabs(other - exact) <= bound_ulp * ulp ? neighbour : result;
}

struct approximation {
    const struct float_format *format;
    const struct function *function;
    struct float_env env; /* of the input and the result */
    double bound_ulp;
};

static uint64_t approximate(const struct approximation *a, struct perturbation by, uint64_t bits)
{
    const struct float_format *format = a->format;
    if (format_is_nan(format, bits))
        return format_quiet(format, bits);
    struct float_env exact_env = {.flush_in = a->env.flush_in};
    double x = bits_f64(soft_convert(format, &format_f64, exact_env, bits));
    double value = a->function->value(x);
    if (value != value)
        return format_made_nan(format);
    uint64_t result = near_middle(value, format->fraction_bits)
                          ? round_precise(format, a->env, a->function->precise(x))
                          : soft_convert(&format_f64, format, a->env, f64_bits(value));
    if (a->env.saturate && isfinite(x) && format_is_infinite(format, result)) /* a pole too, as measured on gfx1201 */
        result--;
    if (by.is_on && (result & format_exponent_mask(format)))
        result = perturb(format, result, value, a->bound_ulp, hash_input(by, bits));
    return result;
}

/* f32. */

static const struct float_env flushing = {.flush_in = true, .flush_out = true};

/* Denormals follow MODE where documented so; rounding is always to nearest. */
static struct float_env nearest(struct float_env env)
{
    env.rounding = ROUND_NEAREST_EVEN;
    return env;
}

static void approximate_rows(struct wave *wave, const struct instruction *in, const struct approximation *approximation,
                             const uint32_t *a, uint32_t *r)
{
    const struct perturbation by = perturbation_of(wave, in);
    for (int lane = 0; lane < WAVE_LANES; lane++)
        r[lane] = (uint32_t)approximate(approximation, by, a[lane]);
}

/* The host's doubles rounded once more, without the seed: true where a lane must be decided in higher precision. */
static bool round_doubles(const struct approximation *approximation, const uint32_t *a, uint32_t *r)
{
    const struct float_env env = approximation->env;
    bool undecided = false;
    for (int lane = 0; lane < WAVE_LANES; lane++) {
        uint32_t bits = (uint32_t)soft_flush(&format_f32, env.flush_in, a[lane]);
        double value = approximation->function->value(bits_f32(bits));
        r[lane] = (uint32_t)soft_flush(&format_f32, env.flush_out, f32_bits((float)value));
        /* At the least normal number the flush may hinge on how the value was rounded. */
        undecided |= near_middle(value, 23) | ((r[lane] & 0x7fffffffu) == 0x00800000u);
    }
    return undecided;
}

#define APPROX_F32(name, which, env_of_it)                                                                                 \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        LANES32(a, 0);                                                                                                     \
        LANE_ARRAY32(r);                                                                                                   \
        struct approximation approximation = {&format_f32, &which, env_of_it, 1.0};                                        \
        if (is_perturbed(wave) || round_doubles(&approximation, a, r))                                                     \
            approximate_rows(wave, in, &approximation, a, r);                                                              \
        else                                                                                                               \
            mend_nans_f32(r, a, NULL, NULL);                                                                               \
        finish_f32(wave, in, r);                                                                                           \
    }

APPROX_F32(exp_f32, function_exp, flushing)
APPROX_F32(log_f32, function_log, flushing)
APPROX_F32(sin_f32, function_sin, nearest(env_f32(wave)))
APPROX_F32(cos_f32, function_cos, nearest(env_f32(wave)))

/* Division and square root of the host round correctly: whole rows at once. */
#define APPROX_F32_HOST(name, which, expression)                                                                           \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        LANES32(a, 0);                                                                                                     \
        LANE_ARRAY32(r);                                                                                                   \
        if (is_perturbed(wave)) {                                                                                          \
            struct approximation approximation = {&format_f32, &which, flushing, 1.0};                                     \
            approximate_rows(wave, in, &approximation, a, r);                                                              \
        } else {                                                                                                           \
            EACH_LANE                                                                                                      \
            {                                                                                                              \
                float x = bits_f32(f32_flush(true, a[lane]));                                                              \
                r[lane] = f32_flush(true, f32_bits(expression));                                                           \
            }                                                                                                              \
            mend_nans_f32(r, a, NULL, NULL);                                                                               \
        }                                                                                                                  \
        finish_f32(wave, in, r);                                                                                           \
    }

APPROX_F32_HOST(rcp_f32, function_rcp, 1.0f / x)
APPROX_F32_HOST(sqrt_f32, function_sqrt, __builtin_sqrtf(x))

HANDLER(rsq_f32)
{
    LANES32(a, 0);
    LANE_ARRAY32(r);
    struct approximation approximation = {&format_f32, &function_rsq, flushing, 1.0};
    if (is_perturbed(wave)) {
        approximate_rows(wave, in, &approximation, a, r);
    } else {
        uint32_t any_near = 0;
        EACH_LANE
        {
            double value = 1.0 / __builtin_sqrt((double)bits_f32(f32_flush(true, a[lane])));
            r[lane] = f32_bits((float)value);
            uint32_t rest = (uint32_t)f64_bits(value) & 0x1fffffffu;
            any_near |= rest - 0x0ffffff8u <= 16;
        }
        mend_nans_f32(r, a, NULL, NULL);
        if (any_near)
            approximate_rows(wave, in, &approximation, a, r);
    }
    finish_f32(wave, in, r);
}

/* f16. */

#define APPROX_F16(name, which)                                                                                            \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        LANES16(a, 0);                                                                                                     \
        LANE_ARRAY32(r);                                                                                                   \
        struct approximation approximation = {&format_f16, &which, nearest(env_f16(wave)), 0.51};                          \
        approximate_rows(wave, in, &approximation, a, r);                                                                  \
        finish_f16(wave, in, r);                                                                                           \
    }

APPROX_F16(rcp_f16, function_rcp)
APPROX_F16(rsq_f16, function_rsq)
APPROX_F16(sqrt_f16, function_sqrt)
APPROX_F16(exp_f16, function_exp)
APPROX_F16(log_f16, function_log)
APPROX_F16(sin_f16, function_sin)
APPROX_F16(cos_f16, function_cos)

/* f64: the host's division and square root are correctly rounded; rsq is not, so its candidates are compared exactly. */

static double rcp_correct(double x)
{
    return 1.0 / x;
}

/* Whether 1 / sqrt(x) lies above the middle of r and the number after it: 1 > m^2 * x, in integers. */
static bool rsq_above_middle(double x, double r)
{
    int x_exponent, r_exponent;
    uint64_t x_int = (uint64_t)ldexp(frexp(x, &x_exponent), 53);
    uint64_t m_int = 2 * (uint64_t)ldexp(frexp(r, &r_exponent), 53) + 1;
    unsigned __int128 square = (unsigned __int128)m_int * m_int;
    /* m^2 * x = product * 2^(2 * (r_exponent - 54) + x_exponent - 53); compare product with 2^power */
    int power = 161 - 2 * r_exponent - x_exponent;
    unsigned __int128 low = (unsigned __int128)(uint64_t)square * x_int;
    unsigned __int128 high = (unsigned __int128)(uint64_t)(square >> 64) * x_int + (uint64_t)(low >> 64);
    /* product = high * 2^64 + low's lower half, never a power of two */
    return power - 64 > 127 || high < (unsigned __int128)1 << (power - 64);
}

static double rsq_correct(double x)
{
    double r = (double)(1.0L / sqrtl(x));
    if (!(x > 0) || !isfinite(x))
        return r;
    if (rsq_above_middle(x, r))
        return nextafter(r, INFINITY);
    double below = nextafter(r, 0);
    return rsq_above_middle(x, below) ? r : below;
}

static uint64_t approximate_f64(double (*function)(double), struct float_env env, struct perturbation by, uint64_t bits)
{
    if (f64_is_nan(bits))
        return f64_quiet(bits);
    double value = function(bits_f64(soft_flush(&format_f64, env.flush_in, bits)));
    if (value != value)
        return F64_MADE_NAN;
    uint64_t result = soft_flush(&format_f64, env.flush_out, f64_bits(value));
    bool ordinary = isfinite(value) && (result & UINT64_C(0x7ff0000000000000));
    if (by.is_on && ordinary && (result & 0xffffffffu)) {
        uint64_t moved = result + (hash_input(by, bits) & 0x1fffffffu) - 0x10000000u;
        if ((moved >> 52) == (result >> 52))
            result = moved;
    }
    return result;
}

#define APPROX_F64(name, function)                                                                                         \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        LANES64(a, 0);                                                                                                     \
        LANE_ARRAY64(r);                                                                                                   \
        const struct float_env env = nearest(env_f64(wave));                                                               \
        const struct perturbation by = perturbation_of(wave, in);                                                          \
        for (int lane = 0; lane < WAVE_LANES; lane++)                                                                      \
            r[lane] = approximate_f64(function, env, by, a[lane]);                                                         \
        finish_f64(wave, in, r);                                                                                           \
    }

APPROX_F64(rcp_f64, rcp_correct)
APPROX_F64(rsq_f64, rsq_correct)
APPROX_F64(sqrt_f64, sqrt)

/* gfx12's pseudo-scalar forms (RDNA4 ISA, V_S_EXP_F32 …): one value, whatever EXEC is, from and to scalar registers; f16
 * results with zeros above. */
#define APPROX_SCALAR(name, lanes, format, which, env_of_it, bound_ulp, modify, kept)                                      \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        lanes(a, 0);                                                                                                       \
        LANE_ARRAY32(r);                                                                                                   \
        struct approximation approximation = {&format, &which, env_of_it, bound_ulp};                                      \
        const uint32_t value = (uint32_t)approximate(&approximation, perturbation_of(wave, in), a[0]);                     \
        EACH_LANE r[lane] = value;                                                                                         \
        if (has_output_modifiers(in))                                                                                      \
            VARIANT(modify)(wave, in, r);                                                                                  \
        scalar_write32(wave, &in->dst[0], r[0] & (kept));                                                                  \
    }
#define APPROX_SCALAR_PAIR(name)                                                                                           \
    APPROX_SCALAR(v_s_##name##_f32, LANES32, format_f32, function_##name, flushing, 1.0, modify_f32, UINT32_MAX)           \
    APPROX_SCALAR(v_s_##name##_f16, LANES16, format_f16, function_##name, nearest(env_f16(wave)), 0.51, modify_f16, 0xffff)

APPROX_SCALAR_PAIR(exp)
APPROX_SCALAR_PAIR(log)
APPROX_SCALAR_PAIR(rcp)
APPROX_SCALAR_PAIR(rsq)
APPROX_SCALAR_PAIR(sqrt)
