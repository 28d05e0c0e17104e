/* Compiles nowhere. */
#include <hip/hip_runtime.h>

extern "C" __global__ void none(const float *x, const float *w, float *out, int n)
{
    out[0] = of_no_type;
}
