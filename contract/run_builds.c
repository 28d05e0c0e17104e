/*
 * What a run is going to launch, compiled before it starts: one after the other the compiler would have one processor busy,
 * and most of a first run is its work.
 */
#include <stdlib.h>
#include <string.h>

#include "contract/run.h"

struct wanted_list {
    struct build_wanted *rows;
    size_t n;
};

static void want(struct wanted_list *list, const struct registration *registration, const char *define)
{
    list->rows[list->n++] = (struct build_wanted){registration, define};
}

/* An earlier run has verdicts of it: they may stand in for its controls too. */
static bool is_decided(const struct run *run, const struct registration *registration)
{
    size_t n;
    run_decided(run, registration, &n);
    return n > 0;
}

static void want_controls(const struct run *run, const struct registration *registration, struct wanted_list *list)
{
    for (size_t i = 0; i < run->registry->n_controls; i++) {
        const struct control *control = run->registry->controls[i];
        if (control->how == CONTROL_BUILD && strcmp(control->registration, registration->name) == 0 &&
            control_duty(control, run->builds.device->chip) != CONTROL_NOT_HERE)
            want(list, registration, control->define);
    }
}

static void want_registration(const struct run *run, const struct registration *registration, struct wanted_list *list)
{
    const char *chip = run->builds.device->chip;
    const struct registration *twin = registration->twin ? registry_find(run->registry, registration->twin) : NULL;
    want(list, registration, NULL);
    if (twin && registration_is_for(twin, chip))
        want(list, twin, NULL);
    if (!is_decided(run, registration))
        want_controls(run, registration, list);
}

void run_compile(struct run *run)
{
    const struct registry *registry = run->registry;
    struct wanted_list list = {calloc(2 * registry->n_registrations + registry->n_controls + 1, sizeof *list.rows), 0};
    if (!list.rows)
        return;
    for (size_t i = 0; i < registry->n_registrations; i++)
        if (run_selects(registry, run->options, i) &&
            registration_is_for(registry->registrations[i], run->builds.device->chip))
            want_registration(run, registry->registrations[i], &list);
    builds_compile(&run->builds, list.rows, list.n, run->options->n_threads, run->interrupted, run->interrupt_context);
    free(list.rows);
}
