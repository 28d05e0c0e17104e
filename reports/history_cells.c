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

static void append_value(struct text *text, const char *before, double value,
                         void (*put)(double value, char text[COLUMN_CELL_BYTES]))
{
    char word[COLUMN_CELL_BYTES];
    put(value, word);
    text_append(text, "%s%s", before, word);
}

bool trend_write(FILE *out, const char *name, const double *values, size_t n_values,
                 void (*put)(double value, char text[COLUMN_CELL_BYTES]))
{
    double first = (double)NAN, last = (double)NAN, least = (double)NAN, most = (double)NAN;
    for (size_t i = 0; i < n_values; i++) {
        first = isnan(first) ? values[i] : first;
        last = isnan(values[i]) ? last : values[i];
        least = fmin(least, values[i]); /* of a number and NaN the number */
        most = fmax(most, values[i]);
    }
    if (isnan(last))
        return true;
    struct text line = {0};
    sparkline_append(&line, values, n_values);
    append_value(&line, "  ", first, put);
    append_value(&line, " → ", last, put);
    if (least < fmin(first, last))
        append_value(&line, ", least ", least, put);
    if (most > fmax(first, last))
        append_value(&line, ", most ", most, put);
    if (!line.failed)
        fprintf(out, "  %-9s  %s\n", name, line.data);
    bool ok = !line.failed;
    text_free(&line);
    return ok;
}
