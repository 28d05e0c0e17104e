#include "kernels/ds4/combine.h"

#include <string.h>

#include "contract/base/divide.h"
#include "kernels/launch/start.h"

enum { THREADS = 256, ELEMENTS_OF_BLOCK = 4 * THREADS, MOST_TOKENS = 65535 };

bool ds4_combine_open(struct ds4_combine_device *device, const struct hip_api *hip, size_t buffer_bytes,
                      struct error *error)
{
    *device = (struct ds4_combine_device){.hip = hip};
    hipError_t code = hip->hipStreamCreateWithFlags(&device->stream, hipStreamDefault);
    if (code != hipSuccess)
        return error_set(error, STATUS_ENVIRONMENT, "hipStreamCreateWithFlags: %s", hip->hipGetErrorName(code));
    return ds4_staging_open(&device->staging, hip, buffer_bytes, error);
}

void ds4_combine_close(struct ds4_combine_device *device)
{
    if (!device->stream)
        return;
    device->hip->hipStreamDestroy(device->stream);
    ds4_staging_close(&device->staging, device->hip);
    launch_scratch_free(&device->gates, device->hip);
    *device = (struct ds4_combine_device){0};
}

int64_t ds4_combine_tokens_of_buffer(const struct ds4_combine_device *device, const struct ds4_combine_call *call)
{
    int64_t n = (int64_t)(device->staging.buffer_bytes / ((size_t)call->experts * sizeof(float)));
    return n < MOST_TOKENS ? n : MOST_TOKENS;
}

bool ds4_combine_gates(struct ds4_combine_device *device, const struct ds4_combine_call *call, float **gates,
                       struct error *error)
{
    void *memory = NULL;
    if (call->tokens < 1 || call->experts < 1 || call->dim < 1)
        return error_set(error, STATUS_USAGE,
                         "moe_combine_gate takes at least one token, expert and column, not %lld, %lld and %lld",
                         (long long)call->tokens, (long long)call->experts, (long long)call->dim);
    if (ds4_combine_tokens_of_buffer(device, call) < 1)
        return error_set(error, STATUS_USAGE,
                         "%lld experts a token, and a staging buffer of %zu bytes: the gate weights of one token must fit",
                         (long long)call->experts, device->staging.buffer_bytes);
    if (!launch_scratch_take(&device->gates, device->hip, (size_t)(call->tokens * call->experts) * sizeof(float), &memory,
                             error))
        return false;
    *gates = memory;
    return true;
}

bool ds4_combine_tokens(struct ds4_combine_device *device, hipFunction_t kernel, const struct ds4_combine_call *call,
                        const float *gates, int64_t first, int64_t n, struct error *error)
{
    const float *gate = gates + first * call->experts, *y = call->y + first * call->experts * call->dim;
    float *out = call->out + first * call->dim;
    int experts = (int)call->experts, dim = (int)call->dim;
    void *parameters[] = {&gate, &y, &out, &experts, &dim};
    const int64_t grid[] = {divide_up(dim, ELEMENTS_OF_BLOCK), n, 1};
    return launch_start("moe_combine_gate", device->hip, kernel, grid, THREADS, device->stream, parameters, error);
}

bool ds4_combine_launch(struct ds4_combine_device *device, hipFunction_t kernel, const struct ds4_combine_call *call,
                        struct error *error)
{
    float *gates = NULL;
    if (!ds4_combine_gates(device, call, &gates, error))
        return false;
    int64_t most = ds4_combine_tokens_of_buffer(device, call);
    for (int64_t first = 0; first < call->tokens; first += most) {
        int64_t at = first * call->experts, n = call->tokens - first < most ? call->tokens - first : most;
        size_t n_bytes = (size_t)(n * call->experts) * sizeof(float);
        void *buffer;
        if (!ds4_staging_take(&device->staging, device->hip, &buffer, error))
            return false;
        memcpy(buffer, call->gate + at, n_bytes);
        if (!ds4_staging_copy(&device->staging, device->hip, gates + at, n_bytes, device->stream, error) ||
            !ds4_combine_tokens(device, kernel, call, gates, first, n, error))
            return false;
    }
    return true;
}
