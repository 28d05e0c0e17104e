#include "commands/limits_records.h"

#include <stdio.h>
#include <string.h>

#include "contract/base/project.h"

bool limits_records_folder(const struct limits_run *run, const struct registration *of, char path[PATH_MAX])
{
    char below[PATH_MAX];
    const char *given = run->options->records_directory;
    const char *root = !given && of->root ? of->root : "";
    if (snprintf(below, sizeof below, "%s%s%s/%s", root, *root ? "/" : "", given ? given : "records",
                 toolchain_name(run->toolchain)) >= (int)sizeof below)
        return error_set(run->error, STATUS_USAGE, "the path of %s's records is too long", of->family);
    return project_path(below, path, PATH_MAX, run->error);
}

bool limits_records_open(struct limits_run *run, const struct registration *of, struct limits_records *records)
{
    char folder[PATH_MAX];
    *records = (struct limits_records){0};
    if (!limits_records_folder(run, of, folder))
        return false;
    if (snprintf(records->path, PATH_MAX, "%s/%s.txt", folder, of->family) >= PATH_MAX)
        return error_set(run->error, STATUS_USAGE, "the path of %s's records is too long", of->family);
    return record_file_read(records->path, &records->file, run->error);
}

void limits_judge_lines(struct limits_run *run, const struct limits_records *records, const char *family)
{
    for (size_t i = 0; i < records->file.n_problems && !run->options->update; i++) {
        const struct record_problem *problem = &records->file.problems[i];
        bool is_of_chip = problem->chip && chip_find(problem->chip);
        struct limits_result result = {.kind = LIMITS_MALFORMED,
                                       .problem = true,
                                       .chip = is_of_chip ? problem->chip : run->options->chips[0],
                                       .family = family,
                                       .name = problem->kernel ? problem->kernel : family};
        snprintf(result.text, sizeof result.text, "%.*s", LIMIT_TEXT_BYTES - 1, problem->text);
        limits_put(run, &result);
    }
}

bool limits_judge_record(struct limits_run *run, struct limits_records *records, const struct limits_unit *unit,
                         const struct code_kernel *kernel)
{
    if (records->file.is_unread && !run->options->update)
        return true;
    struct record measured = limits_measure(unit->chip, kernel);
    const struct record *found = record_file_find(&records->file, kernel->name, unit->chip->name);
    struct record committed = found ? *found : (struct record){0};
    const struct limit_versions versions = {records->file.version, toolchain_version(run->toolchain)};
    struct limits_result result = {.name = kernel->name, .measured = &measured, .committed = found ? &committed : NULL};
    bool current = limits_compare(result.committed, &measured, &versions, result.text);
    result.kind = current ? LIMITS_CURRENT : found ? LIMITS_STALE : LIMITS_MISSING;
    result.problem = !current && !run->options->update;
    records->n_judged++;
    if (!current && run->options->update) {
        char change[LIMIT_TEXT_BYTES];
        memcpy(change, result.text, sizeof change);
        snprintf(result.text, sizeof result.text, "record written (was: %.*s)", LIMIT_TEXT_BYTES - 32,
                 change + strlen("record "));
        result.kind = LIMITS_WRITTEN;
        records->changed = true;
    }
    if (run->options->update && !record_file_put(&records->file, &measured))
        return error_set(run->error, STATUS_ENVIRONMENT, "out of memory");
    limits_put_of(run, unit, &result);
    return true;
}

void limits_put_orphan(struct limits_run *run, struct limits_records *records, const char *family,
                       const struct record *record, const char *why)
{
    bool update = run->options->update;
    struct limits_result result = {.kind = update ? LIMITS_WRITTEN : LIMITS_ORPHAN,
                                   .problem = !update,
                                   .chip = record->chip,
                                   .family = family,
                                   .name = record->kernel,
                                   .committed = record};
    snprintf(result.text, sizeof result.text, "record %s: %.300s", update ? "removed" : "orphan", why);
    limits_put(run, &result);
    if (!update)
        return;
    record_file_remove(&records->file, record->kernel, record->chip);
    records->changed = true;
}

/* Units of the record's chip. */
enum remains {
    REMAINS_KERNEL, /* one has the kernel, or did not compile and may have it */
    REMAINS_FAMILY, /* all compile, and none has it */
    REMAINS_NOTHING /* there is none */
};

static enum remains what_remains(const struct limits_unit *units, size_t n_units, const struct record *record)
{
    enum remains remains = REMAINS_NOTHING;
    for (size_t i = 0; i < n_units; i++) {
        if (strcmp(units[i].chip->name, record->chip) != 0)
            continue;
        if (!units[i].ok || code_object_kernel(&units[i].object, record->kernel))
            return REMAINS_KERNEL;
        remains = REMAINS_FAMILY;
    }
    return remains;
}

void limits_judge_vanished(struct limits_run *run, struct limits_records *records, const struct limits_unit *units,
                           size_t n_units)
{
    const char *family = units[0].of->family;
    for (size_t i = records->file.n_records; i-- > 0;) {
        const struct record *record = &records->file.records[i];
        enum remains remains = what_remains(units, n_units, record);
        char why[LIMIT_TEXT_BYTES];
        if (remains == REMAINS_KERNEL || !limits_has_chip(run, record->chip))
            continue;
        if (remains == REMAINS_FAMILY)
            snprintf(why, sizeof why, "family %s has no such kernel any more", family);
        else
            snprintf(why, sizeof why, "family %s is not for %s any more", family, record->chip);
        limits_put_orphan(run, records, family, record, why);
    }
}

/* A file says one version for all of its records: that of this compiler where all were measured now. */
static bool set_version(struct limits_run *run, struct limits_records *records)
{
    const char *now = toolchain_version(run->toolchain), *then = records->file.version;
    if (then && strcmp(then, now) == 0)
        return true;
    if (records->n_judged == records->file.n_records) {
        records->changed = true;
        return record_file_set_version(&records->file, now) || error_set(run->error, STATUS_ENVIRONMENT, "out of memory");
    }
    return !then || !records->changed ||
           error_set(run->error, STATUS_USAGE,
                     "%s was recorded with %s, this is %s: nothing is written; update all of the family for all of its "
                     "chips at once",
                     records->path, then, now);
}

bool limits_records_update(struct limits_run *run, struct limits_records *records)
{
    if (!run->options->update)
        return true;
    if (!set_version(run, records))
        return false;
    if (!records->changed && !records->file.n_problems)
        return true;
    bool ok = record_file_write(records->path, &records->file, run->error);
    run->totals->n_files_written += ok;
    return ok;
}

void limits_records_close(struct limits_records *records)
{
    record_file_free(&records->file);
}
