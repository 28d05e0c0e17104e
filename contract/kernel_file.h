/*
 * A file of kernels (contract/hipcontract.h): a shared object with registrations and controls of its own, whose sources and
 * records are below a folder of its own.
 */
#ifndef CONTRACT_KERNEL_FILE_H
#define CONTRACT_KERNEL_FILE_H

#include "contract/base/arena.h"
#include "contract/hipcontract.h"

#define INVALID_FILE(error, file, ...)                                                                                     \
    (error_set(error, STATUS_USAGE, __VA_ARGS__), error_prefix(error, "--kernels %s", (file)->path))

struct kernel_file {
    const char *path;   /* as given */
    void *handle;       /* of dlopen */
    const char *folder; /* absolute, without links: sources and records/ are below */
    const struct hipcontract_kernels *kernels;
};

/* Loads a file that was built for this program's ABI and registers something. kernel_file_close is due in either case.
 * Errors: STATUS_USAGE, one line that names the file. */
bool kernel_file_open(struct kernel_file *file, const char *path, struct arena *arena, struct error *error);
void kernel_file_close(struct kernel_file *file);

#endif
