/*
 * Fuzz target: any bytes as a NumPy file that `compare` expects to hold a tensor of a log, whose format and size the input
 * begins with. It is refused with one line, or its elements are the file's and written again they make the same file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/file.h"
#include "reference/format.h"
#include "reports/npy.h"
#include "tests/fuzz/input_file.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

/* Input: format, how far the columns are shifted up, rows and columns in 16 bits each; then the file. */
enum { HEADER_BYTES = 6 };

/* As many as a log may say (reports/outputs_json.c): no size in bytes overflows. */
static int64_t columns_of(uint64_t columns, unsigned shift, int64_t rows)
{
    int64_t most = INT64_MAX / 8 / rows, wanted = (int64_t)((columns << shift % 48) + 1);
    return wanted < most ? wanted : most;
}

static void check(const void *elements, enum number_format format, int64_t rows, int64_t columns, const uint8_t *file,
                  size_t n_bytes)
{
    char path[600], *again = NULL;
    size_t n_again = 0, n_elements = (size_t)(rows * columns) * format_facts(format)->n_bytes;
    struct error error;
    must(n_elements <= n_bytes && memcmp(elements, file + n_bytes - n_elements, n_elements) == 0);
    snprintf(path, sizeof path, "%s/again.npy", input_folder());
    must(npy_write(path, format, rows, columns, elements, &error) && file_read(path, &again, &n_again, &error));
    must(n_again == n_bytes && memcmp(again, file, n_bytes) == 0);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    if (n_bytes < HEADER_BYTES)
        return 0;
    void *elements = NULL;
    struct error error = {0};
    enum number_format format = (enum number_format)(data[0] % FORMAT_COUNT);
    int64_t rows = (data[2] | data[3] << 8) + 1, columns = columns_of(data[4] | (unsigned)data[5] << 8, data[1], rows);
    const uint8_t *file = data + HEADER_BYTES;
    if (npy_read(input_file(file, n_bytes - HEADER_BYTES), format, rows, columns, &elements, &error))
        check(elements, format, rows, columns, file, n_bytes - HEADER_BYTES);
    else
        must_be_clear(&error);
    free(elements);
    return 0;
}
