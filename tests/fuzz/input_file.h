/*
 * An input as a file, for what reads files by name.
 */
#ifndef FUZZ_INPUT_FILE_H
#define FUZZ_INPUT_FILE_H

#include <stddef.h>
#include <stdint.h>

/* The path of a file in memory that holds these bytes until the next call. */
const char *input_file(const uint8_t *data, size_t n_bytes);
/* The folder that this process may write to: one below $TMPDIR, removed when it ends. */
const char *input_folder(void);

#endif
