/*
 * A safetensors file as exllamav3 writes one layer, its tensors known: tests/data/exl3.safetensors, and variants of it.
 */
#ifndef TESTS_EXL3_FILE_H
#define TESTS_EXL3_FILE_H

#include <stddef.h>
#include <stdint.h>

#define EXL3_FILE_PATH  "tests/data/exl3.safetensors"
#define EXL3_FILE_LAYER "model.layers.0.self_attn.q_proj"

enum { EXL3_FILE_K = 128, EXL3_FILE_N = 128, EXL3_FILE_BITS = 4 };

/* A whole file of a header's text and n_bytes of data, malloc'ed. */
unsigned char *safetensors_bytes(const char *header, const void *data, size_t n_bytes, size_t *n_file_bytes);

/* The file of a K x N layer. In the header's text the first `from`, if not NULL, is replaced by `to`. */
unsigned char *exl3_file_bytes(int64_t k, int64_t n, int bits, const char *from, const char *to, size_t *n_bytes);

/* The contents. Of the 4-bit tiles in the first two rows of tiles, tile t holds the symbol t % 16 256 times. */
uint16_t exl3_file_word(int64_t tile, int64_t word, int bits, int64_t n_tiles_of_row);
double exl3_file_suh(int64_t k);
double exl3_file_svh(int64_t n);

#endif
