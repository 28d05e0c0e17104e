#include "commands/limits_pass.h"

#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/budgets.h"
#include "contract/base/clock.h"
#include "contract/base/globs.h"
#include "contract/base/parallel.h"
#include "contract/base/project.h"

/* One source compiled for one chip. */
struct unit {
    const struct registration *of; /* the first of its source */
    const struct chip *chip;
    size_t chip_index; /* in the options */
    struct compiled compiled;
    struct code_object object; /* parsed where ok */
    bool ok, unknown_chip;
    struct error error;
};

struct pass {
    const struct registry *registry;
    struct toolchain *toolchain;
    const struct limits_options *options;
    void (*emit)(void *context, const struct limits_result *result);
    void *context;
    struct limits_totals *totals;
    struct error *error;
    struct arena arena;
    struct unit *units; /* by root, family, chip, source */
    size_t n_units;
    bool *knows;          /* for each chip of the options: the compiler has it; NULL: nobody asked */
    pthread_mutex_t lock; /* of progress */
    size_t n_units_done;
    /* Of the family at hand: */
    struct record_file records;
    bool records_changed;
    size_t n_judged; /* records of the file whose figures were measured now */
};

static bool matches(const struct pass *pass, const char *name)
{
    return globs_choose(pass->options->only, pass->options->n_only, name);
}

static bool is_selected(const struct pass *pass, const struct registration *registration)
{
    const struct reg_launcher *launcher = registration->launcher;
    bool selected = matches(pass, registration->name);
    if (!launcher)
        return selected || matches(pass, registration->symbol);
    for (int i = 0; i < REG_MAX_KERNELS && launcher->kernels[i]; i++)
        selected |= matches(pass, launcher->kernels[i]);
    return selected;
}

/* The registration belongs to what a unit compiles. */
static bool is_of_unit(const struct registration *registration, const struct unit *unit)
{
    return registrations_share_source(registration, unit->of) && registration_is_for(registration, unit->chip->name);
}

static void count(struct pass *pass, const struct limits_result *result)
{
    pass->totals->n_results++;
    pass->totals->n_problems += result->problem;
    pass->totals->n_malformed += result->kind == LIMITS_MALFORMED;
    pass->totals->n_not_compiled += result->kind == LIMITS_NOT_COMPILED;
    pass->emit(pass->context, result);
}

static void put(struct pass *pass, const struct unit *unit, struct limits_result *result)
{
    result->chip = unit->chip->name;
    result->family = unit->of->family;
    result->source = unit->of;
    if (unit->ok) {
        result->code = unit->object.hash;
        result->object = &unit->object;
    }
    count(pass, result);
}

static bool has_unit(const struct pass *pass, const struct registration *of, const struct chip *chip)
{
    for (size_t i = 0; i < pass->n_units; i++)
        if (pass->units[i].chip == chip && registrations_share_source(pass->units[i].of, of))
            return true;
    return false;
}

static int compare_units(const void *a, const void *b)
{
    const struct unit *left = a, *right = b;
    int order = strcmp(left->of->root ? left->of->root : "", right->of->root ? right->of->root : "");
    if (order == 0)
        order = strcmp(left->of->family, right->of->family);
    if (order == 0 && left->chip_index != right->chip_index)
        order = left->chip_index < right->chip_index ? -1 : 1;
    return order ? order : strcmp(left->of->source, right->of->source);
}

static bool collect_units(struct pass *pass)
{
    const struct registry *registry = pass->registry;
    const struct limits_options *options = pass->options;
    pass->units = arena_alloc(&pass->arena, (registry->n_registrations * options->n_chips + 1) * sizeof *pass->units);
    if (!pass->units)
        return error_set(pass->error, STATUS_ENVIRONMENT, "out of memory");
    for (size_t i = 0; i < registry->n_registrations; i++) {
        const struct registration *registration = registry->registrations[i];
        if (!is_selected(pass, registration))
            continue;
        pass->totals->n_registrations++;
        for (size_t c = 0; c < options->n_chips; c++) {
            const struct chip *chip = chip_find(options->chips[c]);
            if (!chip)
                return error_set(pass->error, STATUS_USAGE, "%s is no known chip; docs/chips.md lists them",
                                 options->chips[c]);
            if (registration_is_for(registration, chip->name) && !has_unit(pass, registration, chip))
                pass->units[pass->n_units++] = (struct unit){.of = registration, .chip = chip, .chip_index = c};
        }
    }
    qsort(pass->units, pass->n_units, sizeof *pass->units, compare_units);
    return true;
}

static void ask_for_chip(void *context, int64_t item)
{
    struct pass *pass = context;
    pass->knows[item] = toolchain_knows_chip(pass->toolchain, pass->options->chips[item]);
}

/* Another compiler than the project's may be older than a chip: asked once, not found out by each source. */
static bool ask_for_chips(struct pass *pass)
{
    if (!pass->options->is_optional)
        return true;
    pass->knows = arena_alloc(&pass->arena, pass->options->n_chips * sizeof *pass->knows);
    if (!pass->knows)
        return error_set(pass->error, STATUS_ENVIRONMENT, "out of memory");
    parallel_for(pass->options->n_jobs, (int64_t)pass->options->n_chips, ask_for_chip, pass);
    return true;
}

static void step(struct pass *pass, const struct unit *unit)
{
    const struct progress_sink *progress = pass->options->progress;
    pthread_mutex_lock(&pass->lock);
    pass->n_units_done++;
    if (progress)
        progress->step(progress->context, unit->of->source, unit->chip->name,
                       (double)pass->n_units_done / (double)pass->n_units);
    pthread_mutex_unlock(&pass->lock);
}

static void compile_unit(void *context, int64_t item)
{
    struct pass *pass = context;
    struct unit *unit = &pass->units[item];
    const struct registration *of = unit->of;
    struct compile_request request = {.source_path = of->source,
                                      .root = of->root,
                                      .family = of->family,
                                      .chip = unit->chip->name,
                                      .is_quiet = pass->options->is_optional};
    unit->unknown_chip = pass->knows && !pass->knows[unit->chip_index];
    if (unit->unknown_chip)
        error_set(&unit->error, STATUS_RED, "it does not know %s", unit->chip->name);
    else
        unit->ok = toolchain_compile(pass->toolchain, &request, &unit->compiled, &unit->error) &&
                   code_object_parse(unit->compiled.bytes, unit->compiled.n_bytes, of->source, &unit->object, &unit->error);
    step(pass, unit);
}

/* Compiles all units; false where the environment, not a kernel, is at fault. */
static bool compile_units(struct pass *pass)
{
    parallel_for(pass->options->n_jobs, (int64_t)pass->n_units, compile_unit, pass);
    for (size_t i = 0; i < pass->n_units; i++) {
        const struct unit *unit = &pass->units[i];
        pass->totals->n_cached += unit->compiled.from_cache;
        pass->totals->n_compiled += unit->compiled.bytes && !unit->compiled.from_cache;
        if (!unit->ok && unit->error.status != STATUS_RED)
            return error_set(pass->error, unit->error.status, "%s", unit->error.text);
    }
    return true;
}

static const struct registration *first_registration(const struct pass *pass, const struct unit *unit, const char *symbol)
{
    for (size_t i = 0; i < pass->registry->n_registrations; i++) {
        const struct registration *registration = pass->registry->registrations[i];
        if (is_of_unit(registration, unit) && is_selected(pass, registration) &&
            registration_has_kernel(registration, symbol))
            return registration;
    }
    return NULL;
}

/* Compares with the committed record, or, updating, puts the measured figures in its place. */
static bool judge_record(struct pass *pass, const struct unit *unit, const struct code_kernel *kernel)
{
    struct record measured = limits_measure(unit->chip, kernel);
    const struct record *found = record_file_find(&pass->records, kernel->name, unit->chip->name);
    struct record committed = found ? *found : (struct record){0};
    const struct limit_versions versions = {pass->records.version, toolchain_version(pass->toolchain)};
    struct limits_result result = {.name = kernel->name, .measured = &measured, .committed = found ? &committed : NULL};
    bool current = limits_compare(result.committed, &measured, &versions, result.text);
    result.kind = current ? LIMITS_CURRENT : found ? LIMITS_STALE : LIMITS_MISSING;
    result.problem = !current && !pass->options->update;
    pass->n_judged++;
    if (!current && pass->options->update) {
        char change[LIMIT_TEXT_BYTES];
        memcpy(change, result.text, sizeof change);
        snprintf(result.text, sizeof result.text, "record written (was: %.*s)", LIMIT_TEXT_BYTES - 32,
                 change + strlen("record "));
        result.kind = LIMITS_WRITTEN;
        pass->records_changed = true;
    }
    if (pass->options->update && !record_file_put(&pass->records, &measured))
        return error_set(pass->error, STATUS_ENVIRONMENT, "out of memory");
    put(pass, unit, &result);
    return true;
}

static void put_problem(struct pass *pass, const struct unit *unit, const char *name, const char *text)
{
    struct limits_result result = {.kind = LIMITS_OTHER, .problem = true, .name = name};
    snprintf(result.text, sizeof result.text, "%s", text);
    put(pass, unit, &result);
}

/* What the project's compiler made against the budgets of its registrations. */
static void judge_budget(struct pass *pass, const struct unit *unit, const struct code_kernel *kernel)
{
    struct record measured = limits_measure(unit->chip, kernel);
    struct budget budget = kernel_budget(pass->registry, kernel->name, unit->chip->name);
    struct limits_result result = {.kind = LIMITS_BUDGET, .problem = true, .name = kernel->name};
    char broken[BUDGET_TEXT_BYTES];
    if (pass->options->is_optional || budget_holds(&budget, &measured, broken))
        return;
    snprintf(result.text, sizeof result.text, "over budget: %s", broken);
    put(pass, unit, &result);
}

/* Fills the launches of a registration's shapes; a shape that its own plan refuses is a problem. Their number. */
static size_t plan_launches(struct pass *pass, const struct unit *unit, const struct registration *registration,
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
            put_problem(pass, unit, registration->name, text);
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
static void judge_launch_waves(struct pass *pass, const struct unit *unit, const struct registration *registration,
                               const struct code_kernel *kernel, const struct limit_launch *launch)
{
    uint32_t wanted = registration_budget(registration, unit->chip->name).least_waves;
    uint32_t waves = limits_launch_occupancy(unit->chip, kernel, launch);
    bool is_told = limits_measure(unit->chip, kernel).figure[RECORD_occupancy] < wanted; /* of the kernel */
    char text[LIMIT_TEXT_BYTES];
    if (waves >= wanted || is_told || pass->options->is_optional)
        return;
    snprintf(text, sizeof text, "over budget: launch at %s: %" PRIu32 " waves a SIMD, the budget wants %" PRIu32,
             launch->shape, waves, wanted);
    put_problem(pass, unit, registration->name, text);
}

static void judge_launches(struct pass *pass, const struct unit *unit, const struct registration *registration,
                           const struct code_kernel *kernel, const struct limit_launch *launches, size_t n_launches)
{
    char text[LIMIT_TEXT_BYTES];
    for (size_t i = 0; i < n_launches; i++) {
        if (limits_launch_fits(unit->chip, kernel, &launches[i], text))
            judge_launch_waves(pass, unit, registration, kernel, &launches[i]);
        else
            put_problem(pass, unit, registration->name, text);
    }
}

static size_t count_shapes(const struct pass *pass)
{
    size_t n_shapes = 0;
    for (size_t i = 0; i < pass->registry->n_registrations; i++)
        n_shapes += pass->registry->registrations[i]->n_shapes;
    return n_shapes;
}

/* The launches of every selected registration of a kernel that plans say: each must fit, and together they must use the
 * compiled bound. A launcher chooses its own, which the runtime holds to the bound: where one has the kernel too, nobody
 * knows here whether the bound is used. */
static bool judge_kernel_launches(struct pass *pass, const struct unit *unit, const struct code_kernel *kernel)
{
    struct limit_launch *launches = calloc(count_shapes(pass) + 1, sizeof *launches);
    if (!launches)
        return error_set(pass->error, STATUS_ENVIRONMENT, "out of memory");
    size_t n_launches = 0;
    bool is_launched = false;
    for (size_t i = 0; i < pass->registry->n_registrations; i++) {
        const struct registration *registration = pass->registry->registrations[i];
        if (!is_of_unit(registration, unit) || !registration_has_kernel(registration, kernel->name))
            continue;
        is_launched |= registration->launcher != NULL;
        if (registration->launcher)
            continue;
        size_t n_more = plan_launches(pass, unit, registration, launches + n_launches);
        judge_launches(pass, unit, registration, kernel, launches + n_launches, n_more);
        n_launches += n_more;
    }
    char text[LIMIT_TEXT_BYTES];
    if (!is_launched && !limits_bound_is_used(kernel, launches, n_launches, text))
        put_problem(pass, unit, kernel->name, text);
    free(launches);
    return true;
}

/* A launcher needs one of its kernels. */
static bool has_kernel(const struct registration *registration, const struct code_object *object)
{
    for (size_t i = 0; i < object->n_kernels; i++)
        if (registration_has_kernel(registration, object->kernels[i].name))
            return true;
    return false;
}

static void judge_absent_kernels(struct pass *pass, const struct unit *unit)
{
    for (size_t i = 0; i < pass->registry->n_registrations; i++) {
        const struct registration *registration = pass->registry->registrations[i];
        if (!is_of_unit(registration, unit) || !is_selected(pass, registration) || has_kernel(registration, &unit->object))
            continue;
        char text[LIMIT_TEXT_BYTES];
        snprintf(text, sizeof text, "kernel %.200s is not in the code object of %.120s",
                 registration->launcher ? registration->launcher->kernels[0] : registration->symbol, unit->of->source);
        put_problem(pass, unit, registration->name, text);
    }
}

/* The kernels that selected registrations launch of a source, each once; their number. */
static size_t kernels_of(const struct pass *pass, const struct unit *unit, const char **names)
{
    size_t n = 0;
    for (size_t i = 0; i < pass->registry->n_registrations; i++) {
        const struct registration *r = pass->registry->registrations[i];
        if (!is_of_unit(r, unit) || !is_selected(pass, r))
            continue;
        const char *const *kernels = r->launcher ? r->launcher->kernels : &r->symbol;
        for (int k = 0; k < (r->launcher ? REG_MAX_KERNELS : 1) && kernels[k]; k++) {
            size_t same = 0;
            while (same < n && strcmp(names[same], kernels[k]) != 0)
                same++;
            if (same == n)
                names[n++] = kernels[k];
        }
    }
    return n;
}

/* A source that does not compile: of the project's compiler one problem, of another each of its kernels as not compiled,
 * red where a record says that it once did. */
static void judge_uncompiled(struct pass *pass, const struct unit *unit)
{
    if (!pass->options->is_optional) {
        struct limits_result result = {.kind = LIMITS_NOT_COMPILED, .problem = true, .name = unit->of->family};
        snprintf(result.text, sizeof result.text, "%.*s", LIMIT_TEXT_BYTES - 1, unit->error.text);
        put(pass, unit, &result);
        return;
    }
    const char **names = arena_alloc(&pass->arena, pass->registry->n_registrations * REG_MAX_KERNELS * sizeof *names);
    size_t n_names = names ? kernels_of(pass, unit, names) : 0;
    for (size_t i = 0; i < n_names; i++) {
        const struct record *committed = record_file_find(&pass->records, names[i], unit->chip->name);
        struct limits_result result = {
            .kind = LIMITS_NOT_COMPILED, .problem = committed, .name = names[i], .committed = committed};
        snprintf(result.text, sizeof result.text, "not compiled by %s%s: %.*s", toolchain_short_name(pass->toolchain),
                 committed ? ", its record says that it was" : "", LIMIT_TEXT_BYTES - 120, unit->error.text);
        put(pass, unit, &result);
    }
}

static bool judge_unit(struct pass *pass, const struct unit *unit)
{
    if (!unit->ok) {
        judge_uncompiled(pass, unit);
        return true;
    }
    for (size_t i = 0; i < unit->object.n_kernels; i++) {
        const struct code_kernel *kernel = &unit->object.kernels[i];
        /* Kernels that nothing registers have records too; a selection leaves them out unless it names them. */
        if (!first_registration(pass, unit, kernel->name) && !matches(pass, kernel->name))
            continue;
        if (!judge_record(pass, unit, kernel))
            return false;
        judge_budget(pass, unit, kernel);
        if (!judge_kernel_launches(pass, unit, kernel))
            return false;
    }
    judge_absent_kernels(pass, unit);
    return true;
}

/* The family still has the kernel on that chip; a chip that was not compiled for, or a unit that failed, keeps its records.
 */
static const struct unit *vanished_from(const struct unit *units, size_t n_units, const struct record *record)
{
    const struct unit *compiled = NULL;
    for (size_t i = 0; i < n_units; i++) {
        if (strcmp(units[i].chip->name, record->chip) != 0)
            continue;
        if (!units[i].ok || code_object_kernel(&units[i].object, record->kernel))
            return NULL;
        compiled = &units[i];
    }
    return compiled;
}

static void judge_vanished(struct pass *pass, const struct unit *units, size_t n_units)
{
    for (size_t i = pass->records.n_records; i-- > 0;) {
        const struct record *record = &pass->records.records[i];
        const struct unit *unit = vanished_from(units, n_units, record);
        if (!unit)
            continue;
        bool update = pass->options->update;
        struct limits_result result = {.kind = update ? LIMITS_WRITTEN : LIMITS_ORPHAN,
                                       .name = record->kernel,
                                       .committed = record,
                                       .problem = !update};
        snprintf(result.text, sizeof result.text, "record %s: family %s has no such kernel any more",
                 update ? "removed" : "orphan", unit->of->family);
        put(pass, unit, &result);
        if (pass->options->update) {
            record_file_remove(&pass->records, record->kernel, record->chip);
            pass->records_changed = true;
        }
    }
}

/* Below the family's own root, or the project's. */
static bool record_path(const struct pass *pass, const struct registration *of, char path[PATH_MAX])
{
    char below[PATH_MAX];
    const char *given = pass->options->records_directory;
    const char *root = !given && of->root ? of->root : "";
    if (snprintf(below, sizeof below, "%s%s%s/%s/%s.txt", root, *root ? "/" : "", given ? given : "records",
                 toolchain_name(pass->toolchain), of->family) >= (int)sizeof below)
        return error_set(pass->error, STATUS_USAGE, "the path of %s's records is too long", of->family);
    return project_path(below, path, PATH_MAX, pass->error);
}

/* Lines of the record file that are wrong; updating, they are made good, or the file is not written. */
static void judge_lines(struct pass *pass, const struct unit *unit)
{
    for (size_t i = 0; i < pass->records.n_problems && !pass->options->update; i++) {
        const struct record_problem *problem = &pass->records.problems[i];
        const char *chip = problem->chip && chip_find(problem->chip) ? problem->chip : unit->chip->name;
        struct limits_result result = {.kind = LIMITS_MALFORMED,
                                       .problem = true,
                                       .chip = chip,
                                       .family = unit->of->family,
                                       .name = problem->kernel ? problem->kernel : unit->of->family};
        snprintf(result.text, sizeof result.text, "%.*s", LIMIT_TEXT_BYTES - 1, problem->text);
        count(pass, &result);
    }
}

/* A file says one version for all of its records: that of this compiler where all were measured now. */
static bool set_version(struct pass *pass, const char *path)
{
    const char *now = toolchain_version(pass->toolchain), *then = pass->records.version;
    if (then && strcmp(then, now) == 0)
        return true;
    if (pass->n_judged == pass->records.n_records) {
        pass->records_changed = true;
        return record_file_set_version(&pass->records, now) || error_set(pass->error, STATUS_ENVIRONMENT, "out of memory");
    }
    return !then || !pass->records_changed ||
           error_set(pass->error, STATUS_USAGE,
                     "%s was recorded with %s, this is %s: nothing is written; update all of the family for all of its "
                     "chips at once",
                     path, then, now);
}

static bool update_records(struct pass *pass, const char *path)
{
    if (!pass->options->update || !set_version(pass, path))
        return !pass->options->update;
    if (!pass->records_changed && !pass->records.n_problems)
        return true;
    bool ok = record_file_write(path, &pass->records, pass->error);
    pass->totals->n_files_written += ok;
    return ok;
}

/* All units of one family, against its record file. */
static bool judge_family(struct pass *pass, const struct unit *units, size_t n_units)
{
    char path[PATH_MAX];
    if (!record_path(pass, units[0].of, path) || !record_file_read(path, &pass->records, pass->error))
        return false;
    pass->records_changed = false;
    pass->n_judged = 0;
    judge_lines(pass, &units[0]);
    bool ok = true;
    for (size_t i = 0; i < n_units && ok; i++)
        ok = judge_unit(pass, &units[i]);
    if (ok && pass->options->n_only == 0)
        judge_vanished(pass, units, n_units);
    ok = ok && update_records(pass, path);
    record_file_free(&pass->records);
    return ok;
}

static bool judge_families(struct pass *pass)
{
    for (size_t first = 0, end; first < pass->n_units; first = end) {
        for (end = first + 1;
             end < pass->n_units && registrations_share_family(pass->units[end].of, pass->units[first].of);)
            end++;
        if (!judge_family(pass, &pass->units[first], end - first))
            return false;
    }
    return true;
}

bool limits_pass(const struct registry *registry, struct toolchain *toolchain, const struct limits_options *options,
                 void (*emit)(void *context, const struct limits_result *result), void *context,
                 struct limits_totals *totals, struct error *error)
{
    uint64_t start_ns = clock_ns();
    *totals = (struct limits_totals){0};
    struct pass pass = {.registry = registry,
                        .toolchain = toolchain,
                        .options = options,
                        .emit = emit,
                        .context = context,
                        .totals = totals,
                        .error = error,
                        .lock = PTHREAD_MUTEX_INITIALIZER};
    bool ok = collect_units(&pass) && ask_for_chips(&pass) && compile_units(&pass) && judge_families(&pass);
    for (size_t i = 0; i < pass.n_units; i++) {
        code_object_free(&pass.units[i].object);
        compiled_free(&pass.units[i].compiled);
    }
    arena_free(&pass.arena);
    totals->duration_ns = clock_ns() - start_ns;
    return ok;
}

enum status limits_status(const struct limits_totals *totals)
{
    if (totals->n_malformed)
        return STATUS_USAGE;
    return totals->n_problems ? STATUS_RED : STATUS_OK;
}

const char *limits_kind_name(enum limits_kind kind)
{
    static const char *const names[] = {
#define LIMITS_KIND_NAME(kind, name) name,
        LIMITS_KINDS(LIMITS_KIND_NAME)
#undef LIMITS_KIND_NAME
    };
    return names[kind];
}
