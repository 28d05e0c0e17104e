#include "commands/registrations.h"

#include <stdio.h>

#include "commands/chip_lists.h"

bool registrations_open(const struct arguments *arguments, struct arena *arena, struct kernel_files *files,
                        struct registry *registry, struct error *error)
{
    struct registry program;
    *files = (struct kernel_files){0};
    *registry = (struct registry){0};
    if (!registry_collect(arena, &program, error))
        return false;
    if (arguments->n_kernel_files == 0)
        *registry = program;
    else if (!kernel_files_load(arguments->kernel_files, arguments->n_kernel_files, &program, arena, files, registry,
                                error))
        return false;
    return registry_check(registry, error) && chip_lists_are_known(registry, error);
}

const char *registrations_files(const struct arguments *arguments, struct arena *arena)
{
    const char *list = NULL;
    for (size_t i = 0; i < arguments->n_kernel_files; i++)
        list = i && list ? arena_format(arena, "%s,%s", list, arguments->kernel_files[i]) : arguments->kernel_files[0];
    return list;
}
