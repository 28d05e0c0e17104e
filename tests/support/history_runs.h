/*
 * Histories of runs that a test makes up, in a folder of its own, and what they say. Each function fails the test where it
 * cannot do what it says.
 */
#ifndef SUPPORT_HISTORY_RUNS_H
#define SUPPORT_HISTORY_RUNS_H

#include "contract/base/arena.h"
#include "reports/history.h"
#include "tests/support/scratch.h"

/* A quick run on gfx1151. */
extern const struct log_environment history_environment;
/* Asks for all that there is. */
extern const struct history_filter history_all;

/* A folder for each test, and a history that is not there yet. */
struct history_place {
    char folder[SCRATCH_PATH_BYTES], path[SCRATCH_PATH_BYTES + 16];
};
/* Setup and teardown of cmocka: the test's state is the place. */
int history_place_open(void **state);
int history_place_close(void **state);
#define IN_HISTORY_PLACE(test) cmocka_unit_test_setup_teardown(test, history_place_open, history_place_close)

struct history *history_opened(const char *path, enum history_mode mode);
/* Opened, with a run that begins. */
struct history *history_begun(const char *path, const struct log_environment *environment);

/* Gate 3 of a registration on 4x64 (signed). */
struct verdict history_bound_verdict(const char *registration, enum verdict_status status, double ratio);
void history_put(struct history *history, const struct verdict *v);
/* Gate 5 of the kernel "symbol". */
void history_put_kernel(struct history *history, uint32_t vgprs, enum verdict_status status, const char *reason);
/* The registration's end; a duration of 0 ns is one that is replayed. */
void history_end(struct history *history, const char *registration, uint64_t duration_ns);
/* One registration that passes, to its end. */
void history_record(struct history *history, const char *registration, double ratio, uint64_t duration_ns);

enum { HISTORY_RUN_NS = 123456 };
/* Ends the run, which took HISTORY_RUN_NS, and closes. */
void history_finished(struct history *history, enum status status);
/* A run of the registration "k" alone. */
void history_record_run(const char *path, const struct log_environment *environment, uint64_t duration_ns);
enum { HISTORY_WRITERS = 8, HISTORY_REGISTRATIONS = 4 };
/* So many processes record a run of so many registrations each, all from the same moment. */
void history_write_at_once(const char *path);

/* What was asked for, and where it lives. */
struct history_answer {
    struct history *history;
    struct arena arena;
    struct history_row *rows;
    struct history_run *runs;
    size_t n_rows, n_runs;
};
struct history_answer history_ask(const char *path, const struct history_filter *filter);
void history_drop(struct history_answer *answer);
/* *n kernels of the arena. */
struct history_kernel *history_ask_kernels(struct history *history, const struct history_filter *filter,
                                           struct arena *arena, size_t *n);
uint64_t history_ask_cost(const char *path, const struct history_key *key);

/* The error is one line of STATUS_USAGE with these words in it. */
void history_says(const struct error *error, const char *words);
/* The file cannot be opened so, and the line begins with its path. */
void history_refused(const char *path, enum history_mode mode, const char *words);
/* Opens it as somebody who may not write it or its folder. */
struct history *history_open_unwritable(const struct history_place *place, enum history_mode mode, struct error *error);
/* Runs statements on the file as any program could. */
void history_sql(const char *path, const char *statements);

#endif
