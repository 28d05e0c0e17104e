/*
 * Profile files: what `emulate --profile FILE` writes and `disasm --profile FILE` shows beside the code. A line of text
 * each executed instruction, its counts apart by blanks, after a line that names the columns.
 */
#ifndef COMMANDS_PROFILE_FILE_H
#define COMMANDS_PROFILE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "contract/base/error.h"
#include "contract/base/hash.h"
#include "contract/base/text.h"
#include "device/device.h"

struct profile_line {
    struct hash128 code; /* of the code object */
    uint64_t address;    /* of the ELF */
    struct instruction_profile counts;
};

struct profile_file {
    struct profile_line *lines; /* owned; by code and address, one an instruction */
    size_t n_lines;
};

/* Column names first, then instructions. */
void profile_file_start(struct text *text);
void profile_file_append(struct text *text, const struct profiled_instruction *instruction);
/* Errors: STATUS_USAGE, "PATH:LINE: reason". The caller frees with profile_file_free, also after false. */
bool profile_file_read(const char *path, struct profile_file *file, struct error *error);
void profile_file_free(struct profile_file *file);
/* Whether a line is of that code object, or the file has none at all. */
bool profile_file_is_of(const struct profile_file *file, struct hash128 code);
/* The sum of the counts of an instruction in all wave sizes; false where it was not executed. */
bool profile_file_find(const struct profile_file *file, struct hash128 code, uint64_t address,
                       struct instruction_profile *counts);

#endif
