#include "commands/recorder.h"

#include <stdio.h>
#include <string.h>

#include "contract/base/clock.h"
#include "contract/base/file.h"
#include "reports/history.h"

static bool give_up(struct recorder *recorder, struct error *error)
{
    history_close(recorder->history);
    recorder->history = NULL;
    if (recorder->is_asked_for)
        return false;
    fflush(stdout);
    fprintf(stderr, "hipcontract %s: not recorded: %s\n", recorder->command, error->text);
    *error = (struct error){0};
    return true;
}

/* The default path, in folders that are there. */
static bool prepare_default(char path[HISTORY_PATH_BYTES], struct error *error)
{
    char folder[HISTORY_PATH_BYTES];
    if (!history_default_path(path, error))
        return false;
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    return file_make_directories(folder, error);
}

bool recorder_open(struct recorder *recorder, const struct arguments *arguments, const struct log_environment *environment,
                   struct verdict_stream *stream, struct error *error)
{
    char path[HISTORY_PATH_BYTES];
    *recorder = (struct recorder){.command = arguments->command, .is_asked_for = arguments->db != NULL};
    if (arguments->no_db)
        return true;
    if (arguments->db || prepare_default(path, error))
        recorder->history = history_open(arguments->db ? arguments->db : path, HISTORY_RECORD, error);
    if (!recorder->history || !history_begin(recorder->history, environment, error))
        return give_up(recorder, error);
    stream_add(stream, history_sink(recorder->history));
    recorder->start_ns = clock_ns();
    return true;
}

bool recorder_close(struct recorder *recorder, enum status status, struct error *error)
{
    if (!recorder->history)
        return true;
    if (!history_finish(recorder->history, status, clock_ns() - recorder->start_ns, error))
        return give_up(recorder, error);
    history_close(recorder->history);
    recorder->history = NULL;
    return true;
}

/* The time of all shards together. */
static uint64_t duration_of(const struct report *report)
{
    uint64_t duration_ns = 0;
    for (size_t i = 0; i < report->counts.n_chips; i++)
        duration_ns += report->counts.chips[i].gates_ns + report->counts.chips[i].limits_ns;
    return duration_ns;
}

bool recorder_take_report(const struct arguments *arguments, const struct report *report, struct error *error)
{
    if (!arguments->db)
        return true;
    struct log_environment environment = report->environment;
    if (report->n_logs > 1)
        environment.shard = environment.n_shards = 0;
    struct history *history = history_open(arguments->db, HISTORY_RECORD, error);
    bool ok = history && history_begin(history, &environment, error);
    if (ok) {
        report_replay(report, history_sink_at_once(history));
        ok = history_finish(history, report->status, duration_of(report), error);
    }
    history_close(history);
    return ok;
}
