#include "reference/lanes/rounding.h"

void AT_LEVEL(round)(enum number_format format, int64_t n, double *values)
{
    struct rounding r = rounding_to(format);
    int64_t whole = n / N_LANES * N_LANES;
    if (format == FORMAT_F64)
        return;
    for (int64_t i = 0; i < whole; i += N_LANES)
        store(values + i, round_to(&r, load(values + i)));
    for (int64_t i = whole; i < n; i++)
        values[i] = format_round(format, values[i]);
}
