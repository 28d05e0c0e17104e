/* What every launcher does before a launch and at it. */
#ifndef KERNELS_LAUNCH_START_H
#define KERNELS_LAUNCH_START_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/base/error.h"
#include "device/hip_api.h"

/* A dimension of a call, 1 to `most`, else STATUS_USAGE: "split-K takes m from 1 to 2097120, not 0". */
static inline bool launch_in_range(const char *launcher, const char *name, int64_t value, int64_t most, struct error *error)
{
    return (value >= 1 && value <= most) || error_set(error, STATUS_USAGE, "%s takes %s from 1 to %lld, not %lld", launcher,
                                                      name, (long long)most, (long long)value);
}

/* A grid of blocks of `threads` in a row, on a stream (NULL: the null stream), without dynamic LDS. STATUS_ENVIRONMENT with
 * HIP's error. */
static inline bool launch_start(const char *launcher, const struct hip_api *hip, hipFunction_t kernel,
                                const int64_t grid[3], int threads, hipStream_t stream, void **parameters,
                                struct error *error)
{
    hipError_t code = hip->hipModuleLaunchKernel(kernel, (unsigned)grid[0], (unsigned)grid[1], (unsigned)grid[2],
                                                 (unsigned)threads, 1, 1, 0, stream, parameters, NULL);
    return code == hipSuccess ||
           error_set(error, STATUS_ENVIRONMENT, "hipModuleLaunchKernel of %s: %s", launcher, hip->hipGetErrorName(code));
}

#endif
