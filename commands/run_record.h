/*
 * What `run --keep-outputs DIR` writes: the outputs of its cases, and the log that stands with them.
 */
#ifndef COMMANDS_RUN_RECORD_H
#define COMMANDS_RUN_RECORD_H

#include "commands/session.h"
#include "contract/counts.h"
#include "reports/kept_outputs.h"
#include "reports/log.h"

struct run_record {
    bool is_open; /* else outputs are not kept, and nothing is written */
    struct verdict_stream stream;
    struct counts counts;
    struct run_log log;
    struct kept_outputs kept;
};

/* Opens folder and log, where the arguments name a folder; the stream has no sinks else. Errors: STATUS_USAGE, "PATH:
 * reason". */
bool run_record_open(struct run_record *record, struct session *session, const struct log_environment *environment,
                     struct error *error);
/* Ends the registration and the log, with the exit status so far. False with the first error of all writes. */
bool run_record_close(struct run_record *record, const char *registration, const char *chip, enum status status,
                      struct error *error);

#endif
