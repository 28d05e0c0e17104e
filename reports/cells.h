/*
 * A word in a cell of a table or as JSON, and a record's figures as JSON: what the writers of tables share. Inner header of
 * reports/.
 */
#ifndef REPORTS_CELLS_H
#define REPORTS_CELLS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "records/record_file.h"

/* RFC 4180: quoted where it must be, quotes doubled. */
void cell_write_csv(FILE *out, const char *word);
/* A bar would end the cell. */
void cell_write_markdown(FILE *out, const char *word);
/* Words come from files and compilers: a byte that belongs to no character of UTF-8 is "?". NULL only out of memory. */
json_t *cell_text_to_json(const char *word);
/* Figures as numbers, what limits the occupancy as its name; those that a record lacks are absent. */
json_t *cell_figures_to_json(const struct record *record);
/* Back; those that are not there are RECORD_ABSENT. False where one has another name or type. */
bool cell_figures_from_json(const json_t *figures, struct record *record);

#endif
