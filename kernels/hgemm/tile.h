/*
 * The tiles of C that a block of each variant of hgemm computes, for kernels and registrations alike.
 *
 * A block's M x N outputs are summed in steps of K; a thread loads whole vectors of 16 bytes. 32 rows hold the batches that
 * decoding meets in one pass over B, and 64 columns give the narrow C of such batches enough blocks. A step's 12 KB are on
 * their way to a block at a time, about what memory delivers to a compute unit before a load returns.
 */
#ifndef KERNELS_HGEMM_TILE_H
#define KERNELS_HGEMM_TILE_H

/* X(variant, threads, m, n, k). fma: 8 outputs a thread. wmma and mfma: 4 waves, each with all rows of 16 columns, so that
 * a wave reads its part of B once. */
#define HGEMM_TILES(X)                                                                                                     \
    X(fma, 256, 32, 64, 64)                                                                                                \
    X(wmma, 128, 32, 64, 64)                                                                                               \
    X(mfma, 256, 32, 64, 64)

struct hgemm_tile {
    int threads, m, n, k;
};

enum {
    HGEMM_VECTOR_BYTES = 16,
    HGEMM_LDS_PAD_BYTES = 16,    /* after each row in LDS: neighbouring rows start in different banks */
    HGEMM_LDS_BYTES_MOST = 65536 /* that every chip gives a workgroup */
};

#ifdef __cplusplus
#define HGEMM_CONSTANT static constexpr
#else
#define HGEMM_CONSTANT static inline
#endif

/* A row of `n` elements in LDS. */
HGEMM_CONSTANT int hgemm_row_bytes(int n, int element_bytes)
{
    return n * element_bytes + HGEMM_LDS_PAD_BYTES;
}

/* Two stages of the bf16 factors or, after them in the same place, the tile of C in the output's format. */
HGEMM_CONSTANT int hgemm_lds_bytes(struct hgemm_tile tile, int c_element_bytes)
{
    return 2 * (tile.m + tile.n) * hgemm_row_bytes(tile.k, 2) > tile.m * hgemm_row_bytes(tile.n, c_element_bytes)
               ? 2 * (tile.m + tile.n) * hgemm_row_bytes(tile.k, 2)
               : tile.m * hgemm_row_bytes(tile.n, c_element_bytes);
}

#undef HGEMM_CONSTANT

#endif
