/*
 * Which preprocessed source a compile has, without preprocessing: found again by the fingerprint of the files that it was
 * made from. Manifests are entries of the cache, each under the hash of all that a command line says. Inner header of
 * toolchain/.
 */
#ifndef TOOLCHAIN_MANIFEST_H
#define TOOLCHAIN_MANIFEST_H

#include <pthread.h>

#include "toolchain/sources.h"

enum { MANIFEST_SYSTEMS = 64 };

/* Shared by the threads of a run; zero-initialised but for the lock. A run sees the system's headers as it first found
 * them.
 */
struct manifests {
    pthread_mutex_t lock;
    struct {
        struct hash128 list, fingerprint; /* of a list of the system's files */
    } systems[MANIFEST_SYSTEMS];
    size_t n_systems;
};

struct manifest {
    struct hash128 source; /* the key of the preprocessed source */
    struct sources sources;
    struct hash128 own, system; /* fingerprints */
    bool is_settled;            /* made now, and nothing was changed meanwhile or shortly before */
};

/* The manifest of a command line's key, if the files are still as they were; it does not list the system's. manifest_free
 * in either case. */
bool manifest_find(struct manifests *manifests, const char *cache, struct hash128 key, const char *root,
                   struct manifest *manifest);
/* Of what was preprocessed after start_ns (since the epoch). false only out of memory. manifest_free in either case. */
bool manifest_make(const char *preprocessed, struct hash128 source, const char *root, int64_t start_ns,
                   struct manifest *manifest);
/* Keeps a settled one under the command line's key. Errors: STATUS_USAGE where the folder cannot be written. */
bool manifest_store(const struct manifest *manifest, const char *cache, struct hash128 key, struct error *error);
/* All files are now as they were when manifest_make made it. */
bool manifest_holds(const struct manifest *manifest, const char *root);
void manifest_free(struct manifest *manifest);

/* What a manifest's entry, and one of a list of files, begins with: for `cache list`. */
#define MANIFEST_MAGIC      "sources of "
#define MANIFEST_LIST_MAGIC "headers\n"

#endif
