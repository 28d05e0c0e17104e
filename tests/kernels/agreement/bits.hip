/* Bits: counts, rotations, fields, permutations, hashes. */
#include "tests/kernels/agreement/agreement.h"

KERNEL(bit_counts)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t a = in[2 * i];
    uint64_t w = as_long(a, in[2 * i + 1]);
    uint32_t *o = out + 8 * i;
    o[0] = (uint32_t)__builtin_popcount(a);
    o[1] = a ? (uint32_t)__builtin_clz(a) : 32;
    o[2] = a ? (uint32_t)__builtin_ctz(a) : 32;
    o[3] = (uint32_t)__builtin_popcountll(w);
    o[4] = w ? (uint32_t)__builtin_clzll(w) : 64;
    o[5] = w ? (uint32_t)__builtin_ctzll(w) : 64;
    o[6] = (uint32_t)__builtin_parity(a);
    o[7] = (int32_t)a < 0 ? (uint32_t)__builtin_clz(~a | 1) : (uint32_t)__builtin_clz(a | 1);
}

DEVICE uint32_t reversed(uint32_t a)
{
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(a);
}

KERNEL(reversals)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t a = in[2 * i], b = in[2 * i + 1];
    out[4 * i] = reversed(a);
    out[4 * i + 1] = __builtin_bswap32(b);
    out[4 * i + 2] = (uint32_t)__builtin_bswap16((uint16_t)a) | (a & 0xff0000u) << 8 | (a >> 24) << 16;
    /* Two halves: for gfx11, clang 22 at -O0 compiles __builtin_bswap64 to a move of 16 bits and loses the rest. */
    out[4 * i + 3] = (uint32_t)(as_long(__builtin_bswap32(b), __builtin_bswap32(a)) >> 20);
}

DEVICE uint32_t rotated(uint32_t a, uint32_t by)
{
    return a << (by & 31) | a >> (-by & 31);
}

KERNEL(rotations)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t a = in[3 * i], b = in[3 * i + 1], by = in[3 * i + 2];
    uint64_t w = as_long(a, b);
    out[6 * i] = rotated(a, by);
    out[6 * i + 1] = rotated(a, 7) ^ rotated(b, 31);
    out[6 * i + 2] = (uint32_t)(w >> (by & 31));
    out[6 * i + 3] = (uint32_t)(w << (by & 31) >> 32);
    put64(out + 6 * i + 4, w << (by & 63) | w >> (-by & 63));
}

struct fields {
    uint32_t a : 3, b : 11, c : 5, d : 13;
};

KERNEL(bit_fields)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t x = in[2 * i], y = in[2 * i + 1];
    struct fields f;
    __builtin_memcpy(&f, &x, 4);
    out[4 * i] = f.a + 10u * f.b + 100u * f.c + 1000u * f.d;
    f.b = y & 0x7ff;
    f.d = (f.d + 1u) & 0x1fff;
    f.c ^= y >> 27;
    __builtin_memcpy(&out[4 * i + 1], &f, 4);
    out[4 * i + 2] = (uint32_t)((int32_t)(x << 9) >> 20);
    out[4 * i + 3] = (x & ~0x00fff000u) | (y << 12 & 0x00fff000u);
}

DEVICE uint32_t spread(uint32_t a)
{
    a = (a | a << 8) & 0x00ff00ffu;
    a = (a | a << 4) & 0x0f0f0f0fu;
    a = (a | a << 2) & 0x33333333u;
    return (a | a << 1) & 0x55555555u;
}

KERNEL(interleaved_bits)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t a = in[i];
    out[2 * i] = spread(a & 0xffff) | spread(a >> 16) << 1;
    uint32_t gray = a ^ a >> 1, back = gray;
    for (int k = 1; k < 32; k *= 2)
        back ^= back >> k;
    out[2 * i + 1] = back - a + gray;
}

/* Bytes of two words, each chosen by a nibble. */
KERNEL(byte_permutations)
{
    int i = item();
    if (i >= n)
        return;
    uint64_t both = as_long(in[3 * i], in[3 * i + 1]);
    uint32_t selector = in[3 * i + 2], result = 0;
    for (int k = 0; k < 4; k++)
        result |= (uint32_t)(both >> 8 * (selector >> 8 * k & 7) & 255) << 8 * k;
    out[2 * i] = result;
    out[2 * i + 1] = (in[3 * i] & 0x00ff00ffu) << 8 | (in[3 * i + 1] >> 8 & 0x00ff00ffu);
}

DEVICE uint32_t three_inputs(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t choose = (a & b) | (~a & c), majority = (a & b) | (a & c) | (b & c);
    return (choose + majority) ^ (a ^ b ^ c) ^ (a & b & c) ^ (a | b | c) ^ ((a & b) | c) ^ ((a | b) & ~c);
}

/* Rounds like SHA-256's, with constants from a table. */
CONSTANT uint32_t round_constants[8] = {0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u,
                                        0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u};

KERNEL(hash_rounds)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t s[8];
    for (int k = 0; k < 8; k++)
        s[k] = in[8 * i + k];
    for (int r = 0; r < 24; r++) {
        uint32_t e = s[4], a = s[0];
        uint32_t t1 = s[7] + (rotated(e, 26) ^ rotated(e, 21) ^ rotated(e, 7)) + ((e & s[5]) ^ (~e & s[6])) +
                      round_constants[(r * 5 + (int)(e & 1)) & 7];
        uint32_t t2 = (rotated(a, 30) ^ rotated(a, 19) ^ rotated(a, 10)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        for (int k = 7; k > 0; k--)
            s[k] = s[k - 1];
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int k = 0; k < 8; k++)
        out[8 * i + k] = s[k] ^ three_inputs(s[k], s[(k + 1) & 7], s[(k + 2) & 7]);
}

KERNEL(random_streams)
{
    int i = item();
    if (i >= n)
        return;
    uint64_t s = as_long(in[2 * i] | 1, in[2 * i + 1]);
    uint32_t x = in[2 * i] | 1, sum = 0;
    for (int k = 0; k < 40; k++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        s = s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t xored = (uint32_t)((s >> 18 ^ s) >> 27), turn = (uint32_t)(s >> 59);
        sum += x ^ (xored >> turn | xored << (-turn & 31));
    }
    out[2 * i] = sum;
    out[2 * i + 1] = x;
}

DEVICE uint32_t crc_bit(uint32_t crc)
{
    return crc >> 1 ^ (0xedb88320u & (0u - (crc & 1)));
}

KERNEL(checksums)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t crc = ~0u, a = 1, b = 0;
    for (int k = 0; k < 4; k++)
        for (int byte = 0; byte < 4; byte++) {
            uint32_t value = in[4 * i + k] >> 8 * byte & 255;
            crc ^= value;
            for (int bit = 0; bit < 8; bit++)
                crc = crc_bit(crc);
            a = (a + value) % 65521;
            b = (b + a) % 65521;
        }
    out[2 * i] = ~crc;
    out[2 * i + 1] = b << 16 | a;
}

/* An 8 x 8 bit matrix transposed inside 64 bits. */
KERNEL(bit_matrices)
{
    int i = item();
    if (i >= n)
        return;
    uint64_t x = as_long(in[2 * i], in[2 * i + 1]), t;
    t = (x ^ x >> 7) & UINT64_C(0x00aa00aa00aa00aa);
    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & UINT64_C(0x0000cccc0000cccc);
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & UINT64_C(0x00000000f0f0f0f0);
    x ^= t ^ t << 28;
    put64(out + 2 * i, x);
}

/* Nibbles to bytes with an offset and a sign, and back with saturation. */
KERNEL(nibble_packing)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t packed = in[i], sum = 0, repacked = 0;
    for (int k = 0; k < 8; k++) {
        int32_t value = (int32_t)(packed >> 4 * k & 15) - 8;
        int32_t doubled = value * 2 + (k & 1);
        sum += (uint32_t)(value * (k + 1));
        repacked |= (uint32_t)((doubled < -8 ? -8 : doubled > 7 ? 7 : doubled) & 15) << 4 * k;
    }
    out[2 * i] = sum;
    out[2 * i + 1] = repacked;
}

/* A sorting network over eight registers. */
KERNEL(register_network)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t v[8];
    for (int k = 0; k < 8; k++)
        v[k] = in[8 * i + k];
    for (int size = 2; size <= 8; size *= 2)
        for (int step = size / 2; step > 0; step /= 2)
            for (int k = 0; k < 8; k++) {
                int other = k ^ step;
                bool up = (k & size) == 0;
                if (other > k && (v[k] > v[other]) == up) {
                    uint32_t t = v[k];
                    v[k] = v[other];
                    v[other] = t;
                }
            }
    for (int k = 0; k < 8; k++)
        out[8 * i + k] = v[k];
}
