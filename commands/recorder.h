/*
 * What records a run of contract or gates in the history, as it goes on or from its logs.
 *
 * The history that --db names has to take the run: that it cannot is the run's error. The default one is a convenience:
 * that it cannot is told in one line, and changes no status.
 */
#ifndef COMMANDS_RECORDER_H
#define COMMANDS_RECORDER_H

#include "commands/options.h"
#include "contract/verdict.h"
#include "reports/report.h"

struct history;

struct recorder {
    struct history *history; /* NULL: nothing is recorded */
    const char *command;
    bool is_asked_for; /* by --db */
    uint64_t start_ns;
};

/* Begins to record the stream, unless --no-db. Errors: STATUS_USAGE, the line of history_open or history_begin. */
bool recorder_open(struct recorder *recorder, const struct arguments *arguments, const struct log_environment *environment,
                   struct verdict_stream *stream, struct error *error);
/* Ends it with the run's status. Errors: STATUS_USAGE, what could not be recorded. */
bool recorder_close(struct recorder *recorder, enum status status, struct error *error);

/* Records a run that is over, in the history that --db names; nothing without --db. What it took is what its logs say.
 * Errors likewise. */
bool recorder_take_report(const struct arguments *arguments, const struct report *report, struct error *error);

#endif
