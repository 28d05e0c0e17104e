#include "commands/limits_run.h"

#include <stdio.h>
#include <string.h>

bool limits_selects(const struct limits_run *run, const struct registration *registration)
{
    return registration_is_chosen(registration, run->options->only, run->options->n_only);
}

bool limits_has_chip(const struct limits_run *run, const char *chip)
{
    for (size_t i = 0; i < run->options->n_chips; i++)
        if (strcmp(run->options->chips[i], chip) == 0)
            return true;
    return false;
}

bool limits_unit_has(const struct limits_unit *unit, const struct registration *registration)
{
    return registrations_share_source(registration, unit->of) && registration_is_for(registration, unit->chip->name);
}

void limits_put(struct limits_run *run, const struct limits_result *result)
{
    run->totals->n_results++;
    run->totals->n_problems += result->problem;
    run->totals->n_malformed += result->kind == LIMITS_MALFORMED;
    run->totals->n_not_compiled += result->kind == LIMITS_NOT_COMPILED;
    run->emit(run->context, result);
}

void limits_put_of(struct limits_run *run, const struct limits_unit *unit, struct limits_result *result)
{
    result->chip = unit->chip->name;
    result->family = unit->of->family;
    result->source = unit->of;
    if (unit->ok) {
        result->code = unit->object.hash;
        result->object = &unit->object;
    }
    limits_put(run, result);
}

void limits_put_problem(struct limits_run *run, const struct limits_unit *unit, const char *name, const char *text)
{
    struct limits_result result = {.kind = LIMITS_OTHER, .problem = true, .name = name};
    snprintf(result.text, sizeof result.text, "%s", text);
    limits_put_of(run, unit, &result);
}
