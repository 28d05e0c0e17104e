#include "commands/profile_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/file.h"

/* X(column, member of struct instruction_profile) */
#define PROFILE_COLUMNS(X)                                                                                                 \
    X("executed", n_executed)                                                                                              \
    X("lanes", n_lanes)                                                                                                    \
    X("taken", n_taken)                                                                                                    \
    X("global_read", read_bytes[PROFILE_GLOBAL])                                                                           \
    X("global_written", written_bytes[PROFILE_GLOBAL])                                                                     \
    X("lds_read", read_bytes[PROFILE_LDS])                                                                                 \
    X("lds_written", written_bytes[PROFILE_LDS])                                                                           \
    X("scratch_read", read_bytes[PROFILE_SCRATCH])                                                                         \
    X("scratch_written", written_bytes[PROFILE_SCRATCH])                                                                   \
    X("accesses", n_accesses)                                                                                              \
    X("lines", n_lines)                                                                                                    \
    X("lds_accesses", n_lds_accesses)                                                                                      \
    X("passes", n_passes)                                                                                                  \
    X("least_passes", n_least_passes)

static const struct {
    const char *name;
    size_t offset;
} columns[] = {
#define COLUMN(name, member) {name, offsetof(struct instruction_profile, member)},
    PROFILE_COLUMNS(COLUMN)
#undef COLUMN
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

static uint64_t *count_at(struct instruction_profile *counts, size_t column)
{
    return (uint64_t *)((char *)counts + columns[column].offset);
}

void profile_file_start(struct text *text)
{
    text_append(text, "# code address");
    for (size_t i = 0; i < N_COLUMNS; i++)
        text_append(text, " %s", columns[i].name);
    text_append(text, "\n");
}

void profile_file_append(struct text *text, const struct profiled_instruction *instruction)
{
    char code[33];
    struct instruction_profile counts = *instruction->counts;
    hash_hex(instruction->code, code);
    text_append(text, "%s 0x%" PRIx64, code, instruction->address);
    for (size_t i = 0; i < N_COLUMNS; i++)
        text_append(text, " %" PRIu64, *count_at(&counts, i));
    text_append(text, "\n");
}

static bool read_number(char **at, uint64_t *value)
{
    char *end;
    *value = strtoull(*at, &end, 10);
    bool ok = end != *at;
    *at = end;
    return ok;
}

static bool read_line(char *text, struct profile_line *line)
{
    int used = 0;
    if (sscanf(text, "%16" SCNx64 "%16" SCNx64 " 0x%" SCNx64 "%n", &line->code.high, &line->code.low, &line->address,
               &used) != 3)
        return false;
    char *at = text + used;
    for (size_t i = 0; i < N_COLUMNS; i++)
        if (!read_number(&at, count_at(&line->counts, i)))
            return false;
    return *at == '\0';
}

static bool add_line(struct profile_file *file, size_t *capacity, const struct profile_line *line)
{
    if (file->n_lines == *capacity) {
        size_t larger = *capacity ? 2 * *capacity : 256;
        struct profile_line *grown = realloc(file->lines, larger * sizeof *grown);
        if (!grown)
            return false;
        file->lines = grown;
        *capacity = larger;
    }
    file->lines[file->n_lines++] = *line;
    return true;
}

static bool read_lines(const char *path, char *data, struct profile_file *file, struct error *error)
{
    size_t capacity = 0, number = 0;
    char *rest;
    for (char *text = strtok_r(data, "\n", &rest); text; text = strtok_r(NULL, "\n", &rest)) {
        struct profile_line line = {0};
        number++;
        if (*text == '#')
            continue;
        if (!read_line(text, &line))
            return error_set(error, STATUS_USAGE, "%s:%zu: no line of a profile; `emulate --profile` writes one", path,
                             number);
        if (!add_line(file, &capacity, &line))
            return error_set(error, STATUS_ENVIRONMENT, "%s: out of memory", path);
    }
    return true;
}

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_places(const void *a, const void *b)
{
    const struct profile_line *first = a, *second = b;
    int high = compare(first->code.high, second->code.high), low = compare(first->code.low, second->code.low);
    return high ? high : low ? low : compare(first->address, second->address);
}

/* The lines of an instruction, one a wave size, become one. */
static void sort_lines(struct profile_file *file)
{
    size_t n = 1;
    qsort(file->lines, file->n_lines, sizeof *file->lines, compare_places);
    for (size_t i = 1; i < file->n_lines; i++)
        if (compare_places(&file->lines[n - 1], &file->lines[i]) == 0)
            instruction_profile_add(&file->lines[n - 1].counts, &file->lines[i].counts);
        else
            file->lines[n++] = file->lines[i];
    file->n_lines = n;
}

bool profile_file_read(const char *path, struct profile_file *file, struct error *error)
{
    char *data;
    size_t n_bytes;
    *file = (struct profile_file){0};
    if (!file_read(path, &data, &n_bytes, error))
        return false;
    bool ok = read_lines(path, data, file, error);
    free(data);
    if (ok && file->n_lines)
        sort_lines(file);
    return ok;
}

void profile_file_free(struct profile_file *file)
{
    free(file->lines);
    *file = (struct profile_file){0};
}

bool profile_file_is_of(const struct profile_file *file, struct hash128 code)
{
    for (size_t i = 0; i < file->n_lines; i++)
        if (hash_equal(file->lines[i].code, code))
            return true;
    return file->n_lines == 0;
}

bool profile_file_find(const struct profile_file *file, struct hash128 code, uint64_t address,
                       struct instruction_profile *counts)
{
    const struct profile_line wanted = {.code = code, .address = address}, *found = NULL;
    if (file->n_lines) /* bsearch takes no null */
        found = bsearch(&wanted, file->lines, file->n_lines, sizeof wanted, compare_places);
    *counts = found ? found->counts : (struct instruction_profile){0};
    return counts->n_executed != 0;
}
