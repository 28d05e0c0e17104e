/*
 * The mathematical functions of HIP, one kernel each and type: out[i] = function(in[i]) or function(in[i], second[i]).
 * tests/unit/test_mathematics.c compares them with MPFR.
 */
#include <hip/hip_runtime.h>

#define KERNEL extern "C" __global__ __launch_bounds__(256) void

#define UNARY(type, name)                                                                                                  \
    KERNEL k_##name(const type *in, const type *, type *out)                                                               \
    {                                                                                                                      \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                     \
        out[i] = name(in[i]);                                                                                              \
    }
#define BINARY(type, name)                                                                                                 \
    KERNEL k_##name(const type *in, const type *second, type *out)                                                         \
    {                                                                                                                      \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                     \
        out[i] = name(in[i], second[i]);                                                                                   \
    }
#define BOTH(shape, name) shape(float, name##f) shape(double, name)

BOTH(UNARY, exp)
BOTH(UNARY, exp2)
BOTH(UNARY, exp10)
BOTH(UNARY, expm1)
BOTH(UNARY, log)
BOTH(UNARY, log2)
BOTH(UNARY, log10)
BOTH(UNARY, log1p)
BOTH(UNARY, sin)
BOTH(UNARY, cos)
BOTH(UNARY, tan)
BOTH(UNARY, asin)
BOTH(UNARY, acos)
BOTH(UNARY, atan)
BOTH(UNARY, sinh)
BOTH(UNARY, cosh)
BOTH(UNARY, tanh)
BOTH(UNARY, asinh)
BOTH(UNARY, acosh)
BOTH(UNARY, atanh)
BOTH(UNARY, erf)
BOTH(UNARY, erfc)
BOTH(UNARY, tgamma)
BOTH(UNARY, lgamma)
BOTH(UNARY, cbrt)
BOTH(UNARY, sqrt)
BOTH(UNARY, rsqrt)
BOTH(BINARY, pow)
BOTH(BINARY, atan2)
BOTH(BINARY, hypot)
BOTH(BINARY, fmod)
