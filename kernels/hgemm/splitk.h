/*
 * The launchers of split-K products C[m][n] = A[m][k] B[n][k]^T of kernels/hgemm/splitk.hip: few rows and columns leave
 * most of a device idle unless k is split too. Partial sums of the splits, in f32, lie in a pool of the device until a
 * second kernel adds them in rising order; or each split adds its sums to C by atomics, in whatever order they come.
 */
#ifndef KERNELS_HGEMM_SPLITK_H
#define KERNELS_HGEMM_SPLITK_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/base/error.h"
#include "device/hip_api.h"
#include "kernels/hgemm/tile.h"
#include "kernels/launch/scratch.h"

#define HGEMM_SPLITK_SOURCE "kernels/hgemm/splitk.hip"

enum { HGEMM_REDUCE_THREADS = 256, HGEMM_REDUCE_OF_BLOCK = 4 * HGEMM_REDUCE_THREADS };

/* The variants of a product over splits come first among a launcher's functions, in the order of HGEMM_TILES; a chip's code
 * has one of them. The kernel that adds their partial sums follows. */
#define HGEMM_FUNCTION_ENUM(variant, threads, m, n, k) HGEMM_FUNCTION_##variant,
enum hgemm_function { HGEMM_TILES(HGEMM_FUNCTION_ENUM) HGEMM_N_VARIANTS, HGEMM_FUNCTION_SUM = HGEMM_N_VARIANTS };
#undef HGEMM_FUNCTION_ENUM

/* The tile of a variant. */
const struct hgemm_tile *hgemm_splitk_tile(enum hgemm_function variant);

/* One product. Pointers are of the device, aligned to 16 bytes. */
struct hgemm_product {
    const void *a, *b; /* bf16: [m][k], [n][k] */
    void *c;           /* [m][n] */
    int64_t m, n, k;
};

/* On what it is launched: all of the device that is current. */
struct hgemm_device {
    const struct hip_api *hip;
    int index;
    const hipFunction_t *functions; /* by enum hgemm_function; NULL for those that the chip's code lacks */
    int wave_size;
    struct launch_scratch *pool;
};

/* How k is split. */
struct hgemm_split {
    int64_t k_of_split, n_splits; /* the last split may be shorter */
};
/* So many splits that the blocks fill a device with such waves, none shorter than two tiles of k. It is a function of the
 * wave size, not of a chip's compute units, so that all chips with the same instructions add in the same order. */
struct hgemm_split hgemm_split_of(int wave_size, const struct hgemm_tile *tile, int64_t m, int64_t n, int64_t k);

/* A product that is ready to be started. */
struct hgemm_work {
    const struct hgemm_tile *tile;
    hipFunction_t partials;
    struct hgemm_split split;
    void *pool; /* [n_splits][m][n] of f32 */
};

/* The variant, the splits and room in the pool. False with the reason: no variant for the device, its waves or its LDS, and
 * shapes over the kernels' limits (STATUS_USAGE), and HIP's errors (STATUS_ENVIRONMENT). */
bool hgemm_splitk_prepare(const struct hgemm_device *device, const struct hgemm_product *product, struct hgemm_work *work,
                          struct error *error);
/* The splits' partial sums into `partials`, [n_splits][m][n]; on the null stream, as all that follows. */
bool hgemm_splitk_start_partials(const struct hgemm_device *device, const struct hgemm_product *product,
                                 const struct hgemm_work *work, void *partials, struct error *error);
/* C, of the pool's first n_splits partial sums. */
bool hgemm_splitk_start_sum(const struct hgemm_device *device, const struct hgemm_product *product,
                            const struct hgemm_work *work, int64_t n_splits, struct error *error);
/* Prepares and starts both. */
bool hgemm_splitk_launch(const struct hgemm_device *device, const struct hgemm_product *product, struct error *error);

/* Clears C, of f32, and starts the splits, which add to it; takes nothing from the pool. The order of the additions, and so
 * C's last bits, are another in each launch. */
bool hgemm_atomic_launch(const struct hgemm_device *device, const struct hgemm_product *product, struct error *error);

#endif
