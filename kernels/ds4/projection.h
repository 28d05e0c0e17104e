/*
 * The launcher of kernels/ds4/projection.hip, and what it keeps between launches. State is handed in, so that whoever owns
 * it says of which device it is.
 */
#ifndef KERNELS_DS4_PROJECTION_H
#define KERNELS_DS4_PROJECTION_H

#include "contract/base/error.h"
#include "kernels/ds4/weight_cache.h"
#include "kernels/launch/scratch.h"

#define DS4_PROJECTION_SOURCE "kernels/ds4/projection.hip"

/* X(kernel): its kernels, in the order of the functions that a launch takes; a chip has the variants of its own wave size.
 */
#define DS4_PROJECTION_KERNELS(X)                                                                                          \
    X(projection_q8_0_w32)                                                                                                 \
    X(projection_f16_w32)                                                                                                  \
    X(projection_q8_0_w64)                                                                                                 \
    X(projection_f16_w64)                                                                                                  \
    X(projection_unpack_q8_0)                                                                                              \
    X(projection_sum)

#define DS4_KERNEL_ENUM(kernel) DS4_##kernel,
enum ds4_projection_kernel { DS4_PROJECTION_KERNELS(DS4_KERNEL_ENUM) DS4_PROJECTION_N_KERNELS };
#undef DS4_KERNEL_ENUM
#define DS4_KERNEL_NAME(kernel) #kernel,

/* One product. Pointers but `model` are of the device. */
struct ds4_projection_call {
    const void *blocks; /* the matrix, [n][blocks of a row of k] */
    const void *model;  /* where the process holds the matrix's data: its name in the cache */
    const float *x;     /* [rows][k] */
    float *out;         /* [rows][n] */
    int64_t rows, k, n;
};

/* On what a launch works: all of the device that is current. */
struct ds4_projection_device {
    const struct hip_api *hip;
    const hipFunction_t *functions; /* DS4_PROJECTION_N_KERNELS; NULL for those that the chip's code lacks */
    int wave_size;
    struct launch_scratch *scratch;
    struct ds4_weight_cache *cache;
};

/* Blocks along k of one split: a function of k alone, so that every device adds in the same order. */
int64_t ds4_projection_blocks_of_split(int64_t k);

/* Starts the product on the null stream. False with the reason: a wave size that has no variant and shapes over the
 * kernel's limits (STATUS_USAGE), and HIP's errors (STATUS_ENVIRONMENT). */
bool ds4_projection_launch(const struct ds4_projection_device *device, const struct ds4_projection_call *call,
                           struct error *error);

/* The state of a process: scratch and a cache for each device. */
enum { DS4_MOST_DEVICES = 64 };
struct ds4_projection_state {
    const struct hip_api *hip;
    struct launch_scratch scratch[DS4_MOST_DEVICES];
    struct ds4_weight_cache cache[DS4_MOST_DEVICES];
};
bool ds4_projection_open(const struct hip_api *hip, void **state, struct error *error);
void ds4_projection_close(void *state);

#endif
