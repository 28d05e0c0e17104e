/*
 * Paths of sources as forges know them. Inner header of reports/.
 */
#ifndef REPORTS_SOURCE_PATH_H
#define REPORTS_SOURCE_PATH_H

#include <stddef.h>

/* The path without "." and "..", which compilers leave in it for a header that is included so: "kernels/a/../lanes.h" is
 * "kernels/lanes.h". By its words alone, as a link may not be here; one that has no room stays as it is, as far as it has.
 */
void source_path(const char *path, char *plain, size_t n_bytes);

#endif
