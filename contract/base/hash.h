/*
 * XXH3-128 (libxxhash) as a value: names outputs, code objects and cache entries.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash128 {
    uint64_t high, low;
};

struct hash128 hash_bytes(const void *data, size_t n_bytes);
/* Mixes more bytes into a hash: a chain over several buffers. */
struct hash128 hash_more(struct hash128 hash, const void *data, size_t n_bytes);
bool hash_equal(struct hash128 a, struct hash128 b);
/* 32 lower-case hex digits and a NUL. */
void hash_hex(struct hash128 hash, char hex[33]);
/* Reads what hash_hex writes; false, with *hash as it was, where hex is anything else or NULL. */
bool hash_from_hex(const char *hex, struct hash128 *hash);

#endif
