#include "commands/audit_review.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/budgets.h"
#include "commands/compiler_name.h"
#include "commands/revision.h"
#include "commands/spill_lines.h"
#include "contract/base/file.h"
#include "contract/base/globs.h"
#include "contract/base/project.h"

/* A comparison being made. */
struct making {
    const struct registry *registry;
    struct toolchain *now;
    const struct limits_options *options;
    const char *against;
    void (*tell)(void *context, const struct limits_result *result);
    void *context;
    struct audit_review *review;
    struct error *error;
    struct arena arena;
};

/* Where the results of a pass go. */
struct gathering {
    struct making *making;
    struct record_set *set;
    bool tells; /* the problems, too */
    bool out_of_memory;
};

static bool out_of_memory(struct error *error)
{
    return error_set(error, STATUS_ENVIRONMENT, "out of memory");
}

/* Keeps where a kernel spills, while its code is at hand. false only out of memory. */
static bool keep_spills(struct audit_review *review, const struct limits_result *result)
{
    const struct code_kernel *kernel = code_object_kernel(result->object, result->measured->kernel);
    struct text text = {0};
    if (!kernel || !(kernel->vgpr_spills || kernel->sgpr_spills))
        return true;
    spill_lines_text(result->object, kernel, &text);
    struct audit_spill *grown = arena_alloc(&review->arena, (review->n_spills + 1) * sizeof *grown);
    struct audit_spill added = {arena_format(&review->arena, "%s", kernel->name),
                                arena_format(&review->arena, "%s", result->chip),
                                text.length ? arena_format(&review->arena, "%s", text.data) : NULL};
    bool ok = grown && added.kernel && added.chip && !text.failed && (added.text || !text.length);
    text_free(&text);
    if (!ok)
        return false;
    if (review->n_spills)
        memcpy(grown, review->spills, review->n_spills * sizeof *grown);
    grown[review->n_spills++] = added;
    review->spills = grown;
    return true;
}

static void gather(void *context, const struct limits_result *result)
{
    struct gathering *to = context;
    if (result->measured)
        to->out_of_memory |= !record_set_add(to->set, result->family, result->measured);
    if (result->measured && to->tells)
        to->out_of_memory |= !keep_spills(to->making->review, result);
    if (result->kind == LIMITS_NOT_COMPILED)
        to->out_of_memory |= !record_set_add_gap(to->set, result->name, result->chip);
    bool is_told = to->tells && result->problem && (result->kind == LIMITS_NOT_COMPILED || result->kind == LIMITS_OTHER);
    if (!is_told)
        return;
    to->making->review->n_problems++;
    to->making->tell(to->making->context, result);
}

/* Compiles what is selected of a registry, or fetches it from the cache. */
static bool measure(struct making *making, const struct registry *registry, struct toolchain *toolchain,
                    struct record_set *set, bool tells)
{
    struct limits_options options = *making->options;
    struct limits_totals totals;
    struct gathering to = {.making = making, .set = set, .tells = tells};
    options.update = false;
    options.is_optional = !tells;
    if (!limits_pass(registry, toolchain, &options, gather, &to, &totals, making->error))
        return false;
    return !to.out_of_memory || out_of_memory(making->error);
}

/* A record of before is compared where its chip is, and its kernel is selected by its own name or its registration's. */
static bool wants(void *context, const struct record *record)
{
    const struct making *making = context;
    const struct limits_options *options = making->options;
    bool of_chips = false, selected = globs_choose(options->only, options->n_only, record->kernel);
    for (size_t i = 0; i < options->n_chips; i++)
        of_chips |= strcmp(options->chips[i], record->chip) == 0;
    for (size_t i = 0; i < making->registry->n_registrations && !selected; i++) {
        const struct registration *registration = making->registry->registrations[i];
        selected = registration_has_kernel(registration, record->kernel) &&
                   globs_choose(options->only, options->n_only, registration->name);
    }
    return of_chips && selected;
}

static bool compare_with_compiler(struct making *making)
{
    struct toolchain *other = compiler_open(making->against, toolchain_cache(making->now), making->error);
    if (!other)
        return error_prefix(making->error, "--against %s", making->against);
    text_append(&making->review->origin, "%s (%s)", toolchain_name(other), toolchain_version(other));
    bool ok = measure(making, making->registry, other, &making->review->before, false);
    toolchain_close(other);
    return ok;
}

/* Where a comparison with a folder or a revision stands. */
struct place {
    const char *folder;
    const char *shown;  /* in its place in messages, before the path below it */
    const char *root;   /* of the registrations that it is for */
    bool of_every_root; /* for all of them */
};

/* The folder of the compiler's records at, or below, a place, and how it is shown; false where there is none. */
static bool find_records(const struct making *making, const struct place *place, char path[PATH_MAX], char shown[PATH_MAX])
{
    const char *name = toolchain_name(making->now);
    char at_records[128];
    snprintf(at_records, sizeof at_records, "records/%s", name);
    const char *const below[] = {at_records, name, ""};
    for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
        snprintf(shown, PATH_MAX, "%s%s", place->shown, below[i]);
        if (snprintf(path, PATH_MAX, "%s/%s", place->folder, below[i]) < PATH_MAX && record_set_is_at(path))
            return true;
    }
    return false;
}

/* The registrations whose sources the folder has, to be compiled there. */
static bool move_registry(struct making *making, const struct place *place, struct registry *moved)
{
    const struct registry *registry = making->registry;
    struct registration *copies = arena_alloc(&making->arena, (registry->n_registrations + 1) * sizeof *copies);
    const struct registration **list =
        arena_alloc(&making->arena, (registry->n_registrations + 1) * sizeof(const struct registration *));
    char folder[PATH_MAX];
    const char *root = realpath(place->folder, folder) ? arena_format(&making->arena, "%s", folder) : NULL;
    if (!copies || !list || !root)
        return out_of_memory(making->error);
    size_t n = 0;
    for (size_t i = 0; i < registry->n_registrations; i++) {
        char source[PATH_MAX];
        if (!place->of_every_root && !roots_are_same(registry->registrations[i]->root, place->root))
            continue;
        copies[n] = *registry->registrations[i];
        copies[n].root = root;
        if (snprintf(source, sizeof source, "%s/%s", root, copies[n].source) < (int)sizeof source && file_exists(source))
            list[n] = &copies[n], n++;
    }
    *moved = (struct registry){.registrations = list, .n_registrations = n};
    return n > 0 || error_set(making->error, STATUS_USAGE,
                              "--against %s: neither records of %s nor sources of these kernels are there", making->against,
                              toolchain_name(making->now));
}

/* Records of another version of the compiler differ by that, too. */
static void say_versions(struct making *making)
{
    const struct record_set *before = &making->review->before;
    for (size_t i = 0; i < before->n_versions; i++)
        if (strcmp(before->versions[i], toolchain_version(making->now)) != 0)
            text_append(&making->review->origin, ", recorded with %s", before->versions[i]);
}

/* Committed records are what gate 5 held the sources there to: they are read, and nothing is compiled. Where there are none
 * of this compiler, the sources are compiled with it. */
static bool compare_with_folder(struct making *making, const struct place *place)
{
    struct text *origin = &making->review->origin;
    struct record_filter filter = {.wants = wants, .context = making};
    char path[PATH_MAX], shown[PATH_MAX];
    struct registry moved;
    if (find_records(making, place, path, shown)) {
        text_append(origin, ", its records of %s", toolchain_name(making->now));
        bool ok = record_set_read(&making->review->before, path, shown, &filter, &making->review->notes, making->error);
        say_versions(making);
        return ok;
    }
    text_append(origin, ", its sources compiled: it has no records of %s", toolchain_name(making->now));
    return move_registry(making, place, &moved) && measure(making, &moved, making->now, &making->review->before, false);
}

/* The revision of the repository that registrations lie in: NULL stands for the project's root. */
static bool compare_with_revision(struct making *making, const char *of_root)
{
    struct revision revision;
    struct error refused;
    char project[PATH_MAX];
    if (!of_root && !project_root(project, sizeof project, making->error))
        return false;
    if (!revision_open(of_root ? of_root : project, making->against, &revision, &refused))
        return error_set(making->error, refused.status, "--against: no compiler, no folder, and %s", refused.text);
    struct text *origin = &making->review->origin;
    text_append(origin, "%s%s (%.12s)", origin->length ? "; " : "", making->against, revision.commit);
    char shown[PATH_MAX];
    snprintf(shown, sizeof shown, "%s:", making->against);
    bool ok = compare_with_folder(making, &(struct place){.folder = revision.folder, .shown = shown, .root = of_root});
    revision_close(&revision);
    return ok;
}

/* Files of kernels may lie in repositories of their own. */
static bool compare_with_revisions(struct making *making)
{
    const struct registry *registry = making->registry;
    bool ok = true;
    for (size_t i = 0; i < registry->n_registrations && ok; i++) {
        const char *root = registry->registrations[i]->root;
        size_t first = 0;
        while (!roots_are_same(registry->registrations[first]->root, root))
            first++;
        if (first == i)
            ok = compare_with_revision(making, root);
    }
    return ok;
}

static bool find_before(struct making *making)
{
    if (compiler_is_name(making->against))
        return compare_with_compiler(making);
    if (!file_is_folder(making->against))
        return compare_with_revisions(making);
    text_append(&making->review->origin, "%s", making->against);
    char shown[PATH_MAX];
    snprintf(shown, sizeof shown, "%s/", making->against);
    return compare_with_folder(making, &(struct place){.folder = making->against, .shown = shown, .of_every_root = true});
}

static struct budget find_budget(void *context, const char *kernel, const char *chip)
{
    return kernel_budget(context, kernel, chip);
}

static void add_notes(struct audit_review *review)
{
    for (size_t i = 0; i < review->diff.n_changes; i++) {
        struct audit_change *change = &review->diff.changes[i];
        for (size_t k = 0; k < review->n_spills; k++)
            if (strcmp(review->spills[k].kernel, change->kernel) == 0 && strcmp(review->spills[k].chip, change->chip) == 0)
                change->note = review->spills[k].text;
    }
}

static bool compare(struct making *making)
{
    struct audit_review *review = making->review;
    struct registry registry = *making->registry;
    const struct audit_budgets budgets = {.find = find_budget, .context = &registry};
    review->n_left_out = record_set_leave_out(&review->before, &review->after);
    review->n_left_out += record_set_leave_out(&review->after, &review->before);
    if (!audit_diff_make(review->before.records, review->before.n_records, review->after.records, review->after.n_records,
                         &budgets, &review->diff, making->error))
        return false;
    add_notes(review);
    return true;
}

bool audit_review_make(const struct registry *registry, struct toolchain *now, const struct limits_options *options,
                       const char *against, void (*tell)(void *context, const struct limits_result *result), void *context,
                       struct audit_review *review, struct error *error)
{
    struct making making = {.registry = registry,
                            .now = now,
                            .options = options,
                            .against = against,
                            .tell = tell,
                            .context = context,
                            .review = review,
                            .error = error};
    *review = (struct audit_review){0};
    bool ok = find_before(&making) && measure(&making, registry, now, &review->after, true) && compare(&making);
    arena_free(&making.arena);
    return ok;
}

void audit_review_free(struct audit_review *review)
{
    audit_diff_free(&review->diff);
    record_set_free(&review->before);
    record_set_free(&review->after);
    text_free(&review->origin);
    text_free(&review->notes);
    arena_free(&review->arena);
    *review = (struct audit_review){0};
}
