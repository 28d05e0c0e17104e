#include "contract/base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
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

bool hash_from_hex(const char *hex, struct hash128 *hash)
{
    uint64_t words[2] = {0};
    static const char digits[] = "0123456789abcdef";
    if (!hex || strlen(hex) != 32)
        return false;
    for (int i = 0; i < 32; i++) {
        const char *digit = strchr(digits, hex[i]);
        if (!digit)
            return false;
        words[i / 16] = words[i / 16] << 4 | (uint64_t)(digit - digits);
    }
    *hash = (struct hash128){.high = words[0], .low = words[1]};
    return true;
}
