#include "toolchain/manifest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "toolchain/cache.h"

/* Clocks of file systems are coarse: what was changed so shortly before may have been changed since. */
#define SETTLED_NS INT64_C(2000000000)

/* An entry: "sources of KEY list KEY own KEY system KEY\n", then the own files. The system's are an entry of their own,
 * under the hash of the list, since most sources have the same. */
static struct hash128 hash_text(const struct text *text)
{
    return hash_bytes(text->data ? text->data : "", text->length);
}

static bool store_text(const char *cache, struct hash128 key, const char *lead, const char *rest, struct error *error)
{
    struct text entry = {0};
    text_append(&entry, "%s%s", lead, rest ? rest : "");
    bool ok = !entry.failed || error_set(error, STATUS_ENVIRONMENT, "out of memory");
    ok = ok && cache_store(cache, key, (const unsigned char *)entry.data, entry.length, error);
    text_free(&entry);
    return ok;
}

bool manifest_store(const struct manifest *manifest, const char *cache, struct hash128 key, struct error *error)
{
    const struct hash128 list = hash_text(&manifest->sources.system);
    const struct hash128 hashes[] = {manifest->source, list, manifest->own, manifest->system};
    char lead[256];
    int length = snprintf(lead, sizeof lead, "%s", MANIFEST_MAGIC);
    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++) {
        char hex[33];
        hash_hex(hashes[i], hex);
        length += snprintf(lead + length, sizeof lead - (size_t)length, "%s%c", hex, i < 3 ? ' ' : '\n');
    }
    return store_text(cache, list, MANIFEST_LIST_MAGIC, manifest->sources.system.data, error) &&
           store_text(cache, key, lead, manifest->sources.own.data, error);
}

bool manifest_make(const char *preprocessed, struct hash128 source, const char *root, int64_t start_ns,
                   struct manifest *manifest)
{
    *manifest = (struct manifest){.source = source};
    if (!sources_of(preprocessed, &manifest->sources))
        return false;
    struct fingerprint own = fingerprint_of(manifest->sources.own.data, root);
    struct fingerprint system = fingerprint_of(manifest->sources.system.data, root);
    int64_t settled_ns = start_ns - SETTLED_NS;
    manifest->own = own.hash;
    manifest->system = system.hash;
    manifest->is_settled = own.changed_ns < settled_ns && system.changed_ns < settled_ns;
    return true;
}

bool manifest_holds(const struct manifest *manifest, const char *root)
{
    return hash_equal(fingerprint_of(manifest->sources.own.data, root).hash, manifest->own) &&
           hash_equal(fingerprint_of(manifest->sources.system.data, root).hash, manifest->system);
}

/* The key, and what stands behind it. */
static bool take_hash(char **at, char separator, struct hash128 *hash)
{
    char hex[33];
    if (snprintf(hex, sizeof hex, "%s", *at) < 33 || (*at)[32] != separator)
        return false;
    *at += 33;
    return hash_from_hex(hex, hash);
}

/* Reads an entry of text that begins with the magic; the caller frees. NULL where there is none. */
static char *load_text(const char *cache, struct hash128 key, const char *magic)
{
    unsigned char *bytes;
    size_t n_bytes;
    struct error ignored;
    if (cache_load(cache, key, &bytes, &n_bytes, &ignored) != CACHE_HIT)
        return NULL;
    char *text = realloc(bytes, n_bytes + 1);
    if (!text) {
        free(bytes);
        return NULL;
    }
    text[n_bytes] = '\0';
    if (strncmp(text, magic, strlen(magic)) == 0)
        return text;
    free(text);
    return NULL;
}

static bool find_system(struct manifests *manifests, struct hash128 list, struct hash128 *fingerprint)
{
    bool found = false;
    pthread_mutex_lock(&manifests->lock);
    for (size_t i = 0; i < manifests->n_systems && !found; i++) {
        found = hash_equal(manifests->systems[i].list, list);
        *fingerprint = manifests->systems[i].fingerprint;
    }
    pthread_mutex_unlock(&manifests->lock);
    return found;
}

/* The fingerprint of a list of the system's files, taken once a run, and the list where it had to be read. */
static bool system_fingerprint(struct manifests *manifests, const char *cache, struct hash128 list, const char *root,
                               struct hash128 *fingerprint)
{
    if (find_system(manifests, list, fingerprint))
        return true;
    char *text = load_text(cache, list, MANIFEST_LIST_MAGIC);
    if (!text)
        return false;
    *fingerprint = fingerprint_of(text + strlen(MANIFEST_LIST_MAGIC), root).hash;
    free(text);
    pthread_mutex_lock(&manifests->lock);
    if (manifests->n_systems < MANIFEST_SYSTEMS) {
        manifests->systems[manifests->n_systems].list = list;
        manifests->systems[manifests->n_systems++].fingerprint = *fingerprint;
    }
    pthread_mutex_unlock(&manifests->lock);
    return true;
}

/* The parts of an entry's text. */
static bool parse(char *text, struct manifest *manifest, struct hash128 *list)
{
    char *at = text + strlen(MANIFEST_MAGIC);
    if (!take_hash(&at, ' ', &manifest->source) || !take_hash(&at, ' ', list) || !take_hash(&at, ' ', &manifest->own) ||
        !take_hash(&at, '\n', &manifest->system))
        return false;
    text_append(&manifest->sources.own, "%s", at);
    return !manifest->sources.own.failed;
}

bool manifest_find(struct manifests *manifests, const char *cache, struct hash128 key, const char *root,
                   struct manifest *manifest)
{
    *manifest = (struct manifest){0};
    struct hash128 list, system;
    char *text = load_text(cache, key, MANIFEST_MAGIC);
    bool ok = text && parse(text, manifest, &list) && system_fingerprint(manifests, cache, list, root, &system) &&
              hash_equal(system, manifest->system) &&
              hash_equal(fingerprint_of(manifest->sources.own.data, root).hash, manifest->own);
    free(text);
    return ok;
}

void manifest_free(struct manifest *manifest)
{
    sources_free(&manifest->sources);
}
