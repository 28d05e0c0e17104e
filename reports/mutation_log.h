/*
 * The log of `hipcontract mutate`, JSON Lines: what was asked for, each mutant, the score of each registration, and the
 * whole (docs/mutation.md).
 */
#ifndef REPORTS_MUTATION_LOG_H
#define REPORTS_MUTATION_LOG_H

#include <stdio.h>

#include "mutation/score.h"

struct mutation_log {
    FILE *file; /* NULL: none is written */
    const char *path;
    bool failed;
};

/* What the first line says. */
struct mutation_log_head {
    const char *version, *compiler, *scope;
    uint64_t seed;
    size_t sample;
    int n_seeds, n_runs;
};

/* Errors: STATUS_USAGE, "PATH: reason". */
bool mutation_log_open(struct mutation_log *log, const char *path, const struct mutation_log_head *head,
                       struct error *error);
/* Each line is flushed as it is written. */
void mutation_log_score(struct mutation_log *log, const struct mutation_score *score);
/* The last line, and the end of the file. False where a line could not be written: STATUS_USAGE. */
bool mutation_log_close(struct mutation_log *log, const struct mutation_tally *all, enum status status,
                        struct error *error);

#endif
