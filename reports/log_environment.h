/*
 * What a run is of: the first line of its log (docs/log-format.md), by one table of fields that gives writing, reading and
 * which of them two runs must have alike.
 */
#ifndef REPORTS_LOG_ENVIRONMENT_H
#define REPORTS_LOG_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "contract/base/arena.h"
#include "contract/base/error.h"

enum { LOG_FORMAT = 1 };

/* Strings are borrowed, or the arena's that they were read into; NULL where the log does not say. */
struct log_environment {
    const char *version, *commit, *toolchain, *compiler, *device, *chips;
    const char *records;               /* files that the commit touches, a comma list, "" none; NULL: not known */
    const char *scope;                 /* "quick", "default" or "full" */
    const char *checks, *matrix_model; /* of the emulator, "mem init …" or "none", "chip" or "ieee"; NULL elsewhere */
    uint64_t seed;
    int n_runs;
    int n_devices;             /* as asked for; 0: as launchers want */
    const char *kernels;       /* files of --kernels, a comma list; NULL: the program's own */
    const char *command;       /* "contract", "gates" */
    const char *only;          /* globs of --only, a comma list; NULL: all registrations */
    int shard, n_shards;       /* --shard; 0: not sharded */
    const char *split;         /* of the shards: "estimate" or "history", what the costs were taken from, and a hash */
    const char *registrations; /* of the shard, a comma list, may be empty; NULL: not sharded */
    const char *outputs;       /* folder of --keep-outputs; NULL: they were not kept */
};

/* What the two are compared for, as bits. */
enum log_use {
    LOG_TO_RESUME = 1, /* a later run takes over verdicts of the earlier one */
    LOG_TO_MERGE = 2,  /* two logs are parts of one run */
    LOG_TO_COMPARE = 4 /* their outputs are compared */
};

/* A new reference; NULL when out of host memory. */
json_t *log_environment_to_json(const struct log_environment *environment);
/* Strings are copied into the arena. Errors, without the file's name: STATUS_USAGE for another format or a field of a wrong
 * type, STATUS_ENVIRONMENT out of host memory. */
bool log_environment_from_json(const json_t *object, struct arena *arena, struct log_environment *environment,
                               struct error *error);
/* A copy whose strings are the arena's; false out of host memory. */
bool log_environment_copy(const struct log_environment *environment, struct arena *arena, struct log_environment *copy);
/* What the two must have alike for the use and have not, as words ("number of runs"); NULL: nothing. */
const char *log_environment_difference(const struct log_environment *a, const struct log_environment *b, enum log_use use);

#endif
