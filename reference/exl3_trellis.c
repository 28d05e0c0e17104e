#include "reference/exl3_trellis.h"

#include "reference/format.h"

int exl3_tile_words(int bits)
{
    return 16 * bits;
}

static uint32_t ring_word(const uint16_t *tile, int i)
{
    return tile[2 * i] | (uint32_t)tile[2 * i + 1] << 16;
}

uint16_t exl3_window(const uint16_t *tile, int bits, int t)
{
    int n_words = exl3_tile_words(bits) / 2, end = (t + 1) * bits;
    int last = (end - 1) / 32, before = last ? last - 1 : n_words - 1;
    uint64_t pair = (uint64_t)ring_word(tile, before) << 32 | ring_word(tile, last);
    return (uint16_t)(pair >> (32 * (last + 1) - end));
}

/* Eight weights stand together: e = t % 8 of the lane q = t / 8 that a matrix instruction would give them to. */
int exl3_row(int t)
{
    int q = t / 8, e = t % 8;
    return q % 4 * 2 + e % 2 + 8 * (e / 2 % 2);
}

int exl3_column(int t)
{
    int q = t / 8, e = t % 8;
    return q / 4 + 8 * (e / 4);
}

int exl3_index(int row, int column)
{
    int q = column % 8 * 4 + row % 8 / 2;
    return 8 * q + row % 2 + 2 * (row / 8) + 4 * (column / 8);
}

int exl3_byte_sum(uint16_t window)
{
    uint32_t x = window * EXL3_MUL1;
    return (int)((x & 0xff) + (x >> 8 & 0xff) + (x >> 16 & 0xff) + (x >> 24));
}

/* 1024 + s, 0x1EEE = 1774 * 2^-18 and 0xC931 = -1329 * 2^-7 have 11 bits each: product and sum are exact in float64. */
double exl3_weight_of_byte_sum(int sum)
{
    return format_round(FORMAT_F16, (1024 + sum) * (1774 * 0x1p-18) - 1329 * 0x1p-7);
}

double exl3_weight(uint16_t window)
{
    return exl3_weight_of_byte_sum(exl3_byte_sum(window));
}

void exl3_codebook_init(struct exl3_codebook *codebook)
{
    for (int sum = 0; sum < EXL3_BYTE_SUMS; sum++)
        codebook->weight[sum] = exl3_weight_of_byte_sum(sum);
}

/* The tile's stream with its last word before the first, so that every window lies in two neighbouring words. */
struct ring {
    uint32_t word[EXL3_TILE_WEIGHTS * EXL3_MAX_BITS / 32 + 1];
};

static void ring_fill(struct ring *ring, const uint16_t *tile, int bits)
{
    int n_words = exl3_tile_words(bits) / 2;
    ring->word[0] = ring_word(tile, n_words - 1);
    for (int i = 0; i < n_words; i++)
        ring->word[i + 1] = ring_word(tile, i);
}

static inline uint16_t ring_window(const struct ring *ring, unsigned end)
{
    unsigned last = (end - 1) / 32;
    uint64_t pair = (uint64_t)ring->word[last] << 32 | ring->word[last + 1];
    return (uint16_t)(pair >> (32 * (last + 1) - end));
}

/* The eight weights that lane q holds: rows 0, 1, 8, 9 from its own on, columns 0 and 8 from its own on. */
static inline void decode_lane(const struct exl3_codebook *codebook, const struct ring *ring, unsigned bits, unsigned q,
                               double *weights, int row_stride)
{
    double *own = weights + exl3_row((int)(8 * q)) * row_stride + exl3_column((int)(8 * q));
    for (unsigned e = 0; e < 8; e++) {
        unsigned row = e % 2 + 8 * (e / 2 % 2), column = 8 * (e / 4);
        uint16_t window = ring_window(ring, (8 * q + e + 1) * bits);
        own[row * (unsigned)row_stride + column] = codebook->weight[exl3_byte_sum(window)];
    }
}

void exl3_decode_tile(const struct exl3_codebook *codebook, const uint16_t *tile, int bits, double *weights, int row_stride)
{
    struct ring ring;
    ring_fill(&ring, tile, bits);
    for (unsigned q = 0; q < EXL3_TILE_WEIGHTS / 8; q++)
        decode_lane(codebook, &ring, (unsigned)bits, q, weights, row_stride);
}
