/*
 * fidelity PAGE EVIDENCE [NOTES]: makes the tables of docs/fidelity.md anew. With NOTES, what a run of the tests wrote
 * (HIPCONTRACT_EVIDENCE), EVIDENCE is made anew first: from the notes, and from the old one for published vectors where the
 * notes hold none. Usually called by `make fidelity`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/file.h"
#include "tests/support/fidelity.h"

static bool write_file(const char *path, const char *text, struct error *error)
{
    FILE *file = fopen(path, "w");
    bool ok = file && fputs(text, file) >= 0;
    ok = file && fclose(file) == 0 && ok;
    return ok || error_set(error, STATUS_USAGE, "cannot write %s", path);
}

static bool has_vectors(const struct evidence_table *table)
{
    for (size_t i = 0; i < table->n_rows; i++)
        if (strcmp(table->rows[i].means, "vector") == 0)
            return true;
    return false;
}

static bool gather(const char *path, const char *notes, struct evidence_table *table, struct error *error)
{
    struct evidence_table fresh = {0};
    bool ok = evidence_table_add_notes(notes, &fresh, error);
    if (ok && has_vectors(&fresh))
        table->n_rows = 0;
    evidence_table_free(&fresh);
    evidence_table_keep_vectors(table);
    char *text = NULL;
    size_t length;
    FILE *out = ok && evidence_table_add_notes(notes, table, error) ? open_memstream(&text, &length) : NULL;
    if (!out)
        return false;
    evidence_table_write(table, out);
    fclose(out);
    ok = write_file(path, text, error);
    free(text);
    return ok;
}

static bool make_page(const char *path, const struct evidence_table *table, struct error *error)
{
    struct fidelity fidelity = {0};
    char *page = NULL, *text = NULL;
    size_t n_bytes;
    if (file_read(path, &page, &n_bytes, error) && fidelity_open(&fidelity, error)) {
        fidelity_use(&fidelity, table);
        text = fidelity_page(&fidelity, page, error);
    }
    fidelity_close(&fidelity);
    bool ok = text && write_file(path, text, error);
    free(text);
    free(page);
    return ok;
}

int main(int argc, char **argv)
{
    struct error error = {0};
    struct evidence_table table;
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: fidelity PAGE EVIDENCE [NOTES]\n");
        return STATUS_USAGE;
    }
    bool ok = evidence_table_read(argv[2], &table, &error) && (argc < 4 || gather(argv[2], argv[3], &table, &error)) &&
              make_page(argv[1], &table, &error);
    evidence_table_free(&table);
    if (!ok)
        fprintf(stderr, "fidelity: %s\n", error.text);
    return ok ? STATUS_OK : error.status;
}
