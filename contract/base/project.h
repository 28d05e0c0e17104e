/*
 * Where the project lies: kernel sources, records and the compile cache are found from its root.
 */
#ifndef BASE_PROJECT_H
#define BASE_PROJECT_H

#include <stdbool.h>
#include <stddef.h>

#include "contract/base/error.h"

/* The project's root, absolute, into root (n_bytes long): $HIPCONTRACT_ROOT; else the nearest folder above the executable
 * that holds kernels/ and records/; else the current directory. Errors: STATUS_USAGE where the path cannot be read or is
 * too long. */
bool project_root(char *root, size_t n_bytes, struct error *error);
/* root/relative, or relative itself where that is absolute. */
bool project_path(const char *relative, char *path, size_t n_bytes, struct error *error);

#endif
