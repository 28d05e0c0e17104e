#include "commands/limits_units.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/parallel.h"

/* Units being compiled. */
struct compiling {
    struct limits_run *run;
    struct limits_units *units;
    bool *knows;          /* for each chip of the options: the compiler has it; NULL: nobody asked */
    pthread_mutex_t lock; /* of progress */
    size_t n_done;
};

static bool has_unit(const struct limits_units *units, const struct registration *of, const struct chip *chip)
{
    for (size_t i = 0; i < units->n; i++)
        if (units->list[i].chip == chip && registrations_share_source(units->list[i].of, of))
            return true;
    return false;
}

static int compare_units(const void *a, const void *b)
{
    const struct limits_unit *left = a, *right = b;
    int order = strcmp(left->of->root ? left->of->root : "", right->of->root ? right->of->root : "");
    if (order == 0)
        order = strcmp(left->of->family, right->of->family);
    if (order == 0 && left->chip_index != right->chip_index)
        order = left->chip_index < right->chip_index ? -1 : 1;
    return order ? order : strcmp(left->of->source, right->of->source);
}

static bool collect(struct limits_run *run, struct limits_units *units)
{
    const struct registry *registry = run->registry;
    const struct limits_options *options = run->options;
    units->list = arena_alloc(&run->arena, (registry->n_registrations * options->n_chips + 1) * sizeof *units->list);
    if (!units->list)
        return error_set(run->error, STATUS_ENVIRONMENT, "out of memory");
    for (size_t i = 0; i < registry->n_registrations; i++) {
        const struct registration *registration = registry->registrations[i];
        if (!limits_selects(run, registration))
            continue;
        run->totals->n_registrations++;
        for (size_t c = 0; c < options->n_chips; c++) {
            const struct chip *chip = chip_find(options->chips[c]);
            if (!chip)
                return error_set(run->error, STATUS_USAGE, "%s is no known chip; docs/chips.md lists them",
                                 options->chips[c]);
            if (registration_is_for(registration, chip->name) && !has_unit(units, registration, chip))
                units->list[units->n++] = (struct limits_unit){.of = registration, .chip = chip, .chip_index = c};
        }
    }
    qsort(units->list, units->n, sizeof *units->list, compare_units);
    return true;
}

static void ask_for_chip(void *context, int64_t item)
{
    struct compiling *compiling = context;
    const struct limits_run *run = compiling->run;
    compiling->knows[item] = toolchain_knows_chip(run->toolchain, run->options->chips[item]);
}

/* Another compiler than the project's may be older than a chip: asked once, not found out by each source. */
static bool ask_for_chips(struct compiling *compiling)
{
    struct limits_run *run = compiling->run;
    if (!run->options->is_optional)
        return true;
    compiling->knows = arena_alloc(&run->arena, run->options->n_chips * sizeof *compiling->knows);
    if (!compiling->knows)
        return error_set(run->error, STATUS_ENVIRONMENT, "out of memory");
    parallel_for(run->options->n_jobs, (int64_t)run->options->n_chips, ask_for_chip, compiling);
    return true;
}

static void step(struct compiling *compiling, const struct limits_unit *unit)
{
    const struct progress_sink *progress = compiling->run->options->progress;
    pthread_mutex_lock(&compiling->lock);
    compiling->n_done++;
    if (progress)
        progress->step(progress->context, unit->of->source, unit->chip->name,
                       (double)compiling->n_done / (double)compiling->units->n);
    pthread_mutex_unlock(&compiling->lock);
}

static void compile_unit(void *context, int64_t item)
{
    struct compiling *compiling = context;
    struct limits_run *run = compiling->run;
    struct limits_unit *unit = &compiling->units->list[item];
    const struct registration *of = unit->of;
    struct compile_request request = {.source_path = of->source,
                                      .root = of->root,
                                      .family = of->family,
                                      .chip = unit->chip->name,
                                      .is_quiet = run->options->is_optional};
    if (compiling->knows && !compiling->knows[unit->chip_index])
        error_set(&unit->error, STATUS_RED, "it does not know %s", unit->chip->name);
    else
        unit->ok = toolchain_compile(run->toolchain, &request, &unit->compiled, &unit->error) &&
                   code_object_parse(unit->compiled.bytes, unit->compiled.n_bytes, of->source, &unit->object, &unit->error);
    step(compiling, unit);
}

/* What was made and what the cache had; false where the environment, not a kernel, is at fault. */
static bool count(struct limits_run *run, const struct limits_units *units)
{
    for (size_t i = 0; i < units->n; i++) {
        const struct limits_unit *unit = &units->list[i];
        run->totals->n_cached += unit->compiled.from_cache;
        run->totals->n_compiled += unit->compiled.bytes && !unit->compiled.from_cache;
        if (!unit->ok && unit->error.status != STATUS_RED)
            return error_set(run->error, unit->error.status, "%s", unit->error.text);
    }
    return true;
}

bool limits_units_compile(struct limits_run *run, struct limits_units *units)
{
    *units = (struct limits_units){0};
    struct compiling compiling = {.run = run, .units = units, .lock = PTHREAD_MUTEX_INITIALIZER};
    if (!collect(run, units) || !ask_for_chips(&compiling))
        return false;
    parallel_for(run->options->n_jobs, (int64_t)units->n, compile_unit, &compiling);
    return count(run, units);
}

void limits_units_free(struct limits_units *units)
{
    for (size_t i = 0; i < units->n; i++) {
        code_object_free(&units->list[i].object);
        compiled_free(&units->list[i].compiled);
    }
    *units = (struct limits_units){0};
}
