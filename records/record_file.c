#include "records/record_file.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/file.h"
#include "contract/base/text.h"
#include "records/chips.h"

enum { N_COLUMNS = 2 + RECORD_FIGURE_COUNT };

const char *record_figure_name(enum record_figure figure)
{
    static const char *const names[] = {
#define FIGURE_NAME(name, what) #name,
        RECORD_FIGURES(FIGURE_NAME)
#undef FIGURE_NAME
    };
    return names[figure];
}

static int compare_names(const struct record *record, const char *kernel, const char *chip)
{
    int order = strcmp(record->kernel, kernel);
    return order ? order : strcmp(record->chip, chip);
}

static int compare_records(const void *a, const void *b)
{
    const struct record *right = b;
    return compare_names(a, right->kernel, right->chip);
}

static struct record *find(const struct record_file *file, const char *kernel, const char *chip)
{
    for (size_t i = 0; i < file->n_records; i++)
        if (compare_names(&file->records[i], kernel, chip) == 0)
            return &file->records[i];
    return NULL;
}

const struct record *record_file_find(const struct record_file *file, const char *kernel, const char *chip)
{
    return find(file, kernel, chip);
}

bool record_file_put(struct record_file *file, const struct record *record)
{
    struct record *old = find(file, record->kernel, record->chip);
    if (old) {
        memcpy(old->figure, record->figure, sizeof old->figure);
        return true;
    }
    struct record *grown = arena_alloc(&file->arena, (file->n_records + 1) * sizeof *grown);
    struct record added = *record;
    added.kernel = arena_format(&file->arena, "%s", record->kernel);
    added.chip = arena_format(&file->arena, "%s", record->chip);
    if (!grown || !added.kernel || !added.chip)
        return false;
    if (file->n_records)
        memcpy(grown, file->records, file->n_records * sizeof *grown);
    grown[file->n_records++] = added;
    file->records = grown;
    qsort(grown, file->n_records, sizeof *grown, compare_records);
    return true;
}

void record_file_remove(struct record_file *file, const char *kernel, const char *chip)
{
    struct record *old = find(file, kernel, chip);
    if (!old)
        return;
    size_t n_after = file->n_records - (size_t)(old - file->records) - 1;
    memmove(old, old + 1, n_after * sizeof *old);
    file->n_records--;
}

static bool parse_figure(const char *word, uint32_t *value)
{
    char *end;
    errno = 0;
    uint64_t parsed = strtoull(word, &end, 10);
    if (*word < '0' || *word > '9' || *end || errno || parsed > UINT32_MAX)
        return false;
    *value = (uint32_t)parsed;
    return true;
}

/* Cuts a line into words in place; their number, at most N_COLUMNS + 1. */
static size_t split(char *line, char *words[N_COLUMNS + 1])
{
    size_t n_words = 0;
    char *rest;
    for (char *word = strtok_r(line, " \t\r", &rest); word && n_words <= N_COLUMNS; word = strtok_r(NULL, " \t\r", &rest))
        words[n_words++] = word;
    return n_words;
}

static bool parse_line(char *line, const char *path, size_t number, struct record_file *file, struct error *error)
{
    char *words[N_COLUMNS + 1];
    size_t n_words = split(line, words);
    if (n_words == 0 || words[0][0] == '#')
        return true;
    if (n_words != N_COLUMNS)
        return error_set(error, STATUS_USAGE, "%s:%zu: %s%zu columns, a record has %d (`limits --update` writes it anew)",
                         path, number, n_words > N_COLUMNS ? "at least " : "", n_words, N_COLUMNS);
    struct record record = {.kernel = words[0], .chip = words[1]};
    if (!chip_find(record.chip))
        return error_set(error, STATUS_USAGE, "%s:%zu: %s is no known chip", path, number, record.chip);
    for (int i = 0; i < RECORD_FIGURE_COUNT; i++)
        if (!parse_figure(words[2 + i], &record.figure[i]))
            return error_set(error, STATUS_USAGE, "%s:%zu: %s is not a number: %s", path, number,
                             record_figure_name((enum record_figure)i), words[2 + i]);
    if (find(file, record.kernel, record.chip))
        return error_set(error, STATUS_USAGE, "%s:%zu: %s %s has a record already", path, number, record.kernel,
                         record.chip);
    return record_file_put(file, &record) || error_set(error, STATUS_ENVIRONMENT, "out of memory");
}

bool record_file_read(const char *path, struct record_file *file, struct error *error)
{
    *file = (struct record_file){0};
    char *data;
    size_t n_bytes;
    if (!file_exists(path))
        return true;
    if (!file_read(path, &data, &n_bytes, error))
        return false;
    bool ok = true;
    if (strlen(data) != n_bytes)
        ok = error_set(error, STATUS_USAGE, "%s: holds a NUL byte; it is no record", path);
    char *rest = data;
    for (size_t number = 1; ok && rest; number++) {
        char *line = strsep(&rest, "\n");
        ok = parse_line(line, path, number, file, error);
    }
    free(data);
    if (!ok)
        record_file_free(file);
    return ok;
}

/* One cell of the table: of the header where record is NULL. */
static void cell(const struct record *record, int column, char *out, size_t n_bytes)
{
    if (column == 0)
        snprintf(out, n_bytes, "%s", record ? record->kernel : "# kernel");
    else if (column == 1)
        snprintf(out, n_bytes, "%s", record ? record->chip : "chip");
    else if (record)
        snprintf(out, n_bytes, "%" PRIu32, record->figure[column - 2]);
    else
        snprintf(out, n_bytes, "%s", record_figure_name((enum record_figure)(column - 2)));
}

static void append_line(struct text *text, const struct record *record, const size_t widths[N_COLUMNS])
{
    for (int column = 0; column < N_COLUMNS; column++) {
        char word[1024];
        cell(record, column, word, sizeof word);
        int width = (int)widths[column];
        text_append(text, "%s%*s", column ? " " : "", column < 2 ? -width : width, word);
    }
    text_append(text, "\n");
}

static void find_widths(const struct record_file *file, size_t widths[N_COLUMNS])
{
    for (int column = 0; column < N_COLUMNS; column++) {
        char word[1024];
        cell(NULL, column, word, sizeof word);
        widths[column] = strlen(word);
        for (size_t i = 0; i < file->n_records; i++) {
            cell(&file->records[i], column, word, sizeof word);
            if (strlen(word) > widths[column])
                widths[column] = strlen(word);
        }
    }
}

bool record_file_write(const char *path, const struct record_file *file, struct error *error)
{
    char folder[PATH_MAX];
    if (snprintf(folder, sizeof folder, "%s", path) >= (int)sizeof folder)
        return error_set(error, STATUS_USAGE, "%s: the path is too long", path);
    size_t widths[N_COLUMNS];
    find_widths(file, widths);
    struct text text = {0};
    append_line(&text, NULL, widths);
    for (size_t i = 0; i < file->n_records; i++)
        append_line(&text, &file->records[i], widths);
    bool ok = file_make_directories(dirname(folder), error) && file_write(path, text.data, text.length, error);
    text_free(&text);
    return ok;
}

void record_file_free(struct record_file *file)
{
    arena_free(&file->arena);
    *file = (struct record_file){0};
}
