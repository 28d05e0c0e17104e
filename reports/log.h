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

enum { LOG_FORMAT = 1 };

/* What every log starts with. Strings are borrowed. */
struct log_environment {
    const char *version, *commit, *toolchain, *compiler, *device, *chips;
    const char *scope;                 /* "quick", "default" or "full" */
    const char *checks, *matrix_model; /* of the emulator, "mem init …" or "none", "chip" or "ieee"; NULL elsewhere */
    uint64_t seed;
    int n_runs;
    int n_devices;       /* as asked for; 0: as launchers want */
    const char *kernels; /* files of --kernels, a comma list; NULL: the program's own */
};

struct run_log {
    FILE *file;
    char path[500];
    bool failed;
    bool has_replayed;  /* what is replayed stands in the file already */
    struct error error; /* the first write that failed */
};

/* Opens a new log and writes the environment. Errors: STATUS_USAGE, "PATH: reason". */
bool log_open(struct run_log *log, const char *path, const struct log_environment *environment, struct error *error);
/* Writes the environment and the verdicts of finished registrations to a new file that takes path's place, then goes on
 * after them. */
struct run_history;
bool log_reopen(struct run_log *log, const char *path, const struct log_environment *environment,
                const struct run_history *history, struct error *error);
struct verdict_sink log_sink(struct run_log *log);
/* The last line. interrupted is set where the run was. */
void log_summary(struct run_log *log, const struct counts *counts, enum status status, bool interrupted);
/* Closes; false with the first error of all writes. */
bool log_close(struct run_log *log, struct error *error);

/* The finished registrations of an earlier log. */
struct finished {
    const char *registration, *chip;
    const struct verdict *verdicts;
    size_t n_verdicts;
    uint64_t duration_ns; /* 0: the log does not say */
};

struct run_history {
    struct finished *finished;
    size_t n_finished;
    struct arena arena;
};

/* Reads a log. One that was made with another format, seed, number of runs, scope, device, choice of checks, number of
 * devices, list of --kernels or matrix model cannot be resumed: STATUS_USAGE, and the line says so; as do lines that are
 * not JSON, except for a last line that was cut short. Release with history_free. */
bool history_read(const char *path, const struct log_environment *environment, struct run_history *history,
                  struct error *error);
struct decided history_decided(const struct run_history *history);
void history_free(struct run_history *history);

#endif
