#include "reports/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "contract/base/file.h"
#include "contract/base/text.h"
#include "reports/counts_json.h"
#include "reports/json_text.h"
#include "reports/outputs_json.h"
#include "reports/verdict_json.h"

static void keep_error(struct run_log *log, const char *reason)
{
    if (!log->failed)
        error_set(&log->error, STATUS_USAGE, "%s: %s; the verdicts above are complete, the log is not", log->path, reason);
    log->failed = true;
}

/* Malloc'ed; NULL when out of host memory. Takes the reference. */
static char *line_of(json_t *object)
{
    return json_text(object, JSON_COMPACT | JSON_REAL_PRECISION(17));
}

/* Takes the reference. A line is made whole before any of it is written. */
static void write_line(struct run_log *log, json_t *object)
{
    if (log->failed || !log->file) {
        json_decref(object);
        return;
    }
    char *line = line_of(object);
    if (!line)
        keep_error(log, "out of host memory for a line of the log");
    else if (fputs(line, log->file) == EOF || fputc('\n', log->file) == EOF || fflush(log->file) != 0)
        keep_error(log, strerror(errno));
    free(line);
}

static bool start(struct run_log *log, const char *path, const char *mode, struct error *error)
{
    *log = (struct run_log){.file = fopen(path, mode)};
    snprintf(log->path, sizeof log->path, "%s", path);
    return log->file || error_set(error, STATUS_USAGE, "%s: cannot write the log: %s", path, strerror(errno));
}

bool log_open(struct run_log *log, const char *path, const struct log_environment *environment, struct error *error)
{
    if (!start(log, path, "we", error))
        return false;
    write_line(log, log_environment_to_json(environment));
    if (log->failed) {
        if (error)
            *error = log->error;
        log_close(log, NULL);
        return false;
    }
    return true;
}

/* Takes the reference; false when out of host memory. */
static bool append_line(struct text *text, json_t *object)
{
    char *line = line_of(object);
    if (line)
        text_append(text, "%s\n", line);
    bool ok = line != NULL;
    free(line);
    return ok;
}

static json_t *end_to_json(const struct registration_end *end)
{
    return json_pack("{s:s, s:s, s:s, s:o*}", "record", "end", "registration", end->registration, "chip", end->chip,
                     "duration_ns", end->duration_ns ? json_integer((json_int_t)end->duration_ns) : NULL);
}

static bool append_finished(struct text *text, const struct report_kernel *kernel)
{
    size_t n;
    const struct verdict *const *verdicts = history_verdicts(kernel, &n);
    for (size_t i = 0; i < n; i++)
        if (!append_line(text, verdict_to_json(verdicts[i])))
            return false;
    const struct registration_end end = {kernel->registration, kernel->chip, kernel->duration_ns, true};
    return n == 0 || append_line(text, end_to_json(&end));
}

bool log_reopen(struct run_log *log, const char *path, const struct log_environment *environment,
                const struct run_history *history, struct error *error)
{
    struct text text = {0};
    bool ok = append_line(&text, log_environment_to_json(environment));
    for (size_t i = 0; i < history->report.n_kernels && ok; i++)
        ok = append_finished(&text, &history->report.kernels[i]);
    ok = ok && !text.failed;
    if (!ok)
        error_set(error, STATUS_ENVIRONMENT, "out of host memory for the log");
    ok = ok && file_write(path, text.data, text.length, error) && start(log, path, "ae", error);
    text_free(&text);
    log->has_replayed = true;
    return ok;
}

static void write_verdict(void *context, const struct verdict *verdict)
{
    struct run_log *log = context;
    if (!log->has_replayed || !verdict->replayed)
        write_line(log, verdict_to_json(verdict));
}

static void write_end(void *context, const struct registration_end *end)
{
    struct run_log *log = context;
    if (!log->has_replayed || !end->replayed)
        write_line(log, end_to_json(end));
}

static void write_outputs(void *context, const struct case_outputs *outputs)
{
    write_line(context, outputs_to_json(outputs));
}

struct verdict_sink log_sink(struct run_log *log)
{
    return (struct verdict_sink){.verdict = write_verdict,
                                 .registration_end = write_end,
                                 .outputs = log->with_outputs ? write_outputs : NULL,
                                 .context = log};
}

void log_summary(struct run_log *log, const struct counts *counts, enum status status, bool interrupted)
{
    json_t *chips = json_array();
    for (size_t i = 0; i < counts->n_chips; i++)
        json_array_append_new(chips, counts_to_json(&counts->chips[i]));
    write_line(log, json_pack("{s:s, s:i, s:b, s:o}", "record", "summary", "exit", (int)status, "interrupted", interrupted,
                              "chips", chips));
}

bool log_close(struct run_log *log, struct error *error)
{
    if (log->file && fclose(log->file) != 0)
        keep_error(log, strerror(errno));
    log->file = NULL;
    if (log->failed && error)
        *error = log->error;
    return !log->failed;
}
