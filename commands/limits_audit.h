/*
 * What an audit found: each kernel on each chip as each compiler makes it, for the table and for what asks more of it.
 */
#ifndef COMMANDS_LIMITS_AUDIT_H
#define COMMANDS_LIMITS_AUDIT_H

#include "commands/limits_pass.h"
#include "commands/session.h"
#include "toolchain/profile.h"

struct audit_compiler {
    struct profile profile;
    struct toolchain *toolchain; /* open as long as the audit is; compiling again what a row measured is a cache hit */
    bool is_default;             /* the project's: what it does not compile is red */
    struct limits_totals totals;
};

/* One result of the limits pass, kept. Strings belong to the audit. */
struct audit_row {
    size_t compiler; /* index of the audit's */
    enum limits_kind kind;
    bool problem, has_measured, has_committed;
    const char *family, *name, *chip, *text;
    struct record measured, committed; /* where they are there; their names are name and chip */
    const struct registration *source; /* to compile it: source, root, family; NULL for a line of a record file */
};

struct limits_audit {
    const struct session *session;
    struct audit_compiler compilers[PROFILE_MOST];
    size_t n_compilers;
    struct audit_row *rows; /* by compiler; then family, chip, kernel */
    size_t n_rows, capacity;
    struct arena arena;
};

/* Runs the limits pass with every compiler that the arguments choose. limits_audit_close in either case. */
bool limits_audit_open(struct limits_audit *audit, const struct session *session, struct error *error);
void limits_audit_close(struct limits_audit *audit);
/* The measured records of a compiler, in the order of its rows; the array belongs to the audit. NULL out of memory. */
struct record *limits_audit_measured(struct limits_audit *audit, size_t compiler, size_t *n_records);
/* The largest of limits_status over the compilers. */
enum status limits_audit_status(const struct limits_audit *audit);

#endif
