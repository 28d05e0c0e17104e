#include "tests/support/history_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

const struct log_environment history_environment = {.version = "0",
                                                    .commit = "0123456789abcdef",
                                                    .toolchain = "some-clang",
                                                    .compiler = "clang 1",
                                                    .device = "emulator",
                                                    .chips = "gfx1151",
                                                    .scope = "quick",
                                                    .seed = 1,
                                                    .n_runs = 5};

const struct history_filter history_all = {0};

int history_place_open(void **state)
{
    struct history_place *place = calloc(1, sizeof *place);
    if (!place || !scratch_open(place->folder))
        return -1;
    snprintf(place->path, sizeof place->path, "%s/h.db", place->folder);
    *state = place;
    return 0;
}

int history_place_close(void **state)
{
    scratch_close(((struct history_place *)*state)->folder);
    free(*state);
    return 0;
}

struct history *history_opened(const char *path, enum history_mode mode)
{
    struct error error = {0};
    struct history *history = history_open(path, mode, &error);
    if (!history)
        fail_msg("%s", error.text);
    return history;
}

struct history *history_begun(const char *path, const struct log_environment *e)
{
    struct error error = {0};
    struct history *history = history_opened(path, HISTORY_RECORD);
    if (!history_begin(history, e, &error))
        fail_msg("%s", error.text);
    return history;
}

struct verdict history_bound_verdict(const char *registration, enum verdict_status status, double ratio)
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

void history_put(struct history *history, const struct verdict *v)
{
    struct verdict_sink sink = history_sink(history);
    sink.verdict(sink.context, v);
}

void history_end(struct history *history, const char *registration, uint64_t duration_ns)
{
    struct verdict_sink sink = history_sink(history);
    sink.registration_end(sink.context, &(struct registration_end){.registration = registration,
                                                                   .chip = "gfx1151",
                                                                   .duration_ns = duration_ns,
                                                                   .replayed = duration_ns == 0});
}

/* One registration that passes. */
void history_record(struct history *history, const char *registration, double ratio, uint64_t duration_ns)
{
    struct verdict v = history_bound_verdict(registration, VERDICT_PASS, ratio);
    history_put(history, &v);
    history_end(history, registration, duration_ns);
}

void history_finished(struct history *history, enum status status)
{
    struct error error = {0};
    if (!history_finish(history, status, HISTORY_RUN_NS, &error))
        fail_msg("%s", error.text);
    history_close(history);
}

void history_record_run(const char *path, const struct log_environment *e, uint64_t duration_ns)
{
    struct history *history = history_begun(path, e);
    history_record(history, "k", 0.5, duration_ns);
    history_finished(history, STATUS_OK);
}

struct history_answer history_ask(const char *path, const struct history_filter *filter)
{
    struct error error = {0};
    struct history_answer answer = {.history = history_opened(path, HISTORY_READ)};
    if (!history_rows(answer.history, filter, &answer.arena, &answer.rows, &answer.n_rows, &error) ||
        !history_runs(answer.history, filter, &answer.arena, &answer.runs, &answer.n_runs, &error))
        fail_msg("%s", error.text);
    return answer;
}

void history_drop(struct history_answer *answer)
{
    history_close(answer->history);
    arena_free(&answer->arena);
}

void history_put_kernel(struct history *history, uint32_t vgprs, enum verdict_status status, const char *reason)
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
    history_put(history, &v);
}

struct history_kernel *history_ask_kernels(struct history *history, const struct history_filter *filter,
                                           struct arena *arena, size_t *n)
{
    struct error error = {0};
    struct history_kernel *kernels;
    if (!history_kernels(history, filter, arena, &kernels, n, &error))
        fail_msg("%s", error.text);
    return kernels;
}

uint64_t history_ask_cost(const char *path, const struct history_key *key)
{
    struct error error = {0};
    uint64_t cost_ns = 0;
    struct history *history = history_opened(path, HISTORY_READ);
    if (!history_cost(history, key, &cost_ns, &error))
        fail_msg("%s", error.text);
    history_close(history);
    return cost_ns;
}

void history_says(const struct error *error, const char *words)
{
    assert_int_equal(error->status, STATUS_USAGE);
    assert_null(strchr(error->text, '\n'));
    if (!strstr(error->text, words))
        fail_msg("'%s' does not say '%s'", error->text, words);
}

void history_refused(const char *path, enum history_mode mode, const char *words)
{
    struct error error = {0};
    assert_null(history_open(path, mode, &error));
    assert_memory_equal(error.text, path, strlen(path));
    history_says(&error, words);
}

void history_sql(const char *path, const char *statements)
{
    sqlite3 *database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, statements, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
}

/* In a process of its own: 0 where all was written. */
static int write_as_child(const char *path)
{
    struct error error = {0};
    char name[16];
    struct history *history = history_open(path, HISTORY_RECORD, &error);
    bool ok = history && history_begin(history, &history_environment, &error);
    for (int i = 0; i < HISTORY_REGISTRATIONS && ok; i++) {
        snprintf(name, sizeof name, "k%02d", i);
        history_record(history, name, 0.5, 5);
    }
    ok = ok && history_finish(history, STATUS_OK, HISTORY_RUN_NS, &error);
    history_close(history);
    if (!ok)
        print_error("%s\n", error.text);
    return ok ? 0 : 1;
}

/* All of them begin at the same moment: when the pipe is closed. */
void history_write_at_once(const char *path)
{
    int start[2];
    char nothing;
    assert_int_equal(pipe(start), 0);
    for (int i = 0; i < HISTORY_WRITERS; i++) {
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
    for (int i = 0, status = -1; i < HISTORY_WRITERS; i++)
        n_failed += wait(&status) < 0 || status != 0;
    assert_int_equal(n_failed, 0);
}

/* As who may not write the file. Root may write everything: the test becomes nobody for it. */
struct history *history_open_unwritable(const struct history_place *place, enum history_mode mode, struct error *error)
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
