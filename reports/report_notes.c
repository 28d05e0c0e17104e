/* What a report lacks, in words: logs of runs that did not end, and shards that no log is of. */
#include <string.h>

#include "contract/base/text.h"
#include "reports/report_entries.h"

static bool is_same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* A log of the same chips as log `of` holds the shard. */
static bool has_shard(const struct report *report, size_t of, int shard)
{
    const char *chips = report->logs[of].environment.chips;
    for (size_t i = 0; i < report->n_logs; i++)
        if (report->logs[i].environment.shard == shard && is_same_text(report->logs[i].environment.chips, chips))
            return true;
    return false;
}

/* The first log of its chips: the shards of those chips are told with it. */
static bool is_first_of_chips(const struct report *report, size_t log)
{
    for (size_t i = 0; i < log; i++)
        if (is_same_text(report->logs[i].environment.chips, report->logs[log].environment.chips))
            return false;
    return true;
}

static bool note(struct report *report, const char *text, struct error *error)
{
    const char **grown = arena_alloc(&report->arena, (report->n_notes + 1) * sizeof *grown);
    if (!grown || !text)
        return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the report");
    for (size_t i = 0; i < report->n_notes; i++)
        grown[i] = report->notes[i];
    grown[report->n_notes++] = text;
    report->notes = grown;
    return true;
}

static bool note_shards(struct report *report, size_t log, struct error *error)
{
    const struct log_environment *environment = &report->logs[log].environment;
    int n = environment->n_shards;
    for (int shard = 1; shard <= n; shard++)
        if (!has_shard(report, log, shard) &&
            !note(report,
                  arena_format(&report->arena, "shard %d of %d is missing: no log holds its part of %s", shard, n,
                               environment->chips ? environment->chips : "the run"),
                  error))
            return false;
    return true;
}

/* What the run was at when it ended, or NULL; what it never began is in no log. */
static const struct report_kernel *unfinished(const struct report *report, const struct report_log *log)
{
    for (size_t i = 0; i < report->n_kernels; i++)
        if (report->kernels[i].log == log && !report->kernels[i].is_finished)
            return &report->kernels[i];
    return NULL;
}

static bool note_log(struct report *report, const struct report_log *log, struct error *error)
{
    const char *how = !log->has_summary ? "killed" : log->interrupted ? "interrupted" : NULL;
    struct text text = {0};
    const struct report_kernel *at = unfinished(report, log);
    if (!how)
        return true;
    text_append(&text, "%s%sthe run was %s before its end", log->path, *log->path ? ": " : "", how);
    if (at)
        text_append(&text, ", at %s on %s", at->registration, at->chip);
    if (*log->path)
        text_append(&text, "; `--resume %s` goes on from it", log->path);
    bool ok = note(report, text.failed ? NULL : arena_format(&report->arena, "%s", text.data), error);
    text_free(&text);
    return ok;
}

/* A run's own report is of what it ran; which parts there are is a matter of the logs that are merged. */
bool report_note(struct report *report, struct error *error)
{
    for (size_t i = 0; i < report->n_logs; i++)
        if (!note_log(report, &report->logs[i], error) ||
            (*report->logs[i].path && is_first_of_chips(report, i) && !note_shards(report, i, error)))
            return false;
    return true;
}
