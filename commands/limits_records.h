/*
 * A family's record file in a limits pass: compared with what was compiled, or updated. Inner header of limits_*.c.
 */
#ifndef COMMANDS_LIMITS_RECORDS_H
#define COMMANDS_LIMITS_RECORDS_H

#include <limits.h>

#include "commands/limits_run.h"

struct limits_records {
    struct record_file file;
    char path[PATH_MAX];
    bool changed;
    size_t n_judged; /* records of the file whose figures were measured now */
};

/* The folder of the compiler's records below the project's root, or that of a registration's own project. Errors:
 * STATUS_USAGE where the path is too long. */
bool limits_records_folder(const struct limits_run *run, const struct registration *of, char path[PATH_MAX]);
/* Reads the file of a registration's family. Errors as of record_file_read. limits_records_close follows where it is read.
 */
bool limits_records_open(struct limits_run *run, const struct registration *of, struct limits_records *records);
/* Puts a result for every line of the file that is wrong; updating, they are made good, or the file is not written. */
void limits_judge_lines(struct limits_run *run, const struct limits_records *records, const char *family);
/* Compares with the committed record, or, updating, puts the measured figures in its place. Nothing of a file that could
 * not be read, which limits_judge_lines tells. false only out of memory. */
bool limits_judge_record(struct limits_run *run, struct limits_records *records, const struct limits_unit *unit,
                         const struct code_kernel *kernel);
/* Records of the family that no unit of it has any more: orphans, or, updating, removed. */
void limits_judge_vanished(struct limits_run *run, struct limits_records *records, const struct limits_unit *units,
                           size_t n_units);
/* Puts an orphan, and takes the record out where the run updates. Why: "family NAME has no such kernel any more". */
void limits_put_orphan(struct limits_run *run, struct limits_records *records, const char *family,
                       const struct record *record, const char *why);
/* Writes the file where the run updates and it changed. Errors: STATUS_USAGE where a line would be lost, or one version's
 * figures would stand under another's name. */
bool limits_records_update(struct limits_run *run, struct limits_records *records);
void limits_records_close(struct limits_records *records);

#endif
