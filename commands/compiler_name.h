/*
 * Compilers by the names that options give them.
 */
#ifndef COMMANDS_COMPILER_NAME_H
#define COMMANDS_COMPILER_NAME_H

#include "toolchain/toolchain.h"

/* "clang-19", "debian-clang-19" and "rocm-clang-19" name a compiler, whether or not it is installed. */
bool compiler_is_name(const char *name);
/* Opens the compiler of that name with a cache folder. NULL with STATUS_ENVIRONMENT where it is not installed. The caller
 * closes it. */
struct toolchain *compiler_open(const char *name, const char *cache_directory, struct error *error);

#endif
