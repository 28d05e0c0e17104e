/*
 * Whole files in, whole files out.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "contract/base/error.h"

/* Reads a whole file into malloc'ed memory with a NUL after its last byte; the caller frees *data. On failure: false,
 * STATUS_USAGE, "PATH: reason". */
bool file_read(const char *path, char **data, size_t *n_bytes, struct error *error);
/* Writes a whole file so that a reader sees the old or the new one, never a part (temporary name, fsync, rename). */
bool file_write(const char *path, const void *data, size_t n_bytes, struct error *error);
/* Makes a directory and its parents, as `mkdir -p`. */
bool file_make_directories(const char *path, struct error *error);
bool file_exists(const char *path);
bool file_is_folder(const char *path);
/* Removes a folder with all that it holds, or a file; links in it are removed, not followed. What cannot be removed stays.
 */
void file_remove_tree(const char *path);

#endif
