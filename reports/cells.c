#include "reports/cells.h"

#include <stdlib.h>
#include <string.h>

void cell_write_csv(FILE *out, const char *word)
{
    if (!word[strcspn(word, ",\"\r\n")]) {
        fputs(word, out);
        return;
    }
    fputc('"', out);
    for (; *word; word++)
        fprintf(out, *word == '"' ? "\"\"" : "%c", *word);
    fputc('"', out);
}

void cell_write_markdown(FILE *out, const char *word)
{
    for (; *word; word++)
        fprintf(out, *word == '|' ? "\\|" : "%c", *word);
}

json_t *cell_text_to_json(const char *word)
{
    json_t *json = json_string(word);
    char *copy = json ? NULL : strdup(word);
    for (char *at = copy; at && *at; at++)
        if ((unsigned char)*at >= 0x80)
            *at = '?';
    if (copy)
        json = json_string(copy);
    free(copy);
    return json;
}

json_t *cell_figures_to_json(const struct record *record)
{
    json_t *figures = json_object();
    for (int i = 0; i < RECORD_FIGURE_COUNT; i++) {
        char word[RECORD_WORD_BYTES];
        enum record_figure figure = (enum record_figure)i;
        if (record->figure[i] == RECORD_ABSENT)
            continue;
        record_figure_text(record, figure, word);
        json_object_set_new(figures, record_figure_name(figure),
                            figure == RECORD_limit ? json_string(word) : json_integer(record->figure[i]));
    }
    return figures;
}
