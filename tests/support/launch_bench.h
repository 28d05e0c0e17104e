/*
 * The kernels of tests/kernels/launch.hip on an emulator of their own for each test. A group is set up by bench_compile and
 * torn down by bench_drop, a test by bench_close. What fails, fails the test.
 */
#ifndef TESTS_LAUNCH_BENCH_H
#define TESTS_LAUNCH_BENCH_H

#include <stddef.h>

#include "device/device.h"
#include "toolchain/toolchain.h"

#define bench_chip "gfx1151"

/* The code object, compiled once for the group: what *state points to. */
struct bench_code {
    struct toolchain *toolchain;
    struct compiled compiled;
    struct device *open; /* by the test that runs */
};

int bench_compile(void **state);
int bench_drop(void **state);
int bench_close(void **state);

/* An open emulator with the module loaded. */
struct bench {
    struct device *device;
    const struct hip_api *hip;
    hipModule_t module;
};

struct bench_shape {
    unsigned grid[3], block[3], lds_bytes;
};

/* With the basic checks on one device and one host thread, or with options, of which the chip is filled in. */
struct bench bench_open(void **state);
struct bench bench_open_with(void **state, struct emulator_options options);
hipFunction_t bench_function(struct bench *bench, const char *name);
hipError_t bench_launch(struct bench *bench, const char *name, struct bench_shape shape, void **parameters);
/* One-dimensional, without dynamic LDS. */
struct bench_shape bench_flat(unsigned grid, unsigned block);
void *bench_allocate(struct bench *bench, size_t n_bytes);
void bench_put(struct bench *bench, void *to, const void *from, size_t n_bytes);
void bench_get(struct bench *bench, void *to, const void *from, size_t n_bytes);
/* The only finding of the last launch. */
struct finding bench_only_finding(struct bench *bench);

#endif
