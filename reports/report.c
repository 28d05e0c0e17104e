/* Merges what was added to a report. */
#include "reports/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/report_entries.h"

static const char *const state_names[] = {
#define STATE_NAME(state, name) name,
    REPORT_STATES(STATE_NAME)
#undef STATE_NAME
};

const char *report_state_name(enum report_state state)
{
    return state_names[state];
}

static bool no_memory(struct error *error)
{
    return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the report");
}

/* The place of a word in a comma list, or the number of its words. */
static size_t find_word(const char *list, const char *word, size_t length)
{
    size_t n = 0;
    for (const char *at = list; at && *at; n++) {
        size_t n_bytes = strcspn(at, ",");
        if (n_bytes == length && memcmp(at, word, length) == 0)
            return n;
        at += n_bytes + (at[n_bytes] == ',');
    }
    return n;
}

/* Adds the words of a comma list to another that lack there. */
static bool join_lists(struct arena *arena, const char **list, const char *more)
{
    for (const char *at = more; at && *at;) {
        size_t length = strcspn(at, ",");
        const char *joined = *list ? *list : "";
        size_t n_words = find_word(joined, "", 0);
        if (find_word(joined, at, length) == n_words)
            joined = arena_format(arena, "%s%s%.*s", joined, n_words ? "," : "", (int)length, at);
        if (!joined)
            return false;
        *list = joined;
        at += length + (at[length] == ',');
    }
    return true;
}

/* What all logs have in common. */
static bool merge_environments(struct report *report, struct error *error)
{
    struct log_environment *common = &report->environment;
    *common = report->logs[0].environment;
    for (size_t i = 1; i < report->n_logs; i++) {
        const char *differs = log_environment_difference(common, &report->logs[i].environment, LOG_TO_MERGE);
        if (differs)
            return error_set(error, STATUS_USAGE, "%s and %s are not parts of one run: they differ in the %s",
                             report->logs[0].path, report->logs[i].path, differs);
        if (!join_lists(&report->arena, &common->chips, report->logs[i].environment.chips))
            return no_memory(error);
    }
    return true;
}

/* Chips that the environment does not list, such as a GPU's own, come after those in the order of their first verdicts. */
static void rank_chips(struct report *report)
{
    const char *chips = report->environment.chips;
    size_t n_listed = find_word(chips, "", 0);
    for (size_t i = 0; i < report->entries->n; i++) {
        struct report_entry *entry = &report->entries->rows[i];
        entry->rank = find_word(chips, entry->chip, strlen(entry->chip));
        size_t first = 0;
        while (entry->rank == n_listed && strcmp(report->entries->rows[first].chip, entry->chip) != 0)
            first++;
        entry->rank += first;
    }
}

static int compare_sizes(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static int compare_names(const struct report_entry *a, const struct report_entry *b)
{
    int order = compare_sizes(a->rank, b->rank);
    return order ? order : strcmp(a->registration, b->registration);
}

static int by_place(const void *a, const void *b)
{
    const struct report_entry *x = a, *y = b;
    int order = compare_names(x, y);
    if (order == 0)
        order = (int)x->is_limits - (int)y->is_limits;
    if (order == 0)
        order = compare_sizes(x->log, y->log);
    return order ? order : compare_sizes(x->place, y->place);
}

/* Entries are sorted: those of one name on one chip, gates before limits, the earlier log first. */
static bool check_overlap(const struct report *report, struct error *error)
{
    const struct report_entry *rows = report->entries->rows;
    for (size_t i = 1; i < report->entries->n; i++)
        if (!rows[i].is_limits && !rows[i - 1].is_limits && rows[i].log != rows[i - 1].log &&
            compare_names(&rows[i - 1], &rows[i]) == 0)
            return error_set(error, STATUS_USAGE, "%s and %s overlap: both hold %s on %s; give each part of the run once",
                             report->logs[rows[i - 1].log].path, report->logs[rows[i].log].path, rows[i].registration,
                             rows[i].chip);
    return true;
}

/* A kernel that registrations of two shards share has the same result in both. */
static bool is_repeated(const struct report_kernel *kernel, const struct verdict *limit)
{
    for (size_t i = kernel->n_verdicts - kernel->n_limits; i < kernel->n_verdicts; i++) {
        const struct verdict *v = kernel->verdicts[i];
        if (v->status == limit->status && hash_equal(v->code, limit->code) && strcmp(v->reason, limit->reason) == 0)
            return true;
    }
    return false;
}

/* Of several goes at a registration the last that was finished counts, else the last. */
static const struct report_entry *choose_go(const struct report_entry *rows, size_t n)
{
    const struct report_entry *chosen = NULL;
    for (size_t i = 0; i < n; i++)
        if (!rows[i].is_limits && (!chosen || rows[i].is_finished || !chosen->is_finished))
            chosen = &rows[i];
    return chosen;
}

static enum report_state state_of(const struct verdict *verdict)
{
    if (verdict->status == VERDICT_INVALID)
        return REPORT_INVALID;
    if (verdict_status_is_red(verdict->status))
        return REPORT_FAIL;
    if (verdict->status == VERDICT_KNOWN_FINDING)
        return REPORT_KNOWN;
    return report_leaves_out_all(verdict) ? REPORT_NOT_RUN : REPORT_PASS;
}

static bool is_worse(const struct verdict *verdict, const struct verdict *than)
{
    if (verdict->subject != SUBJECT_GATE || verdict->gate != GATE_BOUND || verdict->n_compared == 0)
        return false;
    return !than || isnan(verdict->worst_ratio) || verdict->worst_ratio > than->worst_ratio;
}

static void sum_up(struct report_kernel *kernel)
{
    for (size_t i = 0; i < kernel->n_verdicts; i++) {
        const struct verdict *v = kernel->verdicts[i];
        enum report_state state = state_of(v);
        kernel->state = state > kernel->state ? state : kernel->state;
        kernel->worst = is_worse(v, kernel->worst) ? v : kernel->worst;
        kernel->verdicts_ns += v->duration_ns;
    }
    if (!kernel->is_finished)
        kernel->state = REPORT_UNFINISHED;
}

/* Of n sorted entries of one name on one chip. */
static bool make_kernel(struct report *report, const struct report_entry *rows, size_t n, struct report_kernel *kernel)
{
    const struct report_entry *go = choose_go(rows, n);
    size_t n_most = go ? go->n : 0;
    for (size_t i = 0; i < n; i++)
        n_most += rows[i].is_limits ? rows[i].n : 0;
    const struct verdict **verdicts = arena_alloc(&report->arena, n_most * sizeof(void *));
    if (!verdicts)
        return false;
    *kernel = (struct report_kernel){.registration = rows->registration,
                                     .chip = rows->chip,
                                     .log = &report->logs[go ? go->log : rows->log],
                                     .has_limits_only = !go,
                                     .is_finished = !go || go->is_finished,
                                     .verdicts = verdicts,
                                     .duration_ns = go ? go->duration_ns : 0};
    for (size_t i = 0; go && i < go->n; i++)
        verdicts[kernel->n_verdicts++] = go->verdicts[i];
    for (size_t i = 0; i < n; i++)
        for (size_t v = 0; rows[i].is_limits && v < rows[i].n; v++)
            if (!is_repeated(kernel, rows[i].verdicts[v])) {
                verdicts[kernel->n_verdicts++] = rows[i].verdicts[v];
                kernel->n_limits++;
            }
    sum_up(kernel);
    return true;
}

static bool make_kernels(struct report *report, struct error *error)
{
    const struct report_entries *entries = report->entries;
    report->kernels = arena_alloc(&report->arena, (entries->n + 1) * sizeof *report->kernels);
    for (size_t i = 0, n; report->kernels && i < entries->n; i += n) {
        for (n = 1; i + n < entries->n && compare_names(&entries->rows[i], &entries->rows[i + n]) == 0;)
            n++;
        if (!make_kernel(report, &entries->rows[i], n, &report->kernels[report->n_kernels]))
            return no_memory(error);
        report->n_kernels++;
    }
    return report->kernels || no_memory(error);
}

static void replay_gates(const struct report_kernel *kernel, struct verdict_sink sink)
{
    for (size_t i = 0; i + kernel->n_limits < kernel->n_verdicts; i++)
        sink.verdict(sink.context, kernel->verdicts[i]);
    if (kernel->is_finished && !kernel->has_limits_only && !report_leaves_out_all(kernel->verdicts[0]))
        sink.registration_end(sink.context, &(struct registration_end){kernel->registration, kernel->chip,
                                                                       kernel->duration_ns, kernel->duration_ns == 0});
}

static void replay_limits(const struct report_kernel *kernel, struct verdict_sink sink)
{
    for (size_t i = kernel->n_verdicts - kernel->n_limits; i < kernel->n_verdicts; i++)
        sink.verdict(sink.context, kernel->verdicts[i]);
}

/* Of one log, or of all (NULL). */
static void replay(const struct report *report, const struct report_log *log, struct verdict_sink sink)
{
    for (int finished = 1; finished >= 0; finished--)
        for (size_t i = 0; i < report->n_kernels; i++)
            if (report->kernels[i].is_finished == finished && (!log || report->kernels[i].log == log))
                replay_gates(&report->kernels[i], sink);
    for (size_t i = 0; i < report->n_kernels; i++)
        if (!log || report->kernels[i].log == log)
            replay_limits(&report->kernels[i], sink);
}

void report_replay(const struct report *report, struct verdict_sink sink)
{
    replay(report, NULL, sink);
}

/* Durations and gate 5's cells, which no verdict holds: the summary's, less what the verdicts of the log make of the other
 * gates. */
static void add_summary(struct report *report, size_t log)
{
    struct counts folded = {0}, *summary = &report->entries->summaries[log];
    replay(report, &report->logs[log], counts_sink(&folded));
    for (size_t i = 0; i < summary->n_chips; i++) {
        const struct chip_counts *row = &summary->chips[i], *gates = counts_of(&folded, row->chip);
        struct chip_counts *sum = counts_of(&report->counts, row->chip);
        sum->gates_ns += row->gates_ns;
        sum->limits_ns += row->limits_ns;
        sum->n_cells_run += row->n_cells_run - gates->n_cells_run;
        sum->n_cells_not_run += row->n_cells_not_run - gates->n_cells_not_run;
    }
}

static bool list_problems(struct report *report, struct error *error)
{
    size_t n = 0;
    for (size_t i = 0; i < report->n_kernels; i++)
        n += report->kernels[i].n_verdicts;
    const struct verdict **problems = arena_alloc(&report->arena, (n + 1) * sizeof(void *));
    if (!problems)
        return no_memory(error);
    for (size_t i = 0; i < report->n_kernels; i++)
        for (size_t v = 0; v < report->kernels[i].n_verdicts; v++)
            if (verdict_exit(report->kernels[i].verdicts[v]) != STATUS_OK)
                problems[report->n_problems++] = report->kernels[i].verdicts[v];
    qsort(problems, report->n_problems, sizeof(void *), report_by_severity);
    report->problems = problems;
    report->is_red = report->n_problems > 0;
    return true;
}

static void settle_status(struct report *report)
{
    report->status = report->n_notes ? STATUS_INTERRUPTED : STATUS_OK;
    for (size_t i = 0; i < report->n_logs; i++)
        report->status = report->logs[i].exit > report->status ? report->logs[i].exit : report->status;
    for (size_t i = 0; i < report->n_problems; i++) {
        enum status status = verdict_exit(report->problems[i]);
        report->status = status > report->status ? status : report->status;
    }
}

bool report_settle(struct report *report, struct error *error)
{
    if (report->failed)
        return no_memory(error);
    if (report->n_logs == 0)
        return error_set(error, STATUS_USAGE, "no log; name at least one");
    if (!merge_environments(report, error))
        return false;
    rank_chips(report);
    if (report->entries->n)
        qsort(report->entries->rows, report->entries->n, sizeof *report->entries->rows, by_place);
    if (!check_overlap(report, error) || !make_kernels(report, error) || !list_problems(report, error) ||
        !report_note(report, error))
        return false;
    report_replay(report, counts_sink(&report->counts));
    for (size_t i = 0; i < report->n_logs; i++)
        add_summary(report, i);
    settle_status(report);
    return true;
}

void report_free(struct report *report)
{
    if (report->entries) {
        free(report->entries->rows);
        free(report->entries->summaries);
    }
    free(report->entries);
    free(report->logs);
    arena_free(&report->arena);
    *report = (struct report){0};
}

const struct report_kernel *report_find(const struct report *report, const char *registration, const char *chip)
{
    for (size_t i = 0; i < report->n_kernels; i++)
        if (strcmp(report->kernels[i].registration, registration) == 0 && strcmp(report->kernels[i].chip, chip) == 0)
            return &report->kernels[i];
    return NULL;
}
