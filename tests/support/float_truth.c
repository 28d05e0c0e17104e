#include "tests/support/float_truth.h"

const struct truth_format truth_f16 = {16, 10, 15};
const struct truth_format truth_bf16 = {16, 7, 127};
const struct truth_format truth_f32 = {32, 23, 127};
const struct truth_format truth_f64 = {64, 52, 1023};

/* Exact for sums and products of three f64: exponents from -2148 to 2048. */
enum { EXACT_PRECISION = 4400 };

static uint64_t sign_bit(const struct truth_format *format)
{
    return UINT64_C(1) << (format->bits - 1);
}

static uint64_t infinity_bits(const struct truth_format *format)
{
    return (sign_bit(format) - 1) ^ ((UINT64_C(1) << format->fraction_bits) - 1);
}

bool truth_is_nan(const struct truth_format *format, uint64_t bits)
{
    return (bits & (sign_bit(format) - 1)) > infinity_bits(format);
}

static uint64_t quiet(const struct truth_format *format, uint64_t bits)
{
    return bits | UINT64_C(1) << (format->fraction_bits - 1);
}

uint64_t truth_made_nan(const struct truth_format *format)
{
    return quiet(format, sign_bit(format) | infinity_bits(format));
}

void truth_load(const struct truth_format *format, uint64_t bits, mpfr_t value)
{
    uint64_t fraction = bits & ((UINT64_C(1) << format->fraction_bits) - 1);
    int field = (int)((bits & infinity_bits(format)) >> format->fraction_bits);
    int sign = bits & sign_bit(format) ? -1 : 1;
    if ((bits & infinity_bits(format)) == infinity_bits(format)) {
        mpfr_set_inf(value, sign);
        return;
    }
    if (field)
        fraction |= UINT64_C(1) << format->fraction_bits;
    mpfr_set_ui_2exp(value, fraction, (field ? field : 1) - format->bias - format->fraction_bits, MPFR_RNDN);
    mpfr_setsign(value, value, sign < 0, MPFR_RNDN);
}

static const mpfr_rnd_t directions[4] = {MPFR_RNDN, MPFR_RNDU, MPFR_RNDD, MPFR_RNDZ};

/* A number of the format, denormals included, already rounded: its bits. */
static uint64_t store(const struct truth_format *format, const mpfr_t value)
{
    uint64_t sign = mpfr_signbit(value) ? sign_bit(format) : 0;
    if (mpfr_zero_p(value))
        return sign;
    if (mpfr_inf_p(value))
        return sign | infinity_bits(format);
    mpfr_t scaled;
    mpfr_init2(scaled, 64);
    int lead = (int)mpfr_get_exp(value) - 1, least = 1 - format->bias;
    int quantum = (lead < least ? least : lead) - format->fraction_bits;
    mpfr_mul_2si(scaled, value, -quantum, MPFR_RNDZ);
    mpfr_abs(scaled, scaled, MPFR_RNDZ);
    uint64_t significand = mpfr_get_ui(scaled, MPFR_RNDZ);
    mpfr_clear(scaled);
    uint64_t field = lead < least ? 0 : (uint64_t)(lead - least);
    return sign | ((field << format->fraction_bits) + significand);
}

/* Rounds with the format's exponent range; denormals by MPFR's subnormalize, which is exact IEEE behaviour. */
uint64_t truth_round(const struct truth_format *format, struct truth_mode mode, mpfr_t value)
{
    if (mpfr_nan_p(value))
        return truth_made_nan(format);
    uint64_t sign = mpfr_signbit(value) ? sign_bit(format) : 0;
    mpfr_t rounded;
    mpfr_init2(rounded, format->fraction_bits + 1);
    mpfr_rnd_t direction = directions[mode.rounding];
    int ternary = mpfr_set(rounded, value, direction);
    bool tiny = !mpfr_zero_p(rounded) && !mpfr_inf_p(rounded) && mpfr_get_exp(rounded) - 1 < 1 - format->bias;
    if (mode.flush_out && tiny) {
        mpfr_clear(rounded);
        return sign;
    }
    mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    mpfr_set_emin(2 - format->bias - format->fraction_bits);
    mpfr_set_emax(format->bias + 1);
    ternary = mpfr_check_range(rounded, ternary, direction);
    ternary = mpfr_subnormalize(rounded, ternary, direction);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    uint64_t bits = store(format, rounded);
    mpfr_clear(rounded);
    return bits;
}

static uint64_t flush(const struct truth_format *format, bool on, uint64_t bits)
{
    return on && !(bits & infinity_bits(format)) ? bits & sign_bit(format) : bits;
}

/* The exact result, in a sign of zero that the rounding direction decides. */
static void compute(enum truth_operation operation, mpfr_rnd_t direction, mpfr_t result, const mpfr_t x, const mpfr_t y,
                    const mpfr_t z)
{
    switch (operation) {
    case TRUTH_ADD:
        mpfr_add(result, x, y, direction);
        break;
    case TRUTH_SUBTRACT:
        mpfr_sub(result, x, y, direction);
        break;
    case TRUTH_MULTIPLY:
        mpfr_mul(result, x, y, direction);
        break;
    case TRUTH_FMA:
        mpfr_fma(result, x, y, z, direction);
        break;
    }
}

/* operation on n operands of one format, rounded once to another. */
static uint64_t operate(const struct truth_format *from, const struct truth_format *to, struct truth_mode mode,
                        enum truth_operation operation, const uint64_t operand[3])
{
    int n = operation == TRUTH_FMA ? 3 : 2;
    for (int k = 0; k < n; k++) {
        if (truth_is_nan(from, operand[k]))
            return truth_convert(from, to, mode, operand[k]);
    }
    mpfr_t x[3], result;
    mpfr_init2(result, EXACT_PRECISION);
    for (int k = 0; k < 3; k++) {
        mpfr_init2(x[k], 64);
        truth_load(from, k < n ? flush(from, mode.flush_in, operand[k]) : 0, x[k]);
    }
    compute(operation, directions[mode.rounding], result, x[0], x[1], x[2]);
    uint64_t bits = truth_round(to, mode, result);
    for (int k = 0; k < 3; k++)
        mpfr_clear(x[k]);
    mpfr_clear(result);
    return bits;
}

uint64_t truth_operation(const struct truth_format *format, struct truth_mode mode, enum truth_operation operation,
                         uint64_t a, uint64_t b, uint64_t c)
{
    return operate(format, format, mode, operation, (uint64_t[]){a, b, c});
}

uint64_t truth_fma_convert(const struct truth_format *from, const struct truth_format *to, struct truth_mode mode,
                           uint64_t a, uint64_t b, uint64_t c)
{
    return operate(from, to, mode, TRUTH_FMA, (uint64_t[]){a, b, c});
}

uint64_t truth_convert(const struct truth_format *from, const struct truth_format *to, struct truth_mode mode,
                       uint64_t bits)
{
    if (truth_is_nan(from, bits)) {
        uint64_t payload = bits & ((UINT64_C(1) << from->fraction_bits) - 1);
        int shift = to->fraction_bits - from->fraction_bits;
        payload = shift < 0 ? payload >> -shift : payload << shift;
        return quiet(to, (bits & sign_bit(from) ? sign_bit(to) : 0) | infinity_bits(to) | payload);
    }
    mpfr_t value;
    mpfr_init2(value, 64);
    truth_load(from, flush(from, mode.flush_in, bits), value);
    uint64_t result = truth_round(to, mode, value);
    mpfr_clear(value);
    return result;
}

uint64_t truth_interesting(const struct truth_format *format, uint64_t random, uint64_t choice)
{
    uint64_t mask = sign_bit(format) | (sign_bit(format) - 1), one = UINT64_C(1) << format->fraction_bits;
    uint64_t sign = random & 1 ? sign_bit(format) : 0, fraction = (random >> 1) & (one - 1);
    uint64_t few = (one - 1) & ~(((one - 1) >> (choice >> 40 & 7)) << (choice >> 44 & 3)); /* long runs of ones and zeros */
    switch (choice & 15) {
    case 0:
        return sign; /* zero */
    case 1:
        return sign | infinity_bits(format);
    case 2:
        return sign | infinity_bits(format) | fraction; /* NaN of any kind */
    case 3:
        return sign | fraction; /* denormal */
    case 4:
        return sign | (one - (random >> 60)); /* around the least normal */
    case 5:
        return sign | (infinity_bits(format) - 1 - (random >> 60)); /* largest */
    case 6:
        return sign | (random >> 60); /* least */
    case 7:
    case 8:
    case 9: { /* near one: sums meet and cancel */
        uint64_t field = (uint64_t)(format->bias - 4) + (random >> 48 & 7);
        return sign | field << format->fraction_bits | (choice & 16 ? few : fraction);
    }
    default:
        return choice & 32 ? random & mask : ((random & mask) & ~(one - 1)) | few;
    }
}
