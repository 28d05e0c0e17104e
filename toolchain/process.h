/*
 * Runs a program without a shell and gathers what it prints. Inner header of toolchain/.
 */
#ifndef TOOLCHAIN_PROCESS_H
#define TOOLCHAIN_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "contract/base/error.h"

struct output {
    char *data; /* malloc'ed, with a NUL after its last byte; NULL if nothing was printed */
    size_t n_bytes;
};

struct process_result {
    struct output out, err; /* release with process_result_free */
    int exit_status;        /* 0 … 255, or -1 where a signal ended it */
    int signal;             /* that ended it, or 0 */
    bool is_late;           /* it took longer than it may, and was ended */
};

/* Runs argv[0] (a path, or a name to be found in PATH) in `directory` with standard input from /dev/null, and waits for it.
 * false only if it could not be started, or what it printed is lost for want of memory: STATUS_ENVIRONMENT. Threads may
 * call it at once. */
bool process_run(const char *const *argv, const char *directory, struct process_result *result, struct error *error);
/* Likewise for `seconds` at most, 0: for any time; then it is ended with all that it has started. */
bool process_run_for(const char *const *argv, const char *directory, int seconds, struct process_result *result,
                     struct error *error);
void process_result_free(struct process_result *result);

#endif
