/*
 * The chips that registrations and controls name are known ones: a name that is mistyped would never be run, and never be
 * missed.
 */
#ifndef COMMANDS_CHIP_LISTS_H
#define COMMANDS_CHIP_LISTS_H

#include "contract/registry_list.h"

/* The first name that the table of chips does not have: false, STATUS_USAGE. */
bool chip_lists_are_known(const struct registry *registry, struct error *error);

#endif
