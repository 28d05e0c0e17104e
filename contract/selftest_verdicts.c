/* What the verdicts of a selftest's run come to. */
#include <stdio.h>
#include <string.h>

#include "contract/selftest.h"

/* What stands out in a sound run. */
struct expectation {
    const char *registration;
    enum verdict_subject subject;
    int gate; /* 0: any */
    enum verdict_status status;
    const char *name; /* of the control; NULL: any, or none */
};

static const struct expectation expectations[] = {
    {"selftest_reference", SUBJECT_GATE, GATE_BOUND, VERDICT_INVALID, NULL},
    {"selftest_premise", SUBJECT_GATE, GATE_EXACT, VERDICT_INVALID, NULL},
    {"selftest_depth", SUBJECT_GATE, GATE_BOUND, VERDICT_FAIL, NULL},
    {"selftest_expired", SUBJECT_GATE, GATE_BOUND, VERDICT_EXPIRED, NULL},
    {"selftest_twin", SUBJECT_GATE, GATE_BOUND, VERDICT_FAIL, NULL},
    {"selftest_blind", SUBJECT_TOOTH, 0, VERDICT_BLIND, NULL},
    {"selftest_blind", SUBJECT_GATE, GATE_EXACT, VERDICT_FAIL, NULL}, /* its narrow sums would miss nothing: no proof */
    {"selftest_sums", SUBJECT_CONTROL, GATE_BOUND, VERDICT_MISS, "no_fault"},
    {"selftest_sums", SUBJECT_CONTROL, GATE_BOUND, VERDICT_MISS, "too_weak"},
    {"selftest_sums", SUBJECT_CONTROL, GATE_BOUND, VERDICT_MISS, "elsewhere"},
};
enum { N_EXPECTATIONS = sizeof expectations / sizeof *expectations };

static bool is_expected(const struct expectation *e, const struct verdict *v)
{
    return strcmp(e->registration, v->registration) == 0 && e->subject == v->subject && e->status == v->status &&
           (e->gate == 0 || e->gate == v->gate) && (!e->name || strcmp(e->name, v->name) == 0);
}

/* "selftest_sums, control stale, gate 3, 6x64 (signed)" */
static void name_place(const struct verdict *v, char *text, size_t capacity)
{
    snprintf(text, capacity, "%s%s%s%s%s, gate %d%s%s%s%s%s", v->registration, *v->name ? ", " : "",
             *v->name ? verdict_subject_name(v->subject) : "", *v->name ? " " : "", v->name, v->gate, *v->shape ? ", " : "",
             v->shape, *v->pattern ? " (" : "", v->pattern, *v->pattern ? ")" : "");
}

static bool stands_out(const struct verdict *v)
{
    return verdict_exit(v) != STATUS_OK;
}

static bool all_are_expected(const struct selftest_run *run, struct error *error)
{
    for (size_t i = 0; i < run->n; i++) {
        bool expected = !stands_out(&run->verdicts[i]);
        for (int e = 0; e < N_EXPECTATIONS; e++)
            expected |= is_expected(&expectations[e], &run->verdicts[i]);
        if (expected)
            continue;
        char place[VERDICT_REASON_BYTES];
        name_place(&run->verdicts[i], place, sizeof place);
        return error_set(error, STATUS_RED, "without a fault %s is %s: %.400s", place,
                         verdict_status_name(run->verdicts[i].status), run->verdicts[i].reason);
    }
    return true;
}

static bool is_there(const struct selftest_run *run, const struct expectation *e)
{
    for (size_t i = 0; i < run->n; i++)
        if (is_expected(e, &run->verdicts[i]))
            return true;
    return false;
}

/* One line of who noticed: the first is kept. */
struct noticed {
    size_t n, capacity;
    char *by;
};

static void note(struct noticed *noticed, const char *place, const char *what, const char *was, const char *reason)
{
    if (noticed->n++ == 0)
        snprintf(noticed->by, noticed->capacity, "%s is %s%s%s%s%.160s", place, what, *was ? ", not " : "", was,
                 *reason ? ": " : "", reason);
}

/* The outputs of two shapes or patterns have one hash. */
static void note_hashes(const struct selftest_run *run, struct noticed *noticed)
{
    static const struct hash128 none;
    for (size_t i = 0; i < run->n; i++)
        for (size_t k = 0; k < i; k++) {
            const struct verdict *a = &run->verdicts[i], *b = &run->verdicts[k];
            if (a->subject != SUBJECT_GATE || b->subject != SUBJECT_GATE || hash_equal(a->output, none) ||
                !hash_equal(a->output, b->output) ||
                (strcmp(a->shape, b->shape) == 0 && strcmp(a->pattern, b->pattern) == 0))
                continue;
            char place[VERDICT_REASON_BYTES];
            name_place(a, place, sizeof place);
            note(noticed, place, "hashed as the outputs of another shape or pattern", "", "");
        }
}

/* The process and its verdicts tell two things. */
static void note_exit(const struct selftest_run *run, struct noticed *noticed)
{
    char ended[64], led[64];
    enum status status = STATUS_OK;
    for (size_t i = 0; i < run->n; i++)
        status = verdict_exit(&run->verdicts[i]) > status ? verdict_exit(&run->verdicts[i]) : status;
    snprintf(led, sizeof led, "%d as its verdicts ask", (int)status);
    if (run->signal)
        snprintf(ended, sizeof ended, "a signal, %d", run->signal);
    else
        snprintf(ended, sizeof ended, "%d", run->exit_status);
    if (run->signal || run->exit_status != (int)status)
        note(noticed, "the exit status of the run", ended, led, "");
}

bool selftest_is_sound(const struct selftest_run *run, struct error *error)
{
    char by[VERDICT_REASON_BYTES] = "";
    struct noticed noticed = {.by = by, .capacity = sizeof by};
    for (int e = 0; e < N_EXPECTATIONS; e++)
        if (!is_there(run, &expectations[e]))
            return error_set(error, STATUS_RED, "without a fault no verdict on %s is %s", expectations[e].registration,
                             verdict_status_name(expectations[e].status));
    note_hashes(run, &noticed);
    note_exit(run, &noticed);
    if (noticed.n)
        return error_set(error, STATUS_RED, "without a fault %.600s", by);
    return all_are_expected(run, error);
}

static bool is_of_one_place(const struct verdict *a, const struct verdict *b)
{
    return a->subject == b->subject && a->gate == b->gate && strcmp(a->registration, b->registration) == 0 &&
           strcmp(a->name, b->name) == 0 && strcmp(a->shape, b->shape) == 0 && strcmp(a->pattern, b->pattern) == 0;
}

/* The k-th verdict of the place that a verdict is the k-th of; a control at the place of its catch counts by its name. */
static const struct verdict *counterpart(const struct selftest_run *of, const struct selftest_run *in, size_t i)
{
    size_t k = 0;
    for (size_t before = 0; before < i; before++)
        k += is_of_one_place(&of->verdicts[before], &of->verdicts[i]);
    for (size_t at = 0; at < in->n; at++)
        if (is_of_one_place(&in->verdicts[at], &of->verdicts[i]) && k-- == 0)
            return &in->verdicts[at];
    return NULL;
}

/* A tooth is the same wherever it was caught. */
static bool is_by_place(const struct verdict *v)
{
    return v->subject != SUBJECT_TOOTH || v->status != VERDICT_PASS;
}

static void note_changed(const struct selftest_run *sound, const struct selftest_run *run, struct noticed *noticed)
{
    for (size_t i = 0; i < run->n; i++) {
        const struct verdict *v = &run->verdicts[i], *was = counterpart(run, sound, i);
        char place[VERDICT_REASON_BYTES];
        if (!is_by_place(v) || (was && was->status == v->status))
            continue;
        name_place(v, place, sizeof place);
        note(noticed, place, verdict_status_name(v->status), was ? verdict_status_name(was->status) : "", v->reason);
    }
}

static void note_missing(const struct selftest_run *sound, const struct selftest_run *run, struct noticed *noticed)
{
    for (size_t i = 0; i < sound->n; i++) {
        char place[VERDICT_REASON_BYTES];
        if (!is_by_place(&sound->verdicts[i]) || counterpart(sound, run, i))
            continue;
        name_place(&sound->verdicts[i], place, sizeof place);
        note(noticed, place, "missing", verdict_status_name(sound->verdicts[i].status), "");
    }
}

size_t selftest_noticed(const struct selftest_run *sound, const struct selftest_run *run, char *by, size_t capacity)
{
    struct noticed noticed = {.by = by, .capacity = capacity};
    by[0] = '\0';
    note_changed(sound, run, &noticed);
    note_missing(sound, run, &noticed);
    note_hashes(run, &noticed);
    note_exit(run, &noticed);
    return noticed.n;
}
