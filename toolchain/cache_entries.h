/*
 * All that a cache holds: for `hipcontract cache`. Files of other names are not the cache's, and are left out.
 */
#ifndef TOOLCHAIN_CACHE_ENTRIES_H
#define TOOLCHAIN_CACHE_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "contract/base/error.h"

/* X(what becomes of an entry, why): the first that holds. */
#define CACHE_FATES(X)                                                                                                     \
    X(KEPT, "kept")                                                                                                        \
    X(LEFTOVER, "left by a run that was cut off")                                                                          \
    X(DAMAGED, "damaged")                                                                                                  \
    X(OLD, "not used lately")                                                                                              \
    X(TOO_MUCH, "over the size")

#define CACHE_FATE_ENUM(fate, why) CACHE_FATE_##fate,
enum cache_fate { CACHE_FATES(CACHE_FATE_ENUM) };
#undef CACHE_FATE_ENUM

enum { CACHE_NAME_BYTES = 48 };

struct cache_entry {
    char name[CACHE_NAME_BYTES]; /* of its file */
    uint64_t n_bytes;            /* of its file */
    time_t used;                 /* when it was last stored or read */
    bool leftover;               /* not an entry yet: what a run was writing, or is */
    bool damaged;
    bool unreadable; /* and so kept */
};

struct cache_entries {
    struct cache_entry *entries; /* the last used first */
    size_t n_entries;
};

struct cache_limits {
    time_t now;
    int64_t most_age_s;
    uint64_t most_bytes;
};

/* Reads the folder, and every entry in it whole. Release with cache_entries_free. Errors: STATUS_USAGE. */
bool cache_entries_read(const char *directory, struct cache_entries *entries, struct error *error);
void cache_entries_free(struct cache_entries *entries);
/* fates[i] says what becomes of entry i: the last used are kept, as far as age and size allow. */
void cache_judge(const struct cache_entries *entries, const struct cache_limits *limits, enum cache_fate *fates);
/* The words of CACHE_FATES. */
const char *cache_fate_text(enum cache_fate fate);

#endif
