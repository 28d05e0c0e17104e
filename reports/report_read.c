/* What a report is made of: a log's lines, or a run's verdicts as they are decided. */
#include <stdlib.h>
#include <string.h>

#include "reports/log_lines.h"
#include "reports/report_entries.h"
#include "reports/verdict_json.h"

static bool no_memory(struct error *error)
{
    return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the report");
}

struct report_log *report_new_log(struct report *report, const char *path)
{
    size_t n = report->n_logs + 1;
    if (!report->entries)
        report->entries = calloc(1, sizeof *report->entries);
    struct report_log *logs = report->entries ? realloc(report->logs, n * sizeof *logs) : NULL;
    if (!logs)
        return NULL;
    report->logs = logs;
    struct counts *summaries = realloc(report->entries->summaries, n * sizeof *summaries);
    if (!summaries)
        return NULL;
    report->entries->summaries = summaries;
    summaries[n - 1] = (struct counts){0};
    logs[n - 1] = (struct report_log){.path = arena_format(&report->arena, "%s", path), .exit = STATUS_INTERRUPTED};
    report->n_logs = n;
    return logs[n - 1].path ? &logs[n - 1] : NULL;
}

static bool is_of(const struct report_entry *entry, size_t log, bool is_limits, const char *registration, const char *chip)
{
    return entry->log == log && entry->is_limits == is_limits && strcmp(entry->registration, registration) == 0 &&
           strcmp(entry->chip, chip) == 0;
}

/* The latest entry of the newest log, or NULL. */
static struct report_entry *find_entry(const struct report *report, bool is_limits, const char *registration,
                                       const char *chip)
{
    const struct report_entries *entries = report->entries;
    for (size_t i = entries->n; i-- > 0;)
        if (is_of(&entries->rows[i], report->n_logs - 1, is_limits, registration, chip))
            return &entries->rows[i];
    return NULL;
}

static struct report_entry *new_entry(struct report *report, const struct verdict *verdict, bool is_limits)
{
    struct report_entries *entries = report->entries;
    if (entries->n == entries->capacity) {
        size_t capacity = entries->capacity ? entries->capacity * 2 : 64;
        struct report_entry *grown = realloc(entries->rows, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        entries->rows = grown;
        entries->capacity = capacity;
    }
    struct report_entry *entry = &entries->rows[entries->n];
    *entry = (struct report_entry){.registration = arena_format(&report->arena, "%s", verdict->registration),
                                   .chip = arena_format(&report->arena, "%s", verdict->chip),
                                   .log = report->n_logs - 1,
                                   .place = entries->n,
                                   .is_limits = is_limits};
    if (!entry->registration || !entry->chip)
        return NULL;
    entries->n++;
    return entry;
}

static bool append(struct report *report, struct report_entry *entry, const struct verdict *verdict)
{
    if (entry->n == entry->capacity) {
        size_t capacity = entry->capacity ? entry->capacity * 2 : 16;
        const struct verdict **grown = arena_alloc(&report->arena, capacity * sizeof(void *));
        if (!grown)
            return false;
        if (entry->n)
            memcpy(grown, entry->verdicts, entry->n * sizeof(void *));
        entry->verdicts = grown;
        entry->capacity = capacity;
    }
    struct verdict *copy = arena_alloc(&report->arena, sizeof *copy);
    if (!copy)
        return false;
    *copy = *verdict;
    copy->replayed = false;
    entry->verdicts[entry->n++] = copy;
    return true;
}

bool report_leaves_out_all(const struct verdict *verdict)
{
    return verdict->subject == SUBJECT_GATE && verdict->status == VERDICT_NOT_RUN && verdict->gate == 0 && !*verdict->shape;
}

bool report_add_verdict(struct report *report, const struct verdict *verdict, struct error *error)
{
    bool is_limits = verdict->subject == SUBJECT_LIMIT;
    struct report_entry *entry = find_entry(report, is_limits, verdict->registration, verdict->chip);
    if (!entry || (entry->is_finished && !is_limits))
        entry = new_entry(report, verdict, is_limits);
    if (!entry || !append(report, entry, verdict))
        return no_memory(error);
    entry->is_finished = is_limits || report_leaves_out_all(verdict);
    return true;
}

void report_add_end(struct report *report, const struct registration_end *end)
{
    struct report_entry *entry = find_entry(report, false, end->registration, end->chip);
    if (!entry || entry->is_finished)
        return;
    entry->is_finished = true;
    entry->duration_ns = end->duration_ns;
}

static bool read_verdict(struct report *report, const json_t *object, struct error *error)
{
    struct verdict verdict;
    return (verdict_from_json(object, &verdict) ||
            error_set(error, STATUS_USAGE, "not a verdict that this version writes")) &&
           report_add_verdict(report, &verdict, error);
}

static bool read_end(struct report *report, const json_t *object, struct error *error)
{
    struct registration_end end = {.registration = json_string_value(json_object_get(object, "registration")),
                                   .chip = json_string_value(json_object_get(object, "chip")),
                                   .duration_ns = (uint64_t)json_integer_value(json_object_get(object, "duration_ns"))};
    if (!end.registration || !end.chip)
        return error_set(error, STATUS_USAGE, "an end needs registration and chip");
    report_add_end(report, &end);
    return true;
}

/* The figures of a chip that verdicts do not hold. */
static bool read_chip(struct counts *summary, const json_t *object)
{
    const char *chip = NULL;
    json_int_t run = 0, not_run = 0, gates_ns = 0, limits_ns = 0;
    if (json_unpack((json_t *)object, "{s:s, s:I, s:I, s:I, s:I}", "chip", &chip, "gates_run", &run, "gates_not_run",
                    &not_run, "gates_ns", &gates_ns, "limits_ns", &limits_ns) != 0)
        return false;
    struct chip_counts *row = counts_of(summary, chip);
    row->n_cells_run = run;
    row->n_cells_not_run = not_run;
    row->gates_ns = (uint64_t)gates_ns;
    row->limits_ns = (uint64_t)limits_ns;
    return true;
}

static bool read_summary(struct report *report, const json_t *object, struct error *error)
{
    struct report_log *log = &report->logs[report->n_logs - 1];
    struct counts *summary = &report->entries->summaries[report->n_logs - 1];
    int status = 0, interrupted = 0;
    json_t *chips = NULL;
    if (json_unpack((json_t *)object, "{s:i, s:b, s:o}", "exit", &status, "interrupted", &interrupted, "chips", &chips) !=
            0 ||
        status < STATUS_OK || status > STATUS_INTERRUPTED)
        return error_set(error, STATUS_USAGE, "not a summary that this version writes");
    for (size_t i = 0; i < json_array_size(chips); i++)
        if (!read_chip(summary, json_array_get(chips, i)))
            return error_set(error, STATUS_USAGE, "chip %zu of the summary lacks a count", i + 1);
    log->has_summary = true;
    log->interrupted = interrupted;
    log->exit = (enum status)status;
    return true;
}

static bool read_line(void *context, enum log_record record, const json_t *object, struct error *error)
{
    struct report *report = context;
    switch (record) {
    case LOG_ENVIRONMENT:
        return log_environment_from_json(object, &report->arena, &report->logs[report->n_logs - 1].environment, error);
    case LOG_VERDICT:
        return read_verdict(report, object, error);
    case LOG_END:
        return read_end(report, object, error);
    case LOG_SUMMARY:
        return read_summary(report, object, error);
    case LOG_OUTPUTS: /* for `compare` alone */
    case LOG_RECORD_COUNT:
        break;
    }
    return true;
}

bool report_add_log(struct report *report, const char *path, struct error *error)
{
    if (!report_new_log(report, path))
        return no_memory(error);
    bool is_cut = false;
    bool ok = log_lines_read(path, read_line, report, &is_cut, error);
    report->logs[report->n_logs - 1].is_cut = is_cut;
    return ok;
}

bool report_begin(struct report *report, const struct log_environment *environment, struct error *error)
{
    struct report_log *log = report_new_log(report, "");
    if (!log)
        return no_memory(error);
    return log_environment_copy(environment, &report->arena, &log->environment) || no_memory(error);
}

static void sink_verdict(void *context, const struct verdict *verdict)
{
    struct report *report = context;
    report->failed |= !report_add_verdict(report, verdict, NULL);
}

static void sink_end(void *context, const struct registration_end *end)
{
    report_add_end(context, end);
}

struct verdict_sink report_sink(struct report *report)
{
    return (struct verdict_sink){.verdict = sink_verdict, .registration_end = sink_end, .context = report};
}

void report_end(struct report *report, const struct counts *counts, enum status status, bool interrupted)
{
    struct report_log *log = &report->logs[report->n_logs - 1];
    log->has_summary = true;
    log->interrupted = interrupted;
    log->exit = status;
    report->entries->summaries[report->n_logs - 1] = *counts;
}
