/*
 * The EXL3 trellis: a 16 x 16 tile of weights is a ring of 256 * bits bits, read most significant bit first in its
 * little-endian 32-bit words. Weight t is a function of the 16-bit window that ends at bit (t + 1) * bits of the ring.
 */
#ifndef REFERENCE_EXL3_TRELLIS_H
#define REFERENCE_EXL3_TRELLIS_H

#include <stdint.h>

enum { EXL3_TILE = 16, EXL3_TILE_WEIGHTS = 256, EXL3_MAX_BITS = 8, EXL3_BYTE_SUMS = 4 * 255 + 1 };

/* The 16-bit words of one tile: 16 * bits. */
int exl3_tile_words(int bits);
/* Weight t's window in a tile of exl3_tile_words(bits) words. */
uint16_t exl3_window(const uint16_t *tile, int bits, int t);
/* Where weight t sits in its tile: rows run along K, columns along N. */
int exl3_row(int t);
int exl3_column(int t);
/* The t of a place: the inverse of the two. */
int exl3_index(int row, int column);

/* Codebook mul1: the weight is f16 fma(1024 + s, 0x1EEE, 0xC931), s the sum of the four bytes of window * EXL3_MUL1. */
#define EXL3_MUL1 UINT32_C(0x83DCD12D)
int exl3_byte_sum(uint16_t window);
double exl3_weight_of_byte_sum(int sum);
double exl3_weight(uint16_t window);

/* The weights of every byte sum, for decoding many. */
struct exl3_codebook {
    double weight[EXL3_BYTE_SUMS];
};
void exl3_codebook_init(struct exl3_codebook *codebook);
/* weights[row][column] of a tile; row_stride doubles from a row to the next. */
void exl3_decode_tile(const struct exl3_codebook *codebook, const uint16_t *tile, int bits, double *weights,
                      int row_stride);

#endif
