/*
 * The run log, JSON Lines: the environment, then each verdict as it is decided, `end` after each registration, and the
 * summary last. Every line is flushed as it is written. A log that cannot be written costs no verdict: the error is kept,
 * and the run goes on.
 */
#ifndef REPORTS_LOG_H
#define REPORTS_LOG_H

#include <stdio.h>

#include "contract/base/arena.h"
#include "contract/base/error.h"
#include "contract/counts.h"
#include "contract/verdict.h"
#include "reports/log_environment.h"
#include "reports/report.h"

struct run_log {
    FILE *file;
    char path[500];
    bool failed;
    bool with_outputs;  /* the hashes of outputs and what was executed are written too */
    bool has_replayed;  /* what is replayed stands in the file already */
    struct error error; /* the first write that failed */
};

/* An earlier log, of which the finished registrations count. */
struct run_history {
    struct report report;
};

/* Opens a new log and writes the environment. Errors: STATUS_USAGE, "PATH: reason". */
bool log_open(struct run_log *log, const char *path, const struct log_environment *environment, struct error *error);
/* Writes the environment and the verdicts of finished registrations to a new file that takes path's place, then goes on
 * after them. */
bool log_reopen(struct run_log *log, const char *path, const struct log_environment *environment,
                const struct run_history *history, struct error *error);
struct verdict_sink log_sink(struct run_log *log);
/* The last line. interrupted is set where the run was. */
void log_summary(struct run_log *log, const struct counts *counts, enum status status, bool interrupted);
/* Closes; false with the first error of all writes. */
bool log_close(struct run_log *log, struct error *error);

/* Reads a log. One that was made with another seed, number of runs, scope, device, choice of checks, number of devices,
 * list of --kernels, matrix model or shard cannot be resumed: STATUS_USAGE, and the line says so; further errors are those
 * of report_add_log. Release with history_free in either case. */
bool history_read(const char *path, const struct log_environment *environment, struct run_history *history,
                  struct error *error);
struct decided history_decided(const struct run_history *history);
/* The verdicts of a finished registration without its limits, which are never taken over: NULL and none of another row. */
const struct verdict *const *history_verdicts(const struct report_kernel *kernel, size_t *n_verdicts);
void history_free(struct run_history *history);

#endif
