/*
 * Chips named on a command line. Names end with NULL.
 */
#ifndef SUPPORT_CHIP_NAMES_H
#define SUPPORT_CHIP_NAMES_H

#include <stdbool.h>

#include "records/chips.h"

/* Whether each of the names is a chip's; standard error says which is not. */
bool chip_names_check(char **names);
/* Whether a chip is among the names; where there are none, every chip is. */
bool chip_names_have(char **names, const struct chip *chip);
/* The same, but where there are no names, one chip of each family is. */
bool chip_names_have_or_family(char **names, const struct chip *chip);

#endif
