/*
 * The history: what runs decided, in one SQLite database that any number of runs add to, also at once.
 *
 * A run writes what it decided after each registration, in one transaction. What cannot be written then, because another
 * process holds the file or the disk is full, is kept and written with the next; history_finish says what could not be
 * written at all. A run that is killed leaves what it had written, and its row without an exit status.
 */
#ifndef REPORTS_HISTORY_H
#define REPORTS_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/base/arena.h"
#include "contract/base/error.h"
#include "contract/verdict.h"
#include "records/record_file.h"
#include "reports/log.h"

struct history; /* opaque; one thread at a time */

enum history_mode {
    HISTORY_READ,  /* of a file that is there; one that cannot be written will do */
    HISTORY_RECORD /* makes the file where there is none */
};

enum { HISTORY_PATH_BYTES = 400 };
/* $XDG_DATA_HOME/hipcontract/history.db, or that below ~/.local/share. Errors: STATUS_USAGE where neither is known. */
bool history_default_path(char path[HISTORY_PATH_BYTES], struct error *error);

/* NULL with STATUS_USAGE: no such file, not a history, damaged, held by another process for longer than the patience, of a
 * newer version, or not to be written. An older version's is brought up to date. */
struct history *history_open(const char *path, enum history_mode mode, struct error *error);
/* May be given NULL. */
void history_close(struct history *history);
/* How long each operation waits for other processes; 10 s from the start. */
void history_set_patience(struct history *history, int milliseconds);

/* Recording, of one run at a time. */
bool history_begin(struct history *history, const struct log_environment *environment, struct error *error);
struct verdict_sink history_sink(struct history *history);
/* For a run that is over: history_finish writes all of it, in one transaction. */
struct verdict_sink history_sink_at_once(struct history *history);
/* The run's exit status, how long it took, and all that is still to be written. Errors: "PATH: reason; what to do"; then
 * nothing of it is written, and it may be tried again. */
bool history_finish(struct history *history, enum status status, uint64_t duration_ns, struct error *error);

/* Which registrations' costs are comparable. Strings are borrowed. */
struct history_key {
    const char *registration, *chip;
    const char *device, *scope, *kernels; /* as the log's environment names them; kernels may be NULL */
    int n_shards;                         /* of the run that asks; 0: it is no shard */
    const char *commit;                   /* its, where it is one; may be NULL */
};
enum { HISTORY_COST_RUNS = 9 };
/* The median time of a registration on a chip, references, teeth and controls included, over the last HISTORY_COST_RUNS
 * runs of that device, scope and files of kernels that it took part in; 0 where there is none. Other
 * shards of the run that asks (as many, of the same commit) are left out: each of them has to be told the same, though
 * those before it were recorded. */
bool history_cost(struct history *history, const struct history_key *key, uint64_t *cost_ns, struct error *error);

/* One run. Strings live as long as the arena that they were read into; NULL: unknown. */
struct history_run {
    int64_t id;
    int64_t started_s;                                                 /* Unix time */
    int64_t duration_ns, exit;                                         /* -1: killed, or still running */
    int64_t shard, n_shards;                                           /* 0: the whole run */
    const char *commit, *toolchain, *device, *chips, *scope, *kernels; /* as in the log's environment */
    int64_t n_registrations, n_red, n_known, n_invalid;                /* registrations times chips */
    int64_t n_limit_problems;
    double worst_ratio; /* of gate 3, 0 where it judged nothing */
};

/* One registration on one chip in one run. Strings likewise. */
struct history_row {
    struct history_run run; /* without the counts */
    const char *registration, *chip;
    const char *code;                              /* of the code object that ran; NULL: none did */
    int64_t n_verdicts, n_red, n_known, n_invalid; /* of gates 1 to 4, teeth and controls */
    double worst_ratio;
    int64_t duration_ns;   /* -1: decided by the run that this one resumed */
    const char *first_red; /* "gate 3 at 64x512 (signed)"; NULL: nothing was */
};

/* What one kernel's machine code needed on one chip in one run; the run's strings and counts as in a row. */
struct history_kernel {
    struct history_run run; /* its toolchain compiled the kernel */
    const char *kernel, *chip;
    uint32_t figure[RECORD_FIGURE_COUNT]; /* RECORD_ABSENT: unknown */
    const char *problem;                  /* "record stale: vgprs 205 -> 211"; NULL: none */
};

/* What is asked for; NULL and 0: all. */
struct history_filter {
    const char *registration; /* a glob; of kernels: their names */
    const char *chips;        /* a comma list */
    int64_t n_last;           /* runs; of rows: runs of each registration on each chip */
};

/* Newest first. */
bool history_runs(struct history *history, const struct history_filter *filter, struct arena *arena,
                  struct history_run **runs, size_t *n_runs, struct error *error);
/* By registration, chip, device, scope and files of kernels; among those newest first. */
bool history_rows(struct history *history, const struct history_filter *filter, struct arena *arena,
                  struct history_row **rows, size_t *n_rows, struct error *error);
/* By kernel, chip, toolchain and files of kernels; among those newest first. */
bool history_kernels(struct history *history, const struct history_filter *filter, struct arena *arena,
                     struct history_kernel **kernels, size_t *n_kernels, struct error *error);

#endif
