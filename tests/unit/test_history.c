/* The history: what runs record can be asked for, also where many record at once, the file is held, the disk is full or a
 * run is killed; files that are no history give one clear line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "contract/base/file.h"
#include "contract/base/project.h"
#include "reports/history.h"
#include "reports/history_table.h"
#include "tests/support/scratch.h"

static const struct log_environment environment = {.version = "0",
                                                   .commit = "0123456789abcdef",
                                                   .toolchain = "some-clang",
                                                   .compiler = "clang 1",
                                                   .device = "emulator",
                                                   .chips = "gfx1151",
                                                   .scope = "quick",
                                                   .seed = 1,
                                                   .n_runs = 5};

/* A folder for each test, and a history that is not there yet. */
struct place {
    char folder[SCRATCH_PATH_BYTES], path[SCRATCH_PATH_BYTES + 16];
};

static int open_place(void **state)
{
    struct place *place = calloc(1, sizeof *place);
    if (!place || !scratch_open(place->folder))
        return -1;
    snprintf(place->path, sizeof place->path, "%s/h.db", place->folder);
    *state = place;
    return 0;
}

static int close_place(void **state)
{
    scratch_close(((struct place *)*state)->folder);
    free(*state);
    return 0;
}

enum { RUN_NS = 123456 };

static struct history *open_history(const char *path, enum history_mode mode)
{
    struct error error = {0};
    struct history *history = history_open(path, mode, &error);
    if (!history)
        fail_msg("%s", error.text);
    return history;
}

static struct history *begin(const char *path, const struct log_environment *e)
{
    struct error error = {0};
    struct history *history = open_history(path, HISTORY_RECORD);
    if (!history_begin(history, e, &error))
        fail_msg("%s", error.text);
    return history;
}

static struct verdict bound_verdict(const char *registration, enum verdict_status status, double ratio)
{
    struct verdict v = {.subject = SUBJECT_GATE,
                        .status = status,
                        .gate = GATE_BOUND,
                        .chip = "gfx1151",
                        .shape = "4x64",
                        .pattern = "signed",
                        .code = {1, 2},
                        .n_compared = 256,
                        .worst_ratio = ratio,
                        .duration_ns = 7};
    snprintf(v.registration, sizeof v.registration, "%s", registration);
    return v;
}

static void put(struct history *history, const struct verdict *v)
{
    struct verdict_sink sink = history_sink(history);
    sink.verdict(sink.context, v);
}

static void end(struct history *history, const char *registration, uint64_t duration_ns)
{
    struct verdict_sink sink = history_sink(history);
    sink.registration_end(sink.context, &(struct registration_end){.registration = registration,
                                                                   .chip = "gfx1151",
                                                                   .duration_ns = duration_ns,
                                                                   .replayed = duration_ns == 0});
}

/* One registration that passes. */
static void record(struct history *history, const char *registration, double ratio, uint64_t duration_ns)
{
    struct verdict v = bound_verdict(registration, VERDICT_PASS, ratio);
    put(history, &v);
    end(history, registration, duration_ns);
}

static void finish(struct history *history, enum status status)
{
    struct error error = {0};
    if (!history_finish(history, status, RUN_NS, &error))
        fail_msg("%s", error.text);
    history_close(history);
}

static void record_run(const char *path, const struct log_environment *e, uint64_t duration_ns)
{
    struct history *history = begin(path, e);
    record(history, "k", 0.5, duration_ns);
    finish(history, STATUS_OK);
}

/* What was asked for, and where it lives. */
struct answer {
    struct history *history;
    struct arena arena;
    struct history_row *rows;
    struct history_run *runs;
    size_t n_rows, n_runs;
};

static struct answer ask(const char *path, const struct history_filter *filter)
{
    struct error error = {0};
    struct answer answer = {.history = open_history(path, HISTORY_READ)};
    if (!history_rows(answer.history, filter, &answer.arena, &answer.rows, &answer.n_rows, &error) ||
        !history_runs(answer.history, filter, &answer.arena, &answer.runs, &answer.n_runs, &error))
        fail_msg("%s", error.text);
    return answer;
}

static void drop(struct answer *answer)
{
    history_close(answer->history);
    arena_free(&answer->arena);
}

static const struct history_filter all = {0};

/* One that was skipped; two registrations, of which one is red twice; a limit problem; one that did not end. */
static void record_red_run(const char *path)
{
    struct history *history = begin(path, &environment);
    struct verdict v = bound_verdict("skipped", VERDICT_NOT_RUN, 0);
    put(history, &v);
    record(history, "a", 0.25, 1000);
    v = bound_verdict("b", VERDICT_PASS, 0.75);
    put(history, &v);
    v = bound_verdict("b", VERDICT_FAIL, (double)INFINITY);
    snprintf(v.reason, sizeof v.reason, "output 3 is infinite");
    put(history, &v);
    v = (struct verdict){.subject = SUBJECT_CONTROL,
                         .status = VERDICT_MISS,
                         .gate = GATE_BYTES,
                         .chip = "gfx1151",
                         .registration = "b",
                         .name = "b_one_row_late",
                         .worst_ratio = 1e9};
    put(history, &v);
    end(history, "b", 2000);
    v = (struct verdict){.subject = SUBJECT_LIMIT,
                         .status = VERDICT_LIMIT_PROBLEM,
                         .gate = GATE_LIMITS,
                         .chip = "gfx1151",
                         .registration = "b"};
    put(history, &v);
    v = bound_verdict("c", VERDICT_PASS, 0.9);
    put(history, &v);
    finish(history, STATUS_RED);
}

static void what_a_run_decided_can_be_asked_for(void **state)
{
    const struct place *place = *state;
    record_red_run(place->path);
    struct answer answer = ask(place->path, &all);
    assert_int_equal(answer.n_rows, 2);
    const struct history_row *a = &answer.rows[0], *b = &answer.rows[1];
    assert_string_equal(a->registration, "a");
    assert_string_equal(a->chip, "gfx1151");
    assert_string_equal(a->code, "00000000000000010000000000000002");
    assert_true(a->worst_ratio == 0.25 && a->duration_ns == 1000 && a->n_red == 0 && a->n_verdicts == 1);
    assert_null(a->first_red);
    assert_string_equal(a->run.commit, "0123456789abcdef");
    assert_int_equal(a->run.exit, STATUS_RED);
    assert_int_equal(a->run.duration_ns, RUN_NS);
    assert_string_equal(b->registration, "b");
    assert_true(isinf(b->worst_ratio) && b->n_red == 2 && b->n_verdicts == 3);
    assert_string_equal(b->first_red, "gate 3 at 4x64 (signed)");
    assert_int_equal(answer.n_runs, 1);
    const struct history_run *run = &answer.runs[0];
    assert_true(run->n_registrations == 2 && run->n_red == 1 && run->n_limit_problems == 1 && isinf(run->worst_ratio));
    assert_string_equal(run->toolchain, "some-clang");
    assert_null(run->kernels);
    drop(&answer);
}

static void put_kernel(struct history *history, uint32_t vgprs, enum verdict_status status, const char *reason)
{
    struct verdict v = {.subject = SUBJECT_LIMIT,
                        .status = status,
                        .gate = GATE_LIMITS,
                        .chip = "gfx1151",
                        .registration = "symbol",
                        .resources = {.are_known = true}};
    for (int i = 0; i < RECORD_FIGURE_COUNT; i++)
        v.resources.figure[i] = RECORD_ABSENT;
    v.resources.figure[RECORD_vgprs] = vgprs;
    snprintf(v.reason, sizeof v.reason, "%s", reason);
    put(history, &v);
}

static struct history_kernel *ask_kernels(struct history *history, const struct history_filter *filter, struct arena *arena,
                                          size_t *n)
{
    struct error error = {0};
    struct history_kernel *kernels;
    if (!history_kernels(history, filter, arena, &kernels, n, &error))
        fail_msg("%s", error.text);
    return kernels;
}

/* A kernel has a record, and may be over a budget too: two verdicts, one row. */
static void resources_are_kept_a_kernel_and_run(void **state)
{
    const struct place *place = *state;
    size_t n;
    struct arena arena = {0};
    struct history_filter filter = {.registration = "sym*", .chips = "gfx1151"};
    struct history *history = begin(place->path, &environment);
    put_kernel(history, 205, VERDICT_PASS, "record current");
    finish(history, STATUS_OK);
    history = begin(place->path, &environment);
    put_kernel(history, 211, VERDICT_LIMIT_PROBLEM, "record stale: vgprs 205 -> 211");
    put_kernel(history, 211, VERDICT_LIMIT_PROBLEM, "over budget: 211 VGPRs");
    finish(history, STATUS_RED);
    history = open_history(place->path, HISTORY_READ);
    struct history_kernel *kernels = ask_kernels(history, &filter, &arena, &n);
    assert_int_equal(n, 2);
    assert_true(kernels[0].run.id == 2 && kernels[0].figure[RECORD_vgprs] == 211 && kernels[1].figure[RECORD_vgprs] == 205);
    assert_int_equal(kernels[0].figure[RECORD_lds], RECORD_ABSENT);
    assert_string_equal(kernels[0].problem, "record stale: vgprs 205 -> 211");
    assert_null(kernels[1].problem);
    assert_string_equal(kernels[0].run.toolchain, "some-clang");
    filter.n_last = 1;
    assert_int_equal(ask_kernels(history, &filter, &arena, &n)[0].run.id, 2);
    assert_int_equal(n, 1);
    history_close(history);
    arena_free(&arena);
}

static void a_run_of_which_little_is_known_is_recorded(void **state)
{
    const struct place *place = *state;
    record_run(place->path, &(struct log_environment){.seed = 3}, 5);
    struct answer answer = ask(place->path, &all);
    assert_true(answer.n_runs == 1 && answer.n_rows == 1);
    assert_string_equal(answer.runs[0].toolchain, "");
    assert_null(answer.runs[0].commit);
    drop(&answer);
}

static void filters_select_names_chips_and_the_last_runs(void **state)
{
    const struct place *place = *state;
    for (uint64_t i = 1; i <= 3; i++) {
        struct history *history = begin(place->path, &environment);
        record(history, "k_one", 0.5, i);
        record(history, "k_two", 0.5, 10 * i);
        finish(history, STATUS_OK);
    }
    struct answer answer = ask(place->path, &(struct history_filter){.registration = "k_o*", .n_last = 2});
    assert_int_equal(answer.n_rows, 2);
    assert_true(answer.rows[0].duration_ns == 3 && answer.rows[1].duration_ns == 2);
    assert_true(answer.n_runs == 2 && answer.runs[0].id == 3 && answer.runs[0].n_registrations == 1);
    drop(&answer);
    answer = ask(place->path, &(struct history_filter){.chips = "gfx90a,gfx1151"});
    assert_true(answer.n_rows == 6 && answer.n_runs == 3);
    drop(&answer);
    answer = ask(place->path, &(struct history_filter){.chips = "gfx115,gfx90a"});
    assert_true(answer.n_rows == 0 && answer.n_runs == 0);
    drop(&answer);
}

static uint64_t cost(const char *path, const struct history_key *key)
{
    struct error error = {0};
    uint64_t cost_ns = 0;
    struct history *history = open_history(path, HISTORY_READ);
    if (!history_cost(history, key, &cost_ns, &error))
        fail_msg("%s", error.text);
    history_close(history);
    return cost_ns;
}

/* Times of other devices, scopes and files say nothing of these, nor does a run that took its verdicts over. */
static void cost_is_the_median_of_comparable_runs(void **state)
{
    const struct place *place = *state;
    const struct history_key key = {.registration = "k", .chip = "gfx1151", .device = "emulator", .scope = "quick"};
    struct log_environment other = environment;
    record_run(place->path, &environment, 30);
    assert_int_equal(cost(place->path, &key), 30);
    record_run(place->path, &environment, 10);
    assert_int_equal(cost(place->path, &key), 20);
    record_run(place->path, &environment, 11);
    assert_int_equal(cost(place->path, &key), 11);
    record_run(place->path, &environment, 0);
    other.scope = "full";
    record_run(place->path, &other, 1000);
    other.scope = "quick", other.device = "rocm";
    record_run(place->path, &other, 1);
    other.device = "emulator", other.kernels = "mine.so";
    record_run(place->path, &other, 2);
    assert_int_equal(cost(place->path, &key), 11);
    assert_int_equal(
        cost(place->path,
             &(struct history_key){.registration = "k", .chip = "gfx1151", .device = "emulator", .scope = "full"}),
        1000);
    assert_int_equal(
        cost(place->path,
             &(struct history_key){
                 .registration = "k", .chip = "gfx1151", .device = "emulator", .scope = "quick", .kernels = "mine.so"}),
        2);
    assert_int_equal(
        cost(place->path,
             &(struct history_key){.registration = "k", .chip = "gfx90a", .device = "emulator", .scope = "quick"}),
        0);
}

/* The second shard has to make the split that the first made, though that one's times are recorded by now. */
static void cost_is_the_same_for_all_shards_of_a_run(void **state)
{
    const struct place *place = *state;
    struct history_key key = {.registration = "k",
                              .chip = "gfx1151",
                              .device = "emulator",
                              .scope = "quick",
                              .n_shards = 2,
                              .commit = environment.commit};
    struct log_environment shard = environment;
    record_run(place->path, &environment, 10);
    shard.shard = 1, shard.n_shards = 2;
    record_run(place->path, &shard, 1000);
    assert_int_equal(cost(place->path, &key), 10);
    key.commit = "of another commit";
    assert_int_equal(cost(place->path, &key), 505);
    key.commit = environment.commit, key.n_shards = 8;
    assert_int_equal(cost(place->path, &key), 505);
    key.n_shards = 0;
    assert_int_equal(cost(place->path, &key), 505);
    struct answer answer = ask(place->path, &all);
    assert_true(answer.runs[0].shard == 1 && answer.runs[0].n_shards == 2 && answer.runs[1].n_shards == 0);
    drop(&answer);
}

/* A kernel that became slower costs what it costs now. */
static void cost_forgets_what_is_long_ago(void **state)
{
    const struct place *place = *state;
    for (int i = 0; i < 2 * HISTORY_COST_RUNS; i++)
        record_run(place->path, &environment, i < HISTORY_COST_RUNS ? 5 : 900);
    assert_int_equal(
        cost(place->path,
             &(struct history_key){.registration = "k", .chip = "gfx1151", .device = "emulator", .scope = "quick"}),
        900);
}

enum { WRITERS = 8, REGISTRATIONS = 4 };

/* In a process of its own: 0 where all was written. */
static int write_as_child(const char *path)
{
    struct error error = {0};
    char name[16];
    struct history *history = history_open(path, HISTORY_RECORD, &error);
    bool ok = history && history_begin(history, &environment, &error);
    for (int i = 0; i < REGISTRATIONS && ok; i++) {
        snprintf(name, sizeof name, "k%02d", i);
        record(history, name, 0.5, 5);
    }
    ok = ok && history_finish(history, STATUS_OK, RUN_NS, &error);
    history_close(history);
    if (!ok)
        print_error("%s\n", error.text);
    return ok ? 0 : 1;
}

/* All of them begin at the same moment: when the pipe is closed. */
static void write_at_once(const char *path)
{
    int start[2];
    char nothing;
    assert_int_equal(pipe(start), 0);
    for (int i = 0; i < WRITERS; i++) {
        pid_t child = fork();
        if (child == 0) {
            close(start[1]);
            _exit(read(start[0], &nothing, 1) == 0 ? write_as_child(path) : 1);
        }
        assert_true(child > 0);
    }
    close(start[0]);
    close(start[1]);
    int n_failed = 0;
    for (int i = 0, status = -1; i < WRITERS; i++)
        n_failed += wait(&status) < 0 || status != 0;
    assert_int_equal(n_failed, 0);
}

static void runs_that_record_at_once_lose_nothing(void **state)
{
    const struct place *place = *state;
    write_at_once(place->path);
    struct answer answer = ask(place->path, &all);
    assert_int_equal(answer.n_runs, WRITERS);
    assert_int_equal(answer.n_rows, WRITERS * REGISTRATIONS);
    for (size_t i = 0; i < answer.n_runs; i++)
        assert_true(answer.runs[i].n_registrations == REGISTRATIONS && answer.runs[i].exit == STATUS_OK);
    drop(&answer);
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
    const struct place *place = *state;
    struct history *history = begin(place->path, &environment);
    sqlite3 *other = hold(place->path);
    record(history, "while_held", 0.5, 5);
    sqlite3_close(other);
    record(history, "later", 0.25, 6);
    struct answer answer = ask(place->path, &all);
    assert_int_equal(answer.n_rows, 2);
    assert_string_equal(answer.rows[0].registration, "later");
    assert_true(answer.rows[0].worst_ratio == 0.25 && answer.rows[1].worst_ratio == 0.5);
    assert_true(answer.rows[0].n_verdicts == 1 && answer.rows[1].n_verdicts == 1);
    drop(&answer);
    finish(history, STATUS_OK);
}

static void says(const struct error *error, const char *words)
{
    assert_int_equal(error->status, STATUS_USAGE);
    assert_null(strchr(error->text, '\n'));
    if (!strstr(error->text, words))
        fail_msg("'%s' does not say '%s'", error->text, words);
}

static void a_file_that_stays_held_is_one_clear_line(void **state)
{
    const struct place *place = *state;
    struct error error = {0};
    struct history *history = begin(place->path, &environment);
    history_set_patience(history, 20);
    sqlite3 *other = hold(place->path);
    record(history, "while_held", 0.5, 5);
    assert_false(history_finish(history, STATUS_OK, RUN_NS, &error));
    says(&error, "the history lacks some of this run: ");
    says(&error, "another process holds it");
    sqlite3_close(other);
    history_close(history);
    struct answer answer = ask(place->path, &all);
    assert_true(answer.n_rows == 0 && answer.n_runs == 1 && answer.runs[0].exit == -1);
    drop(&answer);
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
    const struct place *place = *state;
    struct error error = {0};
    sqlite3_vfs *plain = sqlite3_vfs_find(NULL), tiny = *plain;
    plain_open = plain->xOpen;
    tiny.zName = "tiny";
    tiny.xOpen = open_on_full;
    sqlite3_vfs_register(&tiny, 1);
    struct history *history = begin(place->path, &environment);
    full = true;
    record(history, "while_full", 0.5, 5);
    assert_false(history_finish(history, STATUS_OK, RUN_NS, &error));
    says(&error, "database or disk is full; make room on the disk");
    record(history, "still_full", 0.5, 5);
    full = false;
    finish(history, STATUS_OK);
    sqlite3_vfs_unregister(&tiny);
    struct answer answer = ask(place->path, &all);
    assert_int_equal(answer.n_rows, 2);
    drop(&answer);
}

/* Its row says that it never ended, and what it had written is there. */
static void a_run_that_is_killed_leaves_what_it_had_decided(void **state)
{
    const struct place *place = *state;
    pid_t child = fork();
    if (child == 0) {
        struct history *history = begin(place->path, &environment);
        record(history, "k", 0.5, 5);
        struct verdict v = bound_verdict("half_done", VERDICT_PASS, 0.5);
        put(history, &v);
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    record_run(place->path, &environment, 6);
    struct answer answer = ask(place->path, &all);
    assert_true(answer.n_runs == 2 && answer.runs[0].exit == STATUS_OK && answer.runs[1].exit == -1);
    assert_int_equal(answer.n_rows, 2);
    assert_true(answer.rows[1].duration_ns == 5);
    drop(&answer);
}

static void refused(const char *path, enum history_mode mode, const char *words)
{
    struct error error = {0};
    assert_null(history_open(path, mode, &error));
    assert_memory_equal(error.text, path, strlen(path));
    says(&error, words);
}

static void sql(const char *path, const char *statements)
{
    sqlite3 *database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, statements, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
}

static void files_that_are_no_history_are_refused_and_left_alone(void **state)
{
    const struct place *place = *state;
    char path[SCRATCH_PATH_BYTES], *data;
    size_t n;
    struct error error;
    static const char words[] = "this is a text of some length, and no database of any kind\n";
    assert_true(scratch_write(place->folder, "text", words, path));
    for (int mode = HISTORY_READ; mode <= HISTORY_RECORD; mode++)
        refused(path, (enum history_mode)mode, "file is not a database; give another --db, or move the file away");
    assert_true(file_read(path, &data, &n, &error));
    assert_string_equal(data, words);
    free(data);
    sql(place->path, "CREATE TABLE recipes (cake TEXT)");
    refused(place->path, HISTORY_READ, "another program's database");
    refused(place->path, HISTORY_RECORD, "another program's database");
    assert_true(scratch_write(place->folder, "empty", "", path));
    refused(path, HISTORY_READ, "is empty");
}

static void what_is_not_there_or_cannot_be_made_is_one_clear_line(void **state)
{
    const struct place *place = *state;
    char path[SCRATCH_PATH_BYTES + 16];
    refused(place->path, HISTORY_READ, "there is no history yet");
    assert_false(file_exists(place->path));
    snprintf(path, sizeof path, "%s/nowhere/h.db", place->folder);
    refused(path, HISTORY_RECORD, "unable to open database file; give a --db in a folder that exists");
    refused(place->folder, HISTORY_RECORD, "unable to open database file");
}

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
    const struct place *place = *state;
    record_run(place->path, &environment, 5);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sql(place->path, cases[i].change);
        refused(place->path, HISTORY_READ, cases[i].read);
        refused(place->path, HISTORY_RECORD, cases[i].record);
    }
}

/* A file that holds what no run would write is shown as far as it goes. */
static void rows_that_were_changed_by_hand_are_read(void **state)
{
    const struct place *place = *state;
    record_run(place->path, &environment, 5);
    sql(place->path, "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '');");
    sql(place->path,
        "UPDATE runs SET toolchain = NULL, device = NULL, scope = NULL, chips = 7, started_s = 1e18, exit = 99,"
        " commit_id = CAST(x'61ff62' AS TEXT);"
        "INSERT INTO kernels (run, kernel, chip, figures) VALUES (1, 'symbol', 'gfx1151', '{\"vgprs\":\"many\"}'),"
        " (1, 'other', 'gfx1151', 'no json')");
    struct answer answer = ask(place->path, &all);
    assert_true(answer.n_rows == 1 && answer.n_runs == 1);
    assert_string_equal(answer.rows[0].run.scope, "");
    assert_string_equal(answer.runs[0].chips, "7");
    assert_string_equal(answer.runs[0].commit, "a?b"); /* no UTF-8 */
    size_t n;
    struct history_kernel *kernels = ask_kernels(answer.history, &all, &answer.arena, &n);
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
    drop(&answer);
}

/* The history of version 1, as that version left it. */
static void make_version_1(const struct place *place)
{
    char path[4096], *statements = NULL;
    size_t n;
    struct error error;
    if (!project_path("tests/data/history_1.sql", path, sizeof path, &error) || !file_read(path, &statements, &n, &error))
        fail_msg("%s", error.text);
    sql(place->path, statements);
    free(statements);
}

static void an_older_version_is_brought_up_to_date_and_loses_nothing(void **state)
{
    const struct place *place = *state;
    struct history_key key = {.registration = "rms_norm_rows", .chip = "gfx1151", .device = "emulator", .scope = "quick"};
    make_version_1(place);
    assert_int_equal(cost(place->path, &key), (819127770 + 713617237) / 2);
    struct history *history = begin(place->path, &environment);
    put_kernel(history, 14, VERDICT_PASS, "record current");
    record(history, "rms_norm_rows", 0.5, 1);
    finish(history, STATUS_OK);
    struct answer answer = ask(place->path, &all);
    assert_true(answer.n_rows == 3 && answer.n_runs == 3 && answer.rows[0].run.id == 3);
    assert_true(answer.rows[2].n_verdicts == 56 && answer.rows[2].duration_ns == 819127770);
    size_t n;
    assert_int_equal(ask_kernels(answer.history, &all, &answer.arena, &n)[0].figure[RECORD_vgprs], 14);
    assert_int_equal(n, 1);
    drop(&answer);
}

/* Two that find the old version at once: one takes the steps, the other finds them taken. */
static void runs_that_find_an_older_version_at_once_agree(void **state)
{
    const struct place *place = *state;
    make_version_1(place);
    write_at_once(place->path);
    struct answer answer = ask(place->path, &all);
    assert_int_equal(answer.n_runs, 2 + WRITERS);
    drop(&answer);
}

/* Every page but the first is overwritten. */
static void a_damaged_file_is_one_clear_line(void **state)
{
    const struct place *place = *state;
    struct error error = {0};
    struct arena arena = {0};
    struct history_row *rows;
    size_t n;
    record_run(place->path, &environment, 5);
    FILE *file = fopen(place->path, "r+b");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long n_bytes = ftell(file);
    for (long at = 4096; at < n_bytes; at++) {
        fseek(file, at, SEEK_SET);
        fputc(0x5a, file);
    }
    fclose(file);
    struct history *history = open_history(place->path, HISTORY_READ);
    assert_false(history_rows(history, &all, &arena, &rows, &n, &error));
    says(&error, "database disk image is malformed; move the file away, and the next run begins a new one");
    history_close(history);
    arena_free(&arena);
}

/* As who may not write the file. Root may write everything: the test becomes nobody for it. */
static struct history *open_unwritable(const struct place *place, enum history_mode mode, struct error *error)
{
    enum { NOBODY = 65534 };
    bool is_root = geteuid() == 0;
    assert_int_equal(chmod(place->path, 0444), 0);
    assert_int_equal(chmod(place->folder, 0555), 0);
    assert_true(!is_root || seteuid(NOBODY) == 0);
    struct history *history = history_open(place->path, mode, error);
    assert_true(!is_root || seteuid(0) == 0);
    assert_int_equal(chmod(place->folder, 0755), 0);
    return history;
}

static void a_file_that_cannot_be_written_can_be_read(void **state)
{
    const struct place *place = *state;
    struct error error = {0};
    record_run(place->path, &environment, 5);
    assert_null(open_unwritable(place, HISTORY_RECORD, &error));
    says(&error, "cannot be written; give a --db that can");
    struct history *history = open_unwritable(place, HISTORY_READ, &error);
    assert_non_null(history);
    history_close(history);
}

static void an_older_version_that_cannot_be_written_says_so(void **state)
{
    const struct place *place = *state;
    struct error error = {0};
    make_version_1(place);
    assert_null(open_unwritable(place, HISTORY_READ, &error));
    says(&error, "of version 1 and cannot be written; copy it to where it can be");
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
    says(&error, "set XDG_DATA_HOME or HOME, or give --db FILE");
    if (data)
        setenv("XDG_DATA_HOME", data, 1);
    if (home)
        setenv("HOME", home, 1);
    free(data);
    free(home);
}

int main(void)
{
#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, open_place, close_place)
    const struct CMUnitTest tests[] = {
        IN_PLACE(what_a_run_decided_can_be_asked_for),
        IN_PLACE(resources_are_kept_a_kernel_and_run),
        IN_PLACE(a_run_of_which_little_is_known_is_recorded),
        IN_PLACE(filters_select_names_chips_and_the_last_runs),
        IN_PLACE(cost_is_the_median_of_comparable_runs),
        IN_PLACE(cost_is_the_same_for_all_shards_of_a_run),
        IN_PLACE(cost_forgets_what_is_long_ago),
        IN_PLACE(runs_that_record_at_once_lose_nothing),
        IN_PLACE(a_file_that_is_held_for_a_while_loses_nothing),
        IN_PLACE(a_file_that_stays_held_is_one_clear_line),
        IN_PLACE(a_full_disk_loses_nothing_once_there_is_room),
        IN_PLACE(a_run_that_is_killed_leaves_what_it_had_decided),
        IN_PLACE(files_that_are_no_history_are_refused_and_left_alone),
        IN_PLACE(what_is_not_there_or_cannot_be_made_is_one_clear_line),
        IN_PLACE(versions_that_this_program_does_not_know_are_refused),
        IN_PLACE(an_older_version_is_brought_up_to_date_and_loses_nothing),
        IN_PLACE(runs_that_find_an_older_version_at_once_agree),
        IN_PLACE(an_older_version_that_cannot_be_written_says_so),
        IN_PLACE(rows_that_were_changed_by_hand_are_read),
        IN_PLACE(a_damaged_file_is_one_clear_line),
        IN_PLACE(a_file_that_cannot_be_written_can_be_read),
        cmocka_unit_test(default_path_follows_xdg),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
