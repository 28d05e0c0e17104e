/*
 * fidelity PAGE EVIDENCE [NOTES]: makes the tables of docs/fidelity.md anew. With NOTES, what a run of the tests wrote
 * (HIPCONTRACT_EVIDENCE), EVIDENCE is made anew first: from the notes, and from the old one for published vectors where the
 * notes hold none. Usually called by `make fidelity`.
 *
 * fidelity --claims EVIDENCE NOTES: exit 1 where EVIDENCE claims what the notes of a run of the tests do not show,
 * published vectors aside.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/file.h"
#include "tests/support/fidelity.h"

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
    ok = file_write(path, text, length, error);
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
    bool ok = text && file_write(path, text, strlen(text), error);
    free(text);
    free(page);
    return ok;
}

static bool shows(const struct evidence_table *run, const struct evidence *claim)
{
    size_t n;
    const struct evidence *rows = evidence_of(run, claim->mnemonic, &n);
    for (size_t i = 0; i < n; i++)
        if (rows[i].family == claim->family && strcmp(rows[i].means, claim->means) == 0)
            return true;
    return false;
}

static int check_claims(const char *path, const char *notes)
{
    struct error error = {0};
    struct evidence_table claims, run = {0};
    size_t n_wrong = 0;
    bool ok = evidence_table_read(path, &claims, &error) && evidence_table_add_notes(notes, &run, &error);
    for (size_t i = 0; ok && i < claims.n_rows; i++) {
        const struct evidence *claim = &claims.rows[i];
        if (strcmp(claim->means, "vector") == 0 || shows(&run, claim))
            continue;
        n_wrong++;
        printf("%s: %s on %s: not compared by %s in this run\n", path, claim->mnemonic, family_chip(claim->family),
               claim->means);
    }
    if (ok)
        printf("%s: %zu claims, %zu not shown by this run of the tests\n", path, claims.n_rows, n_wrong);
    else
        fprintf(stderr, "fidelity: %s\n", error.text);
    evidence_table_free(&claims);
    evidence_table_free(&run);
    return !ok ? (int)error.status : n_wrong ? STATUS_RED : STATUS_OK;
}

int main(int argc, char **argv)
{
    struct error error = {0};
    struct evidence_table table;
    if (argc == 4 && strcmp(argv[1], "--claims") == 0)
        return check_claims(argv[2], argv[3]);
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: fidelity PAGE EVIDENCE [NOTES]\n       fidelity --claims EVIDENCE NOTES\n");
        return STATUS_USAGE;
    }
    bool ok = evidence_table_read(argv[2], &table, &error) && (argc < 4 || gather(argv[2], argv[3], &table, &error)) &&
              make_page(argv[1], &table, &error);
    evidence_table_free(&table);
    if (!ok)
        fprintf(stderr, "fidelity: %s\n", error.text);
    return ok ? STATUS_OK : error.status;
}
