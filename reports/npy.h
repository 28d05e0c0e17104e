/*
 * Tensors as NumPy files (.npy, version 1.0): a header that says type and shape, then the elements as they lie in memory,
 * row by row. Formats that NumPy has no type for (bf16) are unsigned integers of the same size, which are their bits.
 * Source: NumPy, "numpy.lib.format".
 */
#ifndef REPORTS_NPY_H
#define REPORTS_NPY_H

#include <stdbool.h>

#include "contract/verdict.h"

/* Writes the whole file or none of it. Errors: STATUS_USAGE, "PATH: reason". */
bool npy_write(const char *path, enum number_format format, int64_t rows, int64_t columns, const void *data,
               struct error *error);
/* Reads a file that holds just such a tensor; *data, rows * columns elements, is malloc'ed and the caller's. Errors:
 * STATUS_USAGE, "PATH: reason". */
bool npy_read(const char *path, enum number_format format, int64_t rows, int64_t columns, void **data, struct error *error);

#endif
