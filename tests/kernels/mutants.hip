/*
 * A kernel to make mutants of: a loop, a barrier, waits, constants and an addition, under a name as long as a mangled one.
 */
#include <hip/hip_runtime.h>

enum { THREADS = 64 };

extern "C" __global__ void
sum_of_neighbours_under_a_name_that_is_as_long_as_those_which_a_compiler_makes_of_a_template_with_several_parameters(
    float *out, const float *in, int n)
{
    __shared__ float row[THREADS];
    float sum = 0;
    for (int at = threadIdx.x; at < n; at += THREADS) {
        row[threadIdx.x] = in[at];
        __syncthreads();
        sum += row[(threadIdx.x + 1) % THREADS] - 0.5f;
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
