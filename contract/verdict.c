#include "contract/verdict.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "contract/harness_fault.h"

static const char *const subject_names[] = {
#define SUBJECT_NAME(kind, name) name,
    VERDICT_SUBJECTS(SUBJECT_NAME)
#undef SUBJECT_NAME
};

static const struct {
    const char *name;
    bool red;
} statuses[] = {
#define STATUS_ROW(kind, name, red) {name, red},
    VERDICT_STATUSES(STATUS_ROW)
#undef STATUS_ROW
};

const char *verdict_subject_name(enum verdict_subject subject)
{
    return subject_names[subject];
}

const char *verdict_status_name(enum verdict_status status)
{
    return statuses[status].name;
}

bool verdict_status_is_red(enum verdict_status status)
{
    return statuses[status].red;
}

enum status verdict_exit(const struct verdict *verdict)
{
    if (verdict->status == VERDICT_INVALID)
        return STATUS_USAGE;
    return verdict_status_is_red(verdict->status) ? STATUS_RED : STATUS_OK;
}

void verdict_registration(struct verdict *verdict, const struct registration *registration)
{
    snprintf(verdict->registration, sizeof verdict->registration, "%s", registration->name);
    verdict_place(verdict, registration);
}

void verdict_place(struct verdict *verdict, const struct registration *registration)
{
    bool fits = registration->file && strlen(registration->file) < sizeof verdict->file;
    snprintf(verdict->file, sizeof verdict->file, "%s", fits ? registration->file : "");
    verdict->line = fits ? registration->line : 0;
}

void verdict_reason(struct verdict *verdict, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(verdict->reason, sizeof verdict->reason, format, arguments);
    va_end(arguments);
}

void stream_add(struct verdict_stream *stream, struct verdict_sink sink)
{
    if (stream->n_sinks < VERDICT_SINKS)
        stream->sinks[stream->n_sinks++] = sink;
}

void stream_put(struct verdict_stream *stream, const struct verdict *verdict)
{
    enum status status = verdict_exit(verdict);
    if (status > stream->worst && !harness_has(HARNESS_STATUS_FORGOTTEN))
        stream->worst = status;
    for (size_t i = 0; i < stream->n_sinks; i++)
        if (stream->sinks[i].verdict)
            stream->sinks[i].verdict(stream->sinks[i].context, verdict);
}

void stream_registration_end(struct verdict_stream *stream, const struct registration_end *end)
{
    for (size_t i = 0; i < stream->n_sinks; i++)
        if (stream->sinks[i].registration_end)
            stream->sinks[i].registration_end(stream->sinks[i].context, end);
}

void stream_put_outputs(struct verdict_stream *stream, const struct case_outputs *outputs)
{
    for (size_t i = 0; i < stream->n_sinks; i++)
        if (stream->sinks[i].outputs)
            stream->sinks[i].outputs(stream->sinks[i].context, outputs);
}

bool stream_wants_outputs(const struct verdict_stream *stream)
{
    for (size_t i = 0; i < stream->n_sinks; i++)
        if (stream->sinks[i].outputs)
            return true;
    return false;
}

static bool is_cell(char letter)
{
    return letter == ERROR_MAP_UNDECIDED || (letter >= ERROR_MAP_FIRST && letter < ERROR_MAP_FIRST + RATIO_BINS);
}

static bool row_is_whole(const char *cells, int n_columns)
{
    for (int column = 0; column < n_columns; column++)
        if (!is_cell(cells[column]))
            return false;
    return cells[n_columns] == '\0';
}

bool error_map_is_whole(const struct error_map *map)
{
    if (map->n_rows < 1 || map->n_rows > ERROR_MAP_ROWS || map->n_columns < 1 || map->n_columns > ERROR_MAP_COLUMNS ||
        map->rows < map->n_rows || map->columns < map->n_columns || !memchr(map->tensor, '\0', sizeof map->tensor))
        return false;
    for (int row = 0; row < map->n_rows; row++)
        if (!row_is_whole(map->cell[row], map->n_columns))
            return false;
    return true;
}
