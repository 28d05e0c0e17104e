/*
 * The RECORD line: a kernel's figures as name and value, for programs.
 */
#ifndef COMMANDS_LIMITS_LINE_H
#define COMMANDS_LIMITS_LINE_H

#include "records/record_file.h"

/* "RECORD gfx1151 softmax_rows vgprs 21 …", with " compiler clang-22" at its end where one is given; else compiler is NULL.
 */
void limits_print_record(const struct record *record, const char *compiler);

#endif
