#include "tests/support/dot12_truth.h"

typedef __int128 wide;

enum { NONE = -100000 };

/* value = (-1)^negative significand 2^exponent; grid: of a non-zero product, else NONE. */
struct term {
    wide significand;
    int exponent, grid;
    bool negative;
};

/* Any binary format, subnormals kept. */
static struct term decode(uint32_t bits, int n_bits, int fraction)
{
    int bias = (1 << (n_bits - fraction - 2)) - 1;
    int field = (int)(bits >> fraction) & ((1 << (n_bits - 1 - fraction)) - 1);
    struct term t = {.significand = bits & ((1u << fraction) - 1), .negative = bits >> (n_bits - 1) & 1};
    t.significand += field ? (wide)1 << fraction : 0;
    t.exponent = (field ? field : 1) - bias - fraction;
    return t;
}

static struct term multiply(bool is_bf16, uint16_t a, uint16_t b)
{
    int fraction = is_bf16 ? 7 : 10;
    struct term x = decode(a, 16, fraction), y = decode(b, 16, fraction);
    struct term p = {x.significand * y.significand, x.exponent + y.exponent, NONE, x.negative != y.negative};
    if (p.significand)
        p.grid = x.exponent + y.exponent + 2 * fraction - 24;
    return p;
}

/* The value as a multiple of 2^grid, rounded down. */
static wide floor_to(struct term t, int grid)
{
    wide value = t.negative ? -t.significand : t.significand;
    int shift = t.exponent - grid;
    if (value == 0)
        return 0;
    if (shift >= 0)
        return value * ((wide)1 << shift);
    return shift < -120 ? (value < 0 ? -1 : 0) : value >> -shift;
}

static int lead(struct term t)
{
    int bits = 0;
    for (wide rest = t.significand; rest; rest >>= 1)
        bits++;
    return bits ? t.exponent + bits - 1 : NONE;
}

static int larger(int x, int y)
{
    return x > y ? x : y;
}

/* units * 2^grid to a format with `precision` bits whose subnormals are multiples of 2^least; nearest even; the magnitude's
 * pattern, before overflow. */
static uint64_t round_even(wide magnitude, int grid, int precision, int least)
{
    struct term t = {magnitude, grid, NONE, false};
    int quantum = larger(lead(t) - (precision - 1), least), shift = quantum - grid;
    wide kept = shift <= 0 ? magnitude << -shift : magnitude >> shift;
    wide rest = shift <= 0 ? 0 : magnitude - (kept << shift), half = shift <= 0 ? 1 : (wide)1 << (shift - 1);
    kept += rest > half || (rest == half && (kept & 1));
    return (uint64_t)(((wide)(quantum - least) << (precision - 1)) + kept);
}

static uint32_t pack(enum dot_truth_result result, wide total, int grid)
{
    if (total == 0)
        return 0;
    bool f16 = result == DOT_TRUTH_F16;
    wide magnitude = total < 0 ? -total : total;
    uint64_t bits = round_even(magnitude, grid, f16 ? 11 : 24, f16 ? -24 : -149), infinity = f16 ? 0x7c00 : 0x7f800000;
    bits = bits > infinity ? infinity : bits;
    if (!bits)
        return 0;
    bits |= total < 0 ? (f16 ? 0x8000u : 0x80000000u) : 0;
    return (uint32_t)(result == DOT_TRUTH_BF16 ? bits >> 16 : bits);
}

static bool special(bool is_bf16, int n, const uint16_t *a, const uint16_t *b, uint32_t acc, uint32_t *bits)
{
    uint32_t infinity = is_bf16 ? 0x7f80 : 0x7c00;
    bool nan = false, invalid = false, plus = acc == 0x7f800000, minus = acc == 0xff800000;
    bool product_plus = false, product_minus = false, acc_nan = (acc & 0x7fffffff) > 0x7f800000;
    for (int k = 0; k < n; k++) {
        uint32_t x = a[k] & 0x7fff, y = b[k] & 0x7fff;
        nan |= x > infinity || y > infinity;
        invalid |= (x == infinity && !y) || (y == infinity && !x);
        if (x == infinity || y == infinity)
            *((a[k] ^ b[k]) & 0x8000 ? &product_minus : &product_plus) = true;
    }
    invalid |= product_plus && product_minus;
    plus |= product_plus;
    minus |= product_minus;
    *bits = nan               ? 0xffc00a3d
            : invalid         ? 0xffc00000
            : acc_nan         ? acc | 0x400000
            : (plus && minus) ? 0xffc00000
            : minus           ? 0xff800000
                              : 0x7f800000;
    return nan || invalid || acc_nan || plus || minus;
}

uint32_t dot12_truth_step(bool is_bf16, enum dot_truth_result result, int n, const uint16_t *a, const uint16_t *b,
                          uint32_t acc)
{
    uint32_t bits;
    if (special(is_bf16, n, a, b, dot_truth_acc_as_f32(result, acc), &bits))
        return dot_truth_special_result(result, bits);
    const int least = result == DOT_TRUTH_F16 ? -14 : -126;
    struct term c = result == DOT_TRUTH_F16    ? decode(acc, 16, 10)
                    : result == DOT_TRUTH_BF16 ? decode(acc << 16, 32, 23)
                                               : decode(acc, 32, 23);
    struct term p[4];
    int grid = larger(least, lead(c)) - 26;
    for (int k = 0; k < n; k++) {
        p[k] = multiply(is_bf16, a[k], b[k]);
        grid = larger(grid, p[k].grid);
    }
    struct term magnitude = {c.significand, c.exponent, NONE, false};
    wide total = grid > least && floor_to(magnitude, grid) == 0 ? 0 : floor_to(c, grid);
    for (int k = 0; k < n; k += 2) {
        int pair_grid = larger(p[k].grid, p[k + 1].grid);
        if (pair_grid == NONE)
            continue;
        wide pair = floor_to(p[k], pair_grid) + floor_to(p[k + 1], pair_grid);
        total += floor_to((struct term){pair < 0 ? -pair : pair, pair_grid, NONE, pair < 0}, grid);
    }
    return pack(result, total, grid);
}
