/* The history where many record at once, the file is held, damaged or cannot be written, the disk is full or a run is
 * killed: nothing is lost that can be kept, and each gives one clear line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/history_runs.h"

static void runs_that_record_at_once_lose_nothing(void **state)
{
    const struct history_place *place = *state;
    history_write_at_once(place->path);
    struct history_answer answer = history_ask(place->path, &history_all);
    assert_int_equal(answer.n_runs, HISTORY_WRITERS);
    assert_int_equal(answer.n_rows, HISTORY_WRITERS * HISTORY_REGISTRATIONS);
    for (size_t i = 0; i < answer.n_runs; i++)
        assert_true(answer.runs[i].n_registrations == HISTORY_REGISTRATIONS && answer.runs[i].exit == STATUS_OK);
    history_drop(&answer);
}

/* Another process's transaction. */
static sqlite3 *hold(const char *path)
{
    sqlite3 *other;
    assert_int_equal(sqlite3_open(path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    return other;
}

static void a_file_that_is_held_for_a_while_loses_nothing(void **state)
{
    const struct history_place *place = *state;
    struct history *history = history_begun(place->path, &history_environment);
    sqlite3 *other = hold(place->path);
    history_record(history, "while_held", 0.5, 5);
    sqlite3_close(other);
    history_record(history, "later", 0.25, 6);
    struct history_answer answer = history_ask(place->path, &history_all);
    assert_int_equal(answer.n_rows, 2);
    assert_string_equal(answer.rows[0].registration, "later");
    assert_true(answer.rows[0].worst_ratio == 0.25 && answer.rows[1].worst_ratio == 0.5);
    assert_true(answer.rows[0].n_verdicts == 1 && answer.rows[1].n_verdicts == 1);
    history_drop(&answer);
    history_finished(history, STATUS_OK);
}

static void a_file_that_stays_held_is_one_clear_line(void **state)
{
    const struct history_place *place = *state;
    struct error error = {0};
    struct history *history = history_begun(place->path, &history_environment);
    history_set_patience(history, 20);
    sqlite3 *other = hold(place->path);
    history_record(history, "while_held", 0.5, 5);
    assert_false(history_finish(history, STATUS_OK, HISTORY_RUN_NS, &error));
    history_says(&error, "the history lacks some of this run: ");
    history_says(&error, "another process holds it");
    sqlite3_close(other);
    history_close(history);
    struct history_answer answer = history_ask(place->path, &history_all);
    assert_true(answer.n_rows == 0 && answer.n_runs == 1 && answer.runs[0].exit == -1);
    history_drop(&answer);
}

/* A file system that is full while `full` is set: SQLite's own functions, but for writes. */
static bool full;
static sqlite3_io_methods methods;
static int (*plain_write)(sqlite3_file *, const void *, int, sqlite3_int64);
static int (*plain_open)(sqlite3_vfs *, const char *, sqlite3_file *, int, int *);

static int write_unless_full(sqlite3_file *file, const void *data, int n_bytes, sqlite3_int64 offset)
{
    return full ? SQLITE_FULL : plain_write(file, data, n_bytes, offset);
}

static int open_on_full(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags)
{
    int code = plain_open(vfs, name, file, flags, out_flags);
    if (code != SQLITE_OK || !file->pMethods)
        return code;
    methods = *file->pMethods;
    plain_write = file->pMethods->xWrite;
    methods.xWrite = write_unless_full;
    file->pMethods = &methods;
    return code;
}

static void a_full_disk_loses_nothing_once_there_is_room(void **state)
{
    const struct history_place *place = *state;
    struct error error = {0};
    sqlite3_vfs *plain = sqlite3_vfs_find(NULL), tiny = *plain;
    plain_open = plain->xOpen;
    tiny.zName = "tiny";
    tiny.xOpen = open_on_full;
    sqlite3_vfs_register(&tiny, 1);
    struct history *history = history_begun(place->path, &history_environment);
    full = true;
    history_record(history, "while_full", 0.5, 5);
    assert_false(history_finish(history, STATUS_OK, HISTORY_RUN_NS, &error));
    history_says(&error, "database or disk is full; make room on the disk");
    history_record(history, "still_full", 0.5, 5);
    full = false;
    history_finished(history, STATUS_OK);
    sqlite3_vfs_unregister(&tiny);
    struct history_answer answer = history_ask(place->path, &history_all);
    assert_int_equal(answer.n_rows, 2);
    history_drop(&answer);
}

/* Its row says that it never ended, and what it had written is there. */
static void a_run_that_is_killed_leaves_what_it_had_decided(void **state)
{
    const struct history_place *place = *state;
    pid_t child = fork();
    if (child == 0) {
        struct history *history = history_begun(place->path, &history_environment);
        history_record(history, "k", 0.5, 5);
        struct verdict v = history_bound_verdict("half_done", VERDICT_PASS, 0.5);
        history_put(history, &v);
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    history_record_run(place->path, &history_environment, 6);
    struct history_answer answer = history_ask(place->path, &history_all);
    assert_true(answer.n_runs == 2 && answer.runs[0].exit == STATUS_OK && answer.runs[1].exit == -1);
    assert_int_equal(answer.n_rows, 2);
    assert_true(answer.rows[1].duration_ns == 5);
    history_drop(&answer);
}

/* Every page but the first is overwritten. */
static void a_damaged_file_is_one_clear_line(void **state)
{
    const struct history_place *place = *state;
    struct error error = {0};
    struct arena arena = {0};
    struct history_row *rows;
    size_t n;
    history_record_run(place->path, &history_environment, 5);
    FILE *file = fopen(place->path, "r+b");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long n_bytes = ftell(file);
    for (long at = 4096; at < n_bytes; at++) {
        fseek(file, at, SEEK_SET);
        fputc(0x5a, file);
    }
    fclose(file);
    struct history *history = history_opened(place->path, HISTORY_READ);
    assert_false(history_rows(history, &history_all, &arena, &rows, &n, &error));
    history_says(&error, "database disk image is malformed; move the file away, and the next run begins a new one");
    history_close(history);
    arena_free(&arena);
}

static void a_file_that_cannot_be_written_can_be_read(void **state)
{
    const struct history_place *place = *state;
    struct error error = {0};
    history_record_run(place->path, &history_environment, 5);
    assert_null(history_open_unwritable(place, HISTORY_RECORD, &error));
    history_says(&error, "cannot be written; give a --db that can");
    struct history *history = history_open_unwritable(place, HISTORY_READ, &error);
    assert_non_null(history);
    history_close(history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_HISTORY_PLACE(runs_that_record_at_once_lose_nothing),
        IN_HISTORY_PLACE(a_file_that_is_held_for_a_while_loses_nothing),
        IN_HISTORY_PLACE(a_file_that_stays_held_is_one_clear_line),
        IN_HISTORY_PLACE(a_full_disk_loses_nothing_once_there_is_room),
        IN_HISTORY_PLACE(a_run_that_is_killed_leaves_what_it_had_decided),
        IN_HISTORY_PLACE(a_damaged_file_is_one_clear_line),
        IN_HISTORY_PLACE(a_file_that_cannot_be_written_can_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
