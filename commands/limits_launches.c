#include "commands/limits_launches.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/budgets.h"

/* Fills the launches of a registration's shapes; a shape that its own plan refuses is a problem. Their number. */
static size_t plan_launches(struct limits_run *run, const struct limits_unit *unit, const struct registration *registration,
                            struct limit_launch *launches)
{
    size_t n_launches = 0;
    for (size_t i = 0; i < registration->n_shapes; i++) {
        const struct reg_shape *shape = &registration->shapes[i];
        struct reg_plan plan = {0};
        struct error refused = {0};
        if (!registration->plan(shape, &plan, &refused)) {
            char text[LIMIT_TEXT_BYTES];
            snprintf(text, sizeof text, "launch at %s: refused: %.300s", shape->label, refused.text);
            limits_put_problem(run, unit, registration->name, text);
            continue;
        }
        struct limit_launch *launch = &launches[n_launches++];
        *launch =
            (struct limit_launch){.shape = shape->label, .lds_bytes = plan.lds_bytes, .wave_size = registration->wave_size};
        memcpy(launch->grid, plan.grid, sizeof launch->grid);
        memcpy(launch->block, plan.block, sizeof launch->block);
    }
    return n_launches;
}

/* The waves that a budget wants are those of each launch, with its threads and its dynamic LDS. */
static void judge_launch_waves(struct limits_run *run, const struct limits_unit *unit,
                               const struct registration *registration, const struct code_kernel *kernel,
                               const struct limit_launch *launch)
{
    uint32_t wanted = registration_budget(registration, unit->chip->name).least_waves;
    uint32_t waves = limits_launch_occupancy(unit->chip, kernel, launch);
    bool is_told = limits_measure(unit->chip, kernel).figure[RECORD_occupancy] < wanted; /* of the kernel */
    char text[LIMIT_TEXT_BYTES];
    if (waves >= wanted || is_told || run->options->is_optional)
        return;
    snprintf(text, sizeof text, "over budget: launch at %s: %" PRIu32 " waves a SIMD, the budget wants %" PRIu32,
             launch->shape, waves, wanted);
    limits_put_problem(run, unit, registration->name, text);
}

static void judge_launches(struct limits_run *run, const struct limits_unit *unit, const struct registration *registration,
                           const struct code_kernel *kernel, const struct limit_launch *launches, size_t n_launches)
{
    char text[LIMIT_TEXT_BYTES];
    for (size_t i = 0; i < n_launches; i++) {
        if (limits_launch_fits(unit->chip, kernel, &launches[i], text))
            judge_launch_waves(run, unit, registration, kernel, &launches[i]);
        else
            limits_put_problem(run, unit, registration->name, text);
    }
}

static size_t count_shapes(const struct limits_run *run)
{
    size_t n_shapes = 0;
    for (size_t i = 0; i < run->registry->n_registrations; i++)
        n_shapes += run->registry->registrations[i]->n_shapes;
    return n_shapes;
}

/* The launches of every registration of the kernel that plans say: each must fit, and together they must use the compiled
 * bound. A launcher chooses its own, which the runtime holds to the bound: where one has the kernel too, nobody
 * knows here whether the bound is used. */
bool limits_judge_launches(struct limits_run *run, const struct limits_unit *unit, const struct code_kernel *kernel)
{
    struct limit_launch *launches = calloc(count_shapes(run) + 1, sizeof *launches);
    if (!launches)
        return error_set(run->error, STATUS_ENVIRONMENT, "out of memory");
    size_t n_launches = 0;
    bool is_launched = false;
    for (size_t i = 0; i < run->registry->n_registrations; i++) {
        const struct registration *registration = run->registry->registrations[i];
        if (!limits_unit_has(unit, registration) || !registration_has_kernel(registration, kernel->name))
            continue;
        is_launched |= registration->launcher != NULL;
        if (registration->launcher)
            continue;
        size_t n_more = plan_launches(run, unit, registration, launches + n_launches);
        judge_launches(run, unit, registration, kernel, launches + n_launches, n_more);
        n_launches += n_more;
    }
    char text[LIMIT_TEXT_BYTES];
    if (!is_launched && !limits_bound_is_used(kernel, launches, n_launches, text))
        limits_put_problem(run, unit, kernel->name, text);
    free(launches);
    return true;
}
