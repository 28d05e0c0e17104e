#include "reports/sparkline.h"

#include <math.h>

static const char *bar(double value, double low, double high)
{
    static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    enum { BARS = sizeof bars / sizeof *bars };
    if (isnan(value))
        return " ";
    if (isinf(value))
        return "∞";
    return high > low ? bars[(int)lround((value - low) / (high - low) * (BARS - 1))] : bars[0];
}

void sparkline_append(struct text *text, const double *values, size_t n_values)
{
    double low = (double)INFINITY, high = -(double)INFINITY;
    for (size_t i = 0; i < n_values; i++) {
        low = isfinite(values[i]) ? fmin(low, values[i]) : low;
        high = isfinite(values[i]) ? fmax(high, values[i]) : high;
    }
    for (size_t i = 0; i < n_values; i++)
        text_append(text, "%s", bar(values[i], low, high));
}
