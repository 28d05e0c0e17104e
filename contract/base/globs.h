/*
 * Patterns that choose names, as --only takes them.
 */
#ifndef BASE_GLOBS_H
#define BASE_GLOBS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether one of n_globs patterns (fnmatch's) matches the name; of no patterns all names are chosen. */
bool globs_choose(const char *const *globs, size_t n_globs, const char *name);

#endif
