/*
 * The registry of several files of kernels.
 */
#ifndef CONTRACT_KERNEL_FILES_H
#define CONTRACT_KERNEL_FILES_H

#include "contract/kernel_file.h"
#include "contract/registry_list.h"

struct kernel_files {
    struct kernel_file *files;
    size_t n_files;
};

/* Opens n files and makes a registry of what they register and nothing else. No name may be there twice, nor be one of
 * `program`: output lines, logs and options say no more than a name. Each registration is a copy with its root. All that is
 * made belongs to the arena and is valid until kernel_files_close, which is due in either case. Errors: STATUS_USAGE, one
 * line that names the file. */
bool kernel_files_load(const char *const *paths, size_t n, const struct registry *program, struct arena *arena,
                       struct kernel_files *files, struct registry *registry, struct error *error);
void kernel_files_close(struct kernel_files *files);

#endif
