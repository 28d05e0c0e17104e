/*
 * A report: what one or several run logs (docs/log-format.md), or a run's own verdict stream, come to, as one model that
 * every output format is written from. It adds up and puts in order; it never judges anew, and a writer only formats.
 *
 * Filled by report_add_log for each log, or by the sink for a run that is going on, and then by report_settle, after which
 * everything below may be read. All strings, verdicts and lists belong to the report's arena.
 */
#ifndef REPORTS_REPORT_H
#define REPORTS_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "contract/base/arena.h"
#include "contract/base/error.h"
#include "contract/counts.h"
#include "contract/verdict.h"
#include "reports/log_environment.h"

/* X(state, name): what the verdicts of one registration on one chip come to. The later one counts where several apply. */
#define REPORT_STATES(X)                                                                                                   \
    X(NOT_RUN, "not-run") /* left out as a whole, with the reason in its only verdict */                                   \
    X(PASS, "pass")                                                                                                        \
    X(KNOWN, "known")           /* passes, apart from known findings */                                                    \
    X(FAIL, "fail")             /* some verdict is red */                                                                  \
    X(INVALID, "invalid")       /* the registration is wrong, not the kernel */                                            \
    X(UNFINISHED, "unfinished") /* the run ended before it was through with it */

#define REPORT_STATE_ENUM(state, name) REPORT_##state,
enum report_state { REPORT_STATES(REPORT_STATE_ENUM) REPORT_STATE_COUNT };
#undef REPORT_STATE_ENUM

const char *report_state_name(enum report_state state);

struct report_log;

/* What earlier runs came to, oldest first; empty where no history was asked (reports/report_past.h). */
struct report_past {
    const double *worst_ratios; /* gate 3, of runs of the same device and scope */
    size_t n_worst_ratios;
    const uint32_t *vgprs; /* gate 5, as the same toolchain compiled the kernel */
    size_t n_vgprs;
};

/* A registration on a chip. Gate 5 names its results by kernel of record, family or registration: where that is no
 * registration of the report it is a row of its own, which has limits only. */
struct report_kernel {
    const char *registration, *chip;
    const struct report_log *log; /* that its gates are of */
    enum report_state state;
    bool has_limits_only;
    bool is_finished; /* all of its gates, teeth and controls were decided */
    /* Gates, teeth and controls in the order in which they were decided, then limits. Never empty. */
    const struct verdict *const *verdicts;
    size_t n_verdicts;
    size_t n_limits; /* the last of them */
    /* Gate 3: the verdict that came nearest to its bound, or went furthest over it; NULL: no element was compared. */
    const struct verdict *worst;
    uint64_t duration_ns; /* all of it, as its end says; 0: the log does not say */
    uint64_t verdicts_ns; /* the sum of its verdicts' */
    struct report_past past;
};

/* One log as it was read, or the run's own stream. */
struct report_log {
    const char *path; /* "" of a stream */
    struct log_environment environment;
    bool is_cut;      /* its last line was cut short */
    bool has_summary; /* else the run was killed, or goes on */
    bool interrupted; /* as the summary says */
    enum status exit; /* likewise; STATUS_INTERRUPTED without one */
};

struct report_entries; /* what was added and is not yet settled */

struct report {
    /* What all logs have in common; `chips` lists the chips of all, `shard` is the first log's. */
    struct log_environment environment;
    struct report_log *logs;
    size_t n_logs;
    struct report_kernel *kernels; /* by chip as the environment lists them, then by name */
    size_t n_kernels;
    struct counts counts; /* the chips in the same order; durations are sums over the logs */
    /* Every verdict that costs the exit status (red or invalid), worst first: what did not build or launch, wrong
     * registrations, gates 1 to 4 with the larger miss first, controls, teeth, known findings that are found no longer,
     * limits. */
    const struct verdict *const *problems;
    size_t n_problems;
    /* What is not there, a line each: "shard 3 of 8 is missing", "RUN.jsonl: the run was killed; …". Every format shows
     * them: a report with notes is not of a whole run. */
    const char *const *notes;
    size_t n_notes;
    bool is_red;        /* n_problems > 0 */
    enum status status; /* the largest of all logs and verdicts; STATUS_INTERRUPTED at least where there are notes */
    struct arena arena;
    struct report_entries *entries;
    bool failed; /* a verdict of the sink had no room in host memory; report_settle says so */
};

/* An empty report is `struct report report = {0}`. */

/* Adds a log. A last line that was cut short is left out. Errors (STATUS_USAGE): "PATH: reason", "PATH:LINE: reason" where
 * it cannot be read, is empty, is no log, has a line that is not one of this format, is of a newer format. */
bool report_add_log(struct report *report, const char *path, struct error *error);

/* Makes the report the one of a run that begins, and gives the sink that collects its verdicts. */
bool report_begin(struct report *report, const struct log_environment *environment, struct error *error);
struct verdict_sink report_sink(struct report *report);
/* The end of that run: what the log's summary holds. */
void report_end(struct report *report, const struct counts *counts, enum status status, bool interrupted);

/* Merges what was added. Errors: STATUS_USAGE for logs that differ in what they are of (commit, toolchain, seed, …), or
 * that hold the same registration on the same chip; STATUS_ENVIRONMENT out of host memory. A shard that is missing and a
 * log that was killed are notes, not errors. */
bool report_settle(struct report *report, struct error *error);
void report_free(struct report *report);

/* Feeds a sink with what the run decided: gates, teeth and controls with the ends of registrations, what is unfinished
 * after all others, since no end sets to rights what it leaves behind, then the limits. */
void report_replay(const struct report *report, struct verdict_sink sink);

/* The kernel's row, or NULL. */
const struct report_kernel *report_find(const struct report *report, const char *registration, const char *chip);

/* The command that repeats a verdict: "hipcontract run K --shape 4x4096 --pattern signed --chip gfx1151 --seed 1 --runs 5"
 * for a case; `hipcontract gates` or `limits --only K` for what `run` does not do (controls, teeth, limits, proofs over all
 * shapes). Allocated in the arena; NULL when out of host memory. */
const char *report_repro(const struct report *report, const struct verdict *verdict, struct arena *arena);

#endif
