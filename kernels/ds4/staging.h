/*
 * Pinned host buffers of one device, through which host data reach it while the host goes on. They are used in turn; a
 * buffer whose copies are not yet done is waited for before it is given out again.
 */
#ifndef KERNELS_DS4_STAGING_H
#define KERNELS_DS4_STAGING_H

#include "contract/base/error.h"
#include "device/hip_api.h"

enum { DS4_STAGING_BUFFERS = 2 };

struct ds4_staging {
    size_t buffer_bytes;
    int current; /* the buffer that was given out last */
    struct ds4_staging_buffer {
        void *host;
        hipEvent_t copied; /* after the last copy that reads it */
    } buffers[DS4_STAGING_BUFFERS];
};

/* On the device that is current. ds4_staging_close in either case. */
bool ds4_staging_open(struct ds4_staging *staging, const struct hip_api *hip, size_t buffer_bytes, struct error *error);
void ds4_staging_close(struct ds4_staging *staging, const struct hip_api *hip);
/* The next buffer, for the host to fill. */
bool ds4_staging_take(struct ds4_staging *staging, const struct hip_api *hip, void **buffer, struct error *error);
/* The buffer's first n_bytes to the device, in the order of a stream. */
bool ds4_staging_copy(struct ds4_staging *staging, const struct hip_api *hip, void *to, size_t n_bytes, hipStream_t stream,
                      struct error *error);

#endif
