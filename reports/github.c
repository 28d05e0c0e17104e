#include "reports/github.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/text.h"
#include "reports/headline.h"
#include "reports/output.h"
#include "reports/receipt.h"
#include "reports/source_path.h"

/* What a workflow command would end at; of its properties also what parts them. */
static void write_escaped(FILE *out, const char *text, const char *special)
{
    for (; *text; text++) {
        if (strchr(special, *text))
            fprintf(out, "%%%02X", (unsigned char)*text);
        else
            fputc(*text, out);
    }
}

static void write_data(FILE *out, const char *text)
{
    write_escaped(out, text, "%\r\n");
}

static void write_property(FILE *out, const char *lead, const char *name, const char *value)
{
    fprintf(out, "%s%s=", lead, name);
    write_escaped(out, value, "%\r\n:,");
}

/* GitHub finds a file by its path below the checkout. */
static const char *below(const char *workspace, const char *path)
{
    size_t n = workspace ? strlen(workspace) : 0;
    return n && strncmp(path, workspace, n) == 0 && path[n] == '/' ? path + n + 1 : path;
}

/* Returns what parts the next property from these. */
static const char *write_place(FILE *out, const struct verdict *v, const char *workspace)
{
    bool in_kernel = v->has_finding && *v->finding.place.file;
    char file[VERDICT_FILE_BYTES];
    source_path(in_kernel ? v->finding.place.file : v->file, file, sizeof file);
    if (!*file)
        return " ";
    write_property(out, " ", "file", below(workspace, file));
    fprintf(out, ",line=%u", in_kernel ? v->finding.place.line : (unsigned)v->line);
    return ",";
}

static size_t n_others(const struct report *report, const struct verdict *verdict)
{
    size_t n = 0;
    for (size_t i = 0; i < report->n_problems; i++)
        n += strcmp(report->problems[i]->registration, verdict->registration) == 0;
    return n - 1;
}

static bool annotate(FILE *out, const struct report *report, const struct verdict *v, const char *workspace)
{
    struct text title = {0}, message = {0};
    headline_place(v, &title);
    headline_figure(v, &message);
    text_append(&message, "\n");
    headline_detail(report, v, &message);
    size_t others = n_others(report, v);
    if (others)
        text_append(&message, "and %zu more problem%s of this kernel\n", others, others == 1 ? "" : "s");
    bool ok = !title.failed && !message.failed;
    if (ok) {
        fputs("::error", out);
        write_property(out, write_place(out, v, workspace), "title", title.data);
        fputs("::", out);
        write_data(out, message.data);
        fputc('\n', out);
    }
    text_free(&title);
    text_free(&message);
    return ok;
}

/* No problem before this one is of its registration. */
static bool is_worst_of_its_registration(const struct report *report, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(report->problems[i]->registration, report->problems[index]->registration) == 0)
            return false;
    return true;
}

static void annotate_notes(FILE *out, const struct report *report)
{
    for (size_t i = 0; i < report->n_notes && i < GITHUB_ANNOTATIONS; i++) {
        fputs("::warning title=the run is not whole::", out);
        write_data(out, report->notes[i]);
        fputc('\n', out);
    }
}

bool github_annotate(FILE *out, const struct report *report, const char *workspace, struct error *error)
{
    size_t n = 0;
    bool ok = true;
    for (size_t i = 0; i < report->n_problems && ok; i++)
        if (is_worst_of_its_registration(report, i) && n++ < GITHUB_ANNOTATIONS)
            ok = annotate(out, report, report->problems[i], workspace);
    if (n > GITHUB_ANNOTATIONS)
        fprintf(out,
                "::notice title=more problems::and %zu more kernels with problems; the log and the summary have them\n",
                n - GITHUB_ANNOTATIONS);
    annotate_notes(out, report);
    return output_end(out, ok, error);
}

static bool append(FILE *file, const struct report *report, struct error *error)
{
    char *text;
    size_t n_bytes;
    long used = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    /* GitHub counts 1 MiB and takes no byte more; one is for the line that parts two receipts. */
    size_t room = used >= 0 && used < GITHUB_SUMMARY_BYTES - 1 ? (size_t)(GITHUB_SUMMARY_BYTES - 1 - used) : 0;
    if (!receipt_within(report, room, &text, &n_bytes))
        return output_end(file, false, error);
    if (n_bytes && used > 0)
        fputc('\n', file);
    fwrite(text, 1, n_bytes, file);
    free(text);
    return output_end(file, true, error);
}

bool github_summarize(const char *path, const struct report *report, struct error *error)
{
    FILE *file = fopen(path, "a");
    if (!file)
        return error_set(error, STATUS_USAGE, "%s: the step's summary cannot be written: %s", path, strerror(errno));
    bool ok = append(file, report, error);
    if (fclose(file) != 0 && ok)
        ok = error_set(error, STATUS_USAGE, "%s", strerror(errno));
    return ok || error_prefix(error, "%s", path);
}

bool github_write(FILE *out, const struct report *report, struct error *error)
{
    const char *summary = getenv("GITHUB_STEP_SUMMARY");
    return github_annotate(out, report, getenv("GITHUB_WORKSPACE"), error) &&
           (!summary || !*summary || github_summarize(summary, report, error));
}
