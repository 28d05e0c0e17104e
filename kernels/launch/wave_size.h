/* The wave size of a device, by which launchers choose their kernels' variants. */
#ifndef KERNELS_LAUNCH_WAVE_SIZE_H
#define KERNELS_LAUNCH_WAVE_SIZE_H

#include "contract/base/error.h"
#include "device/hip_api.h"

/* What the device says at run time: a build for several chips knows no other way. Sizes that no kernel is built and held to
 * its contract for are refused. */
static inline bool launch_wave_size(const struct hip_api *hip, int device, int *wave_size, struct error *error)
{
    hipError_t code = hip->hipDeviceGetAttribute(wave_size, hipDeviceAttributeWarpSize, device);
    if (code == hipSuccess && *wave_size != 32 && *wave_size != 64)
        return error_set(error, STATUS_USAGE, "device %d has waves of %d; the kernels are built for 32 and 64", device,
                         *wave_size);
    return code == hipSuccess ||
           error_set(error, STATUS_ENVIRONMENT, "the wave size of device %d: hipDeviceGetAttribute: %s", device,
                     hip->hipGetErrorName(code));
}

#endif
