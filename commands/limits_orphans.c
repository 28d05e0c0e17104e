#include "commands/limits_orphans.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/limits_records.h"

/* Files of kernels bring registrations that have a root. */
static bool is_whole_project(const struct limits_run *run)
{
    bool is_own = true;
    for (size_t i = 0; i < run->registry->n_registrations; i++)
        is_own = is_own && !run->registry->registrations[i]->root;
    return run->registry->n_registrations > 0 && is_own && run->options->n_only == 0;
}

static bool is_registered(const struct limits_run *run, const char *family)
{
    for (size_t i = 0; i < run->registry->n_registrations; i++)
        if (strcmp(run->registry->registrations[i]->family, family) == 0)
            return true;
    return false;
}

static bool has_unit(const struct limits_units *units, const char *family)
{
    for (size_t i = 0; i < units->n; i++)
        if (strcmp(units->list[i].of->family, family) == 0)
            return true;
    return false;
}

static void judge_records(struct limits_run *run, struct limits_records *records, const char *family)
{
    for (size_t i = records->file.n_records; i-- > 0;) {
        const struct record *record = &records->file.records[i];
        char why[LIMIT_TEXT_BYTES];
        if (!limits_has_chip(run, record->chip))
            continue;
        if (is_registered(run, family))
            snprintf(why, sizeof why, "family %.200s is not for %s any more", family, record->chip);
        else
            snprintf(why, sizeof why, "there is no family %.200s any more", family);
        limits_put_orphan(run, records, family, record, why);
    }
}

/* A file without records is removed whole, but for one with lines that cannot be read: writing refuses it. */
static bool update(struct limits_run *run, struct limits_records *records)
{
    if (!records->changed)
        return true;
    if (!record_file_write(records->path, &records->file, run->error))
        return false;
    run->totals->n_files_written++;
    if (records->file.n_records == 0)
        unlink(records->path);
    return true;
}

static bool judge_file(struct limits_run *run, const char *folder, const char *name, const char *family)
{
    struct limits_records records = {0};
    if (snprintf(records.path, PATH_MAX, "%s/%s", folder, name) >= PATH_MAX)
        return error_set(run->error, STATUS_USAGE, "the path of %s's records is too long", family);
    if (!record_file_read(records.path, &records.file, run->error))
        return false;
    limits_judge_lines(run, &records, family);
    judge_records(run, &records, family);
    bool ok = update(run, &records);
    limits_records_close(&records);
    return ok;
}

/* Files by name, so that results have a stable order. */
static int list_files(const char *folder, struct dirent ***names)
{
    int n = scandir(folder, names, NULL, alphasort);
    return n > 0 ? n : 0;
}

bool limits_judge_orphans(struct limits_run *run, const struct limits_units *units)
{
    char folder[PATH_MAX], family[NAME_MAX + 1];
    if (!is_whole_project(run))
        return true;
    if (!limits_records_folder(run, run->registry->registrations[0], folder))
        return false;
    struct dirent **names = NULL;
    int n_names = list_files(folder, &names);
    bool ok = true;
    for (int i = 0; i < n_names; i++) {
        if (ok && record_file_family(names[i]->d_name, family) && !has_unit(units, family))
            ok = judge_file(run, folder, names[i]->d_name, family);
        free(names[i]);
    }
    free(names);
    return ok;
}
