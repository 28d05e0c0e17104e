#include "commands/budgets.h"

struct budget registration_budget(const struct registration *registration, const char *chip)
{
    struct budget budget = {0};
    for (size_t i = 0; i < registration->n_budgets; i++) {
        const struct reg_budget *row = &registration->budgets[i];
        if (!row->chips || chips_hold(row->chips, chip))
            budget = budget_both(budget, (struct budget){row->no_scratch, row->most_vgprs, row->least_waves});
    }
    return budget;
}

struct budget kernel_budget(const struct registry *registry, const char *kernel, const char *chip)
{
    struct budget budget = {0};
    for (size_t i = 0; i < registry->n_registrations; i++) {
        const struct registration *registration = registry->registrations[i];
        if (registration_is_for(registration, chip) && registration_has_kernel(registration, kernel))
            budget = budget_both(budget, registration_budget(registration, chip));
    }
    return budget;
}
