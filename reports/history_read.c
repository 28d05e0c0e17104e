/* What is asked of the history. */
#include <stdlib.h>
#include <string.h>

#include "reports/cells.h"
#include "reports/history_state.h"
#include "reports/utf8.h"

struct costs {
    int64_t ns[HISTORY_COST_RUNS];
    size_t n;
};

static bool take_cost(void *context, sqlite3_stmt *row)
{
    struct costs *costs = context;
    costs->ns[costs->n++] = sqlite3_column_int64(row, 0);
    return true;
}

static int compare_numbers(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* Of an even number of them the mean of the two in the middle. */
static uint64_t median(struct costs *costs)
{
    if (costs->n == 0)
        return 0;
    qsort(costs->ns, costs->n, sizeof *costs->ns, compare_numbers);
    int64_t low = costs->ns[(costs->n - 1) / 2], high = costs->ns[costs->n / 2];
    return (uint64_t)(low + (high - low) / 2);
}

bool history_cost(struct history *history, const struct history_key *key, uint64_t *cost_ns, struct error *error)
{
    struct costs costs = {0};
    *cost_ns = 0;
    if (!database_select(&history->database,
                         "SELECT r.duration_ns FROM registrations r JOIN runs ON runs.id = r.run"
                         " WHERE r.registration = ? AND r.chip = ? AND runs.device = ? AND runs.scope = ?"
                         " AND runs.kernels IS ? AND NOT (runs.shards IS NOT NULL AND runs.shards IS ? AND"
                         " runs.commit_id IS ?)"
                         " AND r.duration_ns IS NOT NULL ORDER BY r.run DESC LIMIT ?",
                         SQL_VALUES(sql_text(key->registration), sql_text(key->chip), sql_text(key->device),
                                    sql_text(key->scope), sql_text(key->kernels), sql_integer(key->n_shards),
                                    sql_text(key->commit), sql_integer(HISTORY_COST_RUNS)),
                         take_cost, &costs, error))
        return false;
    *cost_ns = median(&costs);
    return true;
}

/* Rows that are read into an arena, in blocks that are copied together at the end. */
struct rows {
    struct arena *arena;
    char *data; /* malloc'ed */
    size_t n, capacity, n_bytes;
};

static void *add_row(struct rows *rows)
{
    if (rows->n == rows->capacity) {
        size_t capacity = rows->capacity ? rows->capacity * 2 : 64;
        char *grown = realloc(rows->data, capacity * rows->n_bytes);
        if (!grown)
            return NULL;
        rows->data = grown;
        rows->capacity = capacity;
    }
    return rows->data + rows->n++ * rows->n_bytes;
}

/* NULL stays NULL, and what is no UTF-8 in a damaged file is "?"; false out of memory. */
static bool take_text(struct rows *rows, sqlite3_stmt *row, int column, const char **text)
{
    const char *value = (const char *)sqlite3_column_text(row, column);
    char *copy = value ? arena_format(rows->arena, "%s", value) : NULL;
    if (copy)
        utf8_mend(copy);
    *text = copy;
    return !value || copy;
}

/* A name that the tables do not let be NULL: "" in a file that was changed by hand. */
static bool take_name(struct rows *rows, sqlite3_stmt *row, int column, const char **name)
{
    if (!take_text(rows, row, column, name))
        return false;
    *name = *name ? *name : "";
    return true;
}

static int64_t number_or_minus_1(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL ? -1 : sqlite3_column_int64(row, column);
}

/* The columns that both queries begin with. */
#define RUN_COLUMNS                                                                                                        \
    "runs.id, runs.started_s, runs.duration_ns, runs.exit, runs.commit_id, runs.toolchain, runs.device, runs.chips,"       \
    " runs.scope, runs.kernels, runs.shard, runs.shards"
enum { RUN_COLUMN_COUNT = 12 };

static bool take_run(struct rows *rows, sqlite3_stmt *row, struct history_run *run)
{
    *run = (struct history_run){.id = sqlite3_column_int64(row, 0),
                                .started_s = sqlite3_column_int64(row, 1),
                                .duration_ns = number_or_minus_1(row, 2),
                                .exit = number_or_minus_1(row, 3),
                                .shard = sqlite3_column_int64(row, 10),
                                .n_shards = sqlite3_column_int64(row, 11)};
    return take_text(rows, row, 4, &run->commit) && take_name(rows, row, 5, &run->toolchain) &&
           take_name(rows, row, 6, &run->device) && take_name(rows, row, 7, &run->chips) &&
           take_name(rows, row, 8, &run->scope) && take_text(rows, row, 9, &run->kernels);
}

static bool take_run_row(void *context, sqlite3_stmt *row)
{
    struct history_run *run = add_row(context);
    if (!run || !take_run(context, row, run))
        return false;
    run->n_registrations = sqlite3_column_int64(row, RUN_COLUMN_COUNT);
    run->n_red = sqlite3_column_int64(row, RUN_COLUMN_COUNT + 1);
    run->n_known = sqlite3_column_int64(row, RUN_COLUMN_COUNT + 2);
    run->n_invalid = sqlite3_column_int64(row, RUN_COLUMN_COUNT + 3);
    run->worst_ratio = sqlite3_column_double(row, RUN_COLUMN_COUNT + 4);
    run->n_limit_problems = sqlite3_column_int64(row, RUN_COLUMN_COUNT + 5);
    return true;
}

static bool take_registration_row(void *context, sqlite3_stmt *row)
{
    struct rows *rows = context;
    struct history_row *r = add_row(rows);
    if (!r)
        return false;
    *r = (struct history_row){0};
    int column = RUN_COLUMN_COUNT;
    bool ok = take_run(rows, row, &r->run) && take_name(rows, row, column++, &r->registration) &&
              take_name(rows, row, column++, &r->chip) && take_text(rows, row, column++, &r->code);
    r->n_verdicts = sqlite3_column_int64(row, column++);
    r->n_red = sqlite3_column_int64(row, column++);
    r->n_known = sqlite3_column_int64(row, column++);
    r->n_invalid = sqlite3_column_int64(row, column++);
    r->worst_ratio = sqlite3_column_double(row, column++);
    r->duration_ns = number_or_minus_1(row, column++);
    return ok && take_text(rows, row, column, &r->first_red);
}

/* Figures that cannot be read are unknown: the file was changed by hand. */
static void take_figures(sqlite3_stmt *row, int column, uint32_t figure[RECORD_FIGURE_COUNT])
{
    struct record record;
    const char *text = (const char *)sqlite3_column_text(row, column);
    json_t *object = text ? json_loads(text, 0, NULL) : NULL;
    bool ok = cell_figures_from_json(object, &record);
    for (int i = 0; i < RECORD_FIGURE_COUNT; i++)
        figure[i] = ok ? record.figure[i] : RECORD_ABSENT;
    json_decref(object);
}

static bool take_kernel_row(void *context, sqlite3_stmt *row)
{
    struct rows *rows = context;
    struct history_kernel *kernel = add_row(rows);
    if (!kernel)
        return false;
    *kernel = (struct history_kernel){0};
    take_figures(row, RUN_COLUMN_COUNT + 2, kernel->figure);
    return take_run(rows, row, &kernel->run) && take_name(rows, row, RUN_COLUMN_COUNT, &kernel->kernel) &&
           take_name(rows, row, RUN_COLUMN_COUNT + 1, &kernel->chip) &&
           take_text(rows, row, RUN_COLUMN_COUNT + 3, &kernel->problem);
}

/* Moves the rows into the arena. */
static bool finish_rows(struct rows *rows, bool ok, void **data, size_t *n, struct error *error)
{
    *data = ok ? arena_alloc(rows->arena, (rows->n + 1) * rows->n_bytes) : NULL;
    *n = *data ? rows->n : 0;
    if (*data && rows->n)
        memcpy(*data, rows->data, rows->n * rows->n_bytes);
    free(rows->data);
    return *data || (ok && error_set(error, STATUS_ENVIRONMENT, "out of host memory for the history"));
}

/* ?1, ?2 and ?3, of which NULL lets all pass. */
#define FILTER            "(?1 IS NULL OR r.registration GLOB ?1) AND " CHIP_FILTER("r.chip")
#define CHIP_FILTER(chip) "(?2 IS NULL OR instr(',' || ?2 || ',', ',' || " chip " || ',') > 0)"
#define FILTER_VALUES(filter)                                                                                              \
    SQL_VALUES(sql_text((filter)->registration), sql_text((filter)->chips),                                                \
               sql_integer((filter)->n_last ? (filter)->n_last : INT64_MAX))

bool history_runs(struct history *history, const struct history_filter *filter, struct arena *arena,
                  struct history_run **runs, size_t *n_runs, struct error *error)
{
    struct rows rows = {.arena = arena, .n_bytes = sizeof **runs};
    void *data;
    /* A run belongs here where a registration of the filter took part, or where nothing is asked for. */
    bool ok = database_select(
        &history->database,
        "SELECT " RUN_COLUMNS ", count(r.run), sum(r.red > 0), sum(r.known > 0), sum(r.invalid > 0),"
        " max(r.worst_ratio), (SELECT count(*) FROM verdicts v JOIN cases c ON c.id = v.case_id WHERE v.run = runs.id"
        " AND v.red AND c.subject = 'limit' AND (?1 IS NULL OR c.registration GLOB ?1) AND " CHIP_FILTER(
            "v.chip") ")"
                      " FROM runs LEFT JOIN registrations r ON r.run = runs.id AND " FILTER
                      " GROUP BY runs.id HAVING count(r.run) > 0 OR (?1 IS NULL AND ?2 IS NULL) ORDER BY runs.id DESC "
                      "LIMIT ?3",
        FILTER_VALUES(filter), take_run_row, &rows, error);
    ok = finish_rows(&rows, ok, &data, n_runs, error);
    *runs = data;
    return ok;
}

bool history_rows(struct history *history, const struct history_filter *filter, struct arena *arena,
                  struct history_row **list, size_t *n_rows, struct error *error)
{
    struct rows rows = {.arena = arena, .n_bytes = sizeof **list};
    void *data;
    bool ok = database_select(
        &history->database,
        "SELECT * FROM (SELECT " RUN_COLUMNS ", r.registration, r.chip, r.code, r.verdicts, r.red, r.known, r.invalid,"
        " r.worst_ratio, r.duration_ns AS took,"
        " (SELECT 'gate ' || c.gate || iif(c.name = '', '', ', ' || c.subject || ' ' || c.name)"
        "  || iif(c.shape = '', '', ' at ' || c.shape) || iif(c.pattern = '', '', ' (' || c.pattern || ')')"
        "  FROM verdicts v JOIN cases c ON c.id = v.case_id WHERE v.run = r.run AND v.chip = r.chip AND v.red"
        "  AND c.registration = r.registration AND c.subject <> 'limit' ORDER BY v.id LIMIT 1),"
        " row_number() OVER (PARTITION BY r.registration, r.chip, runs.device, runs.scope, runs.kernels"
        "  ORDER BY r.run DESC) AS nth FROM registrations r JOIN runs ON runs.id = r.run WHERE " FILTER
        ") WHERE nth <= ?3 ORDER BY registration, chip, device, scope, kernels, id DESC",
        FILTER_VALUES(filter), take_registration_row, &rows, error);
    ok = finish_rows(&rows, ok, &data, n_rows, error);
    *list = data;
    return ok;
}

bool history_kernels(struct history *history, const struct history_filter *filter, struct arena *arena,
                     struct history_kernel **kernels, size_t *n_kernels, struct error *error)
{
    struct rows rows = {.arena = arena, .n_bytes = sizeof **kernels};
    void *data;
    bool ok = database_select(
        &history->database,
        "SELECT * FROM (SELECT " RUN_COLUMNS ", k.kernel AS kernel, k.chip AS chip, k.figures, k.problem,"
        " row_number() OVER (PARTITION BY k.kernel, k.chip, runs.toolchain, runs.kernels ORDER BY k.run DESC) AS nth"
        " FROM kernels k JOIN runs ON runs.id = k.run WHERE (?1 IS NULL OR k.kernel GLOB ?1) AND " CHIP_FILTER(
            "k.chip") ") WHERE nth <= ?3 ORDER BY kernel, chip, toolchain, kernels, id DESC",
        FILTER_VALUES(filter), take_kernel_row, &rows, error);
    ok = finish_rows(&rows, ok, &data, n_kernels, error);
    *kernels = data;
    return ok;
}
