#include "tests/support/chip_names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool chip_names_check(char **names)
{
    for (; *names; names++)
        if (!chip_find(*names)) {
            fprintf(stderr, "%s: no chip %s; `hipcontract doctor` lists the chips\n", program_invocation_short_name,
                    *names);
            return false;
        }
    return true;
}

static bool is_named(char **names, const struct chip *chip)
{
    for (; *names; names++)
        if (strcmp(*names, chip->name) == 0)
            return true;
    return false;
}

bool chip_names_have(char **names, const struct chip *chip)
{
    return *names ? is_named(names, chip) : true;
}

bool chip_names_have_or_family(char **names, const struct chip *chip)
{
    return *names ? is_named(names, chip) : chip == chip_of_family(chip->family);
}
