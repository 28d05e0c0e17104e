#include "commands/limits_pass.h"

#include <stdio.h>
#include <string.h>

#include "commands/budgets.h"
#include "commands/limits_launches.h"
#include "commands/limits_orphans.h"
#include "commands/limits_records.h"
#include "commands/limits_units.h"
#include "contract/base/clock.h"
#include "contract/base/globs.h"

/* A selected registration of the unit launches the kernel. */
static bool is_registered(const struct limits_run *run, const struct limits_unit *unit, const char *kernel)
{
    for (size_t i = 0; i < run->registry->n_registrations; i++) {
        const struct registration *registration = run->registry->registrations[i];
        if (limits_unit_has(unit, registration) && limits_selects(run, registration) &&
            registration_has_kernel(registration, kernel))
            return true;
    }
    return false;
}

/* What the project's compiler made against the budgets of its registrations. */
static void judge_budget(struct limits_run *run, const struct limits_unit *unit, const struct code_kernel *kernel)
{
    struct record measured = limits_measure(unit->chip, kernel);
    struct budget budget = kernel_budget(run->registry, kernel->name, unit->chip->name);
    struct limits_result result = {.kind = LIMITS_BUDGET, .problem = true, .name = kernel->name};
    char broken[BUDGET_TEXT_BYTES];
    if (run->options->is_optional || budget_holds(&budget, &measured, broken))
        return;
    snprintf(result.text, sizeof result.text, "over budget: %s", broken);
    limits_put_of(run, unit, &result);
}

/* A launcher needs one of its kernels. */
static bool has_kernel(const struct registration *registration, const struct code_object *object)
{
    for (size_t i = 0; i < object->n_kernels; i++)
        if (registration_has_kernel(registration, object->kernels[i].name))
            return true;
    return false;
}

static void judge_absent_kernels(struct limits_run *run, const struct limits_unit *unit)
{
    for (size_t i = 0; i < run->registry->n_registrations; i++) {
        const struct registration *registration = run->registry->registrations[i];
        if (!limits_unit_has(unit, registration) || !limits_selects(run, registration) ||
            has_kernel(registration, &unit->object))
            continue;
        char text[LIMIT_TEXT_BYTES];
        snprintf(text, sizeof text, "kernel %.200s is not in the code object of %.120s",
                 registration->launcher ? registration->launcher->kernels[0] : registration->symbol, unit->of->source);
        limits_put_problem(run, unit, registration->name, text);
    }
}

static bool may_have(const struct limits_run *run, const struct limits_unit *unit, const char *kernel)
{
    const struct limits_variants *variants = run->options->variants;
    return !variants || variants->may_have(variants->context, unit->of, unit->chip->name, kernel);
}

/* The kernels that selected registrations launch of a source, each once; their number. */
static size_t kernels_of(const struct limits_run *run, const struct limits_unit *unit, const char **names)
{
    size_t n = 0;
    for (size_t i = 0; i < run->registry->n_registrations; i++) {
        const struct registration *r = run->registry->registrations[i];
        if (!limits_unit_has(unit, r) || !limits_selects(run, r))
            continue;
        const char *const *kernels = r->launcher ? r->launcher->kernels : &r->symbol;
        for (int k = 0; k < (r->launcher ? REG_MAX_KERNELS : 1) && kernels[k]; k++) {
            size_t same = 0;
            while (same < n && strcmp(names[same], kernels[k]) != 0)
                same++;
            if (same == n && may_have(run, unit, kernels[k]))
                names[n++] = kernels[k];
        }
    }
    return n;
}

/* A source that does not compile: of the project's compiler one problem, of another each of its kernels as not compiled,
 * red where a record says that it once did. false only out of memory. */
static bool judge_uncompiled(struct limits_run *run, const struct limits_records *records, const struct limits_unit *unit)
{
    if (!run->options->is_optional) {
        struct limits_result result = {.kind = LIMITS_NOT_COMPILED, .problem = true, .name = unit->of->family};
        snprintf(result.text, sizeof result.text, "%.*s", LIMIT_TEXT_BYTES - 1, unit->error.text);
        limits_put_of(run, unit, &result);
        return true;
    }
    const char **names = arena_alloc(&run->arena, run->registry->n_registrations * REG_MAX_KERNELS * sizeof *names);
    if (!names)
        return error_set(run->error, STATUS_ENVIRONMENT, "out of memory");
    size_t n_names = kernels_of(run, unit, names);
    for (size_t i = 0; i < n_names; i++) {
        const struct record *committed = record_file_find(&records->file, names[i], unit->chip->name);
        struct limits_result result = {
            .kind = LIMITS_NOT_COMPILED, .problem = committed, .name = names[i], .committed = committed};
        snprintf(result.text, sizeof result.text, "not compiled by %s%s: %.*s", toolchain_short_name(run->toolchain),
                 committed ? ", its record says that it was" : "", LIMIT_TEXT_BYTES - 120, unit->error.text);
        limits_put_of(run, unit, &result);
    }
    return true;
}

static bool judge_unit(struct limits_run *run, struct limits_records *records, const struct limits_unit *unit)
{
    if (!unit->ok)
        return judge_uncompiled(run, records, unit);
    for (size_t i = 0; i < unit->object.n_kernels; i++) {
        const struct code_kernel *kernel = &unit->object.kernels[i];
        /* Kernels that nothing registers have records too; a selection leaves them out unless it names them. */
        if (!is_registered(run, unit, kernel->name) &&
            !globs_choose(run->options->only, run->options->n_only, kernel->name))
            continue;
        if (!limits_judge_record(run, records, unit, kernel))
            return false;
        judge_budget(run, unit, kernel);
        if (!limits_judge_launches(run, unit, kernel))
            return false;
    }
    judge_absent_kernels(run, unit);
    return true;
}

/* All units of one family, against its record file. */
static bool judge_family(struct limits_run *run, const struct limits_unit *units, size_t n_units)
{
    struct limits_records records;
    if (!limits_records_open(run, units[0].of, &records))
        return false;
    limits_judge_lines(run, &records, units[0].of->family);
    bool ok = true;
    for (size_t i = 0; i < n_units && ok; i++)
        ok = judge_unit(run, &records, &units[i]);
    if (ok && run->options->n_only == 0)
        limits_judge_vanished(run, &records, units, n_units);
    ok = ok && limits_records_update(run, &records);
    limits_records_close(&records);
    return ok;
}

static bool judge_families(struct limits_run *run, const struct limits_units *units)
{
    for (size_t first = 0, end; first < units->n; first = end) {
        const struct limits_unit *family = &units->list[first];
        for (end = first + 1; end < units->n && registrations_share_family(units->list[end].of, family->of);)
            end++;
        if (!judge_family(run, family, end - first))
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
    struct limits_run run = {.registry = registry,
                             .toolchain = toolchain,
                             .options = options,
                             .emit = emit,
                             .context = context,
                             .totals = totals,
                             .error = error};
    struct limits_units units;
    bool ok = limits_units_compile(&run, &units) && judge_families(&run, &units) && limits_judge_orphans(&run, &units);
    limits_units_free(&units);
    arena_free(&run.arena);
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
