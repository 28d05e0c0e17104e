/* chip_math: how the chip that is compiled for sums fastest. */
#ifndef KERNELS_HGEMM_CHIP_H
#define KERNELS_HGEMM_CHIP_H

#include "fma.h"
#include "matrix.h"

namespace
{

#if HAS_MATRIX
using chip_math = matrix_math;
#else
using chip_math = fma_math;
#endif

} // namespace

#endif
