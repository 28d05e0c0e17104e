#include "commands/chip_lists.h"

#include "records/chips.h"

static bool list_is_known(const char *list, const char *kind, const char *name, struct error *error)
{
    char chip[CHIP_NAME_BYTES];
    while (chips_next(&list, chip))
        if (!chip_find(chip))
            return error_set(error, STATUS_USAGE,
                             "%s %s names '%s', which is no known chip; `hipcontract doctor` lists them", kind, name, chip);
    return true;
}

bool chip_lists_are_known(const struct registry *registry, struct error *error)
{
    for (size_t i = 0; i < registry->n_registrations; i++)
        if (!list_is_known(registry->registrations[i]->chips, "registration", registry->registrations[i]->name, error))
            return false;
    for (size_t i = 0; i < registry->n_controls; i++) {
        const struct control *k = registry->controls[i];
        if (!list_is_known(k->chips, "control", k->name, error) ||
            !list_is_known(k->green_chips, "control", k->name, error))
            return false;
    }
    return true;
}
