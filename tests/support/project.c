#include "tests/support/project.h"

#include <stdio.h>

struct project project;

int project_setup(void **state)
{
    struct error error = {0};
    *state = NULL;
    project.toolchain = toolchain_open(NULL, &error);
    if (project.toolchain && registry_collect(&project.arena, &project.registry, &error))
        return 0;
    fprintf(stderr, "the project's kernels: %s\n", error.text);
    return -1;
}

int project_teardown(void **state)
{
    (void)state;
    toolchain_close(project.toolchain);
    arena_free(&project.arena);
    return 0;
}
