#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands/limits_audit.h"
#include "contract/base/words.h"
#include "reports/progress.h"

/* Where results go while a compiler's pass runs. */
struct gathering {
    struct limits_audit *audit;
    size_t compiler;
    struct progress *progress;
    bool out_of_memory;
};

static bool has_room(struct limits_audit *audit)
{
    if (audit->n_rows < audit->capacity)
        return true;
    size_t capacity = audit->capacity ? 2 * audit->capacity : 256;
    struct audit_row *grown = arena_alloc(&audit->arena, capacity * sizeof *grown);
    if (!grown)
        return false;
    if (audit->n_rows)
        memcpy(grown, audit->rows, audit->n_rows * sizeof *grown);
    audit->rows = grown;
    audit->capacity = capacity;
    return true;
}

static struct record copy_record(const struct record *record, const struct audit_row *row)
{
    struct record copy = record ? *record : (struct record){0};
    copy.kernel = row->name;
    copy.chip = row->chip;
    return copy;
}

static void keep(void *context, const struct limits_result *result)
{
    struct gathering *gathering = context;
    struct limits_audit *audit = gathering->audit;
    progress_clear(gathering->progress);
    struct audit_row row = {.compiler = gathering->compiler,
                            .kind = result->kind,
                            .problem = result->problem,
                            .has_measured = result->measured != NULL,
                            .has_committed = result->committed != NULL,
                            .family = arena_format(&audit->arena, "%s", result->family),
                            .name = arena_format(&audit->arena, "%s", result->name),
                            .chip = arena_format(&audit->arena, "%s", result->chip),
                            .text = arena_format(&audit->arena, "%s", result->text),
                            .source = result->source};
    if (!row.family || !row.name || !row.chip || !row.text || !has_room(audit)) {
        gathering->out_of_memory = true;
        return;
    }
    row.measured = copy_record(result->measured, &row);
    row.committed = copy_record(result->committed, &row);
    audit->rows[audit->n_rows++] = row;
}

/* A comma list of short or full names, or "all"; NULL is all. */
static bool is_chosen(const char *list, const struct profile *profile)
{
    const char *names[] = {"all", profile->name, profile_short_name(profile)};
    bool chosen = !list;
    for (size_t i = 0; i < sizeof names / sizeof *names && !chosen; i++)
        chosen = words_hold(list, names[i], strlen(names[i]));
    return chosen;
}

/* Every name of the list is that of a compiler which was found. */
static bool check_names(const char *list, const struct profile *profiles, size_t n_profiles, struct error *error)
{
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char name[64];
        bool found = false;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        for (size_t i = 0; i < n_profiles && !found; i++)
            found = *name && is_chosen(name, &profiles[i]);
        if (!found)
            return error_set(error, STATUS_ENVIRONMENT,
                             "--compiler %s: not installed; `hipcontract doctor` shows those that are", name);
    }
    return true;
}

/* Opens the compilers that are chosen; of one that lacks a part, the reason. */
static bool open_compilers(struct limits_audit *audit, struct error *error)
{
    static const struct profile none;
    struct profile profiles[PROFILE_MOST] = {none};
    const char *list = audit->session->arguments->compilers;
    size_t n_profiles = profile_find_all(profiles, PROFILE_MOST);
    if (!check_names(list, profiles, n_profiles, error))
        return false;
    for (size_t i = 0; i < n_profiles; i++) {
        struct audit_compiler *compiler = &audit->compilers[audit->n_compilers];
        if (!is_chosen(list, &profiles[i]))
            continue;
        *compiler = (struct audit_compiler){.profile = profiles[i], .is_default = i == 0};
        compiler->toolchain = toolchain_open_profile(&profiles[i], toolchain_cache(audit->session->toolchain), error);
        if (!compiler->toolchain)
            return false;
        audit->n_compilers++;
    }
    return true;
}

/* Of a source that the default compiler compiled, the kernels that it made. */
static bool may_have(void *context, const struct registration *of, const char *chip, const char *kernel)
{
    const struct limits_audit *audit = context;
    bool is_known = false;
    for (size_t i = 0; i < audit->n_rows; i++) {
        const struct audit_row *row = &audit->rows[i];
        if (!audit->compilers[row->compiler].is_default || !row->has_measured || strcmp(row->chip, chip) != 0 ||
            !registrations_share_source(row->source, of))
            continue;
        if (strcmp(row->name, kernel) == 0)
            return true;
        is_known = true;
    }
    return !is_known;
}

static bool run_compiler(struct limits_audit *audit, size_t index, struct error *error)
{
    const struct session *session = audit->session;
    const struct arguments *arguments = session->arguments;
    struct audit_compiler *compiler = &audit->compilers[index];
    struct progress progress = progress_begin(stderr, isatty(STDERR_FILENO));
    struct progress_sink sink = progress_sink(&progress);
    struct gathering gathering = {.audit = audit, .compiler = index, .progress = &progress};
    const struct limits_variants variants = {may_have, audit};
    const struct limits_options options = {.chips = arguments->chips,
                                           .n_chips = arguments->n_chips,
                                           .only = arguments->only,
                                           .n_only = arguments->n_only,
                                           .n_jobs = arguments->n_jobs,
                                           .update = arguments->update,
                                           .is_optional = !compiler->is_default,
                                           .progress = &sink,
                                           .variants = &variants};
    bool ok = limits_pass(&session->registry, compiler->toolchain, &options, keep, &gathering, &compiler->totals, error);
    progress_clear(&progress);
    return ok && (!gathering.out_of_memory || error_set(error, STATUS_ENVIRONMENT, "out of memory"));
}

bool limits_audit_open(struct limits_audit *audit, const struct session *session, struct error *error)
{
    *audit = (struct limits_audit){.session = session};
    if (!open_compilers(audit, error))
        return false;
    for (size_t i = 0; i < audit->n_compilers; i++)
        if (!run_compiler(audit, i, error))
            return false;
    return audit->compilers[0].totals.n_registrations > 0 ||
           error_set(error, STATUS_USAGE, "no registration has such a name; `hipcontract list` shows them");
}

void limits_audit_close(struct limits_audit *audit)
{
    for (size_t i = 0; i < audit->n_compilers; i++)
        toolchain_close(audit->compilers[i].toolchain);
    arena_free(&audit->arena);
}

struct record *limits_audit_measured(struct limits_audit *audit, size_t compiler, size_t *n_records)
{
    struct record *records = arena_alloc(&audit->arena, (audit->n_rows + 1) * sizeof *records);
    *n_records = 0;
    for (size_t i = 0; i < audit->n_rows && records; i++)
        if (audit->rows[i].compiler == compiler && audit->rows[i].has_measured)
            records[(*n_records)++] = audit->rows[i].measured;
    return records;
}

enum status limits_audit_status(const struct limits_audit *audit)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < audit->n_compilers; i++) {
        enum status own = limits_status(&audit->compilers[i].totals);
        status = own > status ? own : status;
    }
    return status;
}
