/*
 * Faults of the harness: who notices one, what a run without one must look like, and that no run with one is taken for a
 * pass. That each is noticed on real code is tests/end_to_end/selftest.sh.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "commands/contract_run.h"
#include "contract/harness_fault.h"
#include "contract/selftest.h"

enum { MOST = 16 };

static struct verdict verdict(const char *registration, enum verdict_subject subject, int gate, enum verdict_status status)
{
    struct verdict v = {.subject = subject, .gate = gate, .status = status, .shape = "6x65", .pattern = "signed"};
    snprintf(v.registration, sizeof v.registration, "%s", registration);
    return v;
}

/* Every probe stands out as it must, beside gates that pass. Status 2 is that of the invalid ones. */
static struct selftest_run sound_run(struct verdict verdicts[MOST])
{
    size_t n = 0;
    verdicts[n++] = verdict("selftest_sums", SUBJECT_GATE, GATE_BYTES, VERDICT_PASS);
    verdicts[n++] = verdict("selftest_sums", SUBJECT_GATE, GATE_BOUND, VERDICT_PASS);
    verdicts[n++] = verdict("selftest_sums", SUBJECT_CONTROL, GATE_BOUND, VERDICT_MISS);
    verdicts[n++] = verdict("selftest_sums", SUBJECT_CONTROL, GATE_EXACT, VERDICT_RED);
    verdicts[n++] = verdict("selftest_reference", SUBJECT_GATE, GATE_BOUND, VERDICT_INVALID);
    verdicts[n++] = verdict("selftest_premise", SUBJECT_GATE, GATE_EXACT, VERDICT_INVALID);
    verdicts[n++] = verdict("selftest_depth", SUBJECT_GATE, GATE_BOUND, VERDICT_FAIL);
    verdicts[n++] = verdict("selftest_expired", SUBJECT_GATE, GATE_BOUND, VERDICT_EXPIRED);
    verdicts[n++] = verdict("selftest_twin", SUBJECT_GATE, GATE_BOUND, VERDICT_FAIL);
    verdicts[n++] = verdict("selftest_blind", SUBJECT_TOOTH, 0, VERDICT_BLIND);
    verdicts[n++] = verdict("selftest_blind", SUBJECT_GATE, GATE_EXACT, VERDICT_FAIL);
    snprintf(verdicts[2].name, sizeof verdicts[2].name, "no_fault");
    for (int i = 0; i < 2; i++) {
        verdicts[n] = verdict("selftest_sums", SUBJECT_CONTROL, GATE_BOUND, VERDICT_MISS);
        snprintf(verdicts[n].name, sizeof verdicts[n].name, "%s", i ? "elsewhere" : "too_weak");
        n++;
    }
    verdicts[0].output = (struct hash128){1, 2};
    return (struct selftest_run){.verdicts = verdicts, .n = n, .exit_status = STATUS_USAGE};
}

static void assert_noticed(const struct selftest_run *sound, const struct selftest_run *run, size_t n, const char *says)
{
    char by[VERDICT_REASON_BYTES] = "";
    assert_int_equal(selftest_noticed(sound, run, by, sizeof by), n);
    if (!strstr(by, says))
        fail_msg("'%s' does not say '%s'", by, says);
}

static void a_run_like_the_sound_one_is_noticed_by_nobody(void **state)
{
    (void)state;
    struct verdict verdicts[MOST];
    struct selftest_run sound = sound_run(verdicts);
    struct error error = {0};
    if (!selftest_is_sound(&sound, &error))
        fail_msg("%s", error.text);
    assert_noticed(&sound, &sound, 0, "");
}

static void another_status_is_noticed(void **state)
{
    (void)state;
    struct verdict verdicts[MOST], changed[MOST];
    struct selftest_run sound = sound_run(verdicts), run = sound_run(changed);
    changed[3].status = VERDICT_MISS;
    assert_noticed(&sound, &run, 1, "selftest_sums, gate 4, 6x65 (signed) is miss, not red");
}

static void verdicts_that_are_missing_or_more_are_noticed(void **state)
{
    (void)state;
    struct verdict verdicts[MOST], fewer[MOST];
    struct selftest_run sound = sound_run(verdicts), run = sound_run(fewer);
    run.n--;
    assert_noticed(&sound, &run, 1, "selftest_sums, control elsewhere, gate 3, 6x65 (signed) is missing, not miss");
    assert_noticed(&run, &sound, 1, "selftest_sums, control elsewhere, gate 3, 6x65 (signed) is miss");
}

/* Of two verdicts on one place the first is compared with the first. */
static void verdicts_of_one_place_are_told_apart(void **state)
{
    (void)state;
    struct verdict verdicts[MOST], changed[MOST];
    struct selftest_run sound = sound_run(verdicts), run = sound_run(changed);
    verdicts[sound.n++] = verdict("selftest_reference", SUBJECT_GATE, GATE_BOUND, VERDICT_PASS);
    changed[run.n++] = verdict("selftest_reference", SUBJECT_GATE, GATE_BOUND, VERDICT_PASS);
    assert_noticed(&sound, &run, 0, "");
    changed[4].status = VERDICT_PASS;
    assert_noticed(&sound, &run, 1, "selftest_reference, gate 3, 6x65 (signed) is pass, not invalid");
}

static void an_end_that_its_verdicts_do_not_ask_for_is_noticed(void **state)
{
    (void)state;
    struct verdict verdicts[MOST];
    struct selftest_run sound = sound_run(verdicts), run = sound;
    run.exit_status = STATUS_OK;
    assert_noticed(&sound, &run, 1, "the exit status of the run is 0, not 2 as its verdicts ask");
    run.exit_status = -1;
    run.signal = 11;
    assert_noticed(&sound, &run, 1, "the exit status of the run is a signal, 11");
}

static void one_hash_of_two_cases_is_noticed(void **state)
{
    (void)state;
    struct verdict verdicts[MOST], changed[MOST];
    struct selftest_run sound = sound_run(verdicts), run = sound_run(changed);
    for (int i = 0; i < 2; i++) {
        struct verdict other = verdict("selftest_sums", SUBJECT_GATE, GATE_BYTES, VERDICT_PASS);
        snprintf(other.pattern, sizeof other.pattern, "exact");
        other.output = (struct hash128){i == 0 ? 3 : 1, 2};
        (i == 0 ? verdicts : changed)[sound.n] = other;
    }
    sound.n++, run.n++;
    assert_noticed(&sound, &sound, 0, "");
    assert_noticed(&sound, &run, 1, "selftest_sums, gate 1, 6x65 (exact) is hashed as the outputs of another");
}

static void assert_unsound(const struct selftest_run *run, const char *says)
{
    struct error error = {0};
    assert_false(selftest_is_sound(run, &error));
    assert_int_equal(error.status, STATUS_RED);
    if (!strstr(error.text, says))
        fail_msg("'%s' does not say '%s'", error.text, says);
}

static void a_run_without_a_fault_must_be_as_the_probes_ask(void **state)
{
    (void)state;
    struct verdict verdicts[MOST];
    struct selftest_run run = sound_run(verdicts);
    verdicts[8].status = VERDICT_PASS;
    assert_unsound(&run, "without a fault no verdict on selftest_twin is fail");
    run = sound_run(verdicts);
    verdicts[3].status = VERDICT_MISS;
    assert_unsound(&run, "without a fault selftest_sums, gate 4, 6x65 (signed) is miss");
    run = sound_run(verdicts);
    run.exit_status = STATUS_RED;
    assert_unsound(&run, "without a fault the exit status of the run is 1, not 2");
}

/* A run of a kernel that the chip does not have: no verdict is red. */
static int end_of_gates(enum harness_fault fault, char *out, size_t capacity)
{
    FILE *file = tmpfile();
    int how;
    assert_non_null(file);
    pid_t pid = fork();
    if (pid == 0) {
        char *argv[] = {"gates", "--only", "hgemm_bf16_fp32c_mfma", "--chip", "gfx1151", "--no-db", NULL};
        harness_fault_plant(fault);
        dup2(fileno(file), STDOUT_FILENO);
        int status = contract_run(6, argv, false, "");
        fflush(stdout);
        _exit(status);
    }
    assert_int_equal(waitpid(pid, &how, 0), pid);
    rewind(file);
    out[fread(out, 1, capacity - 1, file)] = '\0';
    fclose(file);
    return WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}

static void a_run_with_a_fault_says_so_and_is_no_pass(void **state)
{
    (void)state;
    char out[4096];
    assert_int_equal(end_of_gates(HARNESS_SOUND, out, sizeof out), STATUS_OK);
    assert_null(strstr(out, "FAULT"));
    assert_int_equal(end_of_gates(HARNESS_GUARDS_UNSEEN, out, sizeof out), STATUS_RED);
    char *end = strchr(out, '\n');
    assert_non_null(end);
    *end = '\0';
    assert_non_null(strstr(out, ", WITH A FAULT OF THE HARNESS: guards are not looked at"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_like_the_sound_one_is_noticed_by_nobody),
        cmocka_unit_test(another_status_is_noticed),
        cmocka_unit_test(verdicts_that_are_missing_or_more_are_noticed),
        cmocka_unit_test(verdicts_of_one_place_are_told_apart),
        cmocka_unit_test(an_end_that_its_verdicts_do_not_ask_for_is_noticed),
        cmocka_unit_test(one_hash_of_two_cases_is_noticed),
        cmocka_unit_test(a_run_without_a_fault_must_be_as_the_probes_ask),
        cmocka_unit_test(a_run_with_a_fault_says_so_and_is_no_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
