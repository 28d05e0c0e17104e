/*
 * Copies of quantized matrices in fp16 on one device, within a budget. A matrix is named by the address of its model data
 * in host memory, which is the same for all devices, while a copy is of use to its own device alone: a process has a cache
 * for each.
 */
#ifndef KERNELS_DS4_WEIGHT_CACHE_H
#define KERNELS_DS4_WEIGHT_CACHE_H

#include <stdbool.h>

#include "device/hip_api.h"

enum { DS4_CACHED_MATRICES = 256 };

struct ds4_weight_cache {
    size_t budget_bytes, used_bytes;
    int n_matrices; /* that were asked for */
    struct ds4_cached_matrix {
        const void *model;
        void *copy; /* NULL: there is none */
        size_t n_bytes;
        bool is_filled;
    } matrices[DS4_CACHED_MATRICES];
};

/* What a launch does with a matrix. */
enum ds4_weight_use {
    DS4_WEIGHTS_PACKED, /* reads it as it is stored: its first use may be the only one, or there is no room */
    DS4_WEIGHTS_FILL,   /* fills the copy, says so, then reads it */
    DS4_WEIGHTS_COPY,   /* reads the copy */
};

/* Decides for the device that is current, and allocates a copy of n_bytes where it is wanted. A device that is out of
 * memory is asked no more; a copy of another size is none of this matrix, which is then read as it is stored. */
enum ds4_weight_use ds4_weight_cache_use(struct ds4_weight_cache *cache, const struct hip_api *hip, const void *model,
                                         size_t n_bytes, void **copy);
/* What fills the model's copy was launched: until then each use is told to fill it. */
void ds4_weight_cache_filled(struct ds4_weight_cache *cache, const void *model);
void ds4_weight_cache_free(struct ds4_weight_cache *cache, const struct hip_api *hip);

#endif
