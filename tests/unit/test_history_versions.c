/* Versions of the history: an older one is brought up to date, one that this program does not know is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "contract/base/file.h"
#include "contract/base/project.h"
#include "tests/support/history_runs.h"

static void versions_that_this_program_does_not_know_are_refused(void **state)
{
    static const struct {
        const char *change, *read, *record;
    } cases[] = {
        {"PRAGMA user_version = 1000", "of version 1000, and this program knows versions up to ",
         "use a newer hipcontract"},
        {"PRAGMA user_version = -16777213", "of version -16777213, which there never was: it is damaged",
         "begins a new one"},
        {"PRAGMA user_version = 0", "of version 0, which there never was: it is damaged", "begins a new one"},
    };
    const struct history_place *place = *state;
    history_record_run(place->path, &history_environment, 5);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        history_sql(place->path, cases[i].change);
        history_refused(place->path, HISTORY_READ, cases[i].read);
        history_refused(place->path, HISTORY_RECORD, cases[i].record);
    }
}

/* The history of version 1, as that version left it. */
static void make_version_1(const struct history_place *place)
{
    char path[4096], *statements = NULL;
    size_t n;
    struct error error;
    if (!project_path("tests/data/history_1.sql", path, sizeof path, &error) || !file_read(path, &statements, &n, &error))
        fail_msg("%s", error.text);
    history_sql(place->path, statements);
    free(statements);
}

static void an_older_version_is_brought_up_to_date_and_loses_nothing(void **state)
{
    const struct history_place *place = *state;
    struct history_key key = {.registration = "rms_norm_rows", .chip = "gfx1151", .device = "emulator", .scope = "quick"};
    make_version_1(place);
    assert_int_equal(history_ask_cost(place->path, &key), (819127770 + 713617237) / 2);
    struct history *history = history_begun(place->path, &history_environment);
    history_put_kernel(history, 14, VERDICT_PASS, "record current");
    history_record(history, "rms_norm_rows", 0.5, 1);
    history_finished(history, STATUS_OK);
    struct history_answer answer = history_ask(place->path, &history_all);
    assert_true(answer.n_rows == 3 && answer.n_runs == 3 && answer.rows[0].run.id == 3);
    assert_true(answer.rows[2].n_verdicts == 56 && answer.rows[2].duration_ns == 819127770);
    size_t n;
    assert_int_equal(history_ask_kernels(answer.history, &history_all, &answer.arena, &n)[0].figure[RECORD_vgprs], 14);
    assert_int_equal(n, 1);
    history_drop(&answer);
}

/* Two that find the old version at once: one takes the steps, the other finds them taken. */
static void runs_that_find_an_older_version_at_once_agree(void **state)
{
    const struct history_place *place = *state;
    make_version_1(place);
    history_write_at_once(place->path);
    struct history_answer answer = history_ask(place->path, &history_all);
    assert_int_equal(answer.n_runs, 2 + HISTORY_WRITERS);
    history_drop(&answer);
}

static void an_older_version_that_cannot_be_written_says_so(void **state)
{
    const struct history_place *place = *state;
    struct error error = {0};
    make_version_1(place);
    assert_null(history_open_unwritable(place, HISTORY_READ, &error));
    history_says(&error, "of version 1 and cannot be written; copy it to where it can be");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_HISTORY_PLACE(versions_that_this_program_does_not_know_are_refused),
        IN_HISTORY_PLACE(an_older_version_is_brought_up_to_date_and_loses_nothing),
        IN_HISTORY_PLACE(runs_that_find_an_older_version_at_once_agree),
        IN_HISTORY_PLACE(an_older_version_that_cannot_be_written_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
