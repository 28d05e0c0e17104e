#include "contract/base/random.h"

#include <string.h>
#include <xxhash.h>

struct random_key random_key_for(uint64_t seed, const char *name)
{
    return (struct random_key){XXH3_64bits_withSeed(name, strlen(name), seed)};
}

uint64_t random_bits(struct random_key key, uint64_t index)
{
    uint64_t z = key.value + (index + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

double random_unit(struct random_key key, uint64_t index)
{
    return (double)(random_bits(key, index) >> 11) * 0x1p-53;
}

uint32_t random_below(struct random_key key, uint64_t index, uint32_t bound)
{
    return (uint32_t)(((random_bits(key, index) >> 32) * bound) >> 32);
}
