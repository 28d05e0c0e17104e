/* What kernels' machine code needed, run by run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/history_cells.h"
#include "reports/history_table.h"

static void put_figure(const struct history_kernel *kernel, enum record_figure figure, char text[COLUMN_CELL_BYTES])
{
    struct record record = {0};
    char word[RECORD_WORD_BYTES];
    memcpy(record.figure, kernel->figure, sizeof record.figure);
    record_figure_text(&record, figure, word);
    put_name(word, COLUMN_CELL_BYTES - 1, text);
}

#define KERNEL_CELL(name, put)                                                                                             \
    static void kernel_##name(const void *row, char text[COLUMN_CELL_BYTES])                                               \
    {                                                                                                                      \
        const struct history_kernel *kernel = row;                                                                         \
        put;                                                                                                               \
    }
KERNEL_CELL(id, put_count((double)kernel->run.id, text))
KERNEL_CELL(date, put_date(kernel->run.started_s, text))
KERNEL_CELL(commit, put_name(kernel->run.commit, SHORT_COMMIT, text))
KERNEL_CELL(problem, put_name(kernel->problem ? kernel->problem : "current", COLUMN_CELL_BYTES - 1, text))
#define FIGURE_CELL(name, what) KERNEL_CELL(name, put_figure(kernel, RECORD_##name, text))
RECORD_FIGURES(FIGURE_CELL)
#undef FIGURE_CELL
#undef KERNEL_CELL

static double figure_value(const struct history_kernel *kernel, int figure)
{
    return kernel->figure[figure] == RECORD_ABSENT ? (double)NAN : kernel->figure[figure];
}

static bool changes(const struct history_kernel *kernels, size_t n_kernels, int figure)
{
    for (size_t i = 1; i < n_kernels; i++)
        if (kernels[i].figure[figure] != kernels[0].figure[figure])
            return true;
    return false;
}

/* One line for each figure that is a number and is not the same in all runs. */
static bool write_trends(FILE *out, const struct history_kernel *kernels, size_t n_kernels)
{
    double *values = malloc((n_kernels + 1) * sizeof *values);
    bool ok = values != NULL;
    for (int figure = 0; figure < RECORD_FIGURE_COUNT && ok; figure++) {
        if (figure == RECORD_limit || !changes(kernels, n_kernels, figure))
            continue;
        for (size_t i = 0; i < n_kernels; i++)
            values[i] = figure_value(&kernels[n_kernels - 1 - i], figure);
        ok = trend_write(out, record_figure_name((enum record_figure)figure), values, n_kernels, put_count);
    }
    free(values);
    return ok;
}

static bool write_group(FILE *out, const struct history_kernel *kernels, size_t n_kernels)
{
    static const struct column columns[] = {
        {"run", false, kernel_id},
        {"started (UTC)", true, kernel_date},
        {"commit", true, kernel_commit},
#define FIGURE_COLUMN(name, what) {#name, false, kernel_##name},
        RECORD_FIGURES(FIGURE_COLUMN)
#undef FIGURE_COLUMN
            {"record", true, kernel_problem},
    };
    const struct history_kernel *newest = &kernels[0];
    fprintf(out, "resources of %s on %s (%s%s%s): %zu run%s\n", newest->kernel, newest->chip, newest->run.toolchain,
            newest->run.kernels ? ", of " : "", newest->run.kernels ? newest->run.kernels : "", n_kernels,
            n_kernels == 1 ? "" : "s");
    bool ok = write_trends(out, kernels, n_kernels);
    columns_write(out, columns, sizeof columns / sizeof *columns, kernels, sizeof *kernels, n_kernels, "  ");
    return ok;
}

static bool same_group(const struct history_kernel *a, const struct history_kernel *b)
{
    return strcmp(a->kernel, b->kernel) == 0 && strcmp(a->chip, b->chip) == 0 &&
           strcmp(a->run.toolchain, b->run.toolchain) == 0 && same_kernel_files(&a->run, &b->run);
}

bool history_kernels_write_text(FILE *out, const struct history_kernel *kernels, size_t n_kernels)
{
    bool ok = true;
    for (size_t i = 0, n; i < n_kernels && ok; i += n) {
        for (n = 1; i + n < n_kernels && same_group(&kernels[i], &kernels[i + n]);)
            n++;
        if (i > 0)
            fputc('\n', out);
        ok = write_group(out, &kernels[i], n);
    }
    return ok;
}
