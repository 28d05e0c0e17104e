/* Arithmetic of f32, f64 and f16 that IEEE 754 fixes to the bit. */
#include "tests/kernels/agreement/agreement.h"

typedef _Float16 half_t;

/* Each result is rounded at once, also where the host has no f16 arithmetic. */
NOINLINE half_t half_sum(half_t a, half_t b)
{
    return a + b;
}

NOINLINE half_t half_product(half_t a, half_t b)
{
    return a * b;
}

DEVICE half_t as_half(uint32_t bits)
{
    uint16_t low = (uint16_t)bits;
    half_t value;
    __builtin_memcpy(&value, &low, 2);
    return value;
}

DEVICE uint32_t bits_of_half(half_t value)
{
    uint16_t bits;
    __builtin_memcpy(&bits, &value, 2);
    return (float)value != (float)value ? 0x7e00u : bits;
}

KERNEL(f32_arithmetic)
{
    int i = item();
    if (i >= n)
        return;
    float a = as_float(in[3 * i]), b = as_float(in[3 * i + 1]), c = as_float(in[3 * i + 2]);
    uint32_t *o = out + 8 * i;
    o[0] = bits_of(a + b);
    o[1] = bits_of(a - b);
    o[2] = bits_of(a * b);
    o[3] = bits_of(__builtin_fmaf(a, b, c));
    o[4] = bits_of(-__builtin_fmaf(a, -b, c));
    o[5] = bits_of(__builtin_fabsf(a) - __builtin_fabsf(b) * 2.0f);
    o[6] = bits_of((a + b) * 0.5f);
    o[7] = bits_of(a * b - c);
}

KERNEL(f32_division_and_roots)
{
    int i = item();
    if (i >= n)
        return;
    float a = as_float(in[2 * i]), b = as_float(in[2 * i + 1]);
    out[4 * i] = bits_of(a / b);
    out[4 * i + 1] = bits_of(1.0f / b);
    out[4 * i + 2] = bits_of(__builtin_sqrtf(a));
    out[4 * i + 3] = bits_of(__builtin_sqrtf(__builtin_fabsf(b)) / 3.0f);
}

/* Products and quotients that fall among the subnormals or beyond the largest number. */
KERNEL(f32_extremes)
{
    int i = item();
    if (i >= n)
        return;
    float a = moderate(in[2 * i]), b = moderate(in[2 * i + 1]);
    float tiny = a * 0x1p-130f, huge = a * 0x1p120f;
    uint32_t *o = out + 6 * i;
    o[0] = bits_of(tiny);
    o[1] = bits_of(tiny + b * 0x1p-128f);
    o[2] = bits_of(huge * b);
    o[3] = bits_of(tiny / b);
    o[4] = bits_of(__builtin_fmaf(a * 0x1p-70f, b * 0x1p-70f, 0x1p-149f));
    o[5] = bits_of(__builtin_sqrtf(__builtin_fabsf(tiny)));
}

KERNEL(f32_rounding)
{
    int i = item();
    if (i >= n)
        return;
    float a = as_float(in[i]), b = moderate(in[i]) * 0.25f;
    uint32_t *o = out + 8 * i;
    o[0] = bits_of(__builtin_floorf(a));
    o[1] = bits_of(__builtin_ceilf(a));
    o[2] = bits_of(__builtin_truncf(a));
    o[3] = bits_of(__builtin_rintf(a));
    o[4] = bits_of(__builtin_rintf(b));
    o[5] = bits_of(__builtin_roundf(b));
    o[6] = bits_of(b - __builtin_floorf(b));
    o[7] = bits_of(__builtin_copysignf(b, a) + __builtin_truncf(b * 8.0f));
}

KERNEL(f32_conversions)
{
    int i = item();
    if (i >= n)
        return;
    float a = moderate(in[2 * i]);
    uint64_t w = as_long(in[2 * i], in[2 * i + 1]);
    uint32_t *o = out + 12 * i;
    o[0] = (uint32_t)(int32_t)a;
    o[1] = (uint32_t)__builtin_fabsf(a);
    o[2] = bits_of((float)in[2 * i]);
    o[3] = bits_of((float)(int32_t)in[2 * i]);
    o[4] = bits_of((float)w);
    o[5] = bits_of((float)(int64_t)w);
    put64(o + 6, (uint64_t)(int64_t)(a * 0x1p44f));
    put64(o + 8, (uint64_t)(__builtin_fabsf(a) * 0x1p46f));
    o[10] = bits_of((float)(uint8_t)(in[2 * i] >> 8) + (float)(uint8_t)(in[2 * i] >> 24));
    o[11] = (uint32_t)(int16_t)(a * 0.25f);
}

KERNEL(f32_comparisons)
{
    int i = item();
    if (i >= n)
        return;
    float a = as_float(in[2 * i]), b = as_float(in[2 * i + 1]);
    uint32_t r = 0;
    r |= (uint32_t)(a < b) | (uint32_t)(a <= b) << 1 | (uint32_t)(a == b) << 2 | (uint32_t)(a != b) << 3;
    r |= (uint32_t)(a > b) << 4 | (uint32_t)(a >= b) << 5 | (uint32_t)!(a < b) << 6 | (uint32_t)!(a >= b) << 7;
    r |= (uint32_t)(__builtin_isnan(a) != 0) << 8 | (uint32_t)(__builtin_isinf(a) != 0) << 9;
    r |= (uint32_t)__builtin_isunordered(a, b) << 10 | (uint32_t)(__builtin_isfinite(a) != 0) << 11;
    r |= (uint32_t)(__builtin_islessgreater(a, b) != 0) << 12;
    out[2 * i] = r;
    out[2 * i + 1] = bits_of(a < b ? a : b) ^ bits_of(a > 0.0f ? b : -b);
}

/* Minimum and maximum of numbers; adding zero makes one of the two zeros. */
KERNEL(f32_minimum_maximum)
{
    int i = item();
    if (i >= n)
        return;
    float a = as_float(in[3 * i]), b = moderate(in[3 * i + 1]), c = moderate(in[3 * i + 2]);
    a = a != a ? -1.0f : a;
    uint32_t *o = out + 4 * i;
    o[0] = bits_of(__builtin_fminf(a, b) + 0.0f);
    o[1] = bits_of(__builtin_fmaxf(__builtin_fmaxf(a, b), c) + 0.0f);
    o[2] = bits_of(__builtin_fmaxf(__builtin_fminf(a, b), __builtin_fminf(__builtin_fmaxf(a, b), c)) + 0.0f);
    o[3] = bits_of(__builtin_fminf(__builtin_fmaxf(b, 0.0f), 1.0f) + 0.0f);
}

KERNEL(f32_parts)
{
    int i = item();
    if (i >= n)
        return;
    float a = as_float(in[2 * i]), b = moderate(in[2 * i]);
    int exponent = 0;
    a = a != a ? 0.75f : a;
    float fraction = __builtin_frexpf(b, &exponent);
    uint32_t *o = out + 5 * i;
    o[0] = bits_of(fraction);
    o[1] = (uint32_t)exponent;
    o[2] = bits_of(__builtin_ldexpf(b, (int)(in[2 * i + 1] % 300) - 150));
    o[3] = bits_of(__builtin_ldexpf(a, -3));
    o[4] = bits_of(__builtin_copysignf(a, b)) ^ (uint32_t)(__builtin_signbit(a) != 0);
}

KERNEL(f64_arithmetic)
{
    int i = item();
    if (i >= n)
        return;
    double a = as_double(as_long(in[6 * i], in[6 * i + 1])), b = as_double(as_long(in[6 * i + 2], in[6 * i + 3]));
    double c = moderate_double(in[6 * i + 4], in[6 * i + 5]);
    uint32_t *o = out + 16 * i;
    put64(o, bits_of_double(a + b));
    put64(o + 2, bits_of_double(a - c));
    put64(o + 4, bits_of_double(a * b));
    put64(o + 6, bits_of_double(__builtin_fma(a, c, b)));
    put64(o + 8, bits_of_double(a / b));
    put64(o + 10, bits_of_double(__builtin_sqrt(a)));
    put64(o + 12, bits_of_double(c / 3.0 + a));
    put64(o + 14, (uint64_t)(a < b) | (uint64_t)(a == b) << 1 | (uint64_t)!(a >= b) << 2 | (uint64_t)(a != a) << 3);
}

KERNEL(f64_rounding_and_conversions)
{
    int i = item();
    if (i >= n)
        return;
    double a = as_double(as_long(in[2 * i], in[2 * i + 1])), b = moderate_double(in[2 * i], in[2 * i + 1]) * 0.125;
    uint64_t w = as_long(in[2 * i], in[2 * i + 1]);
    uint32_t *o = out + 20 * i;
    put64(o, bits_of_double(__builtin_floor(a)));
    put64(o + 2, bits_of_double(__builtin_rint(b)));
    put64(o + 4, bits_of_double(__builtin_trunc(a) + __builtin_ceil(b)));
    o[6] = bits_of((float)a);
    o[7] = (uint32_t)(int32_t)b;
    put64(o + 8, bits_of_double((double)(int32_t)w + (double)(uint32_t)(w >> 32) * 0.5));
    put64(o + 10, bits_of_double((double)w));
    put64(o + 12, bits_of_double((double)(int64_t)w));
    put64(o + 14, (uint64_t)(int64_t)(b * 0x1p40));
    put64(o + 16, bits_of_double(__builtin_ldexp(b, (int)(w % 2000) - 1000)));
    put64(o + 18, bits_of_double((double)as_float(in[2 * i])));
}

KERNEL(f16_arithmetic)
{
    int i = item();
    if (i >= n)
        return;
    half_t a = as_half(in[2 * i]), b = as_half(in[2 * i] >> 16), c = as_half(in[2 * i + 1]);
    uint32_t *o = out + 6 * i;
    o[0] = bits_of_half(half_sum(a, b));
    o[1] = bits_of_half(half_product(a, b));
    o[2] = bits_of_half(half_sum(half_product(a, b), c));
    o[3] = bits_of_half((half_t)__builtin_fma((double)a, (double)b, (double)c));
    o[4] = (uint32_t)(a < b) | (uint32_t)(a == c) << 1 | (uint32_t)!(b >= c) << 2;
    o[5] = bits_of_half(half_sum(-a, half_product(c, (half_t)0.333f)));
}

KERNEL(f16_conversions)
{
    int i = item();
    if (i >= n)
        return;
    float x = as_float(in[i]), y = moderate(in[i]);
    half_t h = as_half(in[i]);
    uint32_t *o = out + 6 * i;
    o[0] = bits_of_half((half_t)x);
    o[1] = bits_of_half((half_t)y) | bits_of_half((half_t)(y * 0x1p-12f)) << 16;
    o[2] = bits_of((float)h);
    o[3] = bits_of_half((half_t)(float)(int16_t)in[i]);
    o[4] = bits_of_half((half_t)(double)y);
    o[5] = (uint32_t)(int32_t)((float)as_half(in[i] & 0xbfff) * 1000.0f);
}

/* Pairs of halves, which compilers pack. */
KERNEL(f16_pairs)
{
    int i = item();
    if (i >= n)
        return;
    half_t a[2] = {as_half(in[2 * i]), as_half(in[2 * i] >> 16)}, b[2] = {as_half(in[2 * i + 1]), as_half(in[2 * i + 1] >> 16)};
    half_t sum[2], product[2];
    for (int k = 0; k < 2; k++) {
        sum[k] = half_sum(a[k], b[k]);
        product[k] = half_product(a[k], b[k]);
    }
    out[2 * i] = bits_of_half(sum[0]) | bits_of_half(sum[1]) << 16;
    out[2 * i + 1] = bits_of_half(product[0]) | bits_of_half(product[1]) << 16;
}

/* bf16 by hand: to nearest even, from the bits. */
KERNEL(bf16_by_bits)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t x = in[2 * i];
    float value = as_float(x);
    uint32_t rounded = value != value ? 0x7fc0u : (x + 0x7fff + (x >> 16 & 1)) >> 16;
    float back = as_float(rounded << 16) * 1.5f + as_float(in[2 * i + 1] & 0xffff0000u);
    out[2 * i] = rounded;
    out[2 * i + 1] = bits_of(back);
}

CONSTANT float coefficients[8] = {1.0f, -0.5f, 0.33333334f, -0.25f, 0.2f, -0.16666667f, 0.14285715f, -0.125f};

KERNEL(polynomials)
{
    int i = item();
    if (i >= n)
        return;
    float x = as_float((in[i] & 0x007fffffu) | 0x3f000000u) - 0.75f, fused = 0, plain = 0;
    double wide = 0;
    for (int k = 7; k >= 0; k--) {
        fused = __builtin_fmaf(fused, x, coefficients[k]);
        plain = plain * x + coefficients[k];
        wide = wide * (double)x + (double)coefficients[k];
    }
    out[4 * i] = bits_of(fused);
    out[4 * i + 1] = bits_of(plain);
    put64(out + 4 * i + 2, bits_of_double(wide));
}

/* A compensated sum and the exact error of a product. */
KERNEL(error_free_sums)
{
    int i = item();
    if (i >= n)
        return;
    float sum = 0, lost = 0, dot = 0;
    for (int k = 0; k < 16; k++) {
        float x = moderate(in[16 * i + k]), y = x - lost, next = sum + y;
        lost = (next - sum) - y;
        sum = next;
        dot = __builtin_fmaf(x, y, dot);
    }
    float a = moderate(in[16 * i]), b = moderate(in[16 * i + 1]), product = a * b;
    out[4 * i] = bits_of(sum);
    out[4 * i + 1] = bits_of(lost);
    out[4 * i + 2] = bits_of(__builtin_fmaf(a, b, -product));
    out[4 * i + 3] = bits_of(dot);
}

KERNEL(escape_times)
{
    int i = item();
    if (i >= n)
        return;
    float cx = (float)(i % 32) * 0.078125f - 2.0f, cy = (float)(i / 32) * 0.125f - 1.25f, x = 0, y = 0;
    uint32_t steps = 0;
    while (steps < 100 && x * x + y * y < 4.0f) {
        float t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
        steps++;
    }
    out[3 * i] = steps + (in[i] & 0);
    out[3 * i + 1] = bits_of(x);
    out[3 * i + 2] = bits_of(y);
}

/* A block of 16 floats to signed bytes with one scale. */
KERNEL(quantised_blocks)
{
    int i = item();
    if (i >= n)
        return;
    float largest = 0;
    for (int k = 0; k < 16; k++) {
        float x = __builtin_fabsf(moderate(in[16 * i + k]));
        largest = x > largest ? x : largest;
    }
    float scale = largest / 127.0f, inverse = 127.0f / largest;
    for (int k = 0; k < 4; k++) {
        uint32_t word = 0;
        for (int j = 0; j < 4; j++) {
            int32_t q = (int32_t)__builtin_rintf(moderate(in[16 * i + 4 * k + j]) * inverse);
            word |= (uint32_t)(q & 255) << 8 * j;
        }
        out[5 * i + k] = word;
    }
    out[5 * i + 4] = bits_of(scale);
}

KERNEL(small_matrices)
{
    int i = item();
    if (i >= n)
        return;
    float m[9], determinant;
    for (int k = 0; k < 9; k++)
        m[k] = moderate(in[9 * i + k]);
    float c0 = m[4] * m[8] - m[5] * m[7], c1 = m[5] * m[6] - m[3] * m[8], c2 = m[3] * m[7] - m[4] * m[6];
    determinant = m[0] * c0 + m[1] * c1 + m[2] * c2;
    out[4 * i] = bits_of(determinant);
    out[4 * i + 1] = bits_of(c0 / determinant);
    out[4 * i + 2] = bits_of(c1 / determinant);
    out[4 * i + 3] = bits_of(c2 / determinant);
}
