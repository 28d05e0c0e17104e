/*
 * Fuzz target: any bytes as a safetensors file. It is refused with one line, or each tensor lies in its data, is found by
 * its name and can be read to its last byte.
 */
#include <stdlib.h>
#include <string.h>

#include "reference/safetensors.h"
#include "tests/fuzz/input_file.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

static void read_tensor(const struct safetensors *file, const struct safetensor *tensor, const uint8_t *data)
{
    char text[SAFETENSOR_TEXT_BYTES];
    struct error error = {0};
    must(tensor->first <= file->n_data_bytes && tensor->n_bytes <= file->n_data_bytes - tensor->first);
    must(tensor->n_dims >= 0 && tensor->n_dims <= SAFETENSOR_DIMS);
    must(safetensors_find(file, tensor->name) == tensor);
    safetensor_text(tensor, text);
    must(memchr(text, '\0', sizeof text) != NULL);
    uint8_t *bytes = malloc(tensor->n_bytes + 1);
    must(bytes && safetensors_read(file, tensor, bytes, &error));
    must(memcmp(bytes, data + file->data_at + tensor->first, tensor->n_bytes) == 0);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    struct safetensors file;
    struct error error = {0};
    if (safetensors_open(&file, input_file(data, n_bytes), &error)) {
        must(file.data_at + file.n_data_bytes == n_bytes);
        for (size_t i = 0; i < file.n_tensors; i++)
            read_tensor(&file, &file.tensors[i], data);
    } else
        must_be_clear(&error);
    safetensors_close(&file);
    return 0;
}
