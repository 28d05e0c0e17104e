#include "tests/support/evidence_table.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/file.h"

/* Means that compare what instructions leave with what they must; all others run them for something else (findings, counts,
 * agreement of two builds), and prove nothing. */
static const char *const comparing[] = {
    "vector",
    "case",
    "test_float_*",
    "test_salu",
    "test_valu_int",
    "test_compare",
    "test_vmem",
    "test_lds",
    "test_atomics",
    "test_memory_forms",
    "test_cross_lane",
    "test_workgroup",
    "test_matrix_kernels",
    "test_matrix_sparse",
    "test_mathematics",
    "test_agreement",
    "test_everyday",
    "test_everyday_arithmetic",
};

const char *family_chip(enum chip_family family)
{
    return chip_of_family(family)->name;
}

static bool is_comparing(const char *means)
{
    for (size_t i = 0; i < sizeof comparing / sizeof *comparing; i++)
        if (fnmatch(comparing[i], means, 0) == 0)
            return true;
    return false;
}

static int compare_rows(const void *a, const void *b)
{
    const struct evidence *x = a, *y = b;
    int order = strcmp(x->mnemonic, y->mnemonic);
    order = order ? order : (int)x->family - (int)y->family;
    return order ? order : strcmp(x->means, y->means);
}

static void sort(struct evidence_table *table)
{
    if (table->n_rows)
        qsort(table->rows, table->n_rows, sizeof *table->rows, compare_rows);
    size_t n = 0;
    for (size_t i = 0; i < table->n_rows; i++)
        if (n == 0 || compare_rows(&table->rows[n - 1], &table->rows[i]) != 0)
            table->rows[n++] = table->rows[i];
    table->n_rows = n;
}

static bool add(struct evidence_table *table, const char *mnemonic, const char *chip_name, const char *means)
{
    const struct chip *chip = chip_find(chip_name);
    if (table->n_rows % 4096 == 0) {
        struct evidence *grown = realloc(table->rows, (table->n_rows + 4096) * sizeof *grown);
        if (!grown)
            return false;
        table->rows = grown;
    }
    if (chip)
        table->rows[table->n_rows++] = (struct evidence){mnemonic, chip->family, means};
    return chip;
}

/* Words of a line, cut in place; their number. */
static size_t split(char *line, char **words, size_t capacity)
{
    size_t n = 0;
    for (char *word; n < capacity && (word = strsep(&line, " "));)
        if (*word)
            words[n++] = word;
    return n;
}

enum { MAX_WORDS = 64 };
typedef bool add_line(struct evidence_table *table, char **words, size_t n_words);

static bool read_lines(const char *path, struct evidence_table *table, add_line *add_words, struct error *error)
{
    char *text;
    size_t n_bytes, line = 0;
    if (!file_read(path, &text, &n_bytes, error))
        return false;
    char *rest = arena_format(&table->arena, "%s", text);
    free(text);
    for (char *row; (row = strsep(&rest, "\n"));) {
        char *words[MAX_WORDS];
        size_t n_words = split(row, words, MAX_WORDS);
        line++;
        if (n_words && (n_words < 3 || !add_words(table, words, n_words)))
            return error_set(error, STATUS_USAGE, "%s:%zu: no evidence", path, line);
    }
    sort(table);
    return true;
}

static bool add_gathered(struct evidence_table *table, char **words, size_t n_words)
{
    bool ok = true;
    for (size_t i = 2; ok && i < n_words; i++)
        ok = add(table, words[0], words[1], words[i]);
    return ok;
}

static bool add_note(struct evidence_table *table, char **words, size_t n_words)
{
    return n_words == 3 && (!is_comparing(words[2]) || add(table, words[1], words[0], words[2]));
}

bool evidence_table_read(const char *path, struct evidence_table *table, struct error *error)
{
    *table = (struct evidence_table){0};
    return read_lines(path, table, add_gathered, error);
}

bool evidence_table_add_notes(const char *path, struct evidence_table *table, struct error *error)
{
    return read_lines(path, table, add_note, error);
}

void evidence_table_keep_vectors(struct evidence_table *table)
{
    size_t n = 0;
    for (size_t i = 0; i < table->n_rows; i++)
        if (strcmp(table->rows[i].means, "vector") == 0)
            table->rows[n++] = table->rows[i];
    table->n_rows = n;
}

void evidence_table_write(const struct evidence_table *table, FILE *out)
{
    for (size_t i = 0; i < table->n_rows; i++) {
        const struct evidence *row = &table->rows[i], *before = i ? row - 1 : NULL;
        bool goes_on = before && before->family == row->family && strcmp(before->mnemonic, row->mnemonic) == 0;
        if (!goes_on)
            fprintf(out, "%s%s %s", i ? "\n" : "", row->mnemonic, family_chip(row->family));
        fprintf(out, " %s", row->means);
    }
    if (table->n_rows)
        fputc('\n', out);
}

void evidence_table_free(struct evidence_table *table)
{
    free(table->rows);
    arena_free(&table->arena);
    *table = (struct evidence_table){0};
}

const struct evidence *evidence_of(const struct evidence_table *table, const char *mnemonic, size_t *n_rows)
{
    size_t low = 0, high = table->n_rows;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(table->rows[middle].mnemonic, mnemonic) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *n_rows = 0;
    while (low + *n_rows < table->n_rows && strcmp(table->rows[low + *n_rows].mnemonic, mnemonic) == 0)
        ++*n_rows;
    return *n_rows ? &table->rows[low] : NULL;
}
