/*
 * The lines that `hipcontract mutate` prints.
 */
#ifndef REPORTS_MUTATION_TEXT_H
#define REPORTS_MUTATION_TEXT_H

#include "contract/base/text.h"
#include "mutation/score.h"

/* SCORE of a registration, and a line for each mutant that survives, crashes or is unsupported; for each equivalent one too
 * where they are wanted. */
void mutation_text_score(const struct mutation_score *score, bool with_equivalent, struct text *text);
/* What would catch a survivor, from where it differs. */
void mutation_text_advice(const struct mutant *mutant, const struct trial_result *result, struct text *text);
/* "91 killed (gate 1 12, …), 3 equivalent, 2 survived" */
void mutation_text_tally(const struct mutation_tally *tally, struct text *text);

#endif
