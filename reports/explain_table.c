#include "reports/explain_table.h"

#include <jansson.h>
#include <string.h>

#include "reports/cells.h"
#include "reports/json_text.h"

enum { SHOWN_ROWS = 12, NUMBER_BYTES = 16 };

static const char *number(bool there, uint32_t value, const char *absent, char text[NUMBER_BYTES])
{
    if (!there)
        return absent;
    snprintf(text, NUMBER_BYTES, "%u", (unsigned)value);
    return text;
}

/* How many of the rows that follow, the first included, say the same of other places. */
static size_t run_of(const struct explain_report *report, size_t first)
{
    size_t end = first;
    while (end < report->n_rows && strcmp(report->rows[end].what, report->rows[first].what) == 0)
        end++;
    return end - first;
}

static int where_width(const struct explain_report *report)
{
    int width = 0;
    for (size_t i = 0; i < report->n_rows; i++) {
        int length = (int)strlen(report->rows[i].where);
        width = length > width ? length : width;
    }
    return width;
}

static void write_text_row(FILE *out, const struct explain_report *report, const struct explain_row *row, int width)
{
    char before[NUMBER_BYTES], after[NUMBER_BYTES];
    fprintf(out, "  %-26s", row->what);
    if (report->against)
        fprintf(out, " %6s ->", number(row->has_before, row->before, "-", before));
    fprintf(out, " %6s", number(row->has_after, row->after, "-", after));
    if (*row->where)
        fprintf(out, "  %-*s", *row->note ? width : 0, row->where);
    fprintf(out, "%s%s\n", *row->note ? "  " : "", row->note);
}

static void write_text(FILE *out, const struct explain_report *report)
{
    int width = where_width(report);
    fprintf(out, "EXPLAIN %s %s  %s", report->chip, report->kernel, report->compiler);
    fprintf(out, report->against ? ", against %s\n" : "\n", report->against);
    for (size_t i = 0, n; i < report->n_rows; i += n) {
        n = run_of(report, i);
        for (size_t k = 0; k < n && k < SHOWN_ROWS; k++)
            write_text_row(out, report, &report->rows[i + k], width);
        if (n > SHOWN_ROWS)
            fprintf(out, "  … and %zu more of those\n", n - SHOWN_ROWS);
    }
}

static void write_cells(FILE *out, const char *const cells[], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        fputs("| ", out);
        cell_write_markdown(out, cells[i]);
        fputc(' ', out);
    }
    fputs("|\n", out);
}

static void write_markdown(FILE *out, const struct explain_report *report)
{
    fprintf(out, "### %s on %s (%s%s%s)\n\n", report->kernel, report->chip, report->compiler,
            report->against ? ", against " : "", report->against ? report->against : "");
    fputs("| | before | after | place | |\n|---|--:|--:|---|---|\n", out);
    for (size_t i = 0, n; i < report->n_rows; i += n) {
        n = run_of(report, i);
        for (size_t k = 0; k < n && k < SHOWN_ROWS; k++) {
            const struct explain_row *row = &report->rows[i + k];
            char before[NUMBER_BYTES], after[NUMBER_BYTES];
            write_cells(out,
                        (const char *const[]){row->what, number(row->has_before, row->before, "", before),
                                              number(row->has_after, row->after, "", after), row->where, row->note},
                        5);
        }
        if (n > SHOWN_ROWS)
            fprintf(out, "| … and %zu more of those | | | | |\n", n - SHOWN_ROWS);
    }
    fputc('\n', out);
}

static void write_csv(FILE *out, const struct explain_report *report)
{
    for (size_t i = 0; i < report->n_rows; i++) {
        const struct explain_row *row = &report->rows[i];
        char before[NUMBER_BYTES], after[NUMBER_BYTES];
        const char *const cells[] = {report->kernel,
                                     report->chip,
                                     report->compiler,
                                     row->what,
                                     row->where,
                                     number(row->has_before, row->before, "", before),
                                     number(row->has_after, row->after, "", after),
                                     row->note};
        for (size_t c = 0; c < sizeof cells / sizeof *cells; c++) {
            fputs(c ? "," : "", out);
            cell_write_csv(out, cells[c]);
        }
        fputs("\r\n", out);
    }
}

/* A number that is not there is absent. */
static json_t *number_to_json(bool there, uint32_t value)
{
    return there ? json_integer(value) : NULL;
}

static json_t *to_json(const struct explain_report *report)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < report->n_rows; i++) {
        const struct explain_row *row = &report->rows[i];
        json_array_append_new(rows, json_pack("{s:s, s:s, s:o*, s:o*, s:s}", "what", row->what, "where", row->where,
                                              "before", number_to_json(row->has_before, row->before), "after",
                                              number_to_json(row->has_after, row->after), "note", row->note));
    }
    if (json_array_size(rows) != report->n_rows) {
        json_decref(rows);
        return NULL;
    }
    return json_pack("{s:s, s:s, s:s, s:s*, s:o}", "kernel", report->kernel, "chip", report->chip, "compiler",
                     report->compiler, "against", report->against, "rows", rows);
}

static bool write_json(FILE *out, const struct explain_report *reports, size_t n_reports)
{
    json_t *all = json_array();
    for (size_t i = 0; i < n_reports; i++)
        json_array_append_new(all, to_json(&reports[i]));
    bool is_whole = json_array_size(all) == n_reports;
    return json_write(out, all, JSON_INDENT(2)) && is_whole;
}

bool explain_table_write(FILE *out, enum audit_format format, const struct explain_report *reports, size_t n_reports)
{
    static void (*const writers[AUDIT_FORMAT_COUNT])(FILE *, const struct explain_report *) = {
        [AUDIT_FORMAT_TEXT] = write_text, [AUDIT_FORMAT_CSV] = write_csv, [AUDIT_FORMAT_MARKDOWN] = write_markdown};
    if (format == AUDIT_FORMAT_JSON)
        return write_json(out, reports, n_reports);
    if (format == AUDIT_FORMAT_CSV)
        fputs("kernel,chip,compiler,what,where,before,after,note\r\n", out);
    for (size_t i = 0; i < n_reports; i++)
        writers[format](out, &reports[i]);
    return true;
}
