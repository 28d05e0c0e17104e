/*
 * A folder for one test, and programs run to their end: what tests of files and compilers share.
 */
#ifndef SUPPORT_SCRATCH_H
#define SUPPORT_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

enum { SCRATCH_PATH_BYTES = 512 };

/* Makes a fresh folder under $TMPDIR or /tmp; false (with the reason on standard error) if that fails. */
bool scratch_open(char folder[SCRATCH_PATH_BYTES]);
/* Removes it with all that it holds. */
void scratch_close(const char *folder);
/* folder/name with that text, as a path in path. */
bool scratch_write(const char *folder, const char *name, const char *text, char path[SCRATCH_PATH_BYTES]);
/* Runs argv to its end; its standard output, malloc'ed, or NULL where it failed (its words on standard error). */
char *scratch_run(const char *const *argv);

#endif
