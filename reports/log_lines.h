/*
 * The lines of a log, one after the other, each checked before it is handed over. Inner header of reports/.
 */
#ifndef REPORTS_LOG_LINES_H
#define REPORTS_LOG_LINES_H

#include <stdbool.h>

#include <jansson.h>

#include "contract/base/error.h"

/* X(record, name in the log) */
#define LOG_RECORDS(X)                                                                                                     \
    X(ENVIRONMENT, "environment")                                                                                          \
    X(VERDICT, "verdict")                                                                                                  \
    X(OUTPUTS, "outputs")                                                                                                  \
    X(END, "end")                                                                                                          \
    X(SUMMARY, "summary")

#define LOG_RECORD_ENUM(record, name) LOG_##record,
enum log_record { LOG_RECORDS(LOG_RECORD_ENUM) LOG_RECORD_COUNT };
#undef LOG_RECORD_ENUM

/* Takes one line; false stops the reading with *error, to which the file and the line are added. */
typedef bool log_line_reader(void *context, enum log_record record, const json_t *object, struct error *error);

/* Hands the lines to the reader, first the environment. Records that this version does not know are passed over. A last
 * line without its newline that is not JSON is left out: *is_cut. Errors: STATUS_USAGE, "PATH: reason" or "PATH:LINE:
 * reason". */
bool log_lines_read(const char *path, log_line_reader *reader, void *context, bool *is_cut, struct error *error);

#endif
