#include "reference/lanes/vector.h"

#if N_LANES > 2
static inline f64s f16_vector(const uint16_t *from)
{
    __m128i bits = {0};
    memcpy(&bits, from, N_LANES * sizeof *from);
#if defined __AVX512F__
    return _mm512_cvtps_pd(_mm256_cvtph_ps(bits));
#else
    return _mm256_cvtps_pd(_mm_cvtph_ps(bits));
#endif
}
#else
static inline f64s f16_vector(const uint16_t *from)
{
    return (f64s){format_load(FORMAT_F16, from, 0), format_load(FORMAT_F16, from, 1)};
}
#endif

void AT_LEVEL(load_f16)(const uint16_t *from, int64_t n, double *values)
{
    int64_t whole = n / N_LANES * N_LANES;
    for (int64_t i = 0; i < whole; i += N_LANES)
        store(values + i, f16_vector(from + i));
    for (int64_t i = whole; i < n; i++)
        values[i] = format_load(FORMAT_F16, from, i);
}
