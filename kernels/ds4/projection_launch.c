#include "kernels/ds4/projection.h"

#include <stdlib.h>

#include "contract/base/divide.h"
#include "kernels/launch/start.h"
#include "reference/blocks.h"

#define LAUNCHER "the projection" /* in messages */

enum { THREADS = 256, BLOCKS_OF_SPLIT = 32, MOST_SPLITS = 16, LANES_OF_BLOCK = 4, MOST_ROWS = 65535 };

/* The variants, by the lanes of a wave. */
static const struct variant {
    int wave_size;
    enum ds4_projection_kernel packed, unpacked;
} variants[] = {{32, DS4_projection_q8_0_w32, DS4_projection_f16_w32},
                {64, DS4_projection_q8_0_w64, DS4_projection_f16_w64}};

int64_t ds4_projection_blocks_of_split(int64_t k)
{
    int64_t shared = divide_up(q8_0_blocks(k), MOST_SPLITS);
    return shared > BLOCKS_OF_SPLIT ? shared : BLOCKS_OF_SPLIT;
}

static const struct variant *find_variant(const struct ds4_projection_device *device, struct error *error)
{
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        if (variants[i].wave_size == device->wave_size && device->functions[variants[i].packed] &&
            device->functions[variants[i].unpacked])
            return &variants[i];
    error_set(error, STATUS_USAGE, "the projection has no variant for waves of %d here; it is built for 32 and 64",
              device->wave_size);
    return NULL;
}

static bool shape_fits(const struct ds4_projection_call *call, struct error *error)
{
    return launch_in_range(LAUNCHER, "rows", call->rows, MOST_ROWS, error) &&
           launch_in_range(LAUNCHER, "k", call->k, INT32_MAX / 2, error) &&
           launch_in_range(LAUNCHER, "n", call->n, INT32_MAX / MOST_ROWS, error);
}

static bool launch(const struct ds4_projection_device *device, enum ds4_projection_kernel kernel, const int64_t grid[3],
                   void **parameters, struct error *error)
{
    return launch_start(LAUNCHER, device->hip, device->functions[kernel], grid, THREADS, NULL, parameters, error);
}

/* What the product reads: the matrix as it is stored, or its copy, which may have to be made. */
static bool find_weights(const struct ds4_projection_device *device, const struct ds4_projection_call *call,
                         const struct variant *variant, enum ds4_projection_kernel *kernel, const void **weights,
                         struct error *error)
{
    int64_t n_blocks = q8_0_blocks(call->k) * call->n;
    int k = (int)call->k, n = (int)call->n;
    void *copy = NULL;
    enum ds4_weight_use use = ds4_weight_cache_use(device->cache, device->hip, call->model,
                                                   (size_t)n_blocks * Q8_0_WEIGHTS * sizeof(uint16_t), &copy);
    *kernel = use == DS4_WEIGHTS_PACKED ? variant->packed : variant->unpacked;
    *weights = use == DS4_WEIGHTS_PACKED ? call->blocks : copy;
    if (use != DS4_WEIGHTS_FILL)
        return true;
    void *parameters[] = {&(const void *){call->blocks}, &copy, &k, &n};
    const int64_t grid[] = {divide_up(n_blocks * LANES_OF_BLOCK, THREADS), 1, 1};
    if (!launch(device, DS4_projection_unpack_q8_0, grid, parameters, error))
        return false;
    ds4_weight_cache_filled(device->cache, call->model);
    return true;
}

bool ds4_projection_launch(const struct ds4_projection_device *device, const struct ds4_projection_call *call,
                           struct error *error)
{
    const struct variant *variant = find_variant(device, error);
    if (!variant || !shape_fits(call, error))
        return false;
    int k = (int)call->k, n = (int)call->n, blocks_of_split = (int)ds4_projection_blocks_of_split(call->k);
    int n_out = (int)(call->rows * call->n), n_splits = (int)divide_up(q8_0_blocks(k), blocks_of_split);
    enum ds4_projection_kernel kernel;
    const void *weights;
    void *partial;
    if (!launch_scratch_take(device->scratch, device->hip, (size_t)n_splits * (size_t)n_out * sizeof(float), &partial,
                             error) ||
        !find_weights(device, call, variant, &kernel, &weights, error))
        return false;
    const float *x = call->x;
    float *out = call->out;
    void *of_partial[] = {&x, &weights, &partial, &k, &n, &blocks_of_split};
    void *of_sum[] = {&partial, &out, &n_out, &n_splits};
    const int64_t grid[] = {divide_up(n, THREADS / variant->wave_size), call->rows, n_splits};
    return launch(device, kernel, grid, of_partial, error) &&
           launch(device, DS4_projection_sum, (int64_t[]){divide_up(n_out, THREADS), 1, 1}, of_sum, error);
}

/* Copies may take so much of a device. */
enum { CACHE_MIB = 1024 };

bool ds4_projection_open(const struct hip_api *hip, void **state, struct error *error)
{
    struct ds4_projection_state *made = calloc(1, sizeof *made);
    if (!made)
        return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the projection's launcher");
    made->hip = hip;
    for (int d = 0; d < DS4_MOST_DEVICES; d++)
        made->cache[d].budget_bytes = (size_t)CACHE_MIB << 20;
    *state = made;
    return true;
}

void ds4_projection_close(void *state)
{
    struct ds4_projection_state *closed = state;
    for (int d = 0; d < DS4_MOST_DEVICES; d++) {
        ds4_weight_cache_free(&closed->cache[d], closed->hip);
        launch_scratch_free(&closed->scratch[d], closed->hip);
    }
    free(closed);
}
