/*
 * What was compared with what, gathered over all tests: tests/fidelity/evidence.txt, a line for each instruction and chip
 * family, "mnemonic chip means means …", sorted. The chip stands for its family, whose instruction set is one.
 */
#ifndef TESTS_SUPPORT_EVIDENCE_TABLE_H
#define TESTS_SUPPORT_EVIDENCE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "contract/base/arena.h"
#include "contract/base/error.h"
#include "records/chips.h"

struct evidence {
    const char *mnemonic;
    enum chip_family family;
    const char *means;
};

struct evidence_table {
    struct evidence *rows; /* sorted by mnemonic, family, means; no row twice */
    size_t n_rows;
    struct arena arena;
};

/* The name of the chip that stands for a family. */
const char *family_chip(enum chip_family family);

/* Reads a gathered file. Errors: STATUS_USAGE, "PATH:LINE: reason". The caller frees with evidence_table_free in either
 * case. */
bool evidence_table_read(const char *path, struct evidence_table *table, struct error *error);
/* Adds the notes of a run of the tests ("chip mnemonic means" lines, any number of times each) that are of a program that
 * compares what instructions do; a new one has to be listed in evidence_table.c. */
bool evidence_table_add_notes(const char *path, struct evidence_table *table, struct error *error);
/* Drops the rows of all means but "vector", which need files that a run of the tests does not have. */
void evidence_table_keep_vectors(struct evidence_table *table);
void evidence_table_write(const struct evidence_table *table, FILE *out);
void evidence_table_free(struct evidence_table *table);
/* The rows of a mnemonic; NULL and 0 where there is none. */
const struct evidence *evidence_of(const struct evidence_table *table, const char *mnemonic, size_t *n_rows);

#endif
