#include "toolchain/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "contract/base/file.h"
#include "contract/base/project.h"

/* An entry is 32 hex digits (the hash of what follows the line), a newline, and the code object. */
enum { HEADER_BYTES = 33 };

bool cache_folder(const char *given, char *path, size_t n_bytes, struct error *error)
{
    const char *directory = given ? given : getenv("HIPCONTRACT_CACHE");
    return project_path(directory && *directory ? directory : "build/cache", path, n_bytes, error);
}

void cache_path(const char *directory, struct hash128 key, char *path, size_t n_bytes)
{
    char hex[33];
    hash_hex(key, hex);
    snprintf(path, n_bytes, "%s/%s.entry", directory, hex);
}

static bool is_missing(const char *path)
{
    return access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

enum cache_answer cache_read(const char *path, unsigned char **bytes, size_t *n_bytes, struct error *error)
{
    char hex[33], *data;
    size_t n_data;
    if (!file_read(path, &data, &n_data, error)) /* another process may have removed it just now */
        return is_missing(path) ? CACHE_MISS : CACHE_UNREADABLE;
    if (n_data > HEADER_BYTES)
        hash_hex(hash_bytes(data + HEADER_BYTES, n_data - HEADER_BYTES), hex);
    if (n_data <= HEADER_BYTES || memcmp(data, hex, 32) != 0 || data[32] != '\n') {
        free(data);
        return CACHE_DAMAGED;
    }
    *n_bytes = n_data - HEADER_BYTES;
    memmove(data, data + HEADER_BYTES, *n_bytes);
    *bytes = (unsigned char *)data;
    return CACHE_HIT;
}

enum cache_answer cache_load(const char *directory, struct hash128 key, unsigned char **bytes, size_t *n_bytes,
                             struct error *error)
{
    char path[4096];
    cache_path(directory, key, path, sizeof path);
    enum cache_answer answer = cache_read(path, bytes, n_bytes, error);
    /* The time of the last use is what pruning goes by; a cache that cannot be written keeps the old one. */
    if (answer == CACHE_HIT)
        (void)utimensat(AT_FDCWD, path, NULL, 0);
    return answer;
}

bool cache_store(const char *directory, struct hash128 key, const unsigned char *bytes, size_t n_bytes, struct error *error)
{
    char path[4096];
    cache_path(directory, key, path, sizeof path);
    char *entry = malloc(HEADER_BYTES + n_bytes);
    if (!entry)
        return error_set(error, STATUS_ENVIRONMENT, "out of memory");
    hash_hex(hash_bytes(bytes, n_bytes), entry);
    entry[32] = '\n';
    memcpy(entry + HEADER_BYTES, bytes, n_bytes);
    bool ok = file_write(path, entry, HEADER_BYTES + n_bytes, error);
    free(entry);
    return ok;
}
