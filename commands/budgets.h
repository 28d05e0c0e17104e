/*
 * The budgets that registrations declare, as what a record is held to.
 */
#ifndef COMMANDS_BUDGETS_H
#define COMMANDS_BUDGETS_H

#include "contract/registry_list.h"
#include "records/budget.h"

/* Every ceiling that a registration has on a chip. */
struct budget registration_budget(const struct registration *registration, const char *chip);
/* Those of all registrations that launch the kernel, a launcher's for each of its kernels. */
struct budget kernel_budget(const struct registry *registry, const char *kernel, const char *chip);

#endif
