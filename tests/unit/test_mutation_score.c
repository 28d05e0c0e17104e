/*
 * What verdicts make of a mutant, and what is printed and counted of them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "mutation/score.h"
#include "reports/mutation_text.h"

static void a_verdict_says_what_killed_a_mutant(void **state)
{
    static const struct {
        enum verdict_status status;
        int finding; /* -1: none */
        bool has_launcher;
        enum trial_outcome outcome;
    } cases[] = {
        {VERDICT_FAIL, -1, false, TRIAL_GATE},
        {VERDICT_FAIL, FINDING_INIT, false, TRIAL_SANITIZER},
        {VERDICT_FAIL, FINDING_RACE, true, TRIAL_SANITIZER},
        {VERDICT_FAIL, FINDING_SYNC, false, TRIAL_SANITIZER},
        {VERDICT_FAIL, FINDING_WAIT, false, TRIAL_SANITIZER},
        {VERDICT_FAIL, FINDING_MEM, false, TRIAL_FAULT},
        {VERDICT_LAUNCH_FAILED, FINDING_TRAP, false, TRIAL_FAULT},
        {VERDICT_LAUNCH_FAILED, FINDING_WATCHDOG, true, TRIAL_HANG},
        {VERDICT_LAUNCH_FAILED, FINDING_UNSUPPORTED, false, TRIAL_UNSUPPORTED},
        {VERDICT_LAUNCH_FAILED, -1, true, TRIAL_REFUSED},
        {VERDICT_LAUNCH_FAILED, -1, false, TRIAL_UNTRIED}, /* no memory, and the like */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct verdict v = {.status = cases[i].status, .has_finding = cases[i].finding >= 0};
        v.finding.kind = v.has_finding ? (enum finding_kind)cases[i].finding : FINDING_MEM;
        if (trial_outcome_of(&v, cases[i].has_launcher) != cases[i].outcome)
            fail_msg("row %zu is %s", i, trial_outcome_name(trial_outcome_of(&v, cases[i].has_launcher)));
    }
}

/* The score counts what a contract noticed, of what it could: neither equivalent mutants nor those that are not run. */
static void a_score_is_of_killed_and_survived(void **state)
{
    struct mutation_tally tally = {.n = {[TRIAL_GATE] = 2,
                                         [TRIAL_HANG] = 1,
                                         [TRIAL_SURVIVED] = 1,
                                         [TRIAL_EQUIVALENT] = 5,
                                         [TRIAL_UNSUPPORTED] = 7,
                                         [TRIAL_UNTRIED] = 3}};
    struct mutation_tally none = {.n = {[TRIAL_EQUIVALENT] = 5}};
    (void)state;
    assert_int_equal(mutation_killed(&tally), 3);
    assert_true(mutation_percent(&tally) == 75);
    assert_true(isnan(mutation_percent(&none)));
}

static struct text print(struct mutant mutant, struct trial_result result, bool with_equivalent)
{
    struct text text = {0};
    struct mutant_list list = {.mutants = &mutant, .n = 1};
    struct subject subject = {.registration = &(struct registration){.name = "kernel"}, .chip = "gfx1151"};
    struct mutation_score score = mutation_score_make(&subject, &list, &result);
    mutation_text_score(&score, with_equivalent, &text);
    return text;
}

static void says(struct mutant mutant, struct trial_result result, bool with_equivalent, const char *line)
{
    struct text text = print(mutant, result, with_equivalent);
    if (!text.data || !strstr(text.data, line))
        fail_msg("\"%s\" is not in: %s", line, text.data ? text.data : "");
    text_free(&text);
}

static void a_branch_that_is_dropped_says_how_often_it_was_taken(void **state)
{
    struct mutant m = {
        .op = MUTATION_LOOP_ROUND, .kernel = "k", .before = "s_cbranch_scc1 65000", .after = "s_nop 0", .n_executed = 40};
    struct trial_result equivalent = {.outcome = TRIAL_EQUIVALENT};
    (void)state;
    says(m, equivalent, true,
         "EQUIVALENT gfx1151 kernel  k+0x0 loop-round: s_cbranch_scc1 65000 → s_nop 0; the branch is never taken on these "
         "shapes\n");
    m.n_taken = 39;
    says(m, equivalent, true, "→ s_nop 0; the branch is taken 39 of 40 times\n");
    m.op = MUTATION_WAIT;
    says(m, equivalent, true, "wait: s_cbranch_scc1 65000 → s_nop 0\n");
    struct text text = print(m, equivalent, false);
    assert_null(strstr(text.data, "EQUIVALENT"));
    text_free(&text);
}

static void what_the_emulator_lacks_is_named_and_counted_apart(void **state)
{
    struct mutant m = {.op = MUTATION_IMMEDIATE, .kernel = "k", .before = "a", .after = "b"};
    struct trial_result result = {.outcome = TRIAL_UNSUPPORTED, .reason = "no such register"};
    (void)state;
    says(m, result, false, "UNSUPPORTED gfx1151 kernel  k+0x0 immediate: a → b; no such register\n");
    says(m, result, false, "no score: 1 mutants, 0 killed, 0 survived, 0 equivalent, 1 unsupported; ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_verdict_says_what_killed_a_mutant),
        cmocka_unit_test(a_score_is_of_killed_and_survived),
        cmocka_unit_test(a_branch_that_is_dropped_says_how_often_it_was_taken),
        cmocka_unit_test(what_the_emulator_lacks_is_named_and_counted_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
