/* What a run decides goes into the history, one transaction a registration. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "contract/base/hash.h"
#include "reports/cells.h"
#include "reports/history_state.h"

/* Others do not hold a run up for long: what does not get in waits for the next registration. */
enum { PATIENCE_IN_RUN_MS = 500 };

/* What every log of today says; one that did not is a run all the same. */
static struct sql_value name_of(const char *text)
{
    return sql_text(text ? text : "");
}

bool history_begin(struct history *history, const struct log_environment *e, struct error *error)
{
    if (!database_run(
            &history->database,
            "INSERT INTO runs (started_s, hipcontract, commit_id, toolchain, compiler, device, chips, scope, checks,"
            " matrix_model, seed, runs, device_count, kernels, shard, shards) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            SQL_VALUES(sql_integer(time(NULL)), name_of(e->version), sql_text(e->commit), name_of(e->toolchain),
                       sql_text(e->compiler), name_of(e->device), name_of(e->chips), name_of(e->scope), sql_text(e->checks),
                       sql_text(e->matrix_model), sql_integer((int64_t)e->seed), sql_integer(e->n_runs),
                       sql_integer(e->n_devices), sql_text(e->kernels), e->n_shards ? sql_integer(e->shard) : sql_null(),
                       e->n_shards ? sql_integer(e->n_shards) : sql_null()),
            error))
        return false;
    history->run = sqlite3_last_insert_rowid(history->database.handle);
    return true;
}

/* The elements, moved where there was no room for one more; NULL out of memory, and then they are as they were. */
static void *with_room(void *elements, size_t n, size_t *capacity, size_t n_bytes)
{
    if (n < *capacity)
        return elements;
    size_t larger = *capacity ? *capacity * 2 : 64;
    void *grown = realloc(elements, larger * n_bytes);
    if (grown)
        *capacity = larger;
    return grown;
}

static void keep_verdict(void *context, const struct verdict *verdict)
{
    struct history *history = context;
    struct verdict *verdicts =
        with_room(history->verdicts, history->n_verdicts, &history->verdict_capacity, sizeof *verdicts);
    history->is_incomplete |= !verdicts;
    if (!verdicts)
        return;
    history->verdicts = verdicts;
    verdicts[history->n_verdicts++] = *verdict;
}

static bool is_of(const struct verdict *v, const struct waiting_end *end)
{
    return strcmp(v->registration, end->registration) == 0 && strcmp(v->chip, end->chip) == 0;
}

/* What a registration's verdicts come to. */
struct fold {
    int64_t n, n_red, n_known, n_invalid;
    bool has_ratio;
    double worst_ratio;
    struct hash128 code;
};

static void fold_verdict(struct fold *fold, const struct verdict *v)
{
    static const struct hash128 no_code;
    fold->n++;
    fold->n_red += verdict_status_is_red(v->status);
    fold->n_known += v->status == VERDICT_KNOWN_FINDING;
    fold->n_invalid += v->status == VERDICT_INVALID;
    if (v->subject != SUBJECT_GATE)
        return;
    if (!hash_equal(v->code, no_code))
        fold->code = v->code;
    if (v->gate == GATE_BOUND && v->n_compared > 0) {
        fold->worst_ratio = fmax(fold->worst_ratio, v->worst_ratio);
        fold->has_ratio = true;
    }
}

static bool write_end(struct history *history, const struct waiting_end *end, struct error *error)
{
    struct fold fold = {0};
    char code[33];
    for (size_t i = end->first; i < end->last; i++)
        if (is_of(&history->verdicts[i], end))
            fold_verdict(&fold, &history->verdicts[i]);
    hash_hex(fold.code, code);
    return database_run(
        &history->database, "INSERT INTO registrations VALUES (?,?,?,?,?,?,?,?,?,?)",
        SQL_VALUES(sql_integer(history->run), sql_text(end->registration), sql_text(end->chip),
                   sql_text(fold.code.high || fold.code.low ? code : NULL), sql_integer(fold.n), sql_integer(fold.n_red),
                   sql_integer(fold.n_known), sql_integer(fold.n_invalid),
                   fold.has_ratio ? sql_real(fold.worst_ratio) : sql_null(),
                   end->replayed || end->duration_ns == 0 ? sql_null() : sql_integer((int64_t)end->duration_ns)),
        error);
}

/* Its reason is kept where somebody has to read it. */
static bool has_reason(const struct verdict *v)
{
    return *v->reason && (verdict_status_is_red(v->status) || v->status == VERDICT_INVALID);
}

static bool write_verdict(struct history *history, const struct verdict *v, struct error *error)
{
    const struct sql_value subject = sql_text(verdict_subject_name(v->subject)), gate = sql_integer(v->gate),
                           registration = sql_text(v->registration), name = sql_text(v->name), shape = sql_text(v->shape),
                           pattern = sql_text(v->pattern);
    return database_run(&history->database,
                        "INSERT OR IGNORE INTO cases (subject, gate, registration, name, shape, pattern)"
                        " VALUES (?,?,?,?,?,?)",
                        SQL_VALUES(subject, gate, registration, name, shape, pattern), error) &&
           database_run(&history->database,
                        "INSERT INTO verdicts (run, chip, status, red, ratio, wrong, duration_ns, reason, case_id)"
                        " SELECT ?,?,?,?,?,?,?,?, id FROM cases WHERE subject = ? AND gate = ? AND registration = ?"
                        " AND name = ? AND shape = ? AND pattern = ?",
                        SQL_VALUES(sql_integer(history->run), sql_text(v->chip), sql_text(verdict_status_name(v->status)),
                                   sql_integer(verdict_status_is_red(v->status)), sql_real(v->worst_ratio),
                                   sql_integer(v->n_wrong), sql_integer((int64_t)v->duration_ns),
                                   sql_text(has_reason(v) ? v->reason : NULL), subject, gate, registration, name, shape,
                                   pattern),
                        error);
}

/* A kernel may be over a budget beside its record: what is wrong first is kept. */
static bool write_kernel(struct history *history, const struct verdict *v, struct error *error)
{
    struct record record = {0};
    memcpy(record.figure, v->resources.figure, sizeof record.figure);
    json_t *object = cell_figures_to_json(&record);
    char *figures = object ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    bool ok =
        figures ? database_run(&history->database,
                               "INSERT INTO kernels (run, kernel, chip, figures, problem) VALUES (?,?,?,?,?)"
                               " ON CONFLICT DO UPDATE SET problem = coalesce(problem, excluded.problem)",
                               SQL_VALUES(sql_integer(history->run), sql_text(v->registration), sql_text(v->chip),
                                          sql_text(figures), sql_text(verdict_status_is_red(v->status) ? v->reason : NULL)),
                               error)
                : error_set(error, STATUS_ENVIRONMENT, "out of host memory for %s", history->database.path);
    free(figures);
    return ok;
}

static bool write_waiting(struct history *history, struct error *error)
{
    for (size_t i = 0; i < history->n_verdicts; i++) {
        const struct verdict *v = &history->verdicts[i];
        if (!write_verdict(history, v, error) || (v->resources.are_known && !write_kernel(history, v, error)))
            return false;
    }
    for (size_t i = 0; i < history->n_ends; i++)
        if (!write_end(history, &history->ends[i], error))
            return false;
    return true;
}

/* How a run ended. */
struct run_end {
    enum status status;
    uint64_t duration_ns;
};

/* NULL while it goes on. */
static bool write_run_end(struct history *history, const struct run_end *end, struct error *error)
{
    return !end || database_run(&history->database, "UPDATE runs SET duration_ns = ?, exit = ? WHERE id = ?",
                                SQL_VALUES(sql_integer((int64_t)end->duration_ns), sql_integer(end->status),
                                           sql_integer(history->run)),
                                error);
}

/* All of what waits, or nothing, and then it goes on to wait. */
static bool write_all(struct history *history, const struct run_end *end, struct error *error)
{
    bool ok = database_script(&history->database, "BEGIN IMMEDIATE", error) && write_waiting(history, error) &&
              write_run_end(history, end, error) && database_script(&history->database, "COMMIT", error);
    if (ok)
        history->n_verdicts = history->n_ends = 0;
    else
        database_script(&history->database, "ROLLBACK", NULL);
    return ok;
}

static void keep_end_waiting(void *context, const struct registration_end *end)
{
    struct history *history = context;
    struct waiting_end *ends = with_room(history->ends, history->n_ends, &history->end_capacity, sizeof *ends);
    history->is_incomplete |= !ends;
    if (!ends)
        return;
    history->ends = ends;
    size_t first = history->n_ends ? ends[history->n_ends - 1].last : 0;
    struct waiting_end *row = &ends[history->n_ends++];
    *row = (struct waiting_end){
        .duration_ns = end->duration_ns, .replayed = end->replayed, .first = first, .last = history->n_verdicts};
    snprintf(row->registration, sizeof row->registration, "%s", end->registration);
    snprintf(row->chip, sizeof row->chip, "%s", end->chip);
}

static void keep_end(void *context, const struct registration_end *end)
{
    struct history *history = context;
    keep_end_waiting(history, end);
    database_set_patience(&history->database, PATIENCE_IN_RUN_MS);
    write_all(history, NULL, NULL);
}

struct verdict_sink history_sink(struct history *history)
{
    return (struct verdict_sink){.verdict = keep_verdict, .registration_end = keep_end, .context = history};
}

struct verdict_sink history_sink_at_once(struct history *history)
{
    return (struct verdict_sink){.verdict = keep_verdict, .registration_end = keep_end_waiting, .context = history};
}

bool history_finish(struct history *history, enum status status, uint64_t duration_ns, struct error *error)
{
    database_set_patience(&history->database, history->patience_ms);
    if (!write_all(history, &(struct run_end){status, duration_ns}, error))
        return error_prefix(error, "the history lacks some of this run");
    return !history->is_incomplete ||
           error_set(error, STATUS_ENVIRONMENT, "%s: out of host memory for some of the run", history->database.path);
}
