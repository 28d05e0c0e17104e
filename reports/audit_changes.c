#include "reports/audit_changes.h"

#include <jansson.h>

#include "reports/cells.h"
#include "reports/json_text.h"

/* A change and its words. */
struct line {
    const struct audit_change *change;
    const char *word, *text;
};

static void write_text(FILE *out, const struct line *line)
{
    fprintf(out, "%-7s %s %s  %s\n", line->word, line->change->chip, line->change->kernel, line->text);
}

static void write_markdown(FILE *out, const struct line *line)
{
    const char *const cells[] = {line->word, line->change->kernel, line->change->chip, line->text};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        fputs("| ", out);
        cell_write_markdown(out, cells[i]);
        fputc(' ', out);
    }
    fputs("|\n", out);
}

static void begin_markdown(FILE *out)
{
    fputs("|  | kernel | chip | change |\n|---|---|---|---|\n", out);
}

/* The figures of one side, each after a comma. */
static void write_side(FILE *out, const struct record *record)
{
    for (int i = 0; i < RECORD_FIGURE_COUNT; i++) {
        char word[RECORD_WORD_BYTES] = "";
        if (record && record->figure[i] != RECORD_ABSENT)
            record_figure_text(record, (enum record_figure)i, word);
        fprintf(out, ",%s", word);
    }
}

static void write_csv(FILE *out, const struct line *line)
{
    fprintf(out, "%s,", line->word);
    cell_write_csv(out, line->change->kernel);
    fprintf(out, ",%s", line->change->chip);
    write_side(out, line->change->before);
    write_side(out, line->change->after);
    fputc(',', out);
    cell_write_csv(out, line->text);
    fputs("\r\n", out);
}

static void begin_csv(FILE *out)
{
    static const char *const sides[] = {"before", "after"};
    fputs("change,kernel,chip", out);
    for (size_t side = 0; side < sizeof sides / sizeof *sides; side++)
        for (int i = 0; i < RECORD_FIGURE_COUNT; i++)
            fprintf(out, ",%s_%s", record_figure_name((enum record_figure)i), sides[side]);
    fputs(",text\r\n", out);
}

static json_t *to_json(const struct line *line)
{
    const struct audit_change *change = line->change;
    return json_pack("{s:s, s:s, s:s, s:s, s:b, s:o*, s:o*}", "change", line->word, "kernel", change->kernel, "chip",
                     change->chip, "text", line->text, "over_budget", change->grade == AUDIT_OVER, "before",
                     change->before ? cell_figures_to_json(change->before) : NULL, "after",
                     change->after ? cell_figures_to_json(change->after) : NULL);
}

/* JSON is one array, the others are line after line. */
static const struct {
    void (*begin)(FILE *out);
    void (*line)(FILE *out, const struct line *line);
} writers[AUDIT_FORMAT_COUNT] = {[AUDIT_FORMAT_TEXT] = {.line = write_text},
                                 [AUDIT_FORMAT_CSV] = {begin_csv, write_csv},
                                 [AUDIT_FORMAT_MARKDOWN] = {begin_markdown, write_markdown}};

bool audit_changes_write(FILE *out, enum audit_format format, const struct audit_diff *diff)
{
    json_t *all = format == AUDIT_FORMAT_JSON ? json_array() : NULL;
    bool ok = all || format != AUDIT_FORMAT_JSON;
    if (writers[format].begin)
        writers[format].begin(out);
    for (size_t i = 0; i < diff->n_changes && ok; i++) {
        struct text text = {0};
        audit_change_text(&diff->changes[i], &text);
        struct line line = {&diff->changes[i], audit_grade_word(diff->changes[i].grade), text.data};
        ok = !text.failed && (!all || json_array_append_new(all, to_json(&line)) == 0);
        if (ok && !all)
            writers[format].line(out, &line);
        text_free(&text);
    }
    if (ok && all)
        return json_write(out, all, JSON_INDENT(2));
    json_decref(all);
    return ok;
}
