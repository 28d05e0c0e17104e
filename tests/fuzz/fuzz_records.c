/*
 * Fuzz target: any bytes as a record file. What is read is written and read again: the same records, and no line that was
 * lost goes unsaid.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "records/record_file.h"
#include "tests/fuzz/input_file.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

/* Sorted, each kernel and chip once. */
static void check_order(const struct record_file *file)
{
    for (size_t i = 1; i < file->n_records; i++) {
        const struct record *a = &file->records[i - 1], *b = &file->records[i];
        int order = strcmp(a->kernel, b->kernel);
        must(order < 0 || (order == 0 && strcmp(a->chip, b->chip) < 0));
    }
}

static bool is_lost(const struct record_file *file)
{
    bool lost = false;
    for (size_t i = 0; i < file->n_problems; i++) {
        must(file->problems[i].text[0] && !strchr(file->problems[i].text, '\n') && file->problems[i].line > 0);
        lost |= file->problems[i].is_lost;
    }
    return lost;
}

static void must_be_same(const struct record_file *a, const struct record_file *b)
{
    must(a->n_records == b->n_records && b->n_problems == 0);
    must(!a->version == !b->version && (!a->version || strcmp(a->version, b->version) == 0));
    for (size_t i = 0; i < a->n_records; i++)
        must(strcmp(a->records[i].kernel, b->records[i].kernel) == 0 &&
             strcmp(a->records[i].chip, b->records[i].chip) == 0 &&
             memcmp(a->records[i].figure, b->records[i].figure, sizeof a->records[i].figure) == 0);
}

static void check_written(const struct record_file *file)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/written.txt", input_folder());
    struct error error = {0};
    struct record_file again;
    bool lost = is_lost(file);
    must(record_file_write(path, file, &error) == !lost);
    if (lost) {
        must_be_clear(&error);
        return;
    }
    must(record_file_read(path, &again, &error));
    must_be_same(file, &again);
    record_file_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    struct error error = {0};
    struct record_file file;
    if (record_file_read(input_file(data, n_bytes), &file, &error)) {
        check_order(&file);
        check_written(&file);
    } else
        must_be_clear(&error);
    record_file_free(&file);
    return 0;
}
