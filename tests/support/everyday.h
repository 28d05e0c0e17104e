/*
 * What tests of the everyday kernels (tests/kernels/everyday.hip) share: drawn inputs, a call, a comparison on bits. *state
 * is the group's kernel module.
 */
#ifndef SUPPORT_EVERYDAY_H
#define SUPPORT_EVERYDAY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "contract/base/random.h"
#include "tests/support/kernel_module.h"

/* Of the running group. */
const struct kernel_build *everyday_build(void);
/* Runs the tests for each chip, at -O3 and at -O0, in each of its wave sizes: the chips that names (NULL after the last)
 * names, or where it is empty one of each family. The number of failures; a name that is no chip's is one. */
int everyday_run(char **names, const char *what, const struct CMUnitTest *tests, size_t n_tests);

/* The index-th 64 bits of what; a float of it uniform in [-scale, scale). */
static inline uint64_t draw(const char *what, int index)
{
    return random_bits(random_key_for(11, what), (uint64_t)index);
}

static inline float draw_float(const char *what, int index, double scale)
{
    return (float)((random_unit(random_key_for(12, what), (uint64_t)index) * 2 - 1) * scale);
}

static inline uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Runs the call and fails the test where it did not run. */
static inline void call(void **state, const struct kernel_call *c)
{
    if (!kernel_module_call(*state, c))
        fail_msg("%s did not run", c->kernel);
}

/* Compares n elements of n_bytes each; the first that differs is shown in hex, per_item of them belong to one work-item. */
static inline void expect_same(const char *what, const void *got, const void *expected, int n, size_t n_bytes, int per_item)
{
    int n_wrong = 0, first = -1;
    for (int i = 0; i < n; i++)
        if (memcmp((const char *)got + n_bytes * (size_t)i, (const char *)expected + n_bytes * (size_t)i, n_bytes) != 0) {
            first = first < 0 ? i : first;
            n_wrong++;
        }
    if (!n_wrong)
        return;
    uint64_t g = 0, e = 0;
    memcpy(&g, (const char *)got + n_bytes * (size_t)first, n_bytes);
    memcpy(&e, (const char *)expected + n_bytes * (size_t)first, n_bytes);
    fail_msg("%s: %d of %d differ, first at item %d result %d: got %#llx, expected %#llx", what, n_wrong, n,
             first / per_item, first % per_item, (unsigned long long)g, (unsigned long long)e);
}

#define EXPECT_SAME(what, got, expected, n, per_item) expect_same(what, got, expected, n, sizeof *(got), per_item)

#endif
