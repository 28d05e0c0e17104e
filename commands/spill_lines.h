/*
 * Where a kernel spills, in a few words.
 */
#ifndef COMMANDS_SPILL_LINES_H
#define COMMANDS_SPILL_LINES_H

#include "contract/base/text.h"
#include "device/code_object.h"

/* Appends "spills at k.hip:12 (16 instructions), k.hip:9 (4 instructions) and 3 lines more": the source lines with the most
 * instructions that store or reload a spilled register. Nothing where there are none, or they cannot be told. */
void spill_lines_text(const struct code_object *object, const struct code_kernel *kernel, struct text *text);

#endif
