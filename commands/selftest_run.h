/*
 * Runs of the selftest's contract, each in a process of its own with a fault of the harness planted, some at a time.
 */
#ifndef COMMANDS_SELFTEST_RUN_H
#define COMMANDS_SELFTEST_RUN_H

#include "commands/session.h"
#include "contract/harness_fault.h"
#include "contract/run.h"
#include "contract/selftest.h"

/* A run, whose verdicts belong to it. */
struct selftest_result {
    struct selftest_run run;
    struct verdict *verdicts;
};

/* Called with each run as it ends. */
typedef void selftest_done(void *context, enum harness_fault fault, const struct selftest_result *result);

/* Runs the contract for each fault of a list, at most n_jobs at a time, on a device that is open; `run` is compiled
 * (run_compile) and has no stream. Stops early, and says so in the error, where run->interrupted comes to say true or a
 * process cannot be made. */
bool selftest_run_all(const struct run *run, const enum harness_fault *faults, size_t n, int n_jobs, selftest_done *done,
                      void *context, struct error *error);
void selftest_result_free(struct selftest_result *result);

#endif
