#include "records/record_file.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/file.h"
#include "contract/base/text.h"
#include "records/chips.h"

enum { N_COLUMNS = 2 + RECORD_FIGURE_COUNT };
#define VERSION_LINE "# recorded with "
#define ABSENT_WORD  "?"

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

/* Where a kernel's record for a chip stands, or would. */
static size_t position(const struct record_file *file, const char *kernel, const char *chip)
{
    size_t low = 0, high = file->n_records;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_names(&file->records[middle], kernel, chip) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct record *find(const struct record_file *file, const char *kernel, const char *chip)
{
    size_t at = position(file, kernel, chip);
    return at < file->n_records && compare_names(&file->records[at], kernel, chip) == 0 ? &file->records[at] : NULL;
}

const struct record *record_file_find(const struct record_file *file, const char *kernel, const char *chip)
{
    return find(file, kernel, chip);
}

/* Room for one more in an array of the arena's, whose length alone says when it is full: at each power of two. */
static bool grow(struct arena *arena, void **array, size_t n, size_t item_bytes)
{
    if (n & (n - 1))
        return true;
    void *grown = arena_alloc(arena, (n ? 2 * n : 1) * item_bytes);
    if (!grown)
        return false;
    if (n)
        memcpy(grown, *array, n * item_bytes);
    *array = grown;
    return true;
}

/* Puts a record in that is not there. */
static bool insert(struct record_file *file, const struct record *record)
{
    struct record added = *record;
    added.kernel = arena_format(&file->arena, "%s", record->kernel);
    added.chip = arena_format(&file->arena, "%s", record->chip);
    void *records = file->records;
    if (!added.kernel || !added.chip || !grow(&file->arena, &records, file->n_records, sizeof added))
        return false;
    file->records = records;
    size_t at = position(file, added.kernel, added.chip);
    memmove(&file->records[at + 1], &file->records[at], (file->n_records - at) * sizeof added);
    file->records[at] = added;
    file->n_records++;
    return true;
}

/* Lines that name the same kernel and chip are made good by a record that is put in. */
static void make_good(struct record_file *file, const struct record *record)
{
    for (size_t i = 0; i < file->n_problems; i++) {
        struct record_problem *problem = &file->problems[i];
        if (problem->kernel && compare_names(record, problem->kernel, problem->chip) == 0)
            problem->is_lost = false;
    }
}

bool record_file_put(struct record_file *file, const struct record *record)
{
    struct record *old = find(file, record->kernel, record->chip);
    make_good(file, record);
    if (!old)
        return insert(file, record);
    memcpy(old->figure, record->figure, sizeof old->figure);
    return true;
}

bool record_file_set_version(struct record_file *file, const char *version)
{
    char *copy = arena_format(&file->arena, "%s", version);
    file->version = copy;
    return copy != NULL;
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

/* Where a parse stands. */
struct reading {
    const char *path;
    struct record_file *file;
    int columns[RECORD_FIGURE_COUNT]; /* the figure of each column after the names; n_columns of them */
    int n_columns;
    bool has_columns;   /* a line named them, or a record came first */
    struct record last; /* to see the order */
    bool out_of_memory;
};

__attribute__((format(printf, 5, 6))) static bool note(struct reading *reading, size_t line, const struct record *of,
                                                       bool is_lost, const char *format, ...)
{
    struct record_file *file = reading->file;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct record_problem problem = {.line = line, .is_lost = is_lost};
    problem.text = arena_format(&file->arena, "%s:%zu: %s", reading->path, line, text);
    problem.kernel = of ? arena_format(&file->arena, "%s", of->kernel) : NULL;
    problem.chip = of ? arena_format(&file->arena, "%s", of->chip) : NULL;
    void *problems = file->problems;
    if (!problem.text || (of && (!problem.kernel || !problem.chip)) ||
        !grow(&file->arena, &problems, file->n_problems, sizeof problem)) {
        reading->out_of_memory = true;
        return false;
    }
    file->problems = problems;
    file->problems[file->n_problems++] = problem;
    return false;
}

static bool parse_number(const char *word, uint32_t *value)
{
    char *end;
    errno = 0;
    uint64_t parsed = strtoull(word, &end, 10);
    if (*word < '0' || *word > '9' || *end || errno || parsed >= RECORD_ABSENT)
        return false;
    *value = (uint32_t)parsed;
    return true;
}

static bool parse_limit(const char *word, uint32_t *value)
{
    for (uint32_t limit = 0; limit < CHIP_LIMIT_COUNT; limit++)
        if (strcmp(word, chip_limit_name((enum chip_limit)limit)) == 0) {
            *value = limit;
            return true;
        }
    return false;
}

bool record_figure_parse(enum record_figure figure, const char *word, uint32_t *value)
{
    return (figure == RECORD_limit ? parse_limit : parse_number)(word, value);
}

/* Cuts a line into words in place; their number, at most N_COLUMNS + 2: "# kernel" is two. */
static size_t split(char *line, char *words[N_COLUMNS + 2])
{
    size_t n_words = 0;
    char *rest;
    for (char *word = strtok_r(line, " \t\r", &rest); word && n_words < N_COLUMNS + 2;
         word = strtok_r(NULL, " \t\r", &rest))
        words[n_words++] = word;
    return n_words;
}

enum record_figure record_figure_find(const char *name)
{
    int figure = 0;
    while (figure < RECORD_FIGURE_COUNT && strcmp(name, record_figure_name((enum record_figure)figure)) != 0)
        figure++;
    return (enum record_figure)figure;
}

/* "# kernel chip vgprs ...": false, and a problem, where a column is none that this program knows. */
static bool take_columns(struct reading *reading, size_t line, char *const *names, size_t n_names)
{
    reading->has_columns = true;
    reading->n_columns = 0;
    for (size_t i = 0; i < n_names && i < RECORD_FIGURE_COUNT; i++) {
        int figure = record_figure_find(names[i]);
        if (figure == RECORD_FIGURE_COUNT)
            return note(reading, line, NULL, false, "%s is no column of a record; the lines below are read as far as it",
                        names[i]);
        reading->columns[reading->n_columns++] = figure;
    }
    return true;
}

static bool parse_comment(struct reading *reading, size_t line, char *text)
{
    if (strncmp(text, VERSION_LINE, strlen(VERSION_LINE)) == 0) {
        reading->out_of_memory |= !record_file_set_version(reading->file, text + strlen(VERSION_LINE));
        return true;
    }
    char *words[N_COLUMNS + 2];
    size_t n_words = split(text, words);
    bool names_columns = n_words >= 3 && strcmp(words[1], "kernel") == 0 && strcmp(words[2], "chip") == 0;
    return !names_columns || take_columns(reading, line, words + 3, n_words - 3);
}

static bool parse_figures(struct reading *reading, size_t line, char *const *words, struct record *record)
{
    for (int i = 0; i < RECORD_FIGURE_COUNT; i++)
        record->figure[i] = RECORD_ABSENT;
    for (int i = 0; i < reading->n_columns; i++) {
        enum record_figure figure = (enum record_figure)reading->columns[i];
        if (strcmp(words[i], ABSENT_WORD) == 0)
            continue;
        if (!record_figure_parse(figure, words[i], &record->figure[figure]))
            return note(reading, line, record, true, "%s is %s: %s", record_figure_name(figure),
                        figure == RECORD_limit ? "nothing that limits an occupancy" : "not a number", words[i]);
    }
    return true;
}

/* Columns that no line has named are those of this program. */
static void expect_columns(struct reading *reading)
{
    if (reading->has_columns)
        return;
    reading->has_columns = true;
    reading->n_columns = RECORD_FIGURE_COUNT;
    for (int i = 0; i < RECORD_FIGURE_COUNT; i++)
        reading->columns[i] = i;
}

/* The words of a line as a record; is_last: no newline follows, as where a file was cut off. */
static bool parse_record(struct reading *reading, size_t line, char *const *words, size_t n_words, bool is_last,
                         struct record *record)
{
    expect_columns(reading);
    size_t n_wanted = 2 + (size_t)reading->n_columns;
    *record = (struct record){.kernel = words[0], .chip = n_words > 1 ? words[1] : ""};
    const struct record *of = n_words > 1 ? record : NULL;
    if (n_words < n_wanted && is_last)
        return note(reading, line, of, true, "the file ends within a record");
    if (n_words != n_wanted)
        return note(reading, line, of, true, "%zu columns%s, a record has %zu", n_words,
                    n_words == N_COLUMNS + 2 ? " or more" : "", n_wanted);
    if (!chip_find(record->chip))
        return note(reading, line, record, true, "%s is no known chip; `hipcontract doctor` lists them", record->chip);
    if (is_last)
        return note(reading, line, record, true, "the file ends within a record");
    return parse_figures(reading, line, words + 2, record);
}

static void take_record(struct reading *reading, size_t line, const struct record *record)
{
    struct record_file *file = reading->file;
    if (find(file, record->kernel, record->chip)) {
        note(reading, line, record, true, "%s %s has a record already; delete one of the two", record->kernel,
             record->chip);
        return;
    }
    const struct record *last = &reading->last;
    if (last->kernel && compare_names(last, record->kernel, record->chip) > 0)
        note(reading, line, record, false, "%s %s stands after %s %s; `hipcontract limits --update` sorts them",
             record->kernel, record->chip, last->kernel, last->chip);
    if (!insert(file, record))
        reading->out_of_memory = true;
    else
        reading->last = *find(file, record->kernel, record->chip);
}

static void parse_line(struct reading *reading, size_t number, char *line, bool is_last)
{
    struct record record;
    if (line[strspn(line, " \t\r")] == '\0')
        return;
    if (line[0] == '#') {
        parse_comment(reading, number, line);
        return;
    }
    char *words[N_COLUMNS + 2];
    size_t n_words = split(line, words);
    if (parse_record(reading, number, words, n_words, is_last, &record))
        take_record(reading, number, &record);
}

/* All lines of a file's n_bytes; what follows a NUL byte is lost. */
static void parse_lines(struct reading *reading, char *data, size_t n_bytes)
{
    bool is_cut = strlen(data) != n_bytes;
    size_t number = 1;
    for (char *rest = data; rest; number++) {
        char *line = strsep(&rest, "\n");
        parse_line(reading, number, line, !rest);
    }
    if (is_cut)
        note(reading, number - 1, NULL, true, "a NUL byte; what follows it is not read");
}

bool record_file_family(const char *name, char family[NAME_MAX + 1])
{
    size_t length = strlen(name), suffix = strlen(".txt");
    if (name[0] == '.' || length <= suffix || strcmp(name + length - suffix, ".txt") != 0)
        return false;
    snprintf(family, NAME_MAX + 1, "%.*s", (int)(length - suffix), name);
    return true;
}

bool record_file_read(const char *path, struct record_file *file, struct error *error)
{
    *file = (struct record_file){0};
    struct reading reading = {.path = path, .file = file};
    char *data;
    size_t n_bytes;
    struct error reason;
    if (!file_exists(path))
        return true;
    if (file_read(path, &data, &n_bytes, &reason)) {
        parse_lines(&reading, data, n_bytes);
        free(data);
    } else {
        file->is_unread = true;
        note(&reading, 0, NULL, true, "cannot be read: %s", reason.text);
    }
    if (!reading.out_of_memory)
        return true;
    record_file_free(file);
    return error_set(error, STATUS_ENVIRONMENT, "out of memory");
}

void record_figure_text(const struct record *record, enum record_figure figure, char text[RECORD_WORD_BYTES])
{
    uint32_t value = record->figure[figure];
    if (value == RECORD_ABSENT)
        snprintf(text, RECORD_WORD_BYTES, ABSENT_WORD);
    else if (figure == RECORD_limit && value < CHIP_LIMIT_COUNT)
        snprintf(text, RECORD_WORD_BYTES, "%s", chip_limit_name((enum chip_limit)value));
    else
        snprintf(text, RECORD_WORD_BYTES, "%" PRIu32, value);
}

/* One cell of the table: of the header where record is NULL. */
static void cell(const struct record *record, int column, char *out, size_t n_bytes)
{
    if (column == 0)
        snprintf(out, n_bytes, "%s", record ? record->kernel : "# kernel");
    else if (column == 1)
        snprintf(out, n_bytes, "%s", record ? record->chip : "chip");
    else if (record)
        record_figure_text(record, (enum record_figure)(column - 2), out);
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

static bool nothing_is_lost(const struct record_file *file, struct error *error)
{
    for (size_t i = 0; i < file->n_problems; i++)
        if (file->problems[i].is_lost)
            return error_set(error, STATUS_USAGE, "%s; nothing is written: mend or delete that line first",
                             file->problems[i].text);
    return true;
}

bool record_file_write(const char *path, const struct record_file *file, struct error *error)
{
    char folder[PATH_MAX];
    if (!nothing_is_lost(file, error))
        return false;
    if (snprintf(folder, sizeof folder, "%s", path) >= (int)sizeof folder)
        return error_set(error, STATUS_USAGE, "%s: the path is too long", path);
    size_t widths[N_COLUMNS];
    find_widths(file, widths);
    struct text text = {0};
    if (file->version)
        text_append(&text, VERSION_LINE "%s\n", file->version);
    append_line(&text, NULL, widths);
    for (size_t i = 0; i < file->n_records; i++)
        append_line(&text, &file->records[i], widths);
    bool ok = !text.failed || error_set(error, STATUS_ENVIRONMENT, "out of memory");
    ok = ok && file_make_directories(dirname(folder), error) && file_write(path, text.data, text.length, error);
    text_free(&text);
    return ok;
}

void record_file_free(struct record_file *file)
{
    arena_free(&file->arena);
    *file = (struct record_file){0};
}
