/*
 * The fused adder of gfx942's matrix cores (fitted to hardware by MMA-Sim, Xie et al., arXiv 2511.10909): groups of
 * consecutive k, each rounded once. gfx950 is taken to do the same (modelled). One group, with accumulator c:
 * - products are cut toward zero to 24 bits below the largest sum of factor exponents (emax) and added exactly; zeros count
 * with exponent -126; of 8-bit factors the products of even and of odd k are added apart, then floored to 24 bits below the
 * larger emax and added;
 * - E is the larger of emax and c's exponent; the sum is floored to 31 bits and c to 24 bits below E. Of 8-bit factors, a c
 * more than 25 below E counts as 0;
 * - their sum is rounded to f32, nearest even; subnormals are kept. The floors make rounding asymmetric.
 * - A NaN or infinite sum of the same terms is the result; products of 2^128 and more count as infinities.
 * Scales of microscaling formats add to the products' exponents; there a zero product has no exponent (modelled).
 */
#include "device/emulator/float_lanes.h"
#include "device/emulator/matrix_rules.h"

enum { MAX_COLUMNS = 32, ZERO_EXPONENT = -126, NO_EXPONENT = -1000, FRACTION_BITS = 24, SPECIAL_EXPONENT = 127 };
enum factor_class { CLASS_FINITE_FACTOR, CLASS_INFINITE_FACTOR, CLASS_NAN_FACTOR };

/* value = significand * 2^(exponent - fraction bits of the format) */
struct decoded {
    alignas(64) int32_t significand[MATRIX_FACTORS], exponent[MATRIX_FACTORS];
    uint8_t class[MATRIX_FACTORS];
    bool special[64]; /* of a row of A or a column of B: whether any factor is infinite or NaN */
    int fraction_bits;
};

struct scales {
    const uint8_t *bytes;
    int n_blocks; /* of 32 k, a row or column */
};

static void decode_factor(struct matrix_factors f, uint32_t bits, int scale_at, struct decoded *to, int at, int row)
{
    const struct small_format *format = f.format;
    const int field = (int)(small_magnitude(*format, bits) >> format->fraction_bits);
    int32_t significand = (int32_t)(bits & ((1u << format->fraction_bits) - 1)) | (field ? 1 << format->fraction_bits : 0);
    to->significand[at] = bits >> (format->bits - 1) ? -significand : significand;
    to->exponent[at] = (field ? field : 1) - format->bias;
    to->class[at] = small_is_nan(*format, bits)                          ? CLASS_NAN_FACTOR
                    : small_magnitude(*format, bits) == format->infinity ? CLASS_INFINITE_FACTOR
                                                                         : CLASS_FINITE_FACTOR;
    if (f.scale) {
        to->exponent[at] += f.scale[scale_at] - 127;
        if (f.scale[scale_at] == 255)
            to->class[at] = CLASS_NAN_FACTOR;
    }
    if (!significand)
        to->exponent[at] = format->bits < 8 || f.scale ? NO_EXPONENT : ZERO_EXPONENT;
    to->special[row] |= to->class[at] != CLASS_FINITE_FACTOR;
}

static void decode_left(const struct matrix_shape *shape, struct matrix_factors a, struct decoded *to)
{
    const int k_extent = shape->k;
    to->fraction_bits = a.format->fraction_bits;
    for (int i = 0; i < shape->m; i++) {
        to->special[i] = false;
        for (int k = 0; k < k_extent; k++)
            decode_factor(a, a.bits[i * k_extent + k], i * (k_extent / 32) + k / 32, to, i * k_extent + k, i);
    }
}

static void decode_right(const struct matrix_shape *shape, struct matrix_factors b, struct decoded *to)
{
    const int n = shape->n, k_extent = shape->k;
    to->fraction_bits = b.format->fraction_bits;
    for (int j = 0; j < n; j++) {
        to->special[j] = false;
        for (int k = 0; k < k_extent; k++)
            decode_factor(b, b.bits[k * n + j], j * (k_extent / 32) + k / 32, to, k * n + j, j);
    }
}

/* 2^exponent; as good as 0 below the range. */
static inline double power(int exponent)
{
    return bits_f64((uint64_t)((exponent < -1022 ? -1022 : exponent) + 1023) << 52);
}

/* Products k, k + stride … of one row of A with n columns: emax and the sum in units of 2^(emax - 24). */
struct partial {
    alignas(64) int32_t emax[MAX_COLUMNS], units[MAX_COLUMNS];
};

static inline __attribute__((always_inline)) void add_products(const struct decoded *a, int a_at, const struct decoded *b,
                                                               int b_at, int n_columns, int n, int stride, int count,
                                                               struct partial *to)
{
    const int up = FRACTION_BITS - a->fraction_bits - b->fraction_bits;
    for (int j = 0; j < n; j++) {
        to->emax[j] = INT32_MIN;
        to->units[j] = 0;
    }
    for (int k = 0; k < count; k += stride) {
        const int32_t exponent = a->exponent[a_at + k], *right = b->exponent + b_at + k * n_columns;
        for (int j = 0; j < n; j++) {
            int32_t e = exponent + right[j];
            to->emax[j] = e > to->emax[j] ? e : to->emax[j];
        }
    }
    for (int k = 0; k < count; k += stride) {
        const int32_t exponent = a->exponent[a_at + k], significand = a->significand[a_at + k];
        const int32_t *right_exponent = b->exponent + b_at + k * n_columns;
        const int32_t *right = b->significand + b_at + k * n_columns;
        for (int j = 0; j < n; j++) {
            int32_t product = significand * right[j], sign = product >> 31;
            int32_t shift = to->emax[j] - exponent - right_exponent[j];
            int32_t magnitude = (int32_t)((uint32_t)((product ^ sign) - sign) << up) >> (shift > 31 ? 31 : shift);
            to->units[j] += (magnitude ^ sign) - sign;
        }
    }
}

/* Both sums floored to the larger one's grid. */
static inline void join(struct partial *even, const struct partial *odd, int n)
{
    for (int j = 0; j < n; j++) {
        int32_t emax = even->emax[j] > odd->emax[j] ? even->emax[j] : odd->emax[j];
        int32_t down_even = emax - even->emax[j], down_odd = emax - odd->emax[j];
        even->units[j] =
            (even->units[j] >> (down_even > 31 ? 31 : down_even)) + (odd->units[j] >> (down_odd > 31 ? 31 : down_odd));
        even->emax[j] = emax;
    }
}

/* units * 2^(emax - 24) and a finite c, to f32. */
static inline uint32_t add_accumulator(int32_t emax, int32_t units, uint32_t c, bool drops_small)
{
    int32_t field = (int32_t)(c >> 23 & 0xff), significand = (int32_t)((c & 0x7fffffu) | (field ? 0x800000u : 0));
    int32_t exponent = significand ? (field ? field : 1) - 127 : ZERO_EXPONENT, larger = exponent > emax ? exponent : emax;
    double sum = floor((double)units * power(7 + emax - larger));
    double kept = floor((double)(c >> 31 ? -significand : significand) * power(1 + exponent - larger)) * 128;
    kept = drops_small && exponent < larger - 25 ? 0 : kept;
    return f32_bits((float)((sum + kept) * power(larger - 31)));
}

/* ---- sums with infinities, NaNs, or products that may pass 2^128: one at a time ---- */

static double value_of(const struct decoded *f, int at)
{
    if (f->class[at] == CLASS_NAN_FACTOR)
        return bits_f64(F64_MADE_NAN);
    double sign = f->significand[at] < 0 ? -1 : 1;
    if (f->class[at] == CLASS_INFINITE_FACTOR)
        return sign * (double)INFINITY;
    return f->significand[at] ? ldexp(f->significand[at], f->exponent[at] - f->fraction_bits) : 0;
}

/* True where the sum is not finite. */
static bool special_sum(const struct decoded *a, int a_at, const struct decoded *b, int b_at, int n_columns, int count,
                        uint32_t c, uint32_t *result)
{
    double sum = bits_f32(c);
    bool plus = false, minus = false;
    for (int k = 0; k < count; k++) {
        double product = value_of(a, a_at + k) * value_of(b, b_at + k * n_columns);
        sum += product;
        plus |= product >= 0x1p128;
        minus |= product <= -0x1p128;
    }
    if (isnan(sum) || (isfinite(sum) && plus && minus))
        *result = F32_MADE_NAN;
    else if (isinf(sum))
        *result = sum > 0 ? 0x7f800000u : 0xff800000u;
    else
        *result = minus ? 0xff800000u : 0x7f800000u;
    return !isfinite(sum) || plus || minus;
}

struct step {
    const struct decoded *a, *b;
    int group, n;
    bool bytes; /* even and odd k apart */
};

static void add_group(const struct step *s, int i, int a_at, int k, uint32_t *c)
{
    struct partial sum, odd;
    const int n = s->n, b_at = k * n;
    if (s->bytes) {
        add_products(s->a, a_at, s->b, b_at, n, n, 2, s->group, &sum);
        add_products(s->a, a_at + 1, s->b, b_at + n, n, n, 2, s->group, &odd);
        join(&sum, &odd, n);
    } else {
        add_products(s->a, a_at, s->b, b_at, n, n, 1, s->group, &sum);
    }
    for (int j = 0; j < n; j++) {
        uint32_t result;
        bool special =
            s->a->special[i] || s->b->special[j] || (c[j] & 0x7f800000u) == 0x7f800000u || sum.emax[j] >= SPECIAL_EXPONENT;
        if (special && special_sum(s->a, a_at, s->b, b_at + j, n, s->group, c[j], &result))
            sum.units[j] = (int32_t)result;
        else
            sum.units[j] = (int32_t)add_accumulator(sum.emax[j], sum.units[j], c[j], s->bytes);
    }
    for (int j = 0; j < n; j++)
        c[j] = (uint32_t)sum.units[j];
}

void VARIANT(matrix_group)(const struct matrix_shape *shape, struct matrix_factors a, struct matrix_factors b, uint32_t *c)
{
    struct decoded left, right;
    decode_left(shape, a, &left);
    decode_right(shape, b, &right);
    const struct step step = {&left, &right, matrix_group_products(shape->a_format, shape->k), shape->n,
                              a.format->bits <= 8};
    for (int i = 0; i < shape->m; i++)
        for (int k = 0; k < shape->k; k += step.group)
            add_group(&step, i, i * shape->k + k, k, c + i * shape->n);
}
