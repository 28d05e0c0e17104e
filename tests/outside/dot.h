/* The example's production launcher. */
#ifndef EXAMPLE_DOT_H
#define EXAMPLE_DOT_H

#include <hipcontract.h>

#define DOT_SOURCE "kernels/dot.hip"

enum dot_kernel { DOT_32, DOT_64, DOT_KERNELS };
#define DOT_KERNEL_NAMES "example_dot_32", "example_dot_64"

/* x is rows by n, w one row, out one column; all on the device that is current. The variant is that of the wave size;
 * another size than 32 and 64 is refused. */
bool dot_launch(const struct hip_api *hip, const hipFunction_t functions[DOT_KERNELS], int wave_size, const float *x,
                const float *w, float *out, int64_t rows, int64_t n, struct error *error);

#endif
