#include "reports/history_cells.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "contract/base/text.h"
#include "reports/sparkline.h"

void put_date(int64_t seconds, char text[COLUMN_CELL_BYTES])
{
    struct tm utc;
    time_t time = (time_t)seconds;
    if (!gmtime_r(&time, &utc) || !strftime(text, COLUMN_CELL_BYTES, "%Y-%m-%d %H:%M", &utc))
        snprintf(text, COLUMN_CELL_BYTES, "?");
}

void put_time(double ns, char text[COLUMN_CELL_BYTES])
{
    double seconds = ns / 1e9;
    if (ns < 0)
        snprintf(text, COLUMN_CELL_BYTES, "-");
    else if (seconds < 1)
        snprintf(text, COLUMN_CELL_BYTES, "%.0f ms", seconds * 1e3);
    else
        snprintf(text, COLUMN_CELL_BYTES, seconds < 100 ? "%.2f s" : "%.0f s", seconds);
}

void put_ratio(double ratio, char text[COLUMN_CELL_BYTES])
{
    snprintf(text, COLUMN_CELL_BYTES, "%.3g", ratio);
}

void put_count(double n, char text[COLUMN_CELL_BYTES])
{
    snprintf(text, COLUMN_CELL_BYTES, "%.0f", n);
}

void put_name(const char *name, int most, char text[COLUMN_CELL_BYTES])
{
    snprintf(text, COLUMN_CELL_BYTES, "%.*s", most, name ? name : "-");
}

bool same_kernel_files(const struct history_run *a, const struct history_run *b)
{
    return strcmp(a->kernels ? a->kernels : "", b->kernels ? b->kernels : "") == 0;
}

bool trend_write(FILE *out, const char *name, const double *values, size_t n_values,
                 void (*put)(double value, char text[COLUMN_CELL_BYTES]))
{
    double first = (double)NAN, last = (double)NAN;
    for (size_t i = 0; i < n_values; i++) {
        first = isnan(first) ? values[i] : first;
        last = isnan(values[i]) ? last : values[i];
    }
    if (isnan(last))
        return true;
    char from[COLUMN_CELL_BYTES], to[COLUMN_CELL_BYTES];
    struct text bars = {0};
    put(first, from);
    put(last, to);
    sparkline_append(&bars, values, n_values);
    if (!bars.failed)
        fprintf(out, "  %-9s  %s  %s → %s\n", name, bars.data, from, to);
    bool ok = !bars.failed;
    text_free(&bars);
    return ok;
}
