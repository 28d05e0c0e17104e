/*
 * Source lines of a code object's instructions, from its DWARF line tables (compiled with -gline-tables-only or -g).
 */
#ifndef DEVICE_CODE_LINES_H
#define DEVICE_CODE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_lines; /* opaque */

/* NULL where the code object has no line tables or they cannot be read. bytes is borrowed until code_lines_close. */
struct code_lines *code_lines_open(const void *bytes, size_t n_bytes);
void code_lines_close(struct code_lines *lines); /* NULL is allowed */
/* The file (cut to capacity) and line of the instruction at an address of the ELF. Of code inlined from a header of the
 * system or the compiler, the line that called it; false where the tables say nothing. */
bool code_lines_find(const struct code_lines *lines, uint64_t address, char *file, size_t capacity, uint32_t *line);

#endif
