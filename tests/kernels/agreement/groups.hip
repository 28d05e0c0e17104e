/* Work-items together: LDS, barriers, shuffles, ballots, atomics. Blocks are whole; n is a multiple of their size. */
#include "tests/kernels/agreement/agreement.h"

KERNEL(lds_reversal)
{
    SHARED uint32_t tile[256];
    int t = (int)threadIdx.x;
    tile[t] = in[item()];
    BARRIER();
    out[item()] = tile[(int)blockDim.x - 1 - t] + tile[t ^ 1];
    (void)n;
}

/* Tiles of 16 x 16, padded by one column. */
KERNEL(lds_transposition)
{
    SHARED uint32_t tile[16][17];
    int x = (int)threadIdx.x % 16, y = (int)threadIdx.x / 16;
    tile[y][x] = in[item()];
    BARRIER();
    out[item()] = tile[x][y] + (uint32_t)n;
}

KERNEL(lds_tree_sum)
{
    SHARED uint64_t sums[256];
    unsigned t = threadIdx.x;
    sums[t] = as_long(in[item()], in[item()] >> 7);
    BARRIER();
    for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
        if (t < step)
            sums[t] += sums[t + step];
        BARRIER();
    }
    put64(out + 2 * item(), sums[0] + t);
    (void)n;
}

/* Up-sweep and down-sweep. */
KERNEL(lds_exclusive_scan)
{
    SHARED uint32_t tree[256];
    int t = (int)threadIdx.x, size = (int)blockDim.x;
    tree[t] = in[item()] & 0xffff;
    for (int step = 1; step < size; step *= 2) {
        BARRIER();
        if ((t + 1) % (2 * step) == 0)
            tree[t] += tree[t - step];
    }
    BARRIER();
    if (t == size - 1)
        tree[t] = 0;
    for (int step = size / 2; step > 0; step /= 2) {
        BARRIER();
        if ((t + 1) % (2 * step) == 0) {
            uint32_t left = tree[t - step];
            tree[t - step] = tree[t];
            tree[t] += left;
        }
    }
    BARRIER();
    out[item()] = tree[t] + (uint32_t)(n == 0);
}

KERNEL(lds_bitonic_sort)
{
    SHARED uint32_t keys[256];
    unsigned t = threadIdx.x;
    keys[t] = in[item()];
    for (unsigned size = 2; size <= blockDim.x; size *= 2)
        for (unsigned step = size / 2; step > 0; step /= 2) {
            BARRIER();
            unsigned other = t ^ step;
            uint32_t mine = keys[t], theirs = keys[other];
            bool smaller = ((t & size) == 0) == (t < other);
            BARRIER();
            keys[t] = (mine < theirs) == smaller ? mine : theirs;
        }
    BARRIER();
    out[item()] = keys[t] + (uint32_t)(n == 0);
}

/* Four passes of one bit each, stable. */
KERNEL(lds_radix_sort)
{
    SHARED uint32_t keys[256], zeros[256];
    int t = (int)threadIdx.x, size = (int)blockDim.x;
    uint32_t key = in[item()];
    for (int bit = 0; bit < 4; bit++) {
        uint32_t is_zero = ~key >> bit & 1;
        zeros[t] = is_zero;
        BARRIER();
        for (int step = 1; step < size; step *= 2) {
            uint32_t add = t >= step ? zeros[t - step] : 0;
            BARRIER();
            zeros[t] += add;
            BARRIER();
        }
        uint32_t total = zeros[size - 1], before = zeros[t] - is_zero;
        keys[is_zero ? before : total + (uint32_t)t - before] = key;
        BARRIER();
        key = keys[t];
        BARRIER();
    }
    out[item()] = key + (uint32_t)(n == 0);
}

KERNEL(lds_histogram)
{
    SHARED uint32_t bins[64];
    unsigned t = threadIdx.x;
    if (t < 64)
        bins[t] = 0;
    BARRIER();
    atomicAdd(&bins[in[item()] & 63], 1u);
    atomicAdd(&bins[in[item()] >> 6 & 63], in[item()] >> 16);
    BARRIER();
    out[item()] = bins[t & 63] + (uint32_t)(n == 0);
}

/* Every integer atomic in LDS, on 32 and 64 bits, where order does not matter. */
KERNEL(lds_atomics)
{
    SHARED uint32_t words[8];
    SHARED unsigned long long longs[2];
    unsigned t = threadIdx.x;
    uint32_t x = in[item()];
    if (t < 8)
        words[t] = t == 2 || t == 4 ? 0xffffffffu : 0;
    if (t < 2)
        longs[t] = t;
    BARRIER();
    atomicAdd(&words[0], x);
    atomicSub(&words[1], x >> 3);
    atomicMin(&words[2], x);
    atomicMax(&words[3], x);
    atomicAnd(&words[4], x | 0xffff00ffu);
    atomicOr(&words[5], x & 0x00ff0000u);
    atomicXor(&words[6], x);
    atomicMax((int *)&words[7], (int)x);
    atomicAdd(&longs[0], (unsigned long long)as_long(x, x));
    atomicMax(&longs[1], (unsigned long long)as_long(x, ~x));
    BARRIER();
    if (t < 8)
        out[item()] = words[t];
    else
        out[item()] = (uint32_t)(longs[t & 1] >> (t & 32)) + (uint32_t)(n == 0);
}

KERNEL(lds_widths)
{
    SHARED uint8_t bytes[1024];
    int t = (int)threadIdx.x;
    uint32_t x = in[item()];
    uint16_t half = (uint16_t)(x >> 16);
    for (int k = 0; k < 4; k++)
        bytes[4 * t + k] = (uint8_t)(x >> 8 * k);
    BARRIER();
    uint32_t word;
    uint64_t wide;
    __builtin_memcpy(&word, bytes + ((4 * t + 5) & 1016), 4);
    __builtin_memcpy(&wide, bytes + ((8 * t) & 1016), 8);
    uint32_t sum = word + (uint32_t)(wide >> 32) * 3 + (uint32_t)(int8_t)bytes[(t * 7) & 1023];
    BARRIER();
    __builtin_memcpy(bytes + 4 * (255 - t), &half, 2);
    BARRIER();
    __builtin_memcpy(&half, bytes + 4 * t + (t & 2 ? 2 : 0), 2);
    out[item()] = sum ^ (uint32_t)half << 8 ^ (uint32_t)(n == 0);
}

struct record {
    uint32_t key;
    float weight;
    uint16_t small[2];
    uint32_t tail;
};

/* Structures of 16 bytes in dynamic LDS. */
KERNEL(lds_dynamic_records)
{
    DYNAMIC_LDS(memory);
    struct record *records = (struct record *)memory;
    unsigned t = threadIdx.x;
    uint32_t x = in[item()];
    struct record own = {x, moderate(x), {(uint16_t)x, (uint16_t)(x >> 16)}, t};
    records[t] = own;
    BARRIER();
    struct record other = records[(t + 37) % blockDim.x];
    records[blockDim.x + t] = other;
    out[4 * item()] = other.key + (uint32_t)(n == 0);
    out[4 * item() + 1] = bits_of(other.weight + own.weight);
    out[4 * item() + 2] = other.small[0] + 3u * other.small[1];
    out[4 * item() + 3] = other.tail;
}

/* Two buffers that change places after each barrier. */
KERNEL(lds_relaxation)
{
    SHARED float cells[2][258];
    int t = (int)threadIdx.x, from = 0;
    cells[0][t + 1] = moderate(in[item()]);
    if (t < 2)
        cells[0][t * 257] = cells[1][t * 257] = 1.0f;
    BARRIER();
    for (int k = 0; k < 10; k++) {
        cells[1 - from][t + 1] = (cells[from][t] + cells[from][t + 2]) * 0.25f + cells[from][t + 1] * 0.5f;
        from = 1 - from;
        BARRIER();
    }
    out[item()] = bits_of(cells[from][t + 1]) + (uint32_t)(n == 0);
}

/* 16 x 16 products of integers through tiles of LDS. */
KERNEL(lds_matrix_product)
{
    SHARED uint32_t a[16][16], b[16][16];
    int x = (int)threadIdx.x % 16, y = (int)threadIdx.x / 16;
    const uint32_t *block = in + blockIdx.x * 256;
    uint32_t sum = 0;
    a[y][x] = block[y * 16 + x];
    b[y][x] = block[x * 16 + y] >> 5;
    BARRIER();
    for (int k = 0; k < 16; k++)
        sum += a[y][k] * b[k][x];
    out[item()] = sum + (uint32_t)(n == 0);
}

KERNEL(shuffle_butterfly)
{
    uint32_t v = in[item()], sum = v, largest = v, mixed = v;
    for (int step = 16; step > 0; step /= 2) {
        uint32_t other = SHUFFLE_XOR(sum, step), top = SHUFFLE_XOR(largest, step);
        sum += other;
        largest = top > largest ? top : largest;
        mixed = (mixed << 1) ^ SHUFFLE_XOR(mixed, step);
    }
    out[3 * item()] = sum;
    out[3 * item() + 1] = largest;
    out[3 * item() + 2] = mixed + (uint32_t)(n == 0);
}

KERNEL(shuffle_scan)
{
    int lane = (int)(threadIdx.x % 32);
    uint32_t sum = in[item()] & 0xfffff, back = sum;
    for (int step = 1; step < 32; step *= 2) {
        uint32_t before = SHUFFLE_UP(sum, step), after = SHUFFLE_DOWN(back, step);
        if (lane >= step)
            sum += before;
        if (lane + step < 32)
            back ^= after;
    }
    out[2 * item()] = sum;
    out[2 * item() + 1] = back + (uint32_t)(n == 0);
}

/* Lanes read from lanes that the data chooses. */
KERNEL(shuffle_any)
{
    uint32_t v = in[item()], a = SHUFFLE(v, v & 31), b = SHUFFLE(v ^ a, (a >> 5) & 31);
    uint32_t first = SHUFFLE(b, 0), last = SHUFFLE(a, 31), quad = SHUFFLE_XOR(v, 3), mirror = SHUFFLE(v, 31 - (threadIdx.x & 31));
    out[4 * item()] = a;
    out[4 * item() + 1] = b;
    out[4 * item() + 2] = first ^ last;
    out[4 * item() + 3] = (quad + mirror) + (uint32_t)(n == 0);
}

/* A 32 x 32 bit matrix transposed between lanes. */
KERNEL(shuffle_bit_transposition)
{
    uint32_t v = in[item()], mask = 0x0000ffffu;
    for (int step = 16; step > 0; step /= 2) {
        uint32_t other = SHUFFLE_XOR(v, step);
        v = threadIdx.x & (unsigned)step ? (v & ~mask) | (other >> step & mask) : (v & mask) | (other << step & ~mask);
        mask ^= mask << (step / 2);
    }
    out[item()] = v + (uint32_t)(n == 0);
}

/* Keeps what is odd, in order, by ballot and count. */
KERNEL(ballot_compaction)
{
    SHARED uint32_t kept[256];
    unsigned lane = threadIdx.x % 32, first = threadIdx.x - lane;
    uint32_t v = in[item()];
    uint32_t chosen = BALLOT(v & 1), negative = BALLOT((int32_t)v < 0);
    unsigned place = (unsigned)__builtin_popcount(chosen & ((1u << lane) - 1)), count = (unsigned)__builtin_popcount(chosen);
    kept[threadIdx.x] = 0;
    BARRIER();
    if (v & 1)
        kept[first + place] = v;
    BARRIER();
    out[2 * item()] = kept[threadIdx.x];
    out[2 * item() + 1] = negative ^ count ^ (uint32_t)(n == 0);
}

/* Sums of waves by shuffles, of the block through LDS, of the grid by an atomic on out[0]. */
KERNEL(global_sum)
{
    SHARED uint32_t partial[8];
    uint32_t sum = in[item()];
    for (int step = 16; step > 0; step /= 2) {
        uint32_t other = SHUFFLE_DOWN(sum, step);
        sum += other;
    }
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = sum;
    BARRIER();
    if (threadIdx.x == 0) {
        for (unsigned w = 1; w < blockDim.x / 32; w++)
            sum += partial[w];
        atomicAdd(&out[0], sum);
        atomicAdd(&out[1], (uint32_t)(n == 0));
    }
}

/* Every atomic on global memory where the order of lanes does not matter; out starts as zeros. */
KERNEL(global_atomics)
{
    uint32_t x = in[item()];
    unsigned long long *longs = (unsigned long long *)(out + 16);
    atomicAdd(&out[0], x);
    atomicSub(&out[1], x >> 5);
    atomicMax(&out[2], x);
    atomicOr(&out[3], x & 0x0ff0ff00u);
    atomicXor(&out[4], x);
    atomicMin((int *)&out[5], (int)x);
    atomicMax((int *)&out[6], (int)x);
    atomicAdd(&longs[0], (unsigned long long)as_long(x, x >> 1));
    atomicMax(&longs[1], (unsigned long long)as_long(~x, x));
    atomicXor(&longs[2], (unsigned long long)as_long(x, ~x));
    atomicOr(&longs[3], (unsigned long long)as_long(x & 255, x & 3));
    if (item() < n)
        atomicAdd(&out[7 + (x & 7)], 1u);
}

/* A maximum and a product by compare and swap; exchanges count once. */
KERNEL(global_compare_and_swap)
{
    uint32_t x = in[item()], seen = 0, expected;
    do {
        expected = seen;
        seen = atomicCAS(&out[0], expected, expected + x * 3u);
    } while (seen != expected);
    unsigned long long *wide = (unsigned long long *)(out + 2), w = 0, before;
    do {
        before = w;
        w = atomicCAS(wide, before, before ^ (unsigned long long)as_long(x, x * 7u));
    } while (w != before);
    out[4 + item()] = atomicExch(&out[4 + n + item()], x) + x;
}

/* The last block to take a ticket adds up what all blocks left. */
KERNEL(last_block)
{
    SHARED uint32_t ticket, sum;
    if (threadIdx.x == 0)
        sum = 0;
    BARRIER();
    atomicAdd(&sum, in[item()]);
    BARRIER();
    if (threadIdx.x == 0) {
        out[2 + blockIdx.x] = sum;
        __threadfence();
        ticket = atomicAdd(&out[0], 1u);
    }
    BARRIER();
    if (ticket == gridDim.x - 1) {
        __threadfence();
        if (threadIdx.x == 0) {
            uint32_t total = (uint32_t)(n == 0);
            for (unsigned b = 0; b < gridDim.x; b++)
                total = total * 3 + ((volatile uint32_t *)out)[2 + b];
            out[1] = total;
        }
    }
}

/* Barriers inside a loop whose length is the same for the block but known only from the data. */
KERNEL(barrier_loops)
{
    SHARED uint32_t cells[256];
    unsigned t = threadIdx.x, rounds = in[blockIdx.x * blockDim.x] % 9 + 1;
    cells[t] = in[item()];
    BARRIER();
    for (unsigned k = 0; k < rounds; k++) {
        uint32_t next = cells[(t * 5 + k) % blockDim.x];
        BARRIER();
        if (t % (k + 2) == 0)
            cells[t] += next;
        BARRIER();
    }
    out[item()] = cells[t] ^ (uint32_t)(n == 0);
}

/* Exact sums of small whole numbers as floats, by atomics. */
KERNEL(float_atomics)
{
    SHARED float total;
    if (threadIdx.x == 0)
        total = 0;
    BARRIER();
    atomicAdd(&total, (float)(in[item()] & 1023));
    BARRIER();
    out[item()] = bits_of(total) + (uint32_t)(n == 0);
}
