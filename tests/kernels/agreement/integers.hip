/* Integer arithmetic of 8 to 128 bits. */
#include "tests/kernels/agreement/agreement.h"

/* 128-bit sums and differences, carried by hand. */
KERNEL(carries)
{
    int i = item();
    if (i >= n)
        return;
    const uint32_t *a = in + 8 * i, *b = a + 4;
    uint32_t carry = 0, borrow = 0;
    for (int k = 0; k < 4; k++) {
        uint64_t sum = (uint64_t)a[k] + b[k] + carry;
        uint64_t difference = (uint64_t)a[k] - b[k] - borrow;
        out[8 * i + k] = (uint32_t)sum;
        out[8 * i + 4 + k] = (uint32_t)difference;
        carry = (uint32_t)(sum >> 32);
        borrow = (uint32_t)(difference >> 63);
    }
}

KERNEL(multiply_wide)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
    uint64_t wide = (uint64_t)a * b;
    int64_t product = (int64_t)(int32_t)a * (int32_t)b;
    uint32_t *o = out + 9 * i;
    o[0] = a * b;
    put64(o + 1, wide + c);
    put64(o + 3, (uint64_t)product + (uint64_t)(int64_t)(int32_t)c);
    put64(o + 5, as_long(a, b) * as_long(c, a));
    o[7] = (a & 0xffffff) * (b & 0xffffff) + c;
    o[8] = (uint32_t)((int32_t)(a << 8) >> 8) * (uint32_t)((int32_t)(b << 8) >> 8);
}

KERNEL(divide32)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t a = in[2 * i], b = in[2 * i + 1] ? in[2 * i + 1] : 7;
    int32_t sa = (int32_t)a, sb = (int32_t)b;
    if (sa == INT32_MIN && sb == -1)
        sb = 3;
    uint32_t *o = out + 6 * i;
    o[0] = a / b;
    o[1] = a % b;
    o[2] = (uint32_t)(sa / sb);
    o[3] = (uint32_t)(sa % sb);
    o[4] = (a >> 16) / (b % 1000 + 1);
    o[5] = (uint32_t)((int16_t)a / ((int32_t)(b & 255) + 1));
}

KERNEL(divide64)
{
    int i = item();
    if (i >= n)
        return;
    uint64_t a = as_long(in[4 * i], in[4 * i + 1]), b = as_long(in[4 * i + 2], i % 3 ? in[4 * i + 3] : 0);
    b = b ? b : 10;
    int64_t sa = (int64_t)a, sb = (int64_t)b;
    if (sa == INT64_MIN && sb == -1)
        sb = 5;
    uint32_t *o = out + 8 * i;
    put64(o, a / b);
    put64(o + 2, a % b);
    put64(o + 4, (uint64_t)(sa / sb));
    put64(o + 6, (uint64_t)(sa % sb));
}

KERNEL(divide_by_constants)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t a = in[2 * i];
    int32_t s = (int32_t)a;
    uint64_t w = as_long(a, in[2 * i + 1]);
    uint32_t *o = out + 8 * i;
    o[0] = a / 3 + a % 10;
    o[1] = a / 641 ^ a % 65537;
    o[2] = (uint32_t)(s / -7 + s % 1000);
    o[3] = (uint32_t)(s / 16 - s % 64);
    put64(o + 4, w / 1000000007u + w % 12345);
    put64(o + 6, (uint64_t)((int64_t)w / 86400) ^ (uint64_t)((int64_t)w % 255));
}

/* Arithmetic of C's small types, promoted and cut again. */
KERNEL(narrow_types)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t a = in[2 * i], b = in[2 * i + 1];
    int8_t c = (int8_t)a, d = (int8_t)b;
    uint8_t e = (uint8_t)(a >> 8), f = (uint8_t)(b >> 8);
    int16_t g = (int16_t)(a >> 16), h = (int16_t)(b >> 16);
    uint16_t p = (uint16_t)a, q = (uint16_t)b;
    uint32_t *o = out + 8 * i;
    o[0] = (uint8_t)(c + d) | (uint32_t)(uint8_t)(c * d) << 8 | (uint32_t)(uint8_t)(e - f) << 16;
    o[1] = (uint32_t)(int16_t)(g + h) ^ (uint32_t)(uint16_t)((uint32_t)p * q) << 16;
    o[2] = (uint32_t)(int8_t)(c >> (d & 7)) + (uint32_t)(e >> (f & 7));
    o[3] = (uint32_t)(uint16_t)(p << (q & 15)) ^ (uint32_t)(int16_t)(g >> (h & 15));
    o[4] = (uint32_t)(g < h ? g : h) ^ (uint32_t)(p > q ? p : q);
    o[5] = (uint32_t)(c < 0 ? -c : c) + (uint32_t)(g < 0 ? -g : g);
    o[6] = (uint32_t)(e * f + p) - (uint32_t)(c * e);
    o[7] = (uint32_t)(int16_t)(p + q) * (uint32_t)(uint8_t)(a ^ b);
}

KERNEL(shifts)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t a = in[3 * i], b = in[3 * i + 1], by = in[3 * i + 2];
    uint64_t w = as_long(a, b);
    uint32_t *o = out + 10 * i;
    o[0] = a << (by & 31);
    o[1] = a >> (by & 31);
    o[2] = (uint32_t)((int32_t)a >> (by & 31));
    put64(o + 3, w << (by & 63));
    put64(o + 5, w >> (by & 63));
    put64(o + 7, (uint64_t)((int64_t)w >> (by & 63)));
    o[9] = (a << 3) + b + ((a + b) << 2) + ((a << 4) | b) + ((a ^ b) + by);
}

DEVICE int32_t clamped_sum(int32_t a, int32_t b)
{
    int64_t sum = (int64_t)a + b;
    return sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : (int32_t)sum;
}

KERNEL(saturation)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t a = in[2 * i], b = in[2 * i + 1];
    int32_t halves = (int16_t)a + (int16_t)b;
    uint32_t *o = out + 6 * i;
    o[0] = (uint32_t)clamped_sum((int32_t)a, (int32_t)b);
    o[1] = a + b < a ? UINT32_MAX : a + b;
    o[2] = a < b ? 0 : a - b;
    o[3] = (uint32_t)(halves > 32767 ? 32767 : halves < -32768 ? -32768 : halves);
    o[4] = (uint32_t)((a & 0xffff) + (b & 0xffff) > 0xffff ? 0xffff : (a & 0xffff) + (b & 0xffff));
    o[5] = (int32_t)a < 0 ? 0 : (int32_t)a > 255 ? 255 : a;
}

KERNEL(order_statistics)
{
    int i = item();
    if (i >= n)
        return;
    int32_t a = (int32_t)in[3 * i], b = (int32_t)in[3 * i + 1], c = (int32_t)in[3 * i + 2];
    uint32_t ua = in[3 * i], ub = in[3 * i + 1], uc = in[3 * i + 2];
    int32_t low = a < b ? a : b, high = a < b ? b : a;
    uint32_t u_low = ua < ub ? ua : ub, u_high = ua < ub ? ub : ua;
    uint32_t *o = out + 6 * i;
    o[0] = (uint32_t)(low < c ? low : c);
    o[1] = (uint32_t)(high > c ? high : c);
    o[2] = (uint32_t)(c < low ? low : c > high ? high : c);
    o[3] = uc < u_low ? u_low : uc > u_high ? u_high : uc;
    o[4] = u_low < uc ? u_low : uc;
    o[5] = (ua > ub ? ua - ub : ub - ua) + uc;
}

KERNEL(greatest_divisor)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t a = in[2 * i] | 1, b = in[2 * i + 1] | 1;
    while (a != b) {
        if (a < b) {
            uint32_t t = a;
            a = b;
            b = t;
        }
        a -= b;
        while (!(a & 1))
            a >>= 1;
    }
    out[i] = a;
}

KERNEL(square_roots)
{
    int i = item();
    if (i >= n)
        return;
    uint64_t rest = as_long(in[2 * i], in[2 * i + 1]), root = 0, bit = UINT64_C(1) << 62;
    while (bit > rest)
        bit >>= 2;
    for (; bit; bit >>= 2) {
        if (rest >= root + bit) {
            rest -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    out[i] = (uint32_t)root;
}

KERNEL(modular_powers)
{
    int i = item();
    if (i >= n)
        return;
    uint64_t base = in[2 * i], result = 1, modulus = 1000003 + (in[2 * i + 1] >> 8);
    for (uint32_t e = in[2 * i + 1] & 0xffff; e; e >>= 1) {
        if (e & 1)
            result = result * (base % modulus) % modulus;
        base = base % modulus * (base % modulus) % modulus;
    }
    out[i] = (uint32_t)result;
}

/* Products of 128 bits, schoolbook with 32-bit digits. */
KERNEL(long_product)
{
    int i = item();
    if (i >= n)
        return;
    const uint32_t *a = in + 8 * i, *b = a + 4;
    uint32_t product[8] = {0};
    for (int j = 0; j < 4; j++) {
        uint64_t carry = 0;
        for (int k = 0; k < 4; k++) {
            carry += (uint64_t)a[j] * b[k] + product[j + k];
            product[j + k] = (uint32_t)carry;
            carry >>= 32;
        }
        product[j + 4] = (uint32_t)carry;
    }
    for (int k = 0; k < 8; k++)
        out[8 * i + k] = product[k];
}

/* Bytes and nibbles multiplied and summed, as quantised layers do it. */
KERNEL(byte_dot_products)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t a = in[2 * i], b = in[2 * i + 1];
    int32_t bytes = 0, nibbles = 0;
    uint32_t mixed = 0, distance = 0;
    for (int k = 0; k < 4; k++) {
        int32_t x = (int8_t)(a >> 8 * k), y = (int8_t)(b >> 8 * k);
        uint32_t ux = a >> 8 * k & 255, uy = b >> 8 * k & 255;
        bytes += x * y;
        mixed += ux * uy;
        distance += ux > uy ? ux - uy : uy - ux;
    }
    for (int k = 0; k < 8; k++)
        nibbles += ((int32_t)(a << (28 - 4 * k)) >> 28) * ((int32_t)(b << (28 - 4 * k)) >> 28);
    out[4 * i] = (uint32_t)bytes;
    out[4 * i + 1] = mixed;
    out[4 * i + 2] = distance;
    out[4 * i + 3] = (uint32_t)nibbles;
}

KERNEL(comparisons)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t a = in[4 * i], b = in[4 * i + 1];
    uint64_t x = as_long(a, in[4 * i + 2]), y = as_long(b, in[4 * i + 3]);
    uint32_t r = 0;
    r |= (uint32_t)(a < b) | (uint32_t)(a <= b) << 1 | (uint32_t)(a == b) << 2;
    r |= (uint32_t)((int32_t)a < (int32_t)b) << 3 | (uint32_t)((int32_t)a >= (int32_t)b) << 4;
    r |= (uint32_t)(x < y) << 5 | (uint32_t)(x == y) << 6 | (uint32_t)((int64_t)x > (int64_t)y) << 7;
    r |= (uint32_t)((int16_t)a < (int16_t)b) << 8 | (uint32_t)((uint16_t)a > (uint16_t)b) << 9;
    r |= (uint32_t)((int64_t)x <= (int64_t)y) << 10 | (uint32_t)(x >= y) << 11 | (uint32_t)(x != y) << 12;
    r |= (uint32_t)((a & b) == 0) << 13 | (uint32_t)(a > 100 && b < 1000000) << 14 | (uint32_t)(a || !b) << 15;
    out[i] = r;
}
