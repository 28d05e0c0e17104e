#include "reports/log_lines.h"

#include <stdlib.h>
#include <string.h>

#include "contract/base/file.h"

/* A log being read. */
struct reading {
    const char *path;
    log_line_reader *reader;
    void *context;
    size_t line;
    bool *is_cut;
    struct error *error;
};

static bool bad_line(const struct reading *reading, const char *what)
{
    return error_set(reading->error, STATUS_USAGE, "%s:%zu: %s", reading->path, reading->line, what);
}

/* LOG_RECORD_COUNT where there is none of that name. */
static enum log_record find_record(const char *name)
{
    static const char *const names[] = {
#define LOG_RECORD_NAME(record, text) text,
        LOG_RECORDS(LOG_RECORD_NAME)
#undef LOG_RECORD_NAME
    };
    int i = 0;
    while (i < LOG_RECORD_COUNT && strcmp(name, names[i]) != 0)
        i++;
    return (enum log_record)i;
}

static bool read_object(struct reading *reading, const json_t *object)
{
    const char *name = json_string_value(json_object_get(object, "record"));
    if (!name)
        return bad_line(reading, "no field `record`");
    enum log_record record = find_record(name);
    if ((reading->line == 1) != (record == LOG_ENVIRONMENT))
        return bad_line(reading, reading->line == 1 ? "a log starts with its environment"
                                                    : "a second environment; give each log as a file of its own");
    return record == LOG_RECORD_COUNT || reading->reader(reading->context, record, object, reading->error) ||
           error_prefix(reading->error, "%s:%zu", reading->path, reading->line);
}

/* One line of n bytes; is_whole says that a newline ended it. */
static bool read_line(struct reading *reading, const char *line, size_t n_bytes, bool is_whole)
{
    reading->line++;
    json_t *object = json_loadb(line, n_bytes, 0, NULL);
    if (!object && is_whole)
        return bad_line(reading, "not a line of JSON");
    *reading->is_cut = !object;
    bool ok = !object || read_object(reading, object);
    json_decref(object);
    return ok;
}

static bool read_lines(struct reading *reading, const char *data, size_t n_bytes)
{
    if (!memchr(data, '\n', n_bytes))
        return error_set(reading->error, STATUS_USAGE, "%s: %s", reading->path,
                         n_bytes ? "no log: not one whole line" : "an empty file, no log");
    for (size_t at = 0; at < n_bytes;) {
        const char *newline = memchr(data + at, '\n', n_bytes - at);
        size_t length = newline ? (size_t)(newline - data) - at : n_bytes - at;
        if (!read_line(reading, data + at, length, newline != NULL))
            return false;
        at += length + 1;
    }
    return true;
}

bool log_lines_read(const char *path, log_line_reader *reader, void *context, bool *is_cut, struct error *error)
{
    char *data = NULL;
    size_t n_bytes = 0;
    *is_cut = false;
    if (!file_read(path, &data, &n_bytes, error))
        return false;
    struct reading reading = {path, reader, context, 0, is_cut, error};
    bool ok = read_lines(&reading, data, n_bytes);
    free(data);
    return ok;
}
