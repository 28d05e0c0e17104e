/* The history for programs. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "reports/cells.h"
#include "reports/history_table.h"
#include "reports/json_text.h"

static json_t *known_or_null(int64_t number)
{
    return number < 0 ? NULL : json_integer(number);
}

static json_t *positive_or_null(int64_t number)
{
    return number > 0 ? json_integer(number) : NULL;
}

/* JSON has no infinity: as in the run log. */
static json_t *ratio(double value)
{
    return isinf(value) ? json_string("inf") : json_real(value);
}

/* The fields of a run that both kinds of objects have. */
static json_t *run_to_json(const struct history_run *run)
{
    return json_pack("{s:I, s:I, s:o*, s:o*, s:s*, s:s, s:s, s:s, s:s, s:s*, s:o*, s:o*}", "run", (json_int_t)run->id,
                     "started_s", (json_int_t)run->started_s, "run_duration_ns", known_or_null(run->duration_ns), "exit",
                     known_or_null(run->exit), "commit", run->commit, "toolchain", run->toolchain, "device", run->device,
                     "chips", run->chips, "scope", run->scope, "kernels", run->kernels, "shard",
                     positive_or_null(run->shard), "shards", positive_or_null(run->n_shards));
}

static json_t *counts_of_run(const struct history_run *run)
{
    json_t *object = run_to_json(run);
    json_t *counts =
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:o}", "registrations", (json_int_t)run->n_registrations, "red",
                  (json_int_t)run->n_red, "known", (json_int_t)run->n_known, "invalid", (json_int_t)run->n_invalid,
                  "limit_problems", (json_int_t)run->n_limit_problems, "worst_ratio", ratio(run->worst_ratio));
    json_object_update(object, counts);
    json_decref(counts);
    return object;
}

static json_t *row_to_json(const struct history_row *row)
{
    json_t *object = run_to_json(&row->run);
    json_t *own =
        json_pack("{s:s, s:s, s:s*, s:I, s:I, s:I, s:I, s:o, s:o*, s:s*}", "registration", row->registration, "chip",
                  row->chip, "code", row->code, "verdicts", (json_int_t)row->n_verdicts, "red", (json_int_t)row->n_red,
                  "known", (json_int_t)row->n_known, "invalid", (json_int_t)row->n_invalid, "worst_ratio",
                  ratio(row->worst_ratio), "duration_ns", known_or_null(row->duration_ns), "first_red", row->first_red);
    json_object_update(object, own);
    json_decref(own);
    return object;
}

static json_t *kernel_to_json(const struct history_kernel *kernel)
{
    struct record record = {0};
    memcpy(record.figure, kernel->figure, sizeof record.figure);
    json_t *object = run_to_json(&kernel->run);
    json_t *own = json_pack("{s:s, s:s, s:o, s:s*}", "kernel", kernel->kernel, "chip", kernel->chip, "resources",
                            cell_figures_to_json(&record), "problem", kernel->problem);
    json_object_update(object, own);
    json_decref(own);
    return object;
}

bool history_runs_write_json(FILE *out, const struct history_run *runs, size_t n_runs)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n_runs; i++)
        json_array_append_new(array, counts_of_run(&runs[i]));
    bool is_whole = json_array_size(array) == n_runs;
    return json_write(out, json_pack("{s:o}", "runs", array), JSON_INDENT(2)) && is_whole;
}

bool history_rows_write_json(FILE *out, const struct history_row *rows, size_t n_rows, const struct history_kernel *kernels,
                             size_t n_kernels)
{
    json_t *registrations = json_array(), *resources = json_array();
    for (size_t i = 0; i < n_rows; i++)
        json_array_append_new(registrations, row_to_json(&rows[i]));
    for (size_t i = 0; i < n_kernels; i++)
        json_array_append_new(resources, kernel_to_json(&kernels[i]));
    bool is_whole = json_array_size(registrations) == n_rows && json_array_size(resources) == n_kernels;
    json_t *both = json_pack("{s:o, s:o}", "registrations", registrations, "kernels", resources);
    return json_write(out, both, JSON_INDENT(2)) && is_whole;
}
