/*
 * A counter-based generator: the n-th value of a key is a pure function of (key, n), so inputs do not depend on call
 * order, and adding a case moves no other.
 */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random_key {
    uint64_t value;
};

/* The key for a place in the contract: mixes a seed with a name (registration, shape, pattern, tensor …). Chain calls
 * to mix in several: random_key_for(key.value, name). */
struct random_key random_key_for(uint64_t seed, const char *name);
/* 64 uniform bits, the index-th of the key (SplitMix64's finaliser over a Weyl sequence: Steele, Lea and Flood,
 * "Fast splittable pseudorandom number generators", OOPSLA 2014). */
uint64_t random_bits(struct random_key key, uint64_t index);
/* Uniform in [0, 1), a multiple of 2^-53. */
double random_unit(struct random_key key, uint64_t index);
/* Uniform in 0 … bound-1; bound > 0 and below 2^32. */
uint32_t random_below(struct random_key key, uint64_t index, uint32_t bound);

#endif
