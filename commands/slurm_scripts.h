/*
 * The two scripts that run the contract on a cluster of Slurm: a job array whose tasks are the shards, and a job that
 * merges their logs. Either can be submitted again, or run, by hand.
 */
#ifndef COMMANDS_SLURM_SCRIPTS_H
#define COMMANDS_SLURM_SCRIPTS_H

#include <stdbool.h>
#include <stddef.h>

#include "contract/base/text.h"

/* Strings are borrowed. Paths are absolute, and folder is one that a line of #SBATCH can hold. */
struct slurm_run {
    const char *program, *cwd;
    const char *folder; /* of scripts, logs and output */
    int n_shards;
    const char *n_cpus; /* of each shard, and its host threads; NULL: what sbatch gives */
    bool can_resume;    /* a shard that is started again goes on from its log */
    /* Further words of the command lines, each with a space before and quoted for a shell; NULL: none. */
    const char *shard_words, *merge_words;
    /* Options of sbatch, one a line. */
    const char *const *sbatch, *const *sbatch_shards;
    size_t n_sbatch, n_sbatch_shards;
};

/* Whether paths can be put there: no quote, no backslash, no control character. */
bool slurm_can_name(const char *folder);
void slurm_shards_script(const struct slurm_run *run, struct text *script);
void slurm_merge_script(const struct slurm_run *run, struct text *script);

#endif
