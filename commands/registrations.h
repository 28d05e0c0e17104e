/*
 * The registrations that a command works on: the program's own, or those of --kernels.
 */
#ifndef COMMANDS_REGISTRATIONS_H
#define COMMANDS_REGISTRATIONS_H

#include "commands/options.h"
#include "contract/kernel_files.h"

/* Collects and checks them. What is made belongs to the arena and is valid until kernel_files_close, which is due in either
 * case. Errors: STATUS_USAGE. */
bool registrations_open(const struct arguments *arguments, struct arena *arena, struct kernel_files *files,
                        struct registry *registry, struct error *error);
/* The files of --kernels as a comma list, as the log has them; NULL: none were given, or there is no host memory. */
const char *registrations_files(const struct arguments *arguments, struct arena *arena);

#endif
