#include "toolchain/cache_entries.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "toolchain/cache.h"

/* Younger ones may be written at this moment. */
enum { LEFTOVER_AGE_S = 3600 };

/* KEY.entry, or KEY.entry.XXXXXX while it is written. */
static bool is_name(const char *name, bool *leftover)
{
    size_t length = strlen(name);
    *leftover = length == 32 + strlen(".entry.XXXXXX");
    return strspn(name, "0123456789abcdef") == 32 && strncmp(name + 32, ".entry", 6) == 0 &&
           (length == 38 || (*leftover && name[38] == '.'));
}

static bool add_file(const char *directory, const char *name, struct cache_entries *entries)
{
    char path[PATH_MAX + 64];
    struct stat facts;
    struct cache_entry entry = {0};
    if (!is_name(name, &entry.leftover))
        return true;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    if (lstat(path, &facts) != 0)
        return true; /* another process removed it */
    struct cache_entry *grown = realloc(entries->entries, (entries->n_entries + 1) * sizeof *grown);
    if (!grown)
        return false;
    entries->entries = grown;
    snprintf(entry.name, sizeof entry.name, "%s", name);
    entry.n_bytes = (uint64_t)facts.st_size;
    entry.used = facts.st_mtime;
    unsigned char *bytes = NULL;
    size_t n_bytes;
    struct error ignored;
    enum cache_answer answer = entry.leftover ? CACHE_HIT : cache_read(path, &bytes, &n_bytes, &ignored);
    entry.damaged = answer == CACHE_DAMAGED;
    entry.unreadable = answer == CACHE_UNREADABLE;
    free(bytes);
    grown[entries->n_entries++] = entry;
    return true;
}

static int compare_use(const void *a, const void *b)
{
    const struct cache_entry *left = a, *right = b;
    if (left->used != right->used)
        return left->used > right->used ? -1 : 1;
    return strcmp(left->name, right->name);
}

bool cache_entries_read(const char *directory, struct cache_entries *entries, struct error *error)
{
    *entries = (struct cache_entries){0};
    DIR *folder = opendir(directory);
    if (!folder)
        return error_set(
            error, STATUS_USAGE,
            "%s: %s; nothing was compiled into it yet, or HIPCONTRACT_CACHE or --directory names another folder", directory,
            strerror(errno));
    bool ok = true;
    for (const struct dirent *file; ok && (file = readdir(folder));)
        ok = add_file(directory, file->d_name, entries);
    closedir(folder);
    if (!ok) {
        cache_entries_free(entries);
        return error_set(error, STATUS_ENVIRONMENT, "out of memory");
    }
    if (entries->n_entries)
        qsort(entries->entries, entries->n_entries, sizeof *entries->entries, compare_use);
    return true;
}

void cache_entries_free(struct cache_entries *entries)
{
    free(entries->entries);
    *entries = (struct cache_entries){0};
}

void cache_judge(const struct cache_entries *entries, const struct cache_limits *limits, enum cache_fate *fates)
{
    uint64_t n_kept_bytes = 0;
    for (size_t i = 0; i < entries->n_entries; i++) {
        const struct cache_entry *entry = &entries->entries[i];
        int64_t age_s = (int64_t)(limits->now - entry->used);
        if (entry->leftover)
            fates[i] = age_s > LEFTOVER_AGE_S ? CACHE_FATE_LEFTOVER : CACHE_FATE_KEPT;
        else if (entry->unreadable)
            fates[i] = CACHE_FATE_KEPT;
        else if (entry->damaged)
            fates[i] = CACHE_FATE_DAMAGED;
        else if (age_s >= limits->most_age_s)
            fates[i] = CACHE_FATE_OLD;
        else if (n_kept_bytes + entry->n_bytes > limits->most_bytes)
            fates[i] = CACHE_FATE_TOO_MUCH;
        else {
            fates[i] = CACHE_FATE_KEPT;
            n_kept_bytes += entry->n_bytes;
        }
    }
}

const char *cache_fate_text(enum cache_fate fate)
{
    static const char *const texts[] = {
#define CACHE_FATE_TEXT(fate, why) why,
        CACHE_FATES(CACHE_FATE_TEXT)
#undef CACHE_FATE_TEXT
    };
    return texts[fate];
}
