#include "kernels/launch/scratch.h"

/* hipFree waits for the launches that still use what is freed. */
bool launch_scratch_take(struct launch_scratch *scratch, const struct hip_api *hip, size_t n_bytes, void **memory,
                         struct error *error)
{
    if (scratch->n_bytes < n_bytes) {
        launch_scratch_free(scratch, hip);
        hipError_t code = hip->hipMalloc(&scratch->memory, n_bytes);
        if (code != hipSuccess)
            return error_set(error, STATUS_ENVIRONMENT, "hipMalloc of %zu bytes of scratch: %s", n_bytes,
                             hip->hipGetErrorName(code));
        scratch->n_bytes = n_bytes;
    }
    *memory = scratch->memory;
    return true;
}

void launch_scratch_free(struct launch_scratch *scratch, const struct hip_api *hip)
{
    if (scratch->memory)
        hip->hipFree(scratch->memory);
    *scratch = (struct launch_scratch){0};
}
