#include "mutation/score.h"

#include <math.h>

static void count(struct mutation_tally *tally, const struct trial_result *result)
{
    tally->n[result->outcome]++;
    if (result->outcome == TRIAL_GATE)
        tally->n_gate[result->gate]++;
}

struct mutation_score mutation_score_make(const struct subject *subject, const struct mutant_list *list,
                                          const struct trial_result *results)
{
    struct mutation_score score = {.registration = subject->registration->name,
                                   .chip = subject->chip,
                                   .list = list,
                                   .results = results,
                                   .n_steps = subject->n_steps,
                                   .n_left_out = subject->n_left_out};
    for (size_t i = 0; i < list->n; i++) {
        count(&score.all, &results[i]);
        count(&score.by_operator[list->mutants[i].op], &results[i]);
    }
    return score;
}

void mutation_tally_add(struct mutation_tally *to, const struct mutation_tally *more)
{
    for (int i = 0; i < TRIAL_OUTCOME_COUNT; i++)
        to->n[i] += more->n[i];
    for (int i = 0; i <= GATE_LIMITS; i++)
        to->n_gate[i] += more->n_gate[i];
}

size_t mutation_killed(const struct mutation_tally *tally)
{
    size_t n = 0;
    for (int i = 0; i < TRIAL_OUTCOME_COUNT; i++)
        n += trial_outcome_kills((enum trial_outcome)i) ? tally->n[i] : 0;
    return n;
}

double mutation_percent(const struct mutation_tally *tally)
{
    size_t killed = mutation_killed(tally), judged = killed + tally->n[TRIAL_SURVIVED];
    return judged ? 100 * (double)killed / (double)judged : NAN;
}
