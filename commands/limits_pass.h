/*
 * Gate 5 over registrations and chips: compiles every family for every chip, compares each kernel with its committed record
 * and checks every registered launch against what was compiled. Serves `limits` and `contract`.
 */
#ifndef COMMANDS_LIMITS_PASS_H
#define COMMANDS_LIMITS_PASS_H

#include "contract/base/error.h"
#include "contract/base/hash.h"
#include "contract/registry_list.h"
#include "contract/verdict.h"
#include "records/limits.h"
#include "toolchain/toolchain.h"

/* Which kernels of a source there are. A launcher names the variants for all chips, of which a chip has some. */
struct limits_variants {
    bool (*may_have)(void *context, const struct registration *of, const char *chip, const char *kernel);
    void *context;
};

struct limits_options {
    const char *const *chips; /* n_chips names that chip_find knows */
    size_t n_chips;
    const char *const *only; /* n_only patterns of registration or kernel names; none means all */
    size_t n_only;
    int n_jobs;
    bool update;                   /* rewrite the committed records of what was selected */
    bool is_optional;              /* not the project's compiler: what it does not compile is told, and red only where a
                                      record says that it did */
    const char *records_directory; /* NULL: records/ under the project's root */
    const struct progress_sink *progress;   /* of the compiling; NULL: none */
    const struct limits_variants *variants; /* where an optional compiler refuses a source; NULL: it may have all */
};

/* X(kind, name): what a result is about. */
#define LIMITS_KINDS(X)                                                                                                    \
    X(CURRENT, "current")                                                                                                  \
    X(STALE, "stale")                                                                                                      \
    X(MISSING, "missing")                                                                                                  \
    X(WRITTEN, "written")           /* by update, or removed */                                                            \
    X(ORPHAN, "orphan")             /* a record of a kernel, or of a family, that there is no more */                      \
    X(NOT_COMPILED, "not compiled") /* the compiler does not know the chip, or refuses the kernel */                       \
    X(MALFORMED, "malformed")       /* a line of a record file: exit status 2 */                                           \
    X(BUDGET, "over budget")        /* a ceiling of the registration is passed */                                          \
    X(OTHER, "problem")             /* a launch, a kernel that is not there */

#define LIMITS_KIND_ENUM(kind, name) LIMITS_##kind,
enum limits_kind { LIMITS_KINDS(LIMITS_KIND_ENUM) LIMITS_KIND_COUNT };
#undef LIMITS_KIND_ENUM

const char *limits_kind_name(enum limits_kind kind);

/* One result; strings live as long as the call of emit. */
struct limits_result {
    enum limits_kind kind;
    bool problem;
    const char *chip;
    const char *family;
    const char *name; /* of a kernel (its record), a registration (a launch) or a family (it does not compile) */
    const struct record *measured;     /* of a kernel's record result; NULL otherwise */
    const struct record *committed;    /* likewise, where there is one */
    const struct code_object *object;  /* that holds it; NULL where there is none */
    const struct registration *source; /* the first registration of its source; NULL for what is of a whole file */
    struct hash128 code;               /* of the code object; zero where there is none */
    char text[LIMIT_TEXT_BYTES];       /* "record current", "launch at 64x512: 512 threads, bound 256" */
};

struct limits_totals {
    size_t n_results, n_problems;
    size_t n_not_compiled;       /* kernels, of an optional compiler */
    size_t n_malformed;          /* lines of record files, which are problems too */
    size_t n_registrations;      /* that were selected */
    size_t n_compiled, n_cached; /* code objects made, and taken from the cache */
    size_t n_files_written;      /* record files, by update */
    uint64_t duration_ns;
};

/* Calls emit for each result, in the caller's thread and in a stable order: family, chip, kernel. A kernel that does not
 * compile is a problem, not an error, and so is a malformed line of a record file. Errors: a record file that cannot be
 * written without losing a line, or that another version of the compiler recorded and this run measures in part
 * (STATUS_USAGE); no compiler (STATUS_ENVIRONMENT). */
bool limits_pass(const struct registry *registry, struct toolchain *toolchain, const struct limits_options *options,
                 void (*emit)(void *context, const struct limits_result *result), void *context,
                 struct limits_totals *totals, struct error *error);
/* 0; 1 where there are problems; 2 where a record file is malformed. */
enum status limits_status(const struct limits_totals *totals);

#endif
