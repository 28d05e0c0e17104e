/*
 * Gate 5 over registrations and chips: compiles every family for every chip, compares each kernel with its committed record
 * and checks every registered launch against what was compiled. Serves `limits` and `contract`.
 */
#ifndef COMMANDS_LIMITS_PASS_H
#define COMMANDS_LIMITS_PASS_H

#include "contract/base/error.h"
#include "contract/base/hash.h"
#include "contract/registry_list.h"
#include "records/limits.h"
#include "toolchain/toolchain.h"

struct limits_options {
    const char *const *chips; /* n_chips names that chip_find knows */
    size_t n_chips;
    const char *const *only; /* n_only patterns of registration or kernel names; none means all */
    size_t n_only;
    int n_jobs;
    bool update;                   /* rewrite the committed records of what was selected */
    const char *records_directory; /* NULL: records/ under the project's root */
};

/* One result; strings live as long as the call of emit. */
struct limits_result {
    bool problem;
    const char *chip;
    const char *name; /* of a kernel (its record), a registration (a launch) or a family (it does not compile) */
    const struct record *measured; /* of a kernel's record result; NULL otherwise */
    struct hash128 code;           /* of the code object; zero where there is none */
    char text[LIMIT_TEXT_BYTES];   /* "record current", "launch at 64x512: 512 threads, bound 256" */
};

struct limits_totals {
    size_t n_results, n_problems;
    size_t n_registrations;      /* that were selected */
    size_t n_compiled, n_cached; /* code objects made, and taken from the cache */
    size_t n_files_written;      /* record files, by update */
    uint64_t duration_ns;
};

/* Calls emit for each result, in the caller's thread and in a stable order: family, chip, kernel. A kernel that does not
 * compile is a problem, not an error. Errors: a malformed record file (STATUS_USAGE), no compiler (STATUS_ENVIRONMENT). */
bool limits_pass(const struct registry *registry, struct toolchain *toolchain, const struct limits_options *options,
                 void (*emit)(void *context, const struct limits_result *result), void *context,
                 struct limits_totals *totals, struct error *error);

#endif
