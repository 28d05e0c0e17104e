#include "reports/columns.h"

#include <string.h>

static int width_of(const struct column *column, const char *rows, size_t row_bytes, size_t n_rows)
{
    char text[COLUMN_CELL_BYTES];
    size_t width = strlen(column->heading);
    for (size_t i = 0; i < n_rows; i++) {
        column->cell(rows + i * row_bytes, text);
        width = strlen(text) > width ? strlen(text) : width;
    }
    return (int)width;
}

/* The last column's line ends with its text. */
static void write_cell(FILE *out, const struct column *column, int width, const char *text, bool is_last)
{
    fprintf(out, "%*s%s", column->is_left && is_last ? 0 : column->is_left ? -width : width, text, is_last ? "\n" : "  ");
}

void columns_write(FILE *out, const struct column *columns, size_t n_columns, const void *rows, size_t row_bytes,
                   size_t n_rows, const char *indent)
{
    enum { MOST_COLUMNS = 32 };
    int widths[MOST_COLUMNS];
    char text[COLUMN_CELL_BYTES];
    for (size_t c = 0; c < n_columns && c < MOST_COLUMNS; c++)
        widths[c] = width_of(&columns[c], rows, row_bytes, n_rows);
    fputs(indent, out);
    for (size_t c = 0; c < n_columns && c < MOST_COLUMNS; c++)
        write_cell(out, &columns[c], widths[c], columns[c].heading, c + 1 == n_columns);
    for (size_t i = 0; i < n_rows; i++) {
        fputs(indent, out);
        for (size_t c = 0; c < n_columns && c < MOST_COLUMNS; c++) {
            columns[c].cell((const char *)rows + i * row_bytes, text);
            write_cell(out, &columns[c], widths[c], text, c + 1 == n_columns);
        }
    }
}
