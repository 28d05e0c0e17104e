/*
 * Host instruction sets that some files are built for, once each; the best that the processor has is taken at run time, or
 * the one that HIPCONTRACT_LEVEL names. Results do not depend on it.
 */
#ifndef BASE_HOST_LEVELS_H
#define BASE_HOST_LEVELS_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What each level needs beyond the one below, as far as compilers of all ages can ask for it; F16C and LZCNT come with
 * AVX2. */
#define HOST_HAS_V1 true
#define HOST_HAS_V3 (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
#define HOST_HAS_V4                                                                                                        \
    (HOST_HAS_V3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&                             \
     __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))

/* X(level, whether the host has it): from the best down; the Makefile defines HC_LEVEL_... for what is built. */
#ifdef HC_LEVEL_v4
#define HOST_LEVEL_V4(X) X(v4, HOST_HAS_V4)
#else
#define HOST_LEVEL_V4(X)
#endif
#ifdef HC_LEVEL_v3
#define HOST_LEVEL_V3(X) X(v3, HOST_HAS_V3)
#else
#define HOST_LEVEL_V3(X)
#endif
#ifdef HC_LEVEL_v1
#define HOST_LEVEL_V1(X) X(v1, HOST_HAS_V1)
#else
#define HOST_LEVEL_V1(X)
#endif
#define HOST_LEVELS(X) HOST_LEVEL_V4(X) HOST_LEVEL_V3(X) HOST_LEVEL_V1(X)

/* Whether the environment asks for this level, or for none. */
static inline bool host_level_is_wanted(const char *level)
{
    const char *wanted = getenv("HIPCONTRACT_LEVEL");
    return !wanted || !strcmp(wanted, level);
}

#endif
