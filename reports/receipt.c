#include "reports/receipt.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/text.h"
#include "reports/headline.h"
#include "reports/markdown.h"
#include "reports/output.h"

/* How much a receipt tells. Problems, records and notes beyond the number are counted. */
struct detail {
    size_t n_rows;
    bool explains; /* each problem, with the command that repeats it */
    size_t n_nearest;
    bool has_kernels, has_environment;
};

/* The first that has room is taken. */
static const struct detail details[] = {
    {SIZE_MAX, true, 20, true, true}, {SIZE_MAX, true, 20, false, true}, {100, true, 20, false, true},
    {20, true, 20, false, true},      {20, false, 10, false, true},      {5, false, 5, false, true},
    {1, false, 0, false, false},      {0, false, 0, false, false},
};

struct writing {
    FILE *out;
    const struct report *report;
    const struct detail *detail;
    bool had_memory;
};

static const char *text_of(struct writing *w, const struct text *text)
{
    w->had_memory &= !text->failed;
    return text->data ? text->data : "";
}

/* A receipt of a part never looks like one of all. */
static void write_heading(struct writing *w)
{
    const struct report *r = w->report;
    fputs("### hipcontract: ", w->out);
    if (r->is_red)
        fprintf(w->out, "the contract does not hold, %zu problem%s", r->n_problems, r->n_problems == 1 ? "" : "s");
    else
        fputs(r->n_notes ? "no problem in what was run, which is not all" : "the contract holds", w->out);
    if (r->environment.only) {
        fputs(", of ", w->out);
        markdown_write_text(w->out, r->environment.only);
        fputs(" alone", w->out);
    }
    fputs("\n\n", w->out);
}

/* What is left of a list of n after those that are shown. */
static void write_rest(struct writing *w, size_t n, size_t n_shown, const char *what)
{
    if (n > n_shown)
        fprintf(w->out, "- and %zu more %s; the log has all\n", n - n_shown, what);
}

static size_t most_rows(const struct writing *w, size_t n)
{
    return n < w->detail->n_rows ? n : w->detail->n_rows;
}

static void write_notes(struct writing *w)
{
    size_t n_shown = most_rows(w, w->report->n_notes);
    for (size_t i = 0; i < n_shown; i++) {
        fputs("- **not whole**: ", w->out);
        markdown_write_text(w->out, w->report->notes[i]);
        fputc('\n', w->out);
    }
    write_rest(w, w->report->n_notes, n_shown, "things that are missing");
    if (w->report->n_notes)
        fputc('\n', w->out);
}

static void write_row(FILE *out, const char *name, const char *value)
{
    if (!value || !*value)
        return;
    fprintf(out, "| %s | ", name);
    markdown_write_text(out, value);
    fputs(" |\n", out);
}

static void write_environment(struct writing *w)
{
    const struct log_environment *e = &w->report->environment;
    struct text run = {0};
    text_append(&run, "%s shapes, %d runs, seed %" PRIu64, e->scope ? e->scope : "", e->n_runs, e->seed);
    fputs("| run | |\n|---|---|\n", w->out);
    write_row(w->out, "commit", e->commit);
    write_row(w->out, "hipcontract", e->version);
    write_row(w->out, "command", e->command);
    write_row(w->out, "toolchain", e->toolchain);
    write_row(w->out, "compiler", e->compiler);
    write_row(w->out, "device", e->device);
    write_row(w->out, "checks", e->checks);
    write_row(w->out, "matrix model", e->matrix_model);
    write_row(w->out, "chips", e->chips);
    write_row(w->out, "kernel files", e->kernels);
    write_row(w->out, "cases", text_of(w, &run));
    fputc('\n', w->out);
    text_free(&run);
}

static void write_counts(struct writing *w)
{
    const struct counts *counts = &w->report->counts;
    fputs("| chip | kernels | pass | fail | known | controls | red as planted | missed | limit problems | gates not run | "
          "seconds |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
          w->out);
    for (size_t i = 0; i < counts->n_chips; i++) {
        const struct chip_counts *c = &counts->chips[i];
        fprintf(w->out,
                "| %s | %" PRId64 " | %" PRId64 " | %" PRId64 " | %" PRId64 " | %" PRId64 " | %" PRId64 " | %" PRId64
                " | %" PRId64 " | %" PRId64 " | %.1f |\n",
                c->chip, c->n_kernels, c->n_pass, c->n_fail, c->n_known, c->n_controls, c->n_red, c->n_missed,
                c->n_limit_problems, c->n_cells_not_run, (double)(c->gates_ns + c->limits_ns) / 1e9);
    }
    fputc('\n', w->out);
}

static void write_problem(struct writing *w, const struct verdict *v)
{
    struct text line = {0}, explained = {0};
    headline(v, &line);
    fputs("- ", w->out);
    markdown_write_text(w->out, text_of(w, &line));
    fputc('\n', w->out);
    if (w->detail->explains) {
        headline_detail(w->report, v, &explained);
        fputc('\n', w->out);
        markdown_write_block(w->out, text_of(w, &explained));
        fputc('\n', w->out);
    }
    text_free(&line);
    text_free(&explained);
}

static bool is_alike(const struct verdict *a, const struct verdict *b)
{
    return a->subject == b->subject && a->gate == b->gate && strcmp(a->registration, b->registration) == 0;
}

/* The worst of its kernel at its gate: what is wrong in one case is wrong in most, and on most chips. */
static bool is_telling(const struct report *report, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (is_alike(report->problems[i], report->problems[index]))
            return false;
    return true;
}

static void write_problems(struct writing *w)
{
    const struct report *r = w->report;
    if (r->n_problems == 0 || w->detail->n_rows == 0)
        return;
    fputs("**Problems**, the worst of each kernel and gate\n\n", w->out);
    size_t n_shown = 0;
    for (size_t i = 0; i < r->n_problems && n_shown < w->detail->n_rows; i++)
        if (is_telling(r, i)) {
            write_problem(w, r->problems[i]);
            n_shown++;
        }
    write_rest(w, r->n_problems, n_shown, "problems");
    fputc('\n', w->out);
}

/* The largest first; an error that is not a number is larger than any. */
static int by_ratio(const void *a, const void *b)
{
    const struct report_kernel *x = *(const struct report_kernel *const *)a, *y = *(const struct report_kernel *const *)b;
    double p = isnan(x->worst->worst_ratio) ? (double)INFINITY : x->worst->worst_ratio;
    double q = isnan(y->worst->worst_ratio) ? (double)INFINITY : y->worst->worst_ratio;
    return p != q ? (p < q) - (p > q) : strcmp(x->registration, y->registration);
}

static bool is_among(const struct report_kernel *const *kernels, size_t n, const char *registration)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(kernels[i]->registration, registration) == 0)
            return true;
    return false;
}

/* Of each registration the chip on which it came nearest to its bound, or went furthest over it; the first `most` of them
 * to the front. */
static size_t nearest(const struct report *report, const struct report_kernel **kernels, size_t most)
{
    size_t n = 0, n_kept = 0;
    for (size_t i = 0; i < report->n_kernels; i++)
        if (report->kernels[i].worst)
            kernels[n++] = &report->kernels[i];
    qsort(kernels, n, sizeof(void *), by_ratio);
    for (size_t i = 0; i < n && n_kept < most; i++)
        if (!is_among(kernels, n_kept, kernels[i]->registration))
            kernels[n_kept++] = kernels[i];
    return n_kept;
}

static void write_ratio(FILE *out, const struct verdict *v)
{
    markdown_write_text(out, v->registration);
    fprintf(out, " | %s | ", v->chip);
    markdown_write_text(out, v->shape);
    fprintf(out, " (%s) | %.3g |\n", v->pattern, v->worst_ratio);
}

static void write_nearest(struct writing *w)
{
    const struct report_kernel **kernels = malloc((w->report->n_kernels + 1) * sizeof(void *));
    w->had_memory &= kernels != NULL;
    size_t n = kernels ? nearest(w->report, kernels, w->detail->n_nearest) : 0;
    if (n)
        fputs("**Nearest to the bound** (gate 3, the worst chip of each kernel)\n\n"
              "| kernel | chip | shape | error / bound |\n|---|---|---|--:|\n",
              w->out);
    for (size_t i = 0; i < n; i++) {
        fputs("| ", w->out);
        write_ratio(w->out, kernels[i]->worst);
    }
    if (n)
        fputc('\n', w->out);
    free(kernels);
}

/* Nothing where git did not know them. */
static void write_records(struct writing *w)
{
    const char *records = w->report->environment.records;
    size_t n = 0;
    if (records)
        fputs(*records ? "**Records touched**\n\n" : "No record is touched.\n\n", w->out);
    for (const char *at = records; at && *at; n++) {
        size_t length = strcspn(at, ",");
        if (n < w->detail->n_rows)
            fprintf(w->out, "- `%.*s`\n", (int)length, at);
        at += length + (at[length] == ',');
    }
    write_rest(w, n, most_rows(w, n), "records");
    if (n)
        fputc('\n', w->out);
}

static void write_kernels(struct writing *w)
{
    fputs("<details><summary>All kernels</summary>\n\n| kernel | chip | verdict | error / bound | milliseconds |\n"
          "|---|---|---|--:|--:|\n",
          w->out);
    for (size_t i = 0; i < w->report->n_kernels; i++) {
        const struct report_kernel *kernel = &w->report->kernels[i];
        fputs("| ", w->out);
        markdown_write_text(w->out, kernel->registration);
        fprintf(w->out, " | %s | %s | ", kernel->chip, report_state_name(kernel->state));
        if (kernel->worst)
            fprintf(w->out, "%.3g", kernel->worst->worst_ratio);
        uint64_t ns = kernel->duration_ns ? kernel->duration_ns : kernel->verdicts_ns;
        fprintf(w->out, " | %" PRIu64 " |\n", ns / 1000000);
    }
    fputs("\n</details>\n", w->out);
}

static void write_all(struct writing *w)
{
    write_heading(w);
    write_notes(w);
    write_counts(w);
    write_problems(w);
    write_nearest(w);
    write_records(w);
    if (w->detail->has_environment)
        write_environment(w);
    if (w->detail->has_kernels)
        write_kernels(w);
}

static bool write_to_memory(const struct report *report, const struct detail *detail, char **text, size_t *n_bytes)
{
    struct writing w = {open_memstream(text, n_bytes), report, detail, true};
    if (!w.out)
        return false;
    write_all(&w);
    bool failed = ferror(w.out) != 0;
    return fclose(w.out) == 0 && !failed && w.had_memory;
}

bool receipt_within(const struct report *report, size_t most_bytes, char **text, size_t *n_bytes)
{
    *text = NULL;
    for (size_t i = 0; i < sizeof details / sizeof *details; i++) {
        free(*text);
        *text = NULL;
        if (!write_to_memory(report, &details[i], text, n_bytes)) {
            free(*text);
            return false;
        }
        if (*n_bytes <= most_bytes)
            return true;
    }
    **text = 0;
    *n_bytes = 0;
    return true;
}

bool receipt_write(FILE *out, const struct report *report, struct error *error)
{
    char *text = NULL;
    size_t n_bytes = 0;
    bool ok = receipt_within(report, RECEIPT_BYTES, &text, &n_bytes);
    if (ok) {
        fwrite(text, 1, n_bytes, out);
        free(text);
    }
    return output_end(out, ok, error);
}
