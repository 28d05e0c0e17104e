#include "tests/support/dot_truth.h"

typedef __int128 wide;

/* value = significand * 2^exponent; leading: exponent of its leading bit, or NONE. */
struct term {
    uint64_t significand;
    int exponent, alignment;
    bool negative;
};

enum { NONE = -100000 };

static int leading(struct term t)
{
    if (!t.significand)
        return NONE;
    int bit = 0;
    for (uint64_t rest = t.significand; rest > 1; rest >>= 1)
        bit++;
    return t.exponent + bit;
}

static int fraction_bits(bool is_bf16)
{
    return is_bf16 ? 7 : 10;
}

static struct term factor(bool is_bf16, uint16_t bits)
{
    int fraction = fraction_bits(is_bf16), bias = is_bf16 ? 127 : 15;
    int field = (bits & 0x7fff) >> fraction;
    struct term t = {.significand = bits & ((1u << fraction) - 1), .negative = bits >> 15};
    if (field)
        t.significand += 1u << fraction;
    else if (is_bf16)
        t.significand = 0;
    t.alignment = (field ? field : 1) - bias;
    t.exponent = t.alignment - fraction;
    return t;
}

static struct term multiply(struct term x, struct term y)
{
    return (struct term){x.significand * y.significand, x.exponent + y.exponent, x.alignment + y.alignment,
                         x.negative != y.negative};
}

/* f32 accumulator; denormals are zeros of their sign. */
static struct term widen_f32(uint32_t bits)
{
    int field = bits >> 23 & 255;
    return (struct term){field ? (bits & 0x7fffff) + 0x800000u : 0, field - 150, 0, bits >> 31};
}

static struct term widen_f16(uint32_t bits)
{
    int field = bits >> 10 & 31;
    return (struct term){(bits & 0x3ff) + (field ? 0x400u : 0), (field ? field : 1) - 25, 0, bits >> 15 & 1};
}

/* The magnitude cut to multiples of 2^grid. */
static wide cut(struct term t, int grid)
{
    int shift = t.exponent - grid;
    if (!t.significand || shift < -60)
        return 0;
    return shift >= 0 ? (wide)t.significand << shift : (wide)(t.significand >> -shift);
}

/* magnitude * 2^grid to `bits` significant bits, or to multiples of 2^least where that is coarser; nearest even. */
static uint64_t round_even(wide magnitude, int grid, int bits, int least, int *exponent)
{
    int top = 0;
    for (wide rest = magnitude; rest > 1; rest >>= 1)
        top++;
    int quantum = grid + top - (bits - 1);
    quantum = quantum < least ? least : quantum;
    *exponent = quantum;
    int shift = quantum - grid;
    if (shift <= 0)
        return (uint64_t)(magnitude << -shift);
    wide kept = magnitude >> shift, rest = magnitude - (kept << shift), half = (wide)1 << (shift - 1);
    return (uint64_t)(kept + (rest > half || (rest == half && (kept & 1))));
}

static uint32_t pack_f32(wide magnitude, int grid, bool negative)
{
    int exponent;
    uint64_t significand = round_even(magnitude, grid, 24, NONE, &exponent);
    if (significand >> 24) {
        significand >>= 1;
        exponent++;
    }
    if (exponent + 23 < -126)
        return 0;
    if (exponent + 23 > 127)
        return negative ? 0xff800000u : 0x7f800000u;
    return (uint32_t)negative << 31 | (uint32_t)(exponent + 150) << 23 | (uint32_t)(significand & 0x7fffff);
}

static uint32_t pack_f16(wide magnitude, int grid, bool negative)
{
    int exponent;
    uint64_t significand = round_even(magnitude, grid, 11, -24, &exponent);
    if (!significand)
        return 0;
    uint32_t bits = (uint32_t)(((uint64_t)(exponent + 24) << 10) + significand);
    return (uint32_t)negative << 15 | (bits > 0x7c00 ? 0x7c00 : bits);
}

/* NaN and infinity among the operands; the f32 pattern of the result in *bits. */
static bool special(bool is_bf16, const uint16_t a[2], const uint16_t b[2], uint32_t acc, uint32_t *bits)
{
    uint32_t infinity = is_bf16 ? 0x7f80 : 0x7c00;
    bool nan = false, invalid = false, plus = false, minus = false;
    for (int k = 0; k < 2; k++) {
        uint32_t x = a[k] & 0x7fff, y = b[k] & 0x7fff;
        nan |= x > infinity || y > infinity;
        bool x_zero = !factor(is_bf16, a[k]).significand, y_zero = !factor(is_bf16, b[k]).significand;
        invalid |= (x == infinity && y_zero) || (y == infinity && x_zero);
        if (x == infinity || y == infinity)
            *((a[k] ^ b[k]) & 0x8000 ? &minus : &plus) = true;
    }
    bool acc_nan = (acc & 0x7fffffff) > 0x7f800000;
    bool acc_plus = acc == 0x7f800000, acc_minus = acc == 0xff800000;
    *bits = nan                                          ? 0xffc00a3d
            : invalid || (plus && minus)                 ? 0xffc00000
            : acc_nan                                    ? acc | 0x400000
            : (plus || acc_plus) && (minus || acc_minus) ? 0xffc00000
            : minus || acc_minus                         ? 0xff800000
                                                         : 0x7f800000;
    return nan || invalid || plus || minus || acc_nan || acc_plus || acc_minus;
}

uint32_t dot_truth_special_result(enum dot_truth_result result, uint32_t bits)
{
    if (result == DOT_TRUTH_F32)
        return bits;
    if (bits == 0xffc00a3d)
        return result == DOT_TRUTH_F16 ? 0xfe3d : 0xfffd;
    return result == DOT_TRUTH_BF16 ? bits >> 16 : (bits >> 16 & 0x8000) | 0x7c00 | (bits >> 13 & 0x3ff);
}

uint32_t dot_truth_acc_as_f32(enum dot_truth_result result, uint32_t acc)
{
    if (result == DOT_TRUTH_F32)
        return acc;
    if (result == DOT_TRUTH_BF16)
        return acc << 16;
    uint32_t sign = (acc & 0x8000) << 16;
    return (acc & 0x7c00) == 0x7c00 ? sign | 0x7f800000 | (acc & 0x3ff) << 13 : sign;
}

uint32_t dot_truth_step(bool is_bf16, enum dot_truth_result result, const uint16_t a[2], const uint16_t b[2], uint32_t acc)
{
    uint32_t bits;
    if (special(is_bf16, a, b, dot_truth_acc_as_f32(result, acc), &bits))
        return dot_truth_special_result(result, bits);
    struct term c = result == DOT_TRUTH_F16 ? widen_f16(acc) : widen_f32(result == DOT_TRUTH_BF16 ? acc << 16 : acc);
    struct term p[2];
    int grid = NONE, lead = leading(c);
    bool all_zero = !c.significand;
    if (result == DOT_TRUTH_F16 && lead < -14)
        lead = -14;
    for (int k = 0; k < 2; k++) {
        p[k] = multiply(factor(is_bf16, a[k]), factor(is_bf16, b[k]));
        if (p[k].significand && p[k].alignment - 24 > grid)
            grid = p[k].alignment - 24;
        if (leading(p[k]) > lead)
            lead = leading(p[k]);
        all_zero &= !p[k].significand;
    }
    if (all_zero)
        return 0;
    if (lead - 26 > grid)
        grid = lead - 26;
    wide sum = cut(c, grid);
    for (int k = 0; k < 2; k++)
        sum += p[k].negative == c.negative ? cut(p[k], grid) : -cut(p[k], grid) - 1;
    if (sum == 0)
        return 0;
    bool negative = c.negative != (sum < 0);
    wide magnitude = sum < 0 ? -sum : sum;
    if (result == DOT_TRUTH_F16)
        return pack_f16(magnitude, grid, negative);
    bits = pack_f32(magnitude, grid, negative);
    return result == DOT_TRUTH_BF16 ? bits >> 16 : bits;
}
