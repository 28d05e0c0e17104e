/*
 * Code objects by the hash of what they were made from. An entry holds the hash of its own bytes, so that a damaged one is
 * found and made anew. Inner header of toolchain/.
 */
#ifndef TOOLCHAIN_CACHE_H
#define TOOLCHAIN_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "contract/base/error.h"
#include "contract/base/hash.h"

enum cache_answer { CACHE_MISS, CACHE_HIT, CACHE_DAMAGED };

/* Looks a key up; on CACHE_HIT the caller frees *bytes. */
enum cache_answer cache_load(const char *directory, struct hash128 key, unsigned char **bytes, size_t *n_bytes);
/* Keeps bytes under the key; a reader sees a whole entry or none. Errors: STATUS_USAGE where the folder cannot be written.
 */
bool cache_store(const char *directory, struct hash128 key, const unsigned char *bytes, size_t n_bytes,
                 struct error *error);
/* The entry's path, for messages. */
void cache_path(const char *directory, struct hash128 key, char *path, size_t n_bytes);

#endif
