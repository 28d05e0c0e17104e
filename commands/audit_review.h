/*
 * What the kernels of the working tree take now, beside what they took at a revision, in a folder or under another
 * compiler.
 */
#ifndef COMMANDS_AUDIT_REVIEW_H
#define COMMANDS_AUDIT_REVIEW_H

#include "commands/limits_pass.h"
#include "contract/base/text.h"
#include "records/audit_diff.h"
#include "records/record_set.h"

/* Where a kernel spills. */
struct audit_spill {
    const char *kernel, *chip, *text;
};

/* A comparison; before and after hold the records that diff points to. */
struct audit_review {
    struct text origin; /* of what is before: "HEAD~1 (938da27c6b5e), its records of debian-clang-22" */
    struct record_set before, after;
    struct audit_diff diff;
    struct audit_spill *spills; /* of after; the notes of diff's changes */
    size_t n_spills;
    struct arena arena; /* holds them */
    size_t n_left_out;  /* records that have no counterpart because one side was not compiled */
    size_t n_problems;  /* told by `tell`: a source that does not compile, a launch that does not fit */
    struct text notes;  /* lines of record files that are wrong, each with a newline */
};

/* Measures what is selected with the compiler `now`, finds what `against` names and compares. It names, the first that
 * holds: a compiler ("clang-19", "debian-clang-19"), with which the working tree is compiled; a folder, with records/ or of
 * records; a git revision. Of the last two the committed records are taken, those of the compiler `now`; where there are
 * none, the sources there are compiled. `tell` gets the problems of the working tree that are no difference of records.
 * Errors: STATUS_USAGE where nothing is named so, STATUS_ENVIRONMENT. audit_review_free in either case. */
bool audit_review_make(const struct registry *registry, struct toolchain *now, const struct limits_options *options,
                       const char *against, void (*tell)(void *context, const struct limits_result *result), void *context,
                       struct audit_review *review, struct error *error);
void audit_review_free(struct audit_review *review);

#endif
