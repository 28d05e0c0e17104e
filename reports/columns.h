/*
 * A table in text from rows of any type: each column is a heading and a function that gives a row's cell. Inner header of
 * reports/.
 */
#ifndef REPORTS_COLUMNS_H
#define REPORTS_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { COLUMN_CELL_BYTES = 240 };

struct column {
    const char *heading;
    bool is_left; /* aligned */
    void (*cell)(const void *row, char text[COLUMN_CELL_BYTES]);
};

/* The headings and n_rows rows, row_bytes apart, as wide as the widest cell of each column (cells are ASCII), each line
 * behind the indent. */
void columns_write(FILE *out, const struct column *columns, size_t n_columns, const void *rows, size_t row_bytes,
                   size_t n_rows, const char *indent);

#endif
