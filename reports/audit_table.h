/*
 * The table of an audit, one row a kernel, chip and compiler, in each format.
 */
#ifndef REPORTS_AUDIT_TABLE_H
#define REPORTS_AUDIT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "records/record_file.h"

/* X(format, name) */
#define AUDIT_FORMATS(X)                                                                                                   \
    X(TEXT, "text")                                                                                                        \
    X(JSON, "json")                                                                                                        \
    X(CSV, "csv")                                                                                                          \
    X(MARKDOWN, "markdown")

#define AUDIT_FORMAT_ENUM(format, name) AUDIT_FORMAT_##format,
enum audit_format { AUDIT_FORMATS(AUDIT_FORMAT_ENUM) AUDIT_FORMAT_COUNT };
#undef AUDIT_FORMAT_ENUM

/* AUDIT_FORMAT_COUNT where no format is named so. */
enum audit_format audit_format_find(const char *name);
/* Nothing but the table may be printed with it. */
bool audit_format_is_for_programs(enum audit_format format);

/* Strings are borrowed. */
struct audit_line {
    const char *family, *kernel, *chip, *compiler;
    const char *state;            /* "current", "not compiled" */
    const char *text;             /* all of it: "record stale: vgprs 205 -> 211" */
    const struct record *figures; /* NULL where nothing was measured */
    bool is_problem;
};

/* The lines in their order. In text and Markdown a figure that was not measured is "-", in CSV it is empty, in JSON absent.
 * false only out of memory. */
bool audit_table_write(FILE *out, enum audit_format format, const struct audit_line *lines, size_t n_lines);

#endif
