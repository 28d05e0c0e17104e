#include "tests/support/launch_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

int bench_compile(void **state)
{
    struct error error;
    struct bench_code *kernels = calloc(1, sizeof *kernels);
    struct compile_request request = {.source_path = "tests/kernels/launch.hip", .family = "launch", .chip = bench_chip};
    kernels->toolchain = toolchain_open(NULL, &error);
    if (!kernels->toolchain || !toolchain_compile(kernels->toolchain, &request, &kernels->compiled, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return -1;
    }
    *state = kernels;
    return 0;
}

int bench_drop(void **state)
{
    struct bench_code *kernels = *state;
    compiled_free(&kernels->compiled);
    toolchain_close(kernels->toolchain);
    free(kernels);
    return 0;
}

int bench_close(void **state)
{
    struct bench_code *kernels = *state;
    if (kernels->open)
        kernels->open->close(kernels->open);
    kernels->open = NULL;
    return 0;
}

struct bench bench_open_with(void **state, struct emulator_options options)
{
    struct bench_code *kernels = *state;
    struct bench bench = {0};
    struct error error;
    options.chip = bench_chip;
    options.n_devices = options.n_devices ? options.n_devices : 1;
    options.n_threads = options.n_threads ? options.n_threads : 1;
    assert_true(emulator_open(&options, &bench.device, &error));
    bench.hip = bench.device->hip;
    kernels->open = bench.device;
    assert_int_equal(bench.hip->hipModuleLoadData(&bench.module, kernels->compiled.bytes), hipSuccess);
    return bench;
}

struct bench bench_open(void **state)
{
    return bench_open_with(state, (struct emulator_options){.checks = CHECKS_BASIC});
}

hipFunction_t bench_function(struct bench *bench, const char *name)
{
    hipFunction_t found = NULL;
    assert_int_equal(bench->hip->hipModuleGetFunction(&found, bench->module, name), hipSuccess);
    return found;
}

hipError_t bench_launch(struct bench *bench, const char *name, struct bench_shape s, void **parameters)
{
    return bench->hip->hipModuleLaunchKernel(bench_function(bench, name), s.grid[0], s.grid[1], s.grid[2], s.block[0],
                                             s.block[1], s.block[2], s.lds_bytes, NULL, parameters, NULL);
}

struct bench_shape bench_flat(unsigned grid, unsigned block)
{
    return (struct bench_shape){{grid, 1, 1}, {block, 1, 1}, 0};
}

void *bench_allocate(struct bench *bench, size_t n_bytes)
{
    void *pointer = NULL;
    assert_int_equal(bench->hip->hipMalloc(&pointer, n_bytes), hipSuccess);
    return pointer;
}

void bench_put(struct bench *bench, void *to, const void *from, size_t n_bytes)
{
    assert_int_equal(bench->hip->hipMemcpy(to, from, n_bytes, hipMemcpyHostToDevice), hipSuccess);
}

void bench_get(struct bench *bench, void *to, const void *from, size_t n_bytes)
{
    assert_int_equal(bench->hip->hipMemcpy(to, from, n_bytes, hipMemcpyDeviceToHost), hipSuccess);
}

struct finding bench_only_finding(struct bench *bench)
{
    struct finding findings[4];
    size_t n = bench->device->take_findings(bench->device, findings, 4);
    assert_int_equal(n, 1);
    return findings[0];
}
