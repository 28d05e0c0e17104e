/* The history: what runs record can be asked for; files that are no history give one clear line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/base/file.h"
#include "reports/history_table.h"
#include "tests/support/history_runs.h"

/* One that was skipped; two registrations, of which one is red twice; a limit problem; one that did not end. */
static void record_red_run(const char *path)
{
    struct history *history = history_begun(path, &history_environment);
    struct verdict v = history_bound_verdict("skipped", VERDICT_NOT_RUN, 0);
    history_put(history, &v);
    history_record(history, "a", 0.25, 1000);
    v = history_bound_verdict("b", VERDICT_PASS, 0.75);
    history_put(history, &v);
    v = history_bound_verdict("b", VERDICT_FAIL, (double)INFINITY);
    snprintf(v.reason, sizeof v.reason, "output 3 is infinite");
    history_put(history, &v);
    v = (struct verdict){.subject = SUBJECT_CONTROL,
                         .status = VERDICT_MISS,
                         .gate = GATE_BYTES,
                         .chip = "gfx1151",
                         .registration = "b",
                         .name = "b_one_row_late",
                         .worst_ratio = 1e9};
    history_put(history, &v);
    history_end(history, "b", 2000);
    v = (struct verdict){.subject = SUBJECT_LIMIT,
                         .status = VERDICT_LIMIT_PROBLEM,
                         .gate = GATE_LIMITS,
                         .chip = "gfx1151",
                         .registration = "b"};
    history_put(history, &v);
    v = history_bound_verdict("c", VERDICT_PASS, 0.9);
    history_put(history, &v);
    history_finished(history, STATUS_RED);
}

static void what_a_run_decided_can_be_asked_for(void **state)
{
    const struct history_place *place = *state;
    record_red_run(place->path);
    struct history_answer answer = history_ask(place->path, &history_all);
    assert_int_equal(answer.n_rows, 2);
    const struct history_row *a = &answer.rows[0], *b = &answer.rows[1];
    assert_string_equal(a->registration, "a");
    assert_string_equal(a->chip, "gfx1151");
    assert_string_equal(a->code, "00000000000000010000000000000002");
    assert_true(a->worst_ratio == 0.25 && a->duration_ns == 1000 && a->n_red == 0 && a->n_verdicts == 1);
    assert_null(a->first_red);
    assert_string_equal(a->run.commit, "0123456789abcdef");
    assert_int_equal(a->run.exit, STATUS_RED);
    assert_int_equal(a->run.duration_ns, HISTORY_RUN_NS);
    assert_string_equal(b->registration, "b");
    assert_true(isinf(b->worst_ratio) && b->n_red == 2 && b->n_verdicts == 3);
    assert_string_equal(b->first_red, "gate 3 at 4x64 (signed)");
    assert_int_equal(answer.n_runs, 1);
    const struct history_run *run = &answer.runs[0];
    assert_true(run->n_registrations == 2 && run->n_red == 1 && run->n_limit_problems == 1 && isinf(run->worst_ratio));
    assert_string_equal(run->toolchain, "some-clang");
    assert_null(run->kernels);
    history_drop(&answer);
}

/* A kernel has a record, and may be over a budget too: two verdicts, one row. */
static void resources_are_kept_a_kernel_and_run(void **state)
{
    const struct history_place *place = *state;
    size_t n;
    struct arena arena = {0};
    struct history_filter filter = {.registration = "sym*", .chips = "gfx1151"};
    struct history *history = history_begun(place->path, &history_environment);
    history_put_kernel(history, 205, VERDICT_PASS, "record current");
    history_finished(history, STATUS_OK);
    history = history_begun(place->path, &history_environment);
    history_put_kernel(history, 211, VERDICT_LIMIT_PROBLEM, "record stale: vgprs 205 -> 211");
    history_put_kernel(history, 211, VERDICT_LIMIT_PROBLEM, "over budget: 211 VGPRs");
    history_finished(history, STATUS_RED);
    history = history_opened(place->path, HISTORY_READ);
    struct history_kernel *kernels = history_ask_kernels(history, &filter, &arena, &n);
    assert_int_equal(n, 2);
    assert_true(kernels[0].run.id == 2 && kernels[0].figure[RECORD_vgprs] == 211 && kernels[1].figure[RECORD_vgprs] == 205);
    assert_int_equal(kernels[0].figure[RECORD_lds], RECORD_ABSENT);
    assert_string_equal(kernels[0].problem, "record stale: vgprs 205 -> 211");
    assert_null(kernels[1].problem);
    assert_string_equal(kernels[0].run.toolchain, "some-clang");
    filter.n_last = 1;
    assert_int_equal(history_ask_kernels(history, &filter, &arena, &n)[0].run.id, 2);
    assert_int_equal(n, 1);
    history_close(history);
    arena_free(&arena);
}

static void a_run_of_which_little_is_known_is_recorded(void **state)
{
    const struct history_place *place = *state;
    history_record_run(place->path, &(struct log_environment){.seed = 3}, 5);
    struct history_answer answer = history_ask(place->path, &history_all);
    assert_true(answer.n_runs == 1 && answer.n_rows == 1);
    assert_string_equal(answer.runs[0].toolchain, "");
    assert_null(answer.runs[0].commit);
    history_drop(&answer);
}

static void filters_select_names_chips_and_the_last_runs(void **state)
{
    const struct history_place *place = *state;
    for (uint64_t i = 1; i <= 3; i++) {
        struct history *history = history_begun(place->path, &history_environment);
        history_record(history, "k_one", 0.5, i);
        history_record(history, "k_two", 0.5, 10 * i);
        history_finished(history, STATUS_OK);
    }
    struct history_answer answer = history_ask(place->path, &(struct history_filter){.registration = "k_o*", .n_last = 2});
    assert_int_equal(answer.n_rows, 2);
    assert_true(answer.rows[0].duration_ns == 3 && answer.rows[1].duration_ns == 2);
    assert_true(answer.n_runs == 2 && answer.runs[0].id == 3 && answer.runs[0].n_registrations == 1);
    history_drop(&answer);
    answer = history_ask(place->path, &(struct history_filter){.chips = "gfx90a,gfx1151"});
    assert_true(answer.n_rows == 6 && answer.n_runs == 3);
    history_drop(&answer);
    answer = history_ask(place->path, &(struct history_filter){.chips = "gfx115,gfx90a"});
    assert_true(answer.n_rows == 0 && answer.n_runs == 0);
    history_drop(&answer);
}

static void files_that_are_no_history_are_refused_and_left_alone(void **state)
{
    const struct history_place *place = *state;
    char path[SCRATCH_PATH_BYTES], *data;
    size_t n;
    struct error error;
    static const char words[] = "this is a text of some length, and no database of any kind\n";
    assert_true(scratch_write(place->folder, "text", words, path));
    for (int mode = HISTORY_READ; mode <= HISTORY_RECORD; mode++)
        history_refused(path, (enum history_mode)mode, "file is not a database; give another --db, or move the file away");
    assert_true(file_read(path, &data, &n, &error));
    assert_string_equal(data, words);
    free(data);
    history_sql(place->path, "CREATE TABLE recipes (cake TEXT)");
    history_refused(place->path, HISTORY_READ, "another program's database");
    history_refused(place->path, HISTORY_RECORD, "another program's database");
    assert_true(scratch_write(place->folder, "empty", "", path));
    history_refused(path, HISTORY_READ, "is empty");
}

static void what_is_not_there_or_cannot_be_made_is_one_clear_line(void **state)
{
    const struct history_place *place = *state;
    char path[SCRATCH_PATH_BYTES + 16];
    history_refused(place->path, HISTORY_READ, "there is no history yet");
    assert_false(file_exists(place->path));
    snprintf(path, sizeof path, "%s/nowhere/h.db", place->folder);
    history_refused(path, HISTORY_RECORD, "unable to open database file; give a --db in a folder that exists");
    history_refused(place->folder, HISTORY_RECORD, "unable to open database file");
}

/* A file that holds what no run would write is shown as far as it goes. */
static void rows_that_were_changed_by_hand_are_read(void **state)
{
    const struct history_place *place = *state;
    history_record_run(place->path, &history_environment, 5);
    history_sql(place->path, "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '');");
    history_sql(place->path,
                "UPDATE runs SET toolchain = NULL, device = NULL, scope = NULL, chips = 7, started_s = 1e18, exit = 99,"
                " commit_id = CAST(x'61ff62' AS TEXT);"
                "INSERT INTO kernels (run, kernel, chip, figures) VALUES (1, 'symbol', 'gfx1151', '{\"vgprs\":\"many\"}'),"
                " (1, 'other', 'gfx1151', 'no json')");
    struct history_answer answer = history_ask(place->path, &history_all);
    assert_true(answer.n_rows == 1 && answer.n_runs == 1);
    assert_string_equal(answer.rows[0].run.scope, "");
    assert_string_equal(answer.runs[0].chips, "7");
    assert_string_equal(answer.runs[0].commit, "a?b"); /* no UTF-8 */
    size_t n;
    struct history_kernel *kernels = history_ask_kernels(answer.history, &history_all, &answer.arena, &n);
    assert_int_equal(n, 2);
    assert_true(kernels[0].figure[RECORD_vgprs] == RECORD_ABSENT && kernels[1].figure[RECORD_vgprs] == RECORD_ABSENT);
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_true(history_runs_write_text(out, answer.runs, 1) && history_rows_write_text(out, answer.rows, 1) &&
                history_kernels_write_text(out, kernels, n) && history_runs_write_json(out, answer.runs, 1) &&
                history_rows_write_json(out, answer.rows, 1, kernels, n));
    fclose(out);
    assert_non_null(strstr(text, "  ?  "));
    assert_non_null(strstr(text, "  unfinished  7\n"));
    free(text);
    history_drop(&answer);
}

static void default_path_follows_xdg(void **state)
{
    (void)state;
    char path[HISTORY_PATH_BYTES];
    struct error error = {0};
    char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    data = data ? strdup(data) : NULL;
    home = home ? strdup(home) : NULL;
    setenv("XDG_DATA_HOME", "/data", 1);
    setenv("HOME", "/home/me", 1);
    assert_true(history_default_path(path, &error));
    assert_string_equal(path, "/data/hipcontract/history.db");
    setenv("XDG_DATA_HOME", "relative", 1);
    assert_true(history_default_path(path, &error));
    assert_string_equal(path, "/home/me/.local/share/hipcontract/history.db");
    unsetenv("XDG_DATA_HOME");
    unsetenv("HOME");
    assert_false(history_default_path(path, &error));
    history_says(&error, "set XDG_DATA_HOME or HOME, or give --db FILE");
    if (data)
        setenv("XDG_DATA_HOME", data, 1);
    if (home)
        setenv("HOME", home, 1);
    free(data);
    free(home);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_HISTORY_PLACE(what_a_run_decided_can_be_asked_for),
        IN_HISTORY_PLACE(resources_are_kept_a_kernel_and_run),
        IN_HISTORY_PLACE(a_run_of_which_little_is_known_is_recorded),
        IN_HISTORY_PLACE(filters_select_names_chips_and_the_last_runs),
        IN_HISTORY_PLACE(files_that_are_no_history_are_refused_and_left_alone),
        IN_HISTORY_PLACE(what_is_not_there_or_cannot_be_made_is_one_clear_line),
        IN_HISTORY_PLACE(rows_that_were_changed_by_hand_are_read),
        cmocka_unit_test(default_path_follows_xdg),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
