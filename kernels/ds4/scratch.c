#include "kernels/ds4/scratch.h"

/* hipFree waits for the launches that still use what is freed. */
bool ds4_scratch_take(struct ds4_scratch *scratch, const struct hip_api *hip, size_t n_bytes, void **memory,
                      struct error *error)
{
    if (scratch->n_bytes < n_bytes) {
        ds4_scratch_free(scratch, hip);
        hipError_t code = hip->hipMalloc(&scratch->memory, n_bytes);
        if (code != hipSuccess)
            return error_set(error, STATUS_ENVIRONMENT, "hipMalloc of %zu bytes of scratch: %s", n_bytes,
                             hip->hipGetErrorName(code));
        scratch->n_bytes = n_bytes;
    }
    *memory = scratch->memory;
    return true;
}

void ds4_scratch_free(struct ds4_scratch *scratch, const struct hip_api *hip)
{
    if (scratch->memory)
        hip->hipFree(scratch->memory);
    *scratch = (struct ds4_scratch){0};
}
