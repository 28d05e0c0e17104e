#include "reference/lanes/butterflies.h"
#include "reference/lanes/rounding.h"

static inline __attribute__((always_inline)) void transform(bool rounds, const struct rounding *r, f64s v[N_VECTORS])
{
#define WITHIN_VECTORS(away, ...)                                                                                          \
    for (int i = 0; i < N_VECTORS; i++)                                                                                    \
        v[i] = round_if(rounds, r, swapped_##away(v[i]) + negated_upper(v[i], away));
    LANE_SWAPS(WITHIN_VECTORS)
#undef WITHIN_VECTORS
    for (int h = 1; h < N_VECTORS; h *= 2)
        for (int i = 0; i < N_VECTORS; i++) {
            if (i & h)
                continue;
            f64s low = v[i], high = v[i + h];
            v[i] = round_if(rounds, r, low + high);
            v[i + h] = round_if(rounds, r, low - high);
        }
}

void AT_LEVEL(hadamard)(enum number_format format, double *values)
{
    struct rounding r = rounding_to(format);
    f64s v[N_VECTORS];
    memcpy(v, values, sizeof v);
    if (format == FORMAT_F64)
        transform(false, &r, v);
    else
        transform(true, &r, v);
    memcpy(values, v, sizeof v);
}
