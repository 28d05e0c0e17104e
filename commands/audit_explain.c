#include "commands/audit_explain.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/compiler_name.h"
#include "commands/explain_rows.h"
#include "commands/revision.h"
#include "contract/base/file.h"
#include "contract/base/globs.h"
#include "contract/base/project.h"

/* One of the builds: which compiler, and where the sources lie. */
struct side {
    struct toolchain *toolchain; /* NULL: there is no such build */
    const char *root;            /* NULL: each registration's own */
    bool is_opened;              /* the toolchain is not the session's */
};

struct explaining {
    const struct session *session;
    const struct arguments *arguments;
    struct side before, after;
    struct revision revision; /* folder "": none was opened */
    char folder[PATH_MAX];    /* of before.root */
    struct explain_report *reports;
    size_t n_reports, capacity;
    struct arena arena; /* holds the reports and all in them */
    struct error *error;
};

static bool matches(const struct arguments *arguments, const char *name)
{
    return globs_choose(arguments->only, arguments->n_only, name);
}

/* Of a launcher any kernel may be named: which of them a source has is known when it is compiled. */
static bool may_have_selected(const struct arguments *arguments, const struct registration *registration)
{
    return registration_is_chosen(registration, arguments->only, arguments->n_only);
}

static bool is_selected(const struct explaining *explaining, const struct registration *of, const char *chip,
                        const char *kernel)
{
    const struct registry *registry = &explaining->session->registry;
    for (size_t i = 0; i < registry->n_registrations; i++) {
        const struct registration *registration = registry->registrations[i];
        if (registrations_share_source(registration, of) && registration_is_for(registration, chip) &&
            registration_has_kernel(registration, kernel) &&
            (matches(explaining->arguments, registration->name) || matches(explaining->arguments, kernel)))
            return true;
    }
    return false;
}

static bool check_arguments(const struct arguments *arguments, struct error *error)
{
    if (arguments->update || arguments->record)
        return error_set(error, STATUS_USAGE, "--explain explains compiled code: leave --%s out",
                         arguments->update ? "update" : "record");
    return arguments->n_only > 0 ||
           error_set(error, STATUS_USAGE, "--explain: name a kernel; `hipcontract list` shows them");
}

static bool open_named(struct explaining *explaining, const char *option, const char *name, struct side *side)
{
    side->toolchain = compiler_open(name, toolchain_cache(explaining->session->toolchain), explaining->error);
    side->is_opened = side->toolchain != NULL;
    return side->is_opened || error_prefix(explaining->error, "--%s %s", option, name);
}

/* The root of the registrations that may be named; a revision is of one repository. */
static bool find_root(struct explaining *explaining, char root[PATH_MAX])
{
    const struct registry *registry = &explaining->session->registry;
    const struct registration *first = NULL;
    for (size_t i = 0; i < registry->n_registrations; i++) {
        const struct registration *registration = registry->registrations[i];
        if (!may_have_selected(explaining->arguments, registration))
            continue;
        if (first && !roots_are_same(first->root, registration->root))
            return error_set(explaining->error, STATUS_USAGE,
                             "--against %s: %s and %s are of two projects; explain them one by one",
                             explaining->arguments->against, first->name, registration->name);
        first = first ? first : registration;
    }
    if (!first || !first->root)
        return project_root(root, PATH_MAX, explaining->error);
    snprintf(root, PATH_MAX, "%s", first->root);
    return true;
}

static bool open_revision(struct explaining *explaining)
{
    char root[PATH_MAX];
    struct error refused;
    if (!find_root(explaining, root))
        return false;
    if (!revision_open(root, explaining->arguments->against, &explaining->revision, &refused))
        return error_set(explaining->error, refused.status, "--against: no compiler, no folder, and %s", refused.text);
    explaining->before.root = explaining->revision.folder;
    return true;
}

static bool open_sides(struct explaining *explaining)
{
    const struct arguments *arguments = explaining->arguments;
    struct side *before = &explaining->before, *after = &explaining->after;
    after->toolchain = explaining->session->toolchain;
    if (arguments->compilers && !open_named(explaining, "compiler", arguments->compilers, after))
        return false;
    if (!arguments->against)
        return true;
    if (compiler_is_name(arguments->against))
        return open_named(explaining, "against", arguments->against, before);
    before->toolchain = after->toolchain;
    if (!file_is_folder(arguments->against))
        return open_revision(explaining);
    before->root = realpath(arguments->against, explaining->folder);
    return before->root ||
           error_set(explaining->error, STATUS_USAGE, "--against %s: that folder cannot be read", arguments->against);
}

static void close_sides(struct explaining *explaining)
{
    if (explaining->before.is_opened)
        toolchain_close(explaining->before.toolchain);
    if (explaining->after.is_opened)
        toolchain_close(explaining->after.toolchain);
    if (explaining->revision.folder[0])
        revision_close(&explaining->revision);
}

/* A source compiled by one side. */
struct build {
    struct compiled compiled;
    struct code_object object;
    bool is_there;
};

static void build_free(struct build *build)
{
    if (build->is_there)
        code_object_free(&build->object);
    compiled_free(&build->compiled);
    *build = (struct build){0};
}

static bool compile(struct explaining *explaining, const struct side *side, const struct registration *of, const char *chip,
                    struct build *build)
{
    const char *root = side->root ? side->root : of->root;
    struct compile_request request = {.source_path = of->source, .root = root, .family = of->family, .chip = chip};
    char path[PATH_MAX];
    if (side->root && (snprintf(path, sizeof path, "%s/%s", root, of->source) >= PATH_MAX || !file_exists(path)))
        return error_set(explaining->error, STATUS_USAGE, "--against %s: there is no %s", explaining->arguments->against,
                         of->source);
    build->is_there =
        toolchain_compile(side->toolchain, &request, &build->compiled, explaining->error) &&
        code_object_parse(build->compiled.bytes, build->compiled.n_bytes, of->source, &build->object, explaining->error);
    return build->is_there;
}

static struct explain_report *add_report(struct explaining *explaining)
{
    if (explaining->n_reports == explaining->capacity) {
        size_t capacity = explaining->capacity ? 2 * explaining->capacity : 16;
        struct explain_report *grown = arena_alloc(&explaining->arena, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        if (explaining->n_reports)
            memcpy(grown, explaining->reports, explaining->n_reports * sizeof *grown);
        explaining->reports = grown;
        explaining->capacity = capacity;
    }
    return &explaining->reports[explaining->n_reports];
}

/* A kernel that the other build lacks is explained alone. */
static bool report_kernel(struct explaining *explaining, const char *chip, const struct explained_build *before,
                          const struct explained_build *after)
{
    struct explain_report *report = add_report(explaining);
    char *kernel = arena_format(&explaining->arena, "%s", after->kernel->name);
    if (!report || !kernel)
        return error_set(explaining->error, STATUS_ENVIRONMENT, "out of memory");
    *report = (struct explain_report){.kernel = kernel,
                                      .chip = chip,
                                      .compiler = toolchain_name(explaining->after.toolchain),
                                      .against = explaining->arguments->against};
    if (!explain_rows(before, after, &explaining->arena, report))
        return error_set(explaining->error, STATUS_ENVIRONMENT, "out of memory");
    explaining->n_reports++;
    return true;
}

static bool explain_one(struct explaining *explaining, const char *chip, const struct build *before,
                        const struct build *after, const struct code_kernel *kernel)
{
    struct explanation of_before, of_after;
    const struct code_kernel *old = before->is_there ? code_object_kernel(&before->object, kernel->name) : NULL;
    const struct explained_build old_build = {old, &of_before}, new_build = {kernel, &of_after};
    if (!explain_kernel(&after->object, kernel, &of_after, explaining->error))
        return false;
    bool ok = !old || explain_kernel(&before->object, old, &of_before, explaining->error);
    if (ok) {
        ok = report_kernel(explaining, chip, old ? &old_build : NULL, &new_build);
        if (old)
            explanation_free(&of_before);
    }
    explanation_free(&of_after);
    return ok;
}

static bool explain_source(struct explaining *explaining, const struct registration *of, const char *chip)
{
    struct build before = {0}, after = {0};
    bool ok = compile(explaining, &explaining->after, of, chip, &after) &&
              (!explaining->before.toolchain || compile(explaining, &explaining->before, of, chip, &before));
    for (size_t i = 0; ok && i < after.object.n_kernels; i++)
        if (is_selected(explaining, of, chip, after.object.kernels[i].name))
            ok = explain_one(explaining, chip, &before, &after, &after.object.kernels[i]);
    build_free(&before);
    build_free(&after);
    return ok;
}

/* The first registration of its source on the chip that may be named. */
static bool is_first(const struct explaining *explaining, size_t index, const char *chip)
{
    const struct registry *registry = &explaining->session->registry;
    for (size_t i = 0; i <= index; i++)
        if (registrations_share_source(registry->registrations[i], registry->registrations[index]) &&
            registration_is_for(registry->registrations[i], chip) &&
            may_have_selected(explaining->arguments, registry->registrations[i]))
            return i == index;
    return false;
}

static bool explain_all(struct explaining *explaining)
{
    const struct registry *registry = &explaining->session->registry;
    const struct arguments *arguments = explaining->arguments;
    for (size_t c = 0; c < arguments->n_chips; c++)
        for (size_t i = 0; i < registry->n_registrations; i++)
            if (is_first(explaining, i, arguments->chips[c]) &&
                !explain_source(explaining, registry->registrations[i], arguments->chips[c]))
                return false;
    return explaining->n_reports > 0 ||
           error_set(explaining->error, STATUS_USAGE,
                     "no kernel of %s has such a name; `hipcontract list` shows them, --chip chooses others",
                     arguments->all_chips ? "any chip" : arguments->chips[0]);
}

int audit_explain(const struct session *session)
{
    struct error error = {0};
    struct explaining explaining = {.session = session, .arguments = session->arguments, .error = &error};
    bool ok = check_arguments(explaining.arguments, &error) && open_sides(&explaining) && explain_all(&explaining);
    /* What was explained before a source that does not compile is printed all the same. */
    if ((ok || explaining.n_reports) &&
        !explain_table_write(stdout, explaining.arguments->format, explaining.reports, explaining.n_reports))
        ok = error_set(&error, STATUS_ENVIRONMENT, "out of memory");
    close_sides(&explaining);
    arena_free(&explaining.arena);
    return ok ? STATUS_OK : command_fail("audit", &error);
}
