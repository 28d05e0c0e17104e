#include "kernels/ds4/staging.h"

static bool failed(const struct hip_api *hip, const char *what, hipError_t code, struct error *error)
{
    return error_set(error, STATUS_ENVIRONMENT, "%s of a staging buffer: %s", what, hip->hipGetErrorName(code));
}

bool ds4_staging_open(struct ds4_staging *staging, const struct hip_api *hip, size_t buffer_bytes, struct error *error)
{
    *staging = (struct ds4_staging){.buffer_bytes = buffer_bytes};
    for (int i = 0; i < DS4_STAGING_BUFFERS; i++) {
        struct ds4_staging_buffer *buffer = &staging->buffers[i];
        hipError_t code = hip->hipHostMalloc(&buffer->host, buffer_bytes, 0);
        if (code != hipSuccess)
            return failed(hip, "hipHostMalloc", code, error);
        code = hip->hipEventCreateWithFlags(&buffer->copied, hipEventDisableTiming);
        if (code != hipSuccess)
            return failed(hip, "hipEventCreateWithFlags", code, error);
    }
    return true;
}

void ds4_staging_close(struct ds4_staging *staging, const struct hip_api *hip)
{
    for (int i = 0; i < DS4_STAGING_BUFFERS; i++) {
        if (staging->buffers[i].copied)
            hip->hipEventDestroy(staging->buffers[i].copied);
        if (staging->buffers[i].host)
            hip->hipHostFree(staging->buffers[i].host);
    }
    *staging = (struct ds4_staging){0};
}

/* An event that was never recorded is not waited for. */
bool ds4_staging_take(struct ds4_staging *staging, const struct hip_api *hip, void **buffer, struct error *error)
{
    staging->current = (staging->current + 1) % DS4_STAGING_BUFFERS;
    hipError_t code = hip->hipEventSynchronize(staging->buffers[staging->current].copied);
    *buffer = staging->buffers[staging->current].host;
    return code == hipSuccess || failed(hip, "hipEventSynchronize", code, error);
}

bool ds4_staging_copy(struct ds4_staging *staging, const struct hip_api *hip, void *to, size_t n_bytes, hipStream_t stream,
                      struct error *error)
{
    struct ds4_staging_buffer *buffer = &staging->buffers[staging->current];
    hipError_t code = hip->hipMemcpyAsync(to, buffer->host, n_bytes, hipMemcpyHostToDevice, stream);
    if (code != hipSuccess)
        return failed(hip, "hipMemcpyAsync", code, error);
    code = hip->hipEventRecord(buffer->copied, stream);
    return code == hipSuccess || failed(hip, "hipEventRecord", code, error);
}
