/* Reads a run log for --resume. */
#include "reports/log.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "contract/base/file.h"
#include "reports/verdict_json.h"

/* A log being read. */
struct reading {
    const char *path;
    const struct log_environment *environment;
    struct run_history *history;
    struct verdict *pending; /* of the registration whose end is still to come */
    size_t n_pending, capacity;
    size_t line;
    struct error *error;
};

static bool bad_line(const struct reading *reading, const char *what)
{
    return error_set(reading->error, STATUS_USAGE, "%s:%zu: %s", reading->path, reading->line, what);
}

static bool other_run(const struct reading *reading, const char *what)
{
    return error_set(reading->error, STATUS_USAGE,
                     "%s cannot be resumed: it was made with another %s; use the same options, or a new log", reading->path,
                     what);
}

/* Both the same, or both none. */
static bool same_text(const json_t *object, const char *key, const char *text)
{
    const char *logged = json_string_value(json_object_get(object, key));
    return logged && text ? strcmp(logged, text) == 0 : logged == text;
}

static bool read_environment(struct reading *reading, const json_t *object)
{
    const struct log_environment *environment = reading->environment;
    if (json_integer_value(json_object_get(object, "format")) != LOG_FORMAT)
        return other_run(reading, "log format");
    if (json_integer_value(json_object_get(object, "seed")) != (json_int_t)environment->seed)
        return other_run(reading, "seed");
    if (json_integer_value(json_object_get(object, "runs")) != environment->n_runs)
        return other_run(reading, "number of runs");
    if (!same_text(object, "scope", environment->scope))
        return other_run(reading, "choice of --quick or --full");
    if (!same_text(object, "device", environment->device))
        return other_run(reading, "device");
    if (!same_text(object, "checks", environment->checks))
        return other_run(reading, "choice of checks");
    if (json_integer_value(json_object_get(object, "device_count")) != environment->n_devices)
        return other_run(reading, "number of devices");
    if (!same_text(object, "kernels", environment->kernels))
        return other_run(reading, "list of --kernels");
    return same_text(object, "matrix_model", environment->matrix_model) || other_run(reading, "matrix model");
}

static bool read_verdict(struct reading *reading, const json_t *object)
{
    if (reading->n_pending == reading->capacity) {
        size_t capacity = reading->capacity ? reading->capacity * 2 : 64;
        struct verdict *grown = realloc(reading->pending, capacity * sizeof *grown);
        if (!grown)
            return error_set(reading->error, STATUS_ENVIRONMENT, "out of host memory for the log");
        reading->pending = grown;
        reading->capacity = capacity;
    }
    if (!verdict_from_json(object, &reading->pending[reading->n_pending]))
        return bad_line(reading, "not a verdict that this version writes");
    reading->n_pending++;
    return true;
}

static bool keep_finished(struct reading *reading, const char *registration, const char *chip, uint64_t duration_ns)
{
    struct run_history *history = reading->history;
    if (reading->n_pending == 0)
        return true;
    struct finished *grown = realloc(history->finished, (history->n_finished + 1) * sizeof *grown);
    if (!grown)
        return error_set(reading->error, STATUS_ENVIRONMENT, "out of host memory for the log");
    history->finished = grown;
    struct verdict *verdicts = arena_alloc(&history->arena, reading->n_pending * sizeof *verdicts);
    if (!verdicts)
        return error_set(reading->error, STATUS_ENVIRONMENT, "out of host memory for the log");
    size_t n = 0;
    for (size_t i = 0; i < reading->n_pending; i++)
        if (strcmp(reading->pending[i].registration, registration) == 0 && strcmp(reading->pending[i].chip, chip) == 0)
            verdicts[n++] = reading->pending[i];
    grown[history->n_finished++] = (struct finished){arena_format(&history->arena, "%s", registration),
                                                     arena_format(&history->arena, "%s", chip), verdicts, n, duration_ns};
    reading->n_pending = 0;
    return true;
}

static bool read_record(struct reading *reading, const json_t *object)
{
    const char *record = json_string_value(json_object_get(object, "record"));
    const char *registration = json_string_value(json_object_get(object, "registration"));
    const char *chip = json_string_value(json_object_get(object, "chip"));
    if (!record)
        return bad_line(reading, "no field `record`");
    if (reading->line == 1 && strcmp(record, "environment") != 0)
        return bad_line(reading, "a log starts with its environment");
    if (strcmp(record, "environment") == 0)
        return read_environment(reading, object);
    if (strcmp(record, "verdict") == 0)
        return read_verdict(reading, object);
    if (strcmp(record, "end") != 0)
        return true;
    if (!registration || !chip)
        return bad_line(reading, "an end needs registration and chip");
    return keep_finished(reading, registration, chip, (uint64_t)json_integer_value(json_object_get(object, "duration_ns")));
}

/* One line of n bytes; is_whole says that a newline ended it. */
static bool read_line(struct reading *reading, const char *line, size_t n_bytes, bool is_whole)
{
    reading->line++;
    json_t *object = json_loadb(line, n_bytes, 0, NULL);
    if (!object)
        return !is_whole || bad_line(reading, "not a line of JSON");
    bool ok = read_record(reading, object);
    json_decref(object);
    return ok;
}

bool history_read(const char *path, const struct log_environment *environment, struct run_history *history,
                  struct error *error)
{
    char *data = NULL;
    size_t n_bytes = 0;
    *history = (struct run_history){0};
    if (!file_read(path, &data, &n_bytes, error))
        return false;
    struct reading reading = {.path = path, .environment = environment, .history = history, .error = error};
    bool ok = n_bytes > 0 || error_set(error, STATUS_USAGE, "%s is empty: nothing to resume", path);
    for (size_t at = 0; ok && at < n_bytes;) {
        const char *newline = memchr(data + at, '\n', n_bytes - at);
        size_t length = newline ? (size_t)(newline - data) - at : n_bytes - at;
        ok = read_line(&reading, data + at, length, newline != NULL);
        at += length + 1;
    }
    free(reading.pending);
    free(data);
    if (!ok)
        history_free(history);
    return ok;
}

static const struct verdict *find_finished(void *context, const char *registration, const char *chip, size_t *n_verdicts)
{
    const struct run_history *history = context;
    for (size_t i = history->n_finished; i-- > 0;)
        if (strcmp(history->finished[i].registration, registration) == 0 && strcmp(history->finished[i].chip, chip) == 0) {
            *n_verdicts = history->finished[i].n_verdicts;
            return history->finished[i].verdicts;
        }
    *n_verdicts = 0;
    return NULL;
}

struct decided history_decided(const struct run_history *history)
{
    return (struct decided){.find = find_finished, .context = (void *)history};
}

void history_free(struct run_history *history)
{
    free(history->finished);
    arena_free(&history->arena);
    *history = (struct run_history){0};
}
