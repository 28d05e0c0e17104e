/*
 * Fuzz target: entries of the compile cache, as a damaged disk, or somebody who may write there, could leave them. An input
 * is the text of a manifest and that of a list of headers, whole files or what one would say behind its right hash. Each is
 * damaged, or read as it was stored; a manifest is found only where the files are as it says; and `cache` lists, verifies
 * and prunes what there is.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "contract/base/file.h"
#include "tests/fuzz/input_file.h"
#include "tests/fuzz/must.h"
#include "tests/support/scratch.h"
#include "toolchain/cache.h"
#include "toolchain/cache_entries.h"
#include "toolchain/manifest.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

/* Input: flags, the manifest's bytes in 16 bits; then the manifest, then the list. */
enum { HEADER_BYTES = 3, HEX_BYTES = 32 };
enum { IS_WHOLE_FILE = 1, HAS_FINGERPRINTS = 2 /* those of the files that it lists */ };

static const struct hash128 manifest_key = {.high = 1}, list_key = {.high = 2};
static char cache[600], root[600];

/* What `cache` prints is nobody's. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    char path[SCRATCH_PATH_BYTES];
    struct error error;
    (void)argc, (void)argv;
    snprintf(cache, sizeof cache, "%s/cache", input_folder());
    snprintf(root, sizeof root, "%s/root", input_folder());
    must(file_make_directories(cache, &error) && file_make_directories(root, &error));
    must(scratch_write(root, "k.hip", "int k;\n", path) && scratch_write(root, "k.h", "int h;\n", path));
    must(freopen("/dev/null", "w", stdout) != NULL);
    return 0;
}

static void put_hash(char *text, struct hash128 hash)
{
    char hex[HEX_BYTES + 1];
    hash_hex(hash, hex);
    memcpy(text, hex, HEX_BYTES);
}

/* A manifest names its source, its list of headers, and the fingerprints of its own files and of those; then the files. */
static void put_fingerprints(char *manifest, size_t n_bytes, const char *list)
{
    enum { ONE = HEX_BYTES + 1 };
    size_t lead = strlen(MANIFEST_MAGIC);
    if (n_bytes < lead + 4 * ONE)
        return;
    put_hash(manifest + lead + ONE, list_key);
    put_hash(manifest + lead + 2 * ONE, fingerprint_of(manifest + lead + 4 * ONE, root).hash);
    if (strncmp(list, MANIFEST_LIST_MAGIC, strlen(MANIFEST_LIST_MAGIC)) == 0)
        put_hash(manifest + lead + 3 * ONE, fingerprint_of(list + strlen(MANIFEST_LIST_MAGIC), root).hash);
}

static void store(struct hash128 key, const char *bytes, size_t n_bytes, unsigned flags)
{
    char path[700];
    struct error error;
    cache_path(cache, key, path, sizeof path);
    must(flags & IS_WHOLE_FILE ? file_write(path, bytes, n_bytes, &error)
                               : cache_store(cache, key, (const unsigned char *)bytes, n_bytes, &error));
}

/* Stored again, what was read is the same file. */
static void check_entry(const struct cache_entry *entry)
{
    char path[700], *file, *again;
    unsigned char *bytes;
    size_t n_bytes, n_file, n_again;
    struct error error = {0};
    snprintf(path, sizeof path, "%s/%s", cache, entry->name);
    enum cache_answer answer = cache_read(path, &bytes, &n_bytes, &error);
    must(answer == (entry->damaged ? CACHE_DAMAGED : CACHE_HIT) && !entry->leftover && !entry->unreadable);
    if (answer != CACHE_HIT)
        return;
    must(file_read(path, &file, &n_file, &error));
    struct hash128 other = {.high = 3};
    must(cache_store(cache, other, bytes, n_bytes, &error));
    cache_path(cache, other, path, sizeof path);
    must(file_read(path, &again, &n_again, &error) && n_again == n_file && memcmp(file, again, n_file) == 0);
    must(remove(path) == 0);
    free(file);
    free(again);
    free(bytes);
}

static void check_entries(void)
{
    struct cache_entries entries;
    struct error error;
    must(cache_entries_read(cache, &entries, &error) && entries.n_entries == 2);
    for (size_t i = 0; i < entries.n_entries; i++)
        check_entry(&entries.entries[i]);
    cache_entries_free(&entries);
}

/* One that is found says of its own files what is so. */
static void find(void)
{
    struct manifests manifests = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct manifest manifest;
    for (int again = 0; again < 2; again++) { /* the list is remembered */
        if (manifest_find(&manifests, cache, manifest_key, root, &manifest))
            must(hash_equal(fingerprint_of(manifest.sources.own.data, root).hash, manifest.own));
        manifest_free(&manifest);
    }
}

static void command(char *action, char *option, char *value)
{
    char *argv[] = {"cache", action, "--directory", cache, option, value, NULL};
    optind = 0;
    int status = command_cache(option ? 6 : 4, argv);
    must(status == STATUS_OK || (status == STATUS_RED && strcmp(action, "verify") == 0));
}

/* A copy of its own that a NUL ends. */
static char *text_of(const uint8_t *data, size_t n_bytes)
{
    char *text = malloc(n_bytes + 1);
    must(text != NULL);
    memcpy(text, data, n_bytes);
    text[n_bytes] = '\0';
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    if (n_bytes < HEADER_BYTES)
        return 0;
    size_t n_text = n_bytes - HEADER_BYTES, n_manifest = (size_t)data[1] | (size_t)data[2] << 8;
    n_manifest = n_manifest < n_text ? n_manifest : n_text;
    char *manifest = text_of(data + HEADER_BYTES, n_manifest);
    char *list = text_of(data + HEADER_BYTES + n_manifest, n_text - n_manifest);
    if (data[0] & HAS_FINGERPRINTS)
        put_fingerprints(manifest, n_manifest, list);
    store(manifest_key, manifest, n_manifest, data[0]);
    store(list_key, list, n_text - n_manifest, data[0]);
    free(manifest);
    free(list);
    check_entries();
    find();
    command("list", NULL, NULL);
    command("verify", NULL, NULL);
    command("prune", "--max-size", "0");
    return 0;
}
