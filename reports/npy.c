#include "reports/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/file.h"

/* A header is a magic string, the version, the length of what follows, and a description that spaces fill up to a multiple
 * of 64 bytes. */
enum { NPY_PREFIX = 10, NPY_HEADER = 128 };

static const char *const descriptions[FORMAT_COUNT] = {
    [FORMAT_F64] = "<f8", [FORMAT_F32] = "<f4", [FORMAT_F16] = "<f2", [FORMAT_BF16] = "<u2", [FORMAT_I8] = "|i1",
    [FORMAT_U8] = "|u1",  [FORMAT_I16] = "<i2", [FORMAT_U16] = "<u2", [FORMAT_I32] = "<i4",  [FORMAT_U32] = "<u4",
};

static void make_header(enum number_format format, int64_t rows, int64_t columns, char header[NPY_HEADER])
{
    enum { N_TEXT = NPY_HEADER - NPY_PREFIX };
    memset(header, ' ', NPY_HEADER);
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)N_TEXT;
    header[9] = 0;
    char text[N_TEXT];
    int n = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%" PRId64 ", %" PRId64 "), }",
                     descriptions[format], rows, columns);
    memcpy(header + NPY_PREFIX, text, (size_t)n);
    header[NPY_HEADER - 1] = '\n';
}

static size_t data_bytes(enum number_format format, int64_t rows, int64_t columns)
{
    return (size_t)(rows * columns) * format_facts(format)->n_bytes;
}

bool npy_write(const char *path, enum number_format format, int64_t rows, int64_t columns, const void *data,
               struct error *error)
{
    size_t n_bytes = data_bytes(format, rows, columns);
    char *file = malloc(NPY_HEADER + n_bytes);
    if (!file)
        return error_set(error, STATUS_ENVIRONMENT, "%s: out of host memory", path);
    make_header(format, rows, columns, file);
    memcpy(file + NPY_HEADER, data, n_bytes);
    bool ok = file_write(path, file, NPY_HEADER + n_bytes, error);
    free(file);
    return ok;
}

bool npy_read(const char *path, enum number_format format, int64_t rows, int64_t columns, void **data, struct error *error)
{
    char expected[NPY_HEADER], *file = NULL;
    size_t n_file = 0, n_bytes = data_bytes(format, rows, columns);
    if (!file_read(path, &file, &n_file, error))
        return false;
    make_header(format, rows, columns, expected);
    if (n_file != NPY_HEADER + n_bytes || memcmp(file, expected, NPY_HEADER) != 0) {
        free(file);
        return error_set(error, STATUS_USAGE, "%s: not the %s tensor of %" PRId64 " x %" PRId64 " that the log is of", path,
                         format_facts(format)->name, rows, columns);
    }
    memmove(file, file + NPY_HEADER, n_bytes);
    *data = file;
    return true;
}
