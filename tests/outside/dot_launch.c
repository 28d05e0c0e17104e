#include "dot.h"

static const struct {
    int wave_size;
    enum dot_kernel kernel;
} variants[] = {{32, DOT_32}, {64, DOT_64}};

bool dot_launch(const struct hip_api *hip, const hipFunction_t functions[DOT_KERNELS], int wave_size, const float *x,
                const float *w, float *out, int64_t rows, int64_t n, struct error *error)
{
    int width = (int)n;
    void *parameters[] = {&x, &w, &out, &width};
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        if (variants[i].wave_size != wave_size)
            continue;
        hipError_t code = hip->hipModuleLaunchKernel(functions[variants[i].kernel], (unsigned)rows, 1, 1,
                                                     (unsigned)wave_size, 1, 1, 0, NULL, parameters, NULL);
        return code == hipSuccess ||
               error_set(error, STATUS_ENVIRONMENT, "hipModuleLaunchKernel of example_dot: %s", hip->hipGetErrorName(code));
    }
    return error_set(error, STATUS_USAGE, "example_dot has no variant for waves of %d; it is built for 32 and 64",
                     wave_size);
}
