#include "reports/audit_table.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "reports/cells.h"
#include "reports/json_text.h"

/* The columns: names, then figures, then what is to be said. */
enum column {
    COLUMN_KERNEL,
    COLUMN_CHIP,
    COLUMN_COMPILER,
    COLUMN_FIRST_FIGURE,
    COLUMN_TEXT = COLUMN_FIRST_FIGURE + RECORD_FIGURE_COUNT,
    COLUMN_COUNT
};

static bool is_figure(int column)
{
    return column >= COLUMN_FIRST_FIGURE && column < COLUMN_TEXT;
}

enum audit_format audit_format_find(const char *name)
{
    static const char *const names[] = {
#define FORMAT_NAME(format, name) name,
        AUDIT_FORMATS(FORMAT_NAME)
#undef FORMAT_NAME
    };
    int format = 0;
    while (format < AUDIT_FORMAT_COUNT && strcmp(names[format], name) != 0)
        format++;
    return (enum audit_format)format;
}

bool audit_format_is_for_programs(enum audit_format format)
{
    return format == AUDIT_FORMAT_JSON || format == AUDIT_FORMAT_CSV;
}

static const char *heading(int column)
{
    static const char *const names[] = {
        [COLUMN_KERNEL] = "kernel", [COLUMN_CHIP] = "chip", [COLUMN_COMPILER] = "compiler", [COLUMN_TEXT] = "record"};
    return is_figure(column) ? record_figure_name((enum record_figure)(column - COLUMN_FIRST_FIGURE)) : names[column];
}

/* The words of a cell: a name's, or those of a figure in word. */
static const char *cell(const struct audit_line *line, int column, const char *absent, char word[RECORD_WORD_BYTES])
{
    if (is_figure(column)) {
        if (!line->figures)
            return absent;
        record_figure_text(line->figures, (enum record_figure)(column - COLUMN_FIRST_FIGURE), word);
        return word;
    }
    const char *const names[] = {[COLUMN_KERNEL] = line->kernel,
                                 [COLUMN_CHIP] = line->chip,
                                 [COLUMN_COMPILER] = line->compiler,
                                 [COLUMN_TEXT] = line->text};
    return names[column];
}

static void find_widths(const struct audit_line *lines, size_t n_lines, int widths[COLUMN_COUNT])
{
    char word[RECORD_WORD_BYTES];
    for (int column = 0; column < COLUMN_TEXT; column++) {
        widths[column] = (int)strlen(heading(column));
        for (size_t i = 0; i < n_lines; i++) {
            int width = (int)strlen(cell(&lines[i], column, "-", word));
            widths[column] = width > widths[column] ? width : widths[column];
        }
    }
}

/* Names to the left, figures to the right. */
static void write_padded(FILE *out, int column, int width, const char *word)
{
    if (column == COLUMN_TEXT)
        fprintf(out, "  %s\n", word);
    else
        fprintf(out, "%s%*s", column ? " " : "", is_figure(column) ? width : -width, word);
}

static bool write_text(FILE *out, const struct audit_line *lines, size_t n_lines)
{
    int widths[COLUMN_COUNT] = {0};
    char word[RECORD_WORD_BYTES];
    find_widths(lines, n_lines, widths);
    for (int column = 0; column < COLUMN_COUNT; column++)
        write_padded(out, column, widths[column], heading(column));
    for (size_t i = 0; i < n_lines; i++)
        for (int column = 0; column < COLUMN_COUNT; column++)
            write_padded(out, column, widths[column], cell(&lines[i], column, "-", word));
    return true;
}

static bool write_csv(FILE *out, const struct audit_line *lines, size_t n_lines)
{
    char word[RECORD_WORD_BYTES];
    for (int column = 0; column < COLUMN_COUNT; column++)
        fprintf(out, "%s%s", column ? "," : "family,", heading(column));
    fputs(",state\r\n", out);
    for (size_t i = 0; i < n_lines; i++) {
        cell_write_csv(out, lines[i].family);
        for (int column = 0; column < COLUMN_COUNT; column++) {
            fputc(',', out);
            cell_write_csv(out, cell(&lines[i], column, "", word));
        }
        fprintf(out, ",%s\r\n", lines[i].state);
    }
    return true;
}

static bool write_markdown(FILE *out, const struct audit_line *lines, size_t n_lines)
{
    char word[RECORD_WORD_BYTES];
    for (int column = 0; column < COLUMN_COUNT; column++)
        fprintf(out, "| %s ", heading(column));
    fputs("|\n", out);
    for (int column = 0; column < COLUMN_COUNT; column++)
        fputs(is_figure(column) ? "|--:" : "|---", out);
    fputs("|\n", out);
    for (size_t i = 0; i < n_lines; i++) {
        for (int column = 0; column < COLUMN_COUNT; column++) {
            fputs("| ", out);
            cell_write_markdown(out, cell(&lines[i], column, "-", word));
            fputc(' ', out);
        }
        fputs("|\n", out);
    }
    return true;
}

static bool write_json(FILE *out, const struct audit_line *lines, size_t n_lines)
{
    json_t *all = json_array();
    for (size_t i = 0; i < n_lines; i++) {
        const struct audit_line *line = &lines[i];
        json_array_append_new(all, json_pack("{s:o, s:o, s:s, s:s, s:s, s:o, s:b, s:o*}", "family",
                                             cell_text_to_json(line->family), "kernel", cell_text_to_json(line->kernel),
                                             "chip", line->chip, "compiler", line->compiler, "state", line->state, "text",
                                             cell_text_to_json(line->text), "problem", line->is_problem, "figures",
                                             line->figures ? cell_figures_to_json(line->figures) : NULL));
    }
    bool is_whole = json_array_size(all) == n_lines;
    return json_write(out, all, JSON_INDENT(2)) && is_whole;
}

bool audit_table_write(FILE *out, enum audit_format format, const struct audit_line *lines, size_t n_lines)
{
    static bool (*const writers[AUDIT_FORMAT_COUNT])(FILE *, const struct audit_line *,
                                                     size_t) = {[AUDIT_FORMAT_TEXT] = write_text,
                                                                [AUDIT_FORMAT_JSON] = write_json,
                                                                [AUDIT_FORMAT_CSV] = write_csv,
                                                                [AUDIT_FORMAT_MARKDOWN] = write_markdown};
    return writers[format](out, lines, n_lines);
}
