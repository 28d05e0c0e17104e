#include "tests/support/matrix_truth.h"

#include <math.h>
#include <string.h>

#include "tests/support/dot12_truth.h"
#include "tests/support/float_truth.h"

static const struct {
    int bits, fraction, bias;
} types[] = {
    [F16] = {16, 10, 15},    [BF16] = {16, 7, 127}, [F32] = {32, 23, 127}, [F64] = {64, 52, 1023},
    [XF32] = {32, 23, 127},  [FP8] = {8, 3, 7},     [BF8] = {8, 2, 15},    [FP8_FNUZ] = {8, 3, 8},
    [BF8_FNUZ] = {8, 2, 16}, [FP6] = {6, 3, 1},     [BF6] = {6, 2, 3},     [FP4] = {4, 1, 1},
    [I8] = {8, 0, 0},        [IU8] = {8, 0, 0},     [IU4] = {4, 0, 0},     [I32] = {32, 0, 0},
};

int matrix_type_bits(enum matrix_type type)
{
    return types[type].bits;
}

/* A factor of at most 32 bits: significand * 2^(exponent - fraction); exponent is the alignment's. */
struct factor {
    int64_t significand;
    int exponent, fraction;
    double value;
};

static bool is_nan(enum matrix_type type, uint64_t bits)
{
    if (type == FP8)
        return (bits & 0x7f) == 0x7f;
    if (type == BF8)
        return (bits & 0x7f) > 0x7c;
    return (type == FP8_FNUZ || type == BF8_FNUZ) && bits == 0x80;
}

static bool is_infinite(enum matrix_type type, uint64_t bits)
{
    return type == BF8 && (bits & 0x7f) == 0x7c;
}

static double ieee_value(enum matrix_type type, uint64_t bits)
{
    int fraction = types[type].fraction, most = (1 << (types[type].bits - 1 - fraction)) - 1;
    int field = (int)(bits >> fraction) & most;
    uint64_t rest = bits & ((UINT64_C(1) << fraction) - 1);
    double sign = bits >> (types[type].bits - 1) & 1 ? -1 : 1;
    if (field == most && (type == F16 || type == BF16 || type == F32 || type == XF32))
        return rest ? NAN : sign * INFINITY;
    return sign * ldexp((double)rest + (field ? ldexp(1, fraction) : 0), (field ? field : 1) - types[type].bias - fraction);
}

static struct factor decode(enum matrix_type type, uint64_t bits)
{
    if (type == XF32)
        bits &= ~UINT64_C(0x1fff);
    struct factor f = {.fraction = types[type].fraction, .value = ieee_value(type, bits)};
    if (is_nan(type, bits))
        f.value = NAN;
    if (is_infinite(type, bits))
        f.value = bits & 0x80 ? -INFINITY : INFINITY;
    if (!isfinite(f.value))
        return f;
    int least = 1 - types[type].bias;
    f.exponent = f.value == 0 ? -126 : ilogb(f.value) < least ? least : ilogb(f.value);
    f.significand = (int64_t)ldexp(f.value, f.fraction - f.exponent);
    return f;
}

static float f32_of(uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, 4);
    return value;
}

static uint64_t bits_of(double value)
{
    float narrow = (float)value;
    uint32_t word;
    memcpy(&word, &narrow, 4);
    return isnan(value) ? 0xffc00000 : word;
}

/* ---- chains and trees ---- */

static double scaled(const struct matrix_problem *p, const int *scale, int k, double value)
{
    (void)p;
    return !scale ? value : scale[k / 32] == 255 ? NAN : ldexp(value, scale[k / 32] - 127);
}

static uint64_t chain(const struct matrix_problem *p)
{
    float sum = f32_of(p->c);
    for (int k = 0; k < p->k; k++)
        sum = fmaf((float)scaled(p, p->a_scale, k, decode(p->a_type, p->a[k]).value),
                   (float)scaled(p, p->b_scale, k, decode(p->b_type, p->b[k]).value), sum);
    return bits_of(sum);
}

static uint64_t chain_f64(const struct matrix_problem *p)
{
    double sum;
    memcpy(&sum, &p->c, 8);
    for (int k = 0; k < p->k; k++) {
        double a, b;
        memcpy(&a, &p->a[k], 8);
        memcpy(&b, &p->b[k], 8);
        sum = fma(a, b, sum);
    }
    uint64_t bits;
    memcpy(&bits, &sum, 8);
    return isnan(sum) ? UINT64_C(0xfff8000000000000) : bits;
}

/* value rounded to f32, as the adders of gfx90a leave it. */
static double tree_round(const struct matrix_problem *p, double value)
{
    double rounded = (double)(float)value;
    return p->adder == ADDER_PAIRWISE_FLUSH && fabs(rounded) < 0x1p-126 ? copysign(0, rounded) : rounded;
}

static double tree_factor(const struct matrix_problem *p, enum matrix_type type, uint64_t bits)
{
    double value = decode(type, bits).value, least = ldexp(1, 1 - types[type].bias);
    return p->adder == ADDER_PAIRWISE_FLUSH && fabs(value) < least ? 0 : value;
}

static double tree(const struct matrix_problem *p, int first, int count)
{
    if (count == 1)
        return tree_round(p, tree_factor(p, p->a_type, p->a[first]) * tree_factor(p, p->b_type, p->b[first]));
    return tree_round(p, tree(p, first, count / 2) + tree(p, first + count / 2, count / 2));
}

static uint64_t pairwise(const struct matrix_problem *p)
{
    double sum = f32_of(p->c);
    if (p->adder == ADDER_PAIRWISE_FLUSH && fabs(sum) < 0x1p-126)
        sum = 0;
    for (int k = 0; k < p->k; k += p->group)
        sum = tree_round(p, sum + tree(p, k, p->group));
    return bits_of(sum);
}

/* ---- groups on a common grid ---- */

typedef __int128 wide;

struct sum {
    wide units; /* of 2^(exponent - 24) */
    int exponent;
};

/* value * 2^shift toward minus infinity. */
static wide floor_shift(wide value, int shift)
{
    if (shift >= 0)
        return value * ((wide)1 << shift);
    return shift < -100 ? (value < 0 ? -1 : 0) : value >> -shift;
}

static bool has_no_exponent(const struct matrix_problem *p, enum matrix_type type, const int *scale)
{
    return (scale || types[type].bits < 8) && p->adder == ADDER_GROUP;
}

static int exponent_of(const struct matrix_problem *p, enum matrix_type type, const int *scale, int k, struct factor f)
{
    if (!f.significand && has_no_exponent(p, type, scale))
        return -1000;
    return f.exponent + (scale && f.significand ? scale[k / 32] - 127 : 0);
}

static struct sum add_products(const struct matrix_problem *p, int first, int count, int stride)
{
    wide magnitude[128];
    int exponent[128], fraction[128], emax = -100000;
    bool negative[128];
    for (int k = first; k < first + count; k += stride) {
        struct factor a = decode(p->a_type, p->a[k]), b = decode(p->b_type, p->b[k]);
        wide product = (wide)a.significand * b.significand;
        negative[k - first] = product < 0;
        magnitude[k - first] = product < 0 ? -product : product;
        fraction[k - first] = a.fraction + b.fraction;
        exponent[k - first] = exponent_of(p, p->a_type, p->a_scale, k, a) + exponent_of(p, p->b_type, p->b_scale, k, b);
        emax = exponent[k - first] > emax ? exponent[k - first] : emax;
    }
    struct sum sum = {0, emax};
    for (int k = 0; k < count; k += stride) {
        wide cut = floor_shift(magnitude[k], 24 + exponent[k] - emax - fraction[k]);
        sum.units += negative[k] ? -cut : cut;
    }
    return sum;
}

static bool special_group(const struct matrix_problem *p, int first, int count, uint64_t c, uint64_t *result)
{
    double sum = f32_of(c);
    bool plus = false, minus = false;
    for (int k = first; k < first + count; k++) {
        double product = scaled(p, p->a_scale, k, decode(p->a_type, p->a[k]).value) *
                         scaled(p, p->b_scale, k, decode(p->b_type, p->b[k]).value);
        sum += product;
        plus |= product >= 0x1p128;
        minus |= product <= -0x1p128;
    }
    bool finite = isfinite(sum);
    *result = isnan(sum) || (finite && plus && minus) ? 0xffc00000 : (finite ? plus : sum > 0) ? 0x7f800000 : 0xff800000;
    return !finite || plus || minus;
}

static uint64_t round_f32(wide units, int exponent)
{
    mpfr_t value;
    mpfr_init2(value, 128);
    mpfr_set_si_2exp(value, (long)units, exponent, MPFR_RNDN);
    uint64_t bits = truth_round(&truth_f32, (struct truth_mode){0}, value);
    mpfr_clear(value);
    return bits;
}

static uint64_t add_group(const struct matrix_problem *p, int first, int count, uint64_t c)
{
    uint64_t special;
    if (special_group(p, first, count, c, &special))
        return special;
    const bool bytes = types[p->a_type].bits <= 8;
    struct sum sum = add_products(p, first, count, bytes ? 2 : 1);
    if (bytes) {
        struct sum odd = add_products(p, first + 1, count - 1, 2);
        int emax = odd.exponent > sum.exponent ? odd.exponent : sum.exponent;
        sum.units = floor_shift(sum.units, sum.exponent - emax) + floor_shift(odd.units, odd.exponent - emax);
        sum.exponent = emax;
    }
    struct factor addend = decode(F32, c);
    int larger = addend.exponent > sum.exponent ? addend.exponent : sum.exponent;
    wide total = floor_shift(sum.units, 7 + sum.exponent - larger);
    if (!bytes || addend.exponent >= larger - 25)
        total += floor_shift(addend.significand, 1 + addend.exponent - larger) * 128;
    return total ? round_f32(total, larger - 31) : 0;
}

static uint64_t groups(const struct matrix_problem *p)
{
    int most = types[p->a_type].bits <= 8 ? 16 : p->a_type == XF32 ? 4 : 8, size = p->k < most ? p->k : most;
    uint64_t c = p->c;
    for (int k = 0; k < p->k; k += size)
        c = add_group(p, k, size, c);
    return c;
}

/* ---- RDNA steps, integers ---- */

static uint64_t steps(const struct matrix_problem *p)
{
    const int size = p->adder == ADDER_GFX11 ? 2 : 4;
    enum dot_truth_result kind = p->result == F32 ? DOT_TRUTH_F32 : p->result == F16 ? DOT_TRUTH_F16 : DOT_TRUTH_BF16;
    uint32_t c = (uint32_t)p->c;
    for (int k = 0; k < p->k; k += size) {
        uint16_t a[4], b[4];
        for (int i = 0; i < size; i++) {
            a[i] = (uint16_t)p->a[k + i];
            b[i] = (uint16_t)p->b[k + i];
        }
        c = size == 2 ? dot_truth_step(p->a_type == BF16, kind, a, b, c)
                      : dot12_truth_step(p->a_type == BF16, kind, 4, a, b, c);
    }
    return c;
}

static int64_t as_integer(uint64_t field, int bits, bool is_signed)
{
    return is_signed && field >> (bits - 1) ? (int64_t)field - (INT64_C(1) << bits) : (int64_t)field;
}

static uint64_t integer_sum(const struct matrix_problem *p)
{
    const int bits = types[p->a_type].bits;
    int64_t sum = as_integer(p->c, 32, true);
    for (int k = 0; k < p->k; k++)
        sum += as_integer(p->a[k], bits, p->a_signed) * as_integer(p->b[k], bits, p->b_signed);
    if (p->saturate)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

uint64_t matrix_truth(const struct matrix_problem *p)
{
    switch (p->adder) {
    case ADDER_FMA:
        return p->result == F64 ? chain_f64(p) : chain(p);
    case ADDER_PAIRWISE:
    case ADDER_PAIRWISE_FLUSH:
        return pairwise(p);
    case ADDER_GROUP:
        return groups(p);
    case ADDER_INTEGER:
        return integer_sum(p);
    default:
        return steps(p);
    }
}
