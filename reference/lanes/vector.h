/*
 * Vectors as wide as the host instruction set of this build: N_LANES doubles, or as many 32-bit numbers in half the space.
 * Their arithmetic is the operators of GNU C.
 */
#ifndef REFERENCE_LANES_VECTOR_H
#define REFERENCE_LANES_VECTOR_H

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#include "reference/lanes.h"

/* HOST_LEVEL is v1, v3 or v4: the suffix of what a build defines. */
#define LEVEL_JOIN(name, level)                name##_##level
#define LEVEL_NAME(name, level)                LEVEL_JOIN(name, level)
#define AT_LEVEL(name)                         LEVEL_NAME(lanes_##name, HOST_LEVEL)
#define DECLARE_LANE_FUNCTION(name, arguments) void AT_LEVEL(name) arguments;
LANE_FUNCTIONS(DECLARE_LANE_FUNCTION)
#undef DECLARE_LANE_FUNCTION

#if defined __AVX512F__
#define N_LANES 8
/* X(distance, the lanes that many away) */
#define LANE_SWAPS(X) X(1, 1, 0, 3, 2, 5, 4, 7, 6) X(2, 2, 3, 0, 1, 6, 7, 4, 5) X(4, 4, 5, 6, 7, 0, 1, 2, 3)
#elif defined __AVX2__
#define N_LANES       4
#define LANE_SWAPS(X) X(1, 1, 0, 3, 2) X(2, 2, 3, 0, 1)
#else
#define N_LANES       2
#define LANE_SWAPS(X) X(1, 1, 0)
#endif

typedef double f64s __attribute__((vector_size(8 * N_LANES)));
typedef uint64_t u64s __attribute__((vector_size(8 * N_LANES)));
typedef int64_t i64s __attribute__((vector_size(8 * N_LANES))); /* what comparisons give: 0 or -1 */
typedef float f32s __attribute__((vector_size(4 * N_LANES)));
typedef uint32_t u32s __attribute__((vector_size(4 * N_LANES)));
typedef int32_t i32s __attribute__((vector_size(4 * N_LANES)));

static inline f64s load(const double *from)
{
    f64s v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline void store(double *to, f64s v)
{
    memcpy(to, &v, sizeof v);
}

static inline f64s all(double value)
{
#if defined __AVX512F__
    return _mm512_set1_pd(value);
#elif defined __AVX2__
    return _mm256_set1_pd(value);
#else
    return (f64s){value, value};
#endif
}

/* a * b + c where the product is exact, so that rounding it first changes nothing. */
static inline f64s add_exact_product(f64s a, f64s b, f64s c)
{
#if defined __AVX512F__
    return _mm512_fmadd_pd(a, b, c);
#elif defined __FMA__
    return _mm256_fmadd_pd(a, b, c);
#else
    return a * b + c;
#endif
}

static const uint64_t sign_bit = UINT64_C(1) << 63;

static inline f64s absolute(f64s v)
{
    return (f64s)((u64s)v & ~sign_bit);
}

/* a in the lanes where the condition holds, b in the others. */
static inline u64s either(i64s condition, u64s a, u64s b)
{
    return ((u64s)condition & a) | (~(u64s)condition & b);
}

static inline f64s larger(f64s a, f64s b)
{
    return (f64s)either(a > b, (u64s)a, (u64s)b);
}

#endif
