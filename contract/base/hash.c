#include "contract/base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <xxhash.h>

static struct hash128 from_xxh(XXH128_hash_t hash)
{
    return (struct hash128){.high = hash.high64, .low = hash.low64};
}

struct hash128 hash_bytes(const void *data, size_t n_bytes)
{
    return from_xxh(XXH3_128bits(data, n_bytes));
}

struct hash128 hash_more(struct hash128 hash, const void *data, size_t n_bytes)
{
    struct hash128 pair[2] = {hash, hash_bytes(data, n_bytes)};
    return hash_bytes(pair, sizeof pair);
}

bool hash_equal(struct hash128 a, struct hash128 b)
{
    return a.high == b.high && a.low == b.low;
}

void hash_hex(struct hash128 hash, char hex[33])
{
    snprintf(hex, 33, "%016" PRIx64 "%016" PRIx64, hash.high, hash.low);
}
