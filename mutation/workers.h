/*
 * Mutants side by side: the emulator is one a process, so each worker is a process of its own, forked from the one that
 * holds the subject. A worker that a mutant ends is replaced, and the mutant counts as killed.
 */
#ifndef MUTATION_WORKERS_H
#define MUTATION_WORKERS_H

#include "mutation/trial.h"

/* Tries all mutants of the list on so many processes; results[i] is the list's i-th. Where it is interrupted or a worker's
 * environment fails, false, and what was not tried is TRIAL_UNTRIED. */
bool workers_run(const struct subject *subject, const struct mutant_list *list, int n_workers, struct trial_result *results,
                 struct error *error);

#endif
