#include "records/record_set.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more item in an array of the arena's; the array it then is, or NULL out of memory. */
static void *room_for(struct arena *arena, void *array, size_t n, size_t *room, size_t item_bytes)
{
    if (n < *room)
        return array;
    size_t grown = *room ? 2 * *room : 64;
    void *larger = arena_alloc(arena, grown * item_bytes);
    if (!larger)
        return NULL;
    if (n)
        memcpy(larger, array, n * item_bytes);
    *room = grown;
    return larger;
}

bool record_set_add(struct record_set *set, const char *family, const struct record *record)
{
    size_t room = set->room, family_room = set->room;
    struct record *records = room_for(&set->arena, set->records, set->n_records, &room, sizeof *records);
    const char **families = room_for(&set->arena, set->families, set->n_records, &family_room, sizeof *families);
    struct record added = *record;
    added.kernel = arena_format(&set->arena, "%s", record->kernel);
    added.chip = arena_format(&set->arena, "%s", record->chip);
    const char *of = arena_format(&set->arena, "%s", family);
    if (!records || !families || !added.kernel || !added.chip || !of)
        return false;
    set->records = records;
    set->families = families;
    set->room = room;
    set->records[set->n_records] = added;
    set->families[set->n_records++] = of;
    return true;
}

bool record_set_add_gap(struct record_set *set, const char *name, const char *chip)
{
    size_t room = set->gap_room;
    struct record_gap *gaps = room_for(&set->arena, set->gaps, set->n_gaps, &room, sizeof *gaps);
    struct record_gap added = {arena_format(&set->arena, "%s", name), arena_format(&set->arena, "%s", chip)};
    if (!gaps || !added.name || !added.chip)
        return false;
    set->gaps = gaps;
    set->gap_room = room;
    set->gaps[set->n_gaps++] = added;
    return true;
}

static bool add_version(struct record_set *set, const char *version)
{
    for (size_t i = 0; i < set->n_versions; i++)
        if (strcmp(set->versions[i], version) == 0)
            return true;
    size_t room = set->version_room;
    const char **versions = room_for(&set->arena, set->versions, set->n_versions, &room, sizeof(const char *));
    const char *added = arena_format(&set->arena, "%s", version);
    if (!versions || !added)
        return false;
    set->versions = versions;
    set->version_room = room;
    set->versions[set->n_versions++] = added;
    return true;
}

/* A folder of records that is being read. */
struct reading {
    struct record_set *set;
    const char *folder, *shown;
    const struct record_filter *filter;
    struct text *problems;
    struct error *error;
};

static bool add_file(const struct reading *reading, const char *path, const char *family)
{
    const struct record_filter *filter = reading->filter;
    struct record_file file;
    if (!record_file_read(path, &file, reading->error))
        return false;
    for (size_t i = 0; i < file.n_problems; i++)
        text_append(reading->problems, "%s%s\n", reading->shown, file.problems[i].text + strlen(reading->folder));
    bool ok = !reading->problems->failed;
    size_t n_before = reading->set->n_records;
    for (size_t i = 0; i < file.n_records && ok; i++)
        if (!filter || filter->wants(filter->context, &file.records[i]))
            ok = record_set_add(reading->set, family, &file.records[i]);
    if (ok && file.version && reading->set->n_records > n_before)
        ok = add_version(reading->set, file.version);
    record_file_free(&file);
    return ok || error_set(reading->error, STATUS_ENVIRONMENT, "out of memory");
}

bool record_set_is_at(const char *folder)
{
    DIR *directory = opendir(folder);
    char family[NAME_MAX + 1];
    bool is_at = false;
    for (struct dirent *entry; directory && !is_at && (entry = readdir(directory));)
        is_at = record_file_family(entry->d_name, family);
    if (directory)
        closedir(directory);
    return is_at;
}

bool record_set_read(struct record_set *set, const char *folder, const char *shown, const struct record_filter *filter,
                     struct text *problems, struct error *error)
{
    const struct reading reading = {set, folder, shown, filter, problems, error};
    DIR *directory = opendir(folder);
    if (!directory)
        return error_set(error, STATUS_USAGE, "%s: %s", folder, strerror(errno));
    bool ok = true;
    for (struct dirent *entry; ok && (entry = readdir(directory));) {
        char path[PATH_MAX], family[NAME_MAX + 1];
        if (!record_file_family(entry->d_name, family))
            continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path)
            ok = error_set(error, STATUS_USAGE, "%s: the path is too long", folder);
        else
            ok = add_file(&reading, path, family);
    }
    closedir(directory);
    return ok;
}

static bool has_record(const struct record_set *set, const struct record *record)
{
    for (size_t i = 0; i < set->n_records; i++)
        if (strcmp(set->records[i].kernel, record->kernel) == 0 && strcmp(set->records[i].chip, record->chip) == 0)
            return true;
    return false;
}

static bool has_gap(const struct record_set *set, const struct record *record, const char *family)
{
    for (size_t i = 0; i < set->n_gaps; i++)
        if (strcmp(set->gaps[i].chip, record->chip) == 0 &&
            (strcmp(set->gaps[i].name, record->kernel) == 0 || strcmp(set->gaps[i].name, family) == 0))
            return true;
    return false;
}

size_t record_set_leave_out(struct record_set *set, const struct record_set *other)
{
    size_t n_kept = 0;
    for (size_t i = 0; i < set->n_records; i++) {
        if (has_gap(other, &set->records[i], set->families[i]) && !has_record(other, &set->records[i]))
            continue;
        set->records[n_kept] = set->records[i];
        set->families[n_kept++] = set->families[i];
    }
    size_t n_left_out = set->n_records - n_kept;
    set->n_records = n_kept;
    return n_left_out;
}

void record_set_free(struct record_set *set)
{
    arena_free(&set->arena);
    *set = (struct record_set){0};
}
