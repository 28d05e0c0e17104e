/*
 * A safetensors file: 8 bytes that count the header's, the header (JSON: name -> dtype, shape, data_offsets), the tensors'
 * bytes with no gap between them.
 *
 * The file is untrusted: every length, product and offset is checked against the file before it is used, and data is read
 * only where it is asked for, so that a large checkpoint costs its header alone.
 */
#ifndef REFERENCE_SAFETENSORS_H
#define REFERENCE_SAFETENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/base/arena.h"
#include "contract/base/error.h"

enum { SAFETENSOR_DIMS = 8, SAFETENSOR_TEXT_BYTES = 200 };

struct safetensor {
    const char *name, *dtype; /* "F16", as the file spells it */
    int n_dims;               /* 0: a scalar */
    int64_t dim[SAFETENSOR_DIMS];
    size_t first, n_bytes; /* of its data */
};

struct safetensors {
    const char *path; /* borrowed */
    struct safetensor *tensors;
    size_t n_tensors;
    size_t data_at, n_data_bytes; /* the tensors' bytes in the file */
    int descriptor;
    struct arena arena;
};

/* Reads and checks the header. Errors: STATUS_USAGE, one line that names the file, the tensor, and what is wrong.
 * safetensors_close in either case. */
bool safetensors_open(struct safetensors *file, const char *path, struct error *error);
void safetensors_close(struct safetensors *file);

/* NULL for an unknown name. */
const struct safetensor *safetensors_find(const struct safetensors *file, const char *name);
/* Reads a tensor's n_bytes bytes. */
bool safetensors_read(const struct safetensors *file, const struct safetensor *tensor, void *to, struct error *error);
/* "F16 [128, 64]", for people. */
void safetensor_text(const struct safetensor *tensor, char text[SAFETENSOR_TEXT_BYTES]);

#endif
