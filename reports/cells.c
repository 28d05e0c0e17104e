#include "reports/cells.h"

#include <stdlib.h>
#include <string.h>

#include "reports/utf8.h"

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
    if (copy) {
        utf8_mend(copy);
        json = json_string(copy);
    }
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

static bool figure_from_json(enum record_figure figure, const json_t *value, struct record *record)
{
    char number[24] = "";
    const char *word = json_string_value(value);
    if (json_is_integer(value))
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    if (json_is_string(value) != (figure == RECORD_limit))
        return false;
    return record_figure_parse(figure, word ? word : number, &record->figure[figure]);
}

bool cell_figures_from_json(const json_t *figures, struct record *record)
{
    const char *name;
    json_t *value;
    for (int i = 0; i < RECORD_FIGURE_COUNT; i++)
        record->figure[i] = RECORD_ABSENT;
    json_object_foreach((json_t *)figures, name, value)
    {
        enum record_figure figure = record_figure_find(name);
        if (figure == RECORD_FIGURE_COUNT || !figure_from_json(figure, value, record))
            return false;
    }
    return json_is_object(figures);
}
