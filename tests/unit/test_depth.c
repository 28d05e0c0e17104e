/*
 * The depth audit on kernels that clang compiles: what is measured is what the kernel's text has, on RDNA and on CDNA, with
 * and without optimisation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/kernel_module.h"

/* As in depth.hip. */
enum { TERMS = 48, LANES = 64, SPLITS = 6 };

static const struct kernel_build builds[] = {
    {"gfx1030", "-O3", 0}, {"gfx1151", "-O3", 0}, {"gfx1151", "-O0", 0}, {"gfx1201", "-O3", 0},
    {"gfx90a", "-O3", 0},  {"gfx942", "-O3", 0},  {"gfx942", "-O0", 0},
};
enum { N_BUILDS = sizeof builds / sizeof *builds };

/* A module with inputs and an output on its device, which measures. */
struct bench {
    struct kernel_module module;
    void *a, *b, *out;
};

static void *on_device(struct bench *bench, const void *from, size_t n_bytes)
{
    void *pointer;
    assert_int_equal(bench->module.device->hip->hipMalloc(&pointer, n_bytes), hipSuccess);
    assert_int_equal(bench->module.device->hip->hipMemcpy(pointer, from, n_bytes, hipMemcpyHostToDevice), hipSuccess);
    return pointer;
}

static void open_bench(struct bench *bench, const char *path, const struct kernel_build *build)
{
    static float data[TERMS * LANES];
    for (int i = 0; i < TERMS * LANES; i++)
        data[i] = 1 + (float)(i % 7);
    assert_true(kernel_module_open(&bench->module, path, build, 1));
    bench->module.device->measure_depth(bench->module.device, true);
    bench->a = on_device(bench, data, sizeof data);
    bench->b = on_device(bench, data, sizeof data);
    bench->out = on_device(bench, data, sizeof data);
}

static void launch(struct bench *bench, const char *kernel, unsigned n_blocks, void *a, void *out)
{
    const struct hip_api *hip = bench->module.device->hip;
    void *parameters[] = {&a, &bench->b, &out};
    hipFunction_t function;
    assert_int_equal(hip->hipModuleGetFunction(&function, bench->module.module, kernel), hipSuccess);
    assert_int_equal(hip->hipModuleLaunchKernel(function, n_blocks, 1, 1, LANES, 1, 1, 0, NULL, parameters, NULL),
                     hipSuccess);
    assert_int_equal(hip->hipDeviceSynchronize(), hipSuccess);
}

static uint32_t depth_at(struct bench *bench, const void *pointer, size_t n_bytes)
{
    size_t at;
    return bench->module.device->depth_of(bench->module.device, pointer, n_bytes, &at);
}

static void expect(const struct bench *bench, const struct kernel_build *build, const char *what, uint32_t got,
                   uint32_t expected)
{
    (void)bench;
    if (got != expected)
        fail_msg("%s on %s at %s: %u additions measured, not %u", what, build->chip, build->optimisation, got, expected);
}

static void measured_depths_are_the_texts(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        uint32_t depth;
        size_t first, n_bytes; /* of the output */
    } rows[] = {
        {"chain", TERMS - 1, 0, 4 * LANES},
        {"chain_on", TERMS, 0, 4 * LANES},
        {"tree", 6, 0, 4 * LANES},
        {"butterflies", 5, 0, 4 * LANES},
        {"rows", 4, 0, 4 * LANES},
        {"halves", TERMS - 1, 0, 2 * LANES},
        {"halves", 2 * TERMS - 1, 2 * LANES, 2 * LANES},
        {"quotient", 1, 0, 8 * LANES},
        {"selected", 0, 0, 4 * 5},
        {"selected", TERMS - 1, 4 * 5, 4},
        {"selected", 0, 4 * 6, 4 * (LANES - 6)},
        {"moved", 0, 0, 4 * LANES},
    };
    for (int i = 0; i < N_BUILDS; i++) {
        struct bench bench;
        open_bench(&bench, "tests/kernels/depth.hip", &builds[i]);
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            void *out = on_device(&bench, (float[2 * LANES]){0}, 8 * LANES);
            launch(&bench, rows[k].kernel, 1, bench.a, out);
            expect(&bench, &builds[i], rows[k].kernel, depth_at(&bench, (char *)out + rows[k].first, rows[k].n_bytes),
                   rows[k].depth);
        }
        kernel_module_close(&bench.module);
    }
}

/* Counts stay in memory from one launch to the next, and go along with copies; what comes from the host is data. */
static void depths_go_through_memory(void **state)
{
    (void)state;
    for (int i = 0; i < N_BUILDS; i++) {
        struct bench bench;
        open_bench(&bench, "tests/kernels/depth.hip", &builds[i]);
        const struct hip_api *hip = bench.module.device->hip;
        float partials[SPLITS * LANES] = {0};
        void *partial = on_device(&bench, partials, sizeof partials), *copy = on_device(&bench, partials, sizeof partials);
        launch(&bench, "split", SPLITS, bench.a, partial);
        launch(&bench, "join", 1, partial, bench.out);
        expect(&bench, &builds[i], "split and join", depth_at(&bench, bench.out, 4 * LANES),
               TERMS / SPLITS - 1 + SPLITS - 1);
        hip->hipMemcpy(copy, partial, sizeof partials, hipMemcpyDeviceToDevice);
        launch(&bench, "join", 1, copy, bench.out);
        expect(&bench, &builds[i], "join of a copy", depth_at(&bench, bench.out, 4 * LANES),
               TERMS / SPLITS - 1 + SPLITS - 1);
        hip->hipMemcpy(partial, partials, sizeof partials, hipMemcpyHostToDevice);
        launch(&bench, "join", 1, partial, bench.out);
        expect(&bench, &builds[i], "join of the host's", depth_at(&bench, bench.out, 4 * LANES), SPLITS - 1);
        bench.module.device->measure_depth(bench.module.device, false);
        expect(&bench, &builds[i], "no audit", depth_at(&bench, bench.out, 4 * LANES), 0);
        kernel_module_close(&bench.module);
    }
}

/* The first addition to what hipMemset cleared is exact; to a zero that was copied there it may be anything. */
static void atomics_to_cleared_memory_save_one(void **state)
{
    (void)state;
    for (int i = 0; i < N_BUILDS; i++) {
        struct bench bench;
        open_bench(&bench, "tests/kernels/depth.hip", &builds[i]);
        float zeros[LANES] = {0};
        void *copied = on_device(&bench, zeros, sizeof zeros), *cleared = on_device(&bench, zeros, sizeof zeros);
        assert_int_equal(bench.module.device->hip->hipMemset(cleared, 0, sizeof zeros), hipSuccess);
        launch(&bench, "split_atomic", SPLITS, bench.a, copied);
        launch(&bench, "split_atomic", SPLITS, bench.a, cleared);
        expect(&bench, &builds[i], "atomics", depth_at(&bench, copied, sizeof zeros), TERMS / SPLITS - 1 + SPLITS);
        expect(&bench, &builds[i], "atomics to cleared memory", depth_at(&bench, cleared, sizeof zeros),
               TERMS / SPLITS - 1 + SPLITS - 1);
        kernel_module_close(&bench.module);
    }
}

/* multiply_halves of tests/kernels/matrix.hip sums 32 products: by steps of 2 (gfx11), 4 (gfx12), 8 (gfx942, gfx950), or of
 * 4 that a tree of two levels adds up first (gfx908, gfx90a). */
static void matrix_products_are_as_deep_as_their_chip_makes_them(void **state)
{
    (void)state;
    static const struct {
        struct kernel_build build;
        uint32_t depth;
    } rows[] = {
        {{"gfx1151", "-O3", 0}, 16}, {{"gfx1201", "-O3", 0}, 8}, {{"gfx90a", "-O3", 0}, 10},
        {{"gfx908", "-O3", 0}, 10},  {{"gfx942", "-O0", 0}, 4},  {{"gfx950", "-O3", 0}, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench bench;
        bool wave32 = rows[i].build.chip[3] == '1';
        open_bench(&bench, "tests/kernels/matrix.hip", &rows[i].build);
        const struct hip_api *hip = bench.module.device->hip;
        void *parameters[] = {&bench.a, &bench.b, &bench.out};
        hipFunction_t function;
        assert_int_equal(hip->hipModuleGetFunction(&function, bench.module.module, "multiply_halves"), hipSuccess);
        assert_int_equal(hip->hipModuleLaunchKernel(function, 1, 1, 1, wave32 ? 32 : 64, 1, 1, 0, NULL, parameters, NULL),
                         hipSuccess);
        assert_int_equal(hip->hipDeviceSynchronize(), hipSuccess);
        expect(&bench, &rows[i].build, "multiply_halves", depth_at(&bench, bench.out, 4 * 32 * 32), rows[i].depth);
        kernel_module_close(&bench.module);
    }
}

/* Registers and memory are the same with and without it. */
static void measuring_changes_no_byte(void **state)
{
    (void)state;
    for (int i = 0; i < N_BUILDS; i++) {
        struct bench bench;
        float measured[LANES], plain[LANES];
        open_bench(&bench, "tests/kernels/depth.hip", &builds[i]);
        struct device *device = bench.module.device;
        for (int on = 1; on >= 0; on--) {
            device->measure_depth(device, on);
            launch(&bench, "butterflies", 1, bench.a, bench.out);
            device->hip->hipMemcpy(on ? measured : plain, bench.out, sizeof plain, hipMemcpyDeviceToHost);
        }
        assert_memory_equal(measured, plain, sizeof plain);
        kernel_module_close(&bench.module);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured_depths_are_the_texts),
        cmocka_unit_test(depths_go_through_memory),
        cmocka_unit_test(atomics_to_cleared_memory_save_one),
        cmocka_unit_test(matrix_products_are_as_deep_as_their_chip_makes_them),
        cmocka_unit_test(measuring_changes_no_byte),
    };
    return cmocka_run_group_tests_name("depth", tests, NULL, NULL);
}
