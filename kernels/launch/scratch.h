/*
 * Scratch memory of one device, which its launches use one after another: taken for a launch, never given back before the
 * end. Memory of a device is of no use to another, so a process has one of these for each.
 */
#ifndef KERNELS_LAUNCH_SCRATCH_H
#define KERNELS_LAUNCH_SCRATCH_H

#include "contract/base/error.h"
#include "device/hip_api.h"

struct launch_scratch {
    void *memory;
    size_t n_bytes;
};

/* At least n_bytes on the device that is current; what was taken before is lost. STATUS_ENVIRONMENT when the device is out
 * of memory. */
bool launch_scratch_take(struct launch_scratch *scratch, const struct hip_api *hip, size_t n_bytes, void **memory,
                         struct error *error);
void launch_scratch_free(struct launch_scratch *scratch, const struct hip_api *hip);

#endif
