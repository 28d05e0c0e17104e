/* Where a text stands in a source file, so that tests of findings move with the kernels. */
#ifndef SUPPORT_SOURCE_LINE_H
#define SUPPORT_SOURCE_LINE_H

#include <stdint.h>

/* The first line (from 1) of the file below the project's root that holds the text; 0 where none does. */
uint32_t source_line(const char *path, const char *text);

#endif
