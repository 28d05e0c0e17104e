#include "reports/headline.h"

#include <inttypes.h>
#include <string.h>

#include "reports/console.h"
#include "reports/diagnosis_text.h"

/* What a named verdict is on, before the name. */
static const char *kind_of_name(const struct verdict *v)
{
    if (v->subject == SUBJECT_CONTROL)
        return "control ";
    if (v->subject == SUBJECT_TOOTH)
        return "tooth ";
    return reg_launcher_check_find(v->name) != REG_LAUNCHER_CHECK_COUNT ? "launcher check " : "byte contract ";
}

static void part(struct text *text, const char *lead, const char *word)
{
    if (*word)
        text_append(text, "%s%s%s", text->length ? ", " : "", lead, word);
}

static void append_place(const struct verdict *v, bool with_kernel, struct text *text)
{
    struct text place = {0};
    if (v->gate)
        text_append(&place, "gate %d", v->gate);
    if (*v->name) {
        part(&place, kind_of_name(v), v->name);
        text_append(&place, "%s%s", with_kernel ? " of " : "", with_kernel ? v->registration : "");
    } else if (with_kernel) {
        part(&place, "", v->registration);
    }
    part(&place, "", with_kernel ? v->chip : "");
    part(&place, "", v->shape);
    if (*v->pattern)
        text_append(&place, " (%s)", v->pattern);
    text_append(text, "%s", place.data ? place.data : "");
    text->failed |= place.failed;
    text_free(&place);
}

void headline_case(const struct verdict *v, struct text *text)
{
    append_place(v, false, text);
}

void headline_place(const struct verdict *v, struct text *text)
{
    append_place(v, true, text);
}

static bool figure_of_bytes(const struct verdict *v, struct text *text)
{
    if (v->has_finding)
        text_append(text, "a finding of %s, at most none: %s", finding_kind_name(v->finding.kind), v->finding.message);
    else if (v->n_wrong)
        text_append(text, "%" PRId64 " of %" PRId64 " elements differ, at most 0", v->n_wrong, v->n_compared);
    return v->has_finding || v->n_wrong;
}

static bool figure_of_classes(const struct verdict *v, struct text *text)
{
    if (v->n_wrong)
        text_append(text, "%" PRId64 " of %" PRId64 " outputs of the wrong class or outside their bound, at most 0",
                    v->n_wrong, v->n_compared);
    return v->n_wrong > 0;
}

/* An output outside its bound comes first: it is wrong by itself, whatever the twin and the depth are. */
static bool figure_of_bound(const struct verdict *v, struct text *text)
{
    bool over = !(v->worst_ratio <= 1), apart = !(v->twin_ratio <= 1), deep = v->depth_measured > v->depth_declared;
    if (over)
        text_append(text, "%.4g times the bound, at most 1", v->worst_ratio);
    else if (apart)
        text_append(text, "%.4g times both bounds away from twin %s, at most 1", v->twin_ratio, v->twin);
    else if (deep)
        text_append(text, "%" PRId64 " additions on the way to %s, at most %" PRId64 " declared", v->depth_measured,
                    v->depth_tensor, v->depth_declared);
    return over || apart || deep;
}

static bool figure_of_sums(const struct verdict *v, struct text *text)
{
    if (v->n_wrong)
        text_append(text, "%" PRId64 " of %" PRId64 " sums not exact, at most 0", v->n_wrong, v->n_compared);
    return v->n_wrong > 0;
}

/* Gate 5's figures are many, and its reason lists them with their limits; so does that of a control that missed. */
static bool has_figure(const struct verdict *v)
{
    bool judged = v->status == VERDICT_FAIL || v->status == VERDICT_EXPIRED || v->status == VERDICT_KNOWN_FINDING;
    return judged && v->subject == SUBJECT_GATE && v->gate >= GATE_BYTES && v->gate <= GATE_EXACT;
}

void headline_figure(const struct verdict *v, struct text *text)
{
    static bool (*const figures[])(const struct verdict *, struct text *) = {[GATE_BYTES] = figure_of_bytes,
                                                                             [GATE_CLASSES] = figure_of_classes,
                                                                             [GATE_BOUND] = figure_of_bound,
                                                                             [GATE_EXACT] = figure_of_sums};
    if (has_figure(v) && figures[v->gate](v, text))
        return;
    const char *failed = v->status == VERDICT_LAUNCH_FAILED  ? "launch failed: "
                         : v->status == VERDICT_BUILD_FAILED ? "build failed: "
                         : v->status == VERDICT_DIED         ? "died: "
                                                             : "";
    const char *reason = *v->reason ? v->reason : verdict_status_name(v->status);
    text_append(text, "%s%.*s", failed, (int)strcspn(reason, "\n"), reason);
}

void headline(const struct verdict *v, struct text *text)
{
    headline_place(v, text);
    text_append(text, ": ");
    headline_figure(v, text);
}

void headline_detail(const struct report *report, const struct verdict *v, struct text *text)
{
    struct arena arena = {0};
    const char *repro = report_repro(report, v, &arena);
    console_explain(v, text);
    text_append(text, "\n");
    diagnosis_lines(&v->diagnosis, 2, text);
    if (*v->file)
        text_append(text, "registered at %s:%d\n", v->file, v->line);
    if (repro)
        text_append(text, "repeat with: %s\n", repro);
    text->failed |= !repro;
    arena_free(&arena);
}
