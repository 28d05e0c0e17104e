/*
 * Code objects by the hash of what they were made from. An entry holds the hash of its own bytes, so that a damaged one is
 * found and made anew. Inner header of toolchain/ (and of `cache`, which lists, verifies and prunes them).
 */
#ifndef TOOLCHAIN_CACHE_H
#define TOOLCHAIN_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "contract/base/error.h"
#include "contract/base/hash.h"

/* Unreadable: there, and perhaps whole for a reader of other rights or at another time. */
enum cache_answer { CACHE_MISS, CACHE_HIT, CACHE_DAMAGED, CACHE_UNREADABLE };

/* The cache's folder, absolute: the given one; where that is NULL $HIPCONTRACT_CACHE, else build/cache under the project's
 * root. It need not be there. Errors: STATUS_USAGE. */
bool cache_folder(const char *given, char *path, size_t n_bytes, struct error *error);
/* Reads the entry of a path; on CACHE_HIT the caller frees *bytes, on CACHE_UNREADABLE *error says why. */
enum cache_answer cache_read(const char *path, unsigned char **bytes, size_t *n_bytes, struct error *error);
/* The same for the entry of a key, and notes that it was used. */
enum cache_answer cache_load(const char *directory, struct hash128 key, unsigned char **bytes, size_t *n_bytes,
                             struct error *error);
/* Keeps bytes under the key; a reader sees a whole entry or none. Errors: STATUS_USAGE where the folder cannot be written.
 */
bool cache_store(const char *directory, struct hash128 key, const unsigned char *bytes, size_t n_bytes,
                 struct error *error);
/* The entry's path, for messages. */
void cache_path(const char *directory, struct hash128 key, char *path, size_t n_bytes);

#endif
