#include "reports/junit.h"

#include <inttypes.h>
#include <string.h>

#include "contract/base/text.h"
#include "reports/headline.h"
#include "reports/output.h"
#include "reports/xml.h"

enum outcome { PASSED, FAILED, BROKEN, SKIPPED, N_OUTCOMES };

/* What CI is to make of each status. */
static const enum outcome outcomes[VERDICT_STATUS_COUNT] = {
    [VERDICT_PASS] = PASSED,          [VERDICT_FAIL] = FAILED,         [VERDICT_KNOWN_FINDING] = SKIPPED,
    [VERDICT_EXPIRED] = FAILED,       [VERDICT_NOT_FOUND] = FAILED,    [VERDICT_NOT_RUN] = SKIPPED,
    [VERDICT_LAUNCH_FAILED] = BROKEN, [VERDICT_BUILD_FAILED] = BROKEN, [VERDICT_INVALID] = BROKEN,
    [VERDICT_DIED] = BROKEN,          [VERDICT_RED] = PASSED,          [VERDICT_MISS] = FAILED,
    [VERDICT_GREEN] = PASSED,         [VERDICT_BLIND] = FAILED,        [VERDICT_EXCUSED] = PASSED,
    [VERDICT_LIMIT_PROBLEM] = FAILED,
};
static const char *const elements[N_OUTCOMES] = {[FAILED] = "failure", [BROKEN] = "error", [SKIPPED] = "skipped"};

struct writing {
    FILE *out;
    const struct report *report;
    bool had_memory;
};

struct tally {
    size_t n[N_OUTCOMES];
    uint64_t duration_ns;
};

static size_t tally_total(const struct tally *tally)
{
    size_t total = 0;
    for (int i = 0; i < N_OUTCOMES; i++)
        total += tally->n[i];
    return total;
}

static void tally_add(struct tally *to, const struct tally *from)
{
    for (int i = 0; i < N_OUTCOMES; i++)
        to->n[i] += from->n[i];
    to->duration_ns += from->duration_ns;
}

static struct tally tally_kernel(const struct report_kernel *kernel)
{
    struct tally tally = {.duration_ns = kernel->duration_ns ? kernel->duration_ns : kernel->verdicts_ns};
    for (size_t i = 0; i < kernel->n_verdicts; i++)
        tally.n[outcomes[kernel->verdicts[i]->status]]++;
    tally.n[BROKEN] += kernel->state == REPORT_UNFINISHED;
    return tally;
}

/* One case that says whether the run is whole. */
static struct tally tally_run(const struct report *report)
{
    struct tally tally = {0};
    tally.n[report->n_notes ? BROKEN : PASSED]++;
    return tally;
}

static void write_attribute(FILE *out, const char *name, const char *value)
{
    fprintf(out, " %s=\"", name);
    xml_write_value(out, value);
    fputc('"', out);
}

static void write_seconds(FILE *out, uint64_t ns)
{
    fprintf(out, " time=\"%" PRIu64 ".%06" PRIu64 "\"", ns / 1000000000, ns % 1000000000 / 1000);
}

/* Not the number that was skipped: the schema gives it to a suite alone. */
static void write_tally(FILE *out, const struct tally *tally)
{
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", tally_total(tally), tally->n[FAILED], tally->n[BROKEN]);
    write_seconds(out, tally->duration_ns);
}

static void open_suite(FILE *out, const char *name, const struct tally *tally)
{
    fputs("  <testsuite", out);
    write_attribute(out, "name", name);
    write_tally(out, tally);
    fprintf(out, " skipped=\"%zu\">\n", tally->n[SKIPPED]);
}

/* A case whose outcome is not PASSED; type and message are of failures and errors alone. */
static void write_outcome(FILE *out, enum outcome outcome, const char *type, const char *message, const char *text)
{
    fprintf(out, "      <%s", elements[outcome]);
    if (outcome != SKIPPED) {
        write_attribute(out, "type", type);
        write_attribute(out, "message", message);
    }
    fputc('>', out);
    xml_write_text(out, text);
    fprintf(out, "</%s>\n", elements[outcome]);
}

static void open_case(FILE *out, const char *class, const char *name, uint64_t duration_ns)
{
    fputs("    <testcase", out);
    write_attribute(out, "classname", class);
    write_attribute(out, "name", name);
    write_seconds(out, duration_ns);
}

static const char *text_of(struct writing *w, const struct text *text)
{
    w->had_memory &= !text->failed;
    return text->data ? text->data : "";
}

static void write_verdict_outcome(struct writing *w, const struct verdict *v)
{
    enum outcome outcome = outcomes[v->status];
    struct text line = {0}, whole = {0};
    headline(v, &line);
    if (outcome == SKIPPED) {
        text_append(&whole, "%s%s", v->status == VERDICT_KNOWN_FINDING ? "known finding: " : "", v->reason);
    } else {
        text_append(&whole, "%s\n", text_of(w, &line));
        headline_detail(w->report, v, &whole);
    }
    write_outcome(w->out, outcome, verdict_status_name(v->status), text_of(w, &line), text_of(w, &whole));
    text_free(&line);
    text_free(&whole);
}

static void write_verdict(struct writing *w, const char *class, const struct verdict *v)
{
    struct text name = {0};
    headline_case(v, &name);
    open_case(w->out, class, *text_of(w, &name) ? text_of(w, &name) : verdict_subject_name(v->subject), v->duration_ns);
    text_free(&name);
    if (outcomes[v->status] == PASSED) {
        fputs("/>\n", w->out);
        return;
    }
    fputs(">\n", w->out);
    write_verdict_outcome(w, v);
    fputs("    </testcase>\n", w->out);
}

static void write_kernel(struct writing *w, const struct report_kernel *kernel)
{
    struct tally tally = tally_kernel(kernel);
    struct text name = {0}, class = {0};
    text_append(&name, "%s %s", kernel->chip, kernel->registration);
    text_append(&class, "%s.%s", kernel->chip, kernel->registration);
    open_suite(w->out, text_of(w, &name), &tally);
    for (size_t i = 0; i < kernel->n_verdicts; i++)
        write_verdict(w, text_of(w, &class), kernel->verdicts[i]);
    if (kernel->state == REPORT_UNFINISHED) {
        open_case(w->out, text_of(w, &class), "finished", 0);
        fputs(">\n", w->out);
        write_outcome(w->out, BROKEN, report_state_name(kernel->state), "the run ended before it was through with it", "");
        fputs("    </testcase>\n", w->out);
    }
    fputs("  </testsuite>\n", w->out);
    text_free(&name);
    text_free(&class);
}

static void write_property(FILE *out, const char *name, const char *value)
{
    if (!value || !*value)
        return;
    fputs("      <property", out);
    write_attribute(out, "name", name);
    write_attribute(out, "value", value);
    fputs("/>\n", out);
}

static void write_properties(struct writing *w)
{
    const struct log_environment *e = &w->report->environment;
    struct text seed = {0}, runs = {0};
    text_append(&seed, "%" PRIu64, e->seed);
    text_append(&runs, "%d", e->n_runs);
    const char *const properties[][2] = {
        {"hipcontract", e->version}, {"command", e->command},   {"only", e->only},       {"commit", e->commit},
        {"toolchain", e->toolchain}, {"compiler", e->compiler}, {"device", e->device},   {"chips", e->chips},
        {"scope", e->scope},         {"checks", e->checks},     {"kernels", e->kernels}, {"seed", text_of(w, &seed)},
        {"runs", text_of(w, &runs)}};
    fputs("    <properties>\n", w->out);
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        write_property(w->out, properties[i][0], properties[i][1]);
    fputs("    </properties>\n", w->out);
    text_free(&seed);
    text_free(&runs);
}

static void write_run(struct writing *w)
{
    struct tally tally = tally_run(w->report);
    open_suite(w->out, "run", &tally);
    write_properties(w);
    open_case(w->out, "run", "is whole", 0);
    fputs(">\n", w->out);
    for (size_t i = 0; i < w->report->n_notes; i++)
        write_outcome(w->out, BROKEN, "incomplete", w->report->notes[i], "");
    fputs("    </testcase>\n  </testsuite>\n", w->out);
}

bool junit_write(FILE *out, const struct report *report, struct error *error)
{
    struct writing w = {out, report, true};
    struct tally total = tally_run(report);
    for (size_t i = 0; i < report->n_kernels; i++) {
        struct tally tally = tally_kernel(&report->kernels[i]);
        tally_add(&total, &tally);
    }
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", out);
    write_attribute(out, "name", "hipcontract");
    write_tally(out, &total);
    fputs(">\n", out);
    write_run(&w);
    for (size_t i = 0; i < report->n_kernels; i++)
        write_kernel(&w, &report->kernels[i]);
    fputs("</testsuites>\n", out);
    return output_end(out, w.had_memory, error);
}
