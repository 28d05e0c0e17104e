#include "tests/support/exl3_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference/format.h"

enum { TILE = 16, ALIGNMENT = 8, LENGTH_BYTES = 8, HEADER_BYTES = 4096 };

unsigned char *safetensors_bytes(const char *header, const void *data, size_t n_bytes, size_t *n_file_bytes)
{
    size_t length = strlen(header), padded = (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    unsigned char *file = malloc(LENGTH_BYTES + padded + n_bytes);
    *n_file_bytes = LENGTH_BYTES + padded + n_bytes;
    if (!file)
        abort();
    for (int i = 0; i < LENGTH_BYTES; i++)
        file[i] = (unsigned char)(padded >> (8 * i));
    memset(file + LENGTH_BYTES, ' ', padded);
    memcpy(file + LENGTH_BYTES, header, length);
    if (n_bytes)
        memcpy(file + LENGTH_BYTES + padded, data, n_bytes);
    return file;
}

uint16_t exl3_file_word(int64_t tile, int64_t word, int bits, int64_t n_tiles_of_row)
{
    if (bits == 4 && tile < 2 * n_tiles_of_row)
        return (uint16_t)(tile % 16 * 0x1111);
    return (uint16_t)((uint32_t)(tile * TILE * bits + word) * UINT32_C(0x9E3779B1) >> 16);
}

/* Signs alternate in pairs; each group of 128 has scales of its own. */
double exl3_file_suh(int64_t k)
{
    return (k / 2 % 2 ? -1 : 1) * (0.5 + (double)(k % 8 + k / 128) / 16);
}

double exl3_file_svh(int64_t n)
{
    return (n / 2 % 2 ? 1 : -1) * (double)(1 + n % 4) / 64;
}

static double bias(int64_t n)
{
    return (double)n / 128;
}

/* The data of a file that grows, and its header beside it. */
struct growing {
    char header[HEADER_BYTES];
    unsigned char *data;
    size_t n_bytes;
};

/* Appends a tensor's line to the header and returns where its bytes go. */
static unsigned char *add(struct growing *file, const char *suffix, const char *dtype, const char *shape, size_t n_bytes)
{
    size_t used = strlen(file->header), first = file->n_bytes;
    snprintf(file->header + used, sizeof file->header - used,
             "%s\"" EXL3_FILE_LAYER ".%s\":{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[%zu,%zu]}",
             used > 1 ? "," : "", suffix, dtype, shape, first, first + n_bytes);
    file->n_bytes += n_bytes;
    file->data = realloc(file->data, file->n_bytes);
    if (!file->data)
        abort();
    return file->data + first;
}

static void add_scales(struct growing *file, const char *suffix, int64_t n, double (*value)(int64_t))
{
    char shape[32];
    snprintf(shape, sizeof shape, "%lld", (long long)n);
    unsigned char *to = add(file, suffix, "F16", shape, (size_t)n * 2);
    for (int64_t i = 0; i < n; i++)
        format_store(FORMAT_F16, to, i, value(i));
}

static void add_trellis(struct growing *file, int64_t k, int64_t n, int bits)
{
    char shape[96];
    int64_t n_tiles = k / TILE * (n / TILE), words = TILE * bits;
    snprintf(shape, sizeof shape, "%lld,%lld,%lld", (long long)(k / TILE), (long long)(n / TILE), (long long)words);
    unsigned char *to = add(file, "trellis", "I16", shape, (size_t)(n_tiles * words) * 2);
    for (int64_t i = 0; i < n_tiles * words; i++) {
        uint16_t word = exl3_file_word(i / words, i % words, bits, n / TILE);
        memcpy(to + i * 2, &word, sizeof word);
    }
}

static void replace(char header[HEADER_BYTES], const char *from, const char *to)
{
    char rest[HEADER_BYTES], *at = strstr(header, from);
    if (!at)
        abort();
    snprintf(rest, sizeof rest, "%s", at + strlen(from));
    snprintf(at, (size_t)(header + HEADER_BYTES - at), "%s%s", to, rest);
}

unsigned char *exl3_file_bytes(int64_t k, int64_t n, int bits, const char *from, const char *to, size_t *n_bytes)
{
    static const unsigned char mul1[] = {0x2D, 0xD1, 0xDC, 0x83};
    struct growing file = {.header = "{\"__metadata__\":{\"format\":\"pt\"}"};
    memcpy(add(&file, "mul1", "I32", "", sizeof mul1), mul1, sizeof mul1);
    add_trellis(&file, k, n, bits);
    add_scales(&file, "suh", k, exl3_file_suh);
    add_scales(&file, "svh", n, exl3_file_svh);
    add_scales(&file, "bias", n, bias);
    strcat(file.header, "}");
    if (from)
        replace(file.header, from, to);
    unsigned char *bytes = safetensors_bytes(file.header, file.data, file.n_bytes, n_bytes);
    free(file.data);
    return bytes;
}
