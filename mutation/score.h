/*
 * What the trials of a registration's mutants come to.
 */
#ifndef MUTATION_SCORE_H
#define MUTATION_SCORE_H

#include "mutation/trial.h"

struct mutation_tally {
    size_t n[TRIAL_OUTCOME_COUNT];
    size_t n_gate[GATE_LIMITS + 1]; /* of TRIAL_GATE, by gate */
};

struct mutation_score {
    const char *registration, *chip;
    const struct mutant_list *list;
    const struct trial_result *results; /* of the list's mutants */
    size_t n_steps, n_left_out;         /* of the contract: tried, and left out as the kernel itself does not pass them */
    struct mutation_tally all, by_operator[MUTATION_OPERATOR_COUNT];
    uint64_t duration_ns; /* never compared */
};

struct mutation_score mutation_score_make(const struct subject *subject, const struct mutant_list *list,
                                          const struct trial_result *results);
void mutation_tally_add(struct mutation_tally *to, const struct mutation_tally *more);
size_t mutation_killed(const struct mutation_tally *tally);
/* Killed, of those that are killed or survive, in percent; NAN where there are none. */
double mutation_percent(const struct mutation_tally *tally);

#endif
