/*
 * A limits pass on its way: what its files share. Inner header of limits_*.c.
 */
#ifndef COMMANDS_LIMITS_RUN_H
#define COMMANDS_LIMITS_RUN_H

#include "commands/limits_pass.h"

struct limits_run {
    const struct registry *registry;
    struct toolchain *toolchain;
    const struct limits_options *options;
    void (*emit)(void *context, const struct limits_result *result);
    void *context;
    struct limits_totals *totals;
    struct error *error;
    struct arena arena; /* until the pass ends */
};

/* One source compiled for one chip. */
struct limits_unit {
    const struct registration *of; /* the first of its source */
    const struct chip *chip;
    size_t chip_index; /* in the options */
    struct compiled compiled;
    struct code_object object; /* parsed where ok */
    bool ok;
    struct error error; /* where not ok */
};

/* Its own name, or that of a kernel that it launches, is chosen. */
bool limits_selects(const struct limits_run *run, const struct registration *registration);
/* The chip is one of the options'. */
bool limits_has_chip(const struct limits_run *run, const char *chip);
/* The registration belongs to what the unit compiles. */
bool limits_unit_has(const struct limits_unit *unit, const struct registration *registration);

/* Counts a result and gives it out. */
void limits_put(struct limits_run *run, const struct limits_result *result);
/* Of a unit: fills chip, family, source and code in. */
void limits_put_of(struct limits_run *run, const struct limits_unit *unit, struct limits_result *result);
/* A LIMITS_OTHER of that name. */
void limits_put_problem(struct limits_run *run, const struct limits_unit *unit, const char *name, const char *text);

#endif
