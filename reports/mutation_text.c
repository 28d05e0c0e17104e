#include "reports/mutation_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ", name N" for what is not 0. */
static void append_count(struct text *text, bool *any, const char *name, size_t n)
{
    if (!n)
        return;
    text_append(text, "%s%s %zu", *any ? ", " : " (", name, n);
    *any = true;
}

void mutation_text_tally(const struct mutation_tally *tally, struct text *text)
{
    bool any = false;
    text_append(text, "%zu killed", mutation_killed(tally));
    for (int gate = GATE_BYTES; gate < GATE_LIMITS; gate++) {
        char name[24];
        snprintf(name, sizeof name, "gate %d", gate);
        append_count(text, &any, name, tally->n_gate[gate]);
    }
    for (int i = TRIAL_SANITIZER; i < TRIAL_EQUIVALENT; i++)
        append_count(text, &any, trial_outcome_name((enum trial_outcome)i), tally->n[i]);
    text_append(text, "%s, %zu survived, %zu equivalent", any ? ")" : "", tally->n[TRIAL_SURVIVED],
                tally->n[TRIAL_EQUIVALENT]);
    if (tally->n[TRIAL_UNSUPPORTED])
        text_append(text, ", %zu unsupported", tally->n[TRIAL_UNSUPPORTED]);
    if (tally->n[TRIAL_UNTRIED])
        text_append(text, ", %zu not tried", tally->n[TRIAL_UNTRIED]);
}

static void append_percent(const struct mutation_tally *tally, struct text *text)
{
    double percent = mutation_percent(tally);
    if (isnan(percent))
        text_append(text, "no score");
    else
        text_append(text, "%.1f %%", percent);
}

void mutation_text_advice(const struct mutant *mutant, const struct trial_result *result, struct text *text)
{
    if (result->n_cases_differ)
        text_append(text, "%zu of %zu cases differ, most at %s %s: %" PRId64 " outputs, by %.3g of the bound",
                    result->n_cases_differ, result->n_cases, result->moved_shape, result->moved_pattern, result->n_differ,
                    result->moved);
    else
        text_append(text, "no case differs");
    if (result->seed_gate)
        text_append(text, "; seed %" PRIu64 " would catch it: gate %d is red at %s %s", result->seed, result->seed_gate,
                    result->seed_shape, result->seed_pattern);
    else if (result->seed && !result->n_cases_differ)
        text_append(text, "; seed %" PRIu64 " differs at %s %s, within the bound", result->seed, result->seed_shape,
                    result->seed_pattern);
    text_append(text, "; would catch it: %s%s", mutation_operator_advice(mutant->op),
                result->n_cases_differ ? ", or expected bytes" : "");
}

static void append_mutant(const char *word, const struct mutation_score *score, size_t i, struct text *text)
{
    const struct mutant *m = &score->list->mutants[i];
    text_append(text, "%s %s %s  %s+0x%" PRIx64, word, score->chip, score->registration, m->kernel, m->offset_bytes);
    if (*m->file)
        text_append(text, " (%s:%" PRIu32 ")", m->file, m->line);
    text_append(text, " %s: %s → %s", mutation_operator_name(m->op), m->before, m->after);
}

/* Why a branch that is dropped may leave no trace. */
static void append_branch(const struct mutant *m, struct text *text)
{
    if (m->op != MUTATION_LOOP_ROUND)
        return;
    if (m->n_taken)
        text_append(text, "; the branch is taken %" PRIu64 " of %" PRIu64 " times", m->n_taken, m->n_executed);
    else
        text_append(text, "; the branch is never taken on these shapes");
}

static bool is_listed(enum trial_outcome outcome, bool with_equivalent)
{
    return outcome == TRIAL_SURVIVED || outcome == TRIAL_CRASH || outcome == TRIAL_UNSUPPORTED ||
           (outcome == TRIAL_EQUIVALENT && with_equivalent);
}

static void append_listed(const struct mutation_score *score, size_t i, struct text *text)
{
    static const char *const words[TRIAL_OUTCOME_COUNT] = {[TRIAL_SURVIVED] = "SURVIVED",
                                                           [TRIAL_CRASH] = "CRASH",
                                                           [TRIAL_UNSUPPORTED] = "UNSUPPORTED",
                                                           [TRIAL_EQUIVALENT] = "EQUIVALENT"};
    const struct trial_result *result = &score->results[i];
    append_mutant(words[result->outcome], score, i, text);
    append_branch(&score->list->mutants[i], text);
    text_append(text, "%s%s", *result->reason ? "; " : "", result->reason);
    if (result->outcome == TRIAL_SURVIVED) {
        text_append(text, "; ");
        mutation_text_advice(&score->list->mutants[i], result, text);
    }
    text_append(text, "\n");
}

void mutation_text_score(const struct mutation_score *score, bool with_equivalent, struct text *text)
{
    for (size_t i = 0; i < score->list->n; i++)
        if (is_listed(score->results[i].outcome, with_equivalent))
            append_listed(score, i, text);
    text_append(text, "SCORE %s %s  ", score->chip, score->registration);
    append_percent(&score->all, text);
    text_append(text, ": %zu mutants, ", score->list->n);
    mutation_text_tally(&score->all, text);
    text_append(text, "; %zu of %zu instructions executed, %zu edits of them; %zu steps", score->list->n_executed,
                score->list->n_instructions, score->list->n_edits, score->n_steps);
    if (score->n_left_out)
        text_append(text, " (%zu left out, which the kernel itself does not pass)", score->n_left_out);
    text_append(text, "; %" PRIu64 " ms\n", score->duration_ns / 1000000);
}
