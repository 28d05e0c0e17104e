#include "reports/history_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/history_cells.h"

#define RUN_CELL(name, put)                                                                                                \
    static void run_##name(const void *row, char text[COLUMN_CELL_BYTES])                                                  \
    {                                                                                                                      \
        const struct history_run *run = row;                                                                               \
        put;                                                                                                               \
    }
RUN_CELL(id, put_count((double)run->id, text))
RUN_CELL(date, put_date(run->started_s, text))
RUN_CELL(commit, put_name(run->commit, SHORT_COMMIT, text))
RUN_CELL(device, put_name(run->device, COLUMN_CELL_BYTES - 1, text))
RUN_CELL(chips, put_name(run->chips, COLUMN_CELL_BYTES - 1, text))
RUN_CELL(kernels, put_count((double)run->n_registrations, text))
RUN_CELL(red, put_count((double)run->n_red, text))
RUN_CELL(known, put_count((double)run->n_known, text))
RUN_CELL(limits, put_count((double)run->n_limit_problems, text))
RUN_CELL(worst, put_ratio(run->worst_ratio, text))
RUN_CELL(time, put_time((double)run->duration_ns, text))
#undef RUN_CELL

/* A shard has fewer kernels than its scope would. */
static void run_scope(const void *row, char text[COLUMN_CELL_BYTES])
{
    const struct history_run *run = row;
    if (run->n_shards)
        snprintf(text, COLUMN_CELL_BYTES, "%.100s %" PRId64 "/%" PRId64, run->scope, run->shard, run->n_shards);
    else
        put_name(run->scope, COLUMN_CELL_BYTES - 1, text);
}

/* By exit status. */
static const char *result_of(int64_t exit)
{
    static const char *const names[] = {[STATUS_OK] = "holds",
                                        [STATUS_RED] = "RED",
                                        [STATUS_USAGE] = "invalid",
                                        [STATUS_ENVIRONMENT] = "no environment",
                                        [STATUS_INTERRUPTED] = "interrupted"};
    return exit < 0 || exit >= (int64_t)(sizeof names / sizeof *names) ? "unfinished" : names[exit];
}

static void run_result(const void *row, char text[COLUMN_CELL_BYTES])
{
    put_name(result_of(((const struct history_run *)row)->exit), COLUMN_CELL_BYTES - 1, text);
}

bool history_runs_write_text(FILE *out, const struct history_run *runs, size_t n_runs)
{
    static const struct column columns[] = {
        {"run", false, run_id},       {"started (UTC)", true, run_date}, {"commit", true, run_commit},
        {"device", true, run_device}, {"scope", true, run_scope},        {"kernels", false, run_kernels},
        {"red", false, run_red},      {"known", false, run_known},       {"limits", false, run_limits},
        {"worst", false, run_worst},  {"time", false, run_time},         {"result", true, run_result},
        {"chips", true, run_chips},
    };
    columns_write(out, columns, sizeof columns / sizeof *columns, runs, sizeof *runs, n_runs, "");
    return true;
}

#define ROW_CELL(name, put)                                                                                                \
    static void row_##name(const void *row, char text[COLUMN_CELL_BYTES])                                                  \
    {                                                                                                                      \
        const struct history_row *r = row;                                                                                 \
        put;                                                                                                               \
    }
ROW_CELL(id, put_count((double)r->run.id, text))
ROW_CELL(date, put_date(r->run.started_s, text))
ROW_CELL(commit, put_name(r->run.commit, SHORT_COMMIT, text))
ROW_CELL(code, put_name(r->code, SHORT_CODE, text))
ROW_CELL(worst, put_ratio(r->worst_ratio, text))
ROW_CELL(time, put_time((double)r->duration_ns, text))
#undef ROW_CELL

/* What a reader has to know first. */
static void row_result(const void *row, char text[COLUMN_CELL_BYTES])
{
    const struct history_row *r = row;
    if (r->n_red > 1)
        snprintf(text, COLUMN_CELL_BYTES, "RED %.150s, and %" PRId64 " more", r->first_red ? r->first_red : "?",
                 r->n_red - 1);
    else if (r->n_red == 1)
        snprintf(text, COLUMN_CELL_BYTES, "RED %.150s", r->first_red ? r->first_red : "?");
    else
        put_name(r->n_invalid ? "invalid"
                 : r->n_known ? "holds but for known findings"
                              : "holds",
                 COLUMN_CELL_BYTES - 1, text);
}

/* What is drawn over the runs. */
static double ratio_of(const struct history_row *row)
{
    return row->worst_ratio;
}

static double time_of(const struct history_row *row)
{
    return row->duration_ns < 0 ? (double)NAN : (double)row->duration_ns;
}

static const struct trend {
    const char *name;
    double (*value)(const struct history_row *row); /* NaN: unknown */
    void (*put)(double value, char text[COLUMN_CELL_BYTES]);
} trends[] = {
    {"worst", ratio_of, put_ratio},
    {"time", time_of, put_time},
};

/* From the oldest run to the newest. */
static bool write_trends(FILE *out, const struct history_row *rows, size_t n_rows)
{
    double *values = malloc((n_rows + 1) * sizeof *values);
    bool ok = values != NULL;
    for (size_t t = 0; t < sizeof trends / sizeof *trends && ok; t++) {
        for (size_t i = 0; i < n_rows; i++)
            values[i] = trends[t].value(&rows[n_rows - 1 - i]);
        ok = trend_write(out, trends[t].name, values, n_rows, trends[t].put);
    }
    free(values);
    return ok;
}

static bool write_group(FILE *out, const struct history_row *rows, size_t n_rows)
{
    static const struct column columns[] = {
        {"run", false, row_id},       {"started (UTC)", true, row_date}, {"commit", true, row_commit},
        {"code", true, row_code},     {"worst", false, row_worst},       {"time", false, row_time},
        {"result", true, row_result},
    };
    const struct history_row *newest = &rows[0];
    fprintf(out, "%s on %s (%s, %s shapes%s%s): %zu run%s\n", newest->registration, newest->chip, newest->run.device,
            newest->run.scope, newest->run.kernels ? ", of " : "", newest->run.kernels ? newest->run.kernels : "", n_rows,
            n_rows == 1 ? "" : "s");
    bool ok = n_rows < 2 || write_trends(out, rows, n_rows);
    columns_write(out, columns, sizeof columns / sizeof *columns, rows, sizeof *rows, n_rows, "  ");
    return ok;
}

static bool same_group(const struct history_row *a, const struct history_row *b)
{
    return strcmp(a->registration, b->registration) == 0 && strcmp(a->chip, b->chip) == 0 &&
           strcmp(a->run.device, b->run.device) == 0 && strcmp(a->run.scope, b->run.scope) == 0 &&
           same_kernel_files(&a->run, &b->run);
}

bool history_rows_write_text(FILE *out, const struct history_row *rows, size_t n_rows)
{
    bool ok = true;
    for (size_t i = 0, n; i < n_rows && ok; i += n) {
        for (n = 1; i + n < n_rows && same_group(&rows[i], &rows[i + n]);)
            n++;
        if (i > 0)
            fputc('\n', out);
        ok = write_group(out, &rows[i], n);
    }
    return ok;
}
