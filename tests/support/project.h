/* The project's compiler and its registered kernels, for a group of cmocka tests. */
#ifndef TESTS_SUPPORT_PROJECT_H
#define TESTS_SUPPORT_PROJECT_H

#include "contract/base/arena.h"
#include "contract/registry_list.h"
#include "toolchain/toolchain.h"

struct project {
    struct toolchain *toolchain;
    struct registry registry;
    struct arena arena; /* of the registry */
};

/* Filled between the two below, which are a group's setup and teardown and leave its state NULL. */
extern struct project project;

/* Where the compiler is missing or a registration is invalid one line says why, and the group fails. */
int project_setup(void **state);
int project_teardown(void **state);

#endif
