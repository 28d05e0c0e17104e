/*
 * Split-K's launcher on a runtime that notes launches: how k is split, what is launched with which arguments, and what is
 * refused before anything is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernels/hgemm/splitk.h"

enum { LDS_BYTES = 65536 };

/* A launch as the runtime got it. */
struct noted {
    hipFunction_t function;
    unsigned grid[3], threads;
    void *pointers[3];
    int integers[4];
};

static struct {
    struct noted launches[4];
    int n_launches, lds_bytes, n_allocations;
    size_t cleared_bytes;
} runtime;

static char names[HGEMM_N_VARIANTS + 1]; /* addresses that stand for kernels */

static hipFunction_t function_of(int function)
{
    return (hipFunction_t)(void *)&names[function];
}

/* Three pointers and four integers for a product, two of each for a sum. */
static hipError_t note_launch(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                              unsigned block_y, unsigned block_z, unsigned lds_bytes, hipStream_t stream, void **parameters,
                              void **extra)
{
    (void)block_y, (void)block_z, (void)lds_bytes, (void)stream, (void)extra;
    struct noted *noted = &runtime.launches[runtime.n_launches++];
    int n = function == function_of(HGEMM_FUNCTION_SUM) ? 2 : 3;
    *noted = (struct noted){.function = function, .grid = {grid_x, grid_y, grid_z}, .threads = block_x};
    for (int i = 0; i < n; i++)
        noted->pointers[i] = *(void **)parameters[i];
    for (int i = 0; i < (n == 2 ? 2 : 4); i++)
        noted->integers[i] = *(int *)parameters[n + i];
    return hipSuccess;
}

static hipError_t allocate(void **pointer, size_t n_bytes)
{
    runtime.n_allocations++;
    *pointer = aligned_alloc(64, (n_bytes + 63) / 64 * 64);
    return *pointer ? hipSuccess : hipErrorOutOfMemory;
}

static hipError_t release(void *pointer)
{
    free(pointer);
    return hipSuccess;
}

static hipError_t clear(void *to, int byte, size_t n_bytes)
{
    (void)to, (void)byte;
    runtime.cleared_bytes = n_bytes;
    return hipSuccess;
}

static hipError_t tell_lds(int *value, int attribute, int device)
{
    (void)attribute, (void)device;
    *value = runtime.lds_bytes;
    return hipSuccess;
}

static const struct hip_api hip = {.hipModuleLaunchKernel = note_launch,
                                   .hipMalloc = allocate,
                                   .hipFree = release,
                                   .hipMemset = clear,
                                   .hipDeviceGetAttribute = tell_lds,
                                   .hipGetErrorName = hip_error_name};

struct fixture {
    hipFunction_t functions[HGEMM_N_VARIANTS + 1];
    struct launch_scratch pool;
    struct hgemm_device device;
    struct hgemm_product product;
};

/* A device of that wave size whose code has one variant; a product of m = 3, n = 1000, k = 7168. */
static void fixture_open(struct fixture *f, int wave_size, enum hgemm_function variant)
{
    static _Alignas(16) char a[16], b[16], c[16];
    memset(&runtime, 0, sizeof runtime);
    runtime.lds_bytes = LDS_BYTES;
    *f = (struct fixture){.product = {.a = a, .b = b, .c = c, .m = 3, .n = 1000, .k = 7168}};
    f->functions[variant] = function_of(variant);
    f->functions[HGEMM_FUNCTION_SUM] = function_of(HGEMM_FUNCTION_SUM);
    f->device =
        (struct hgemm_device){.hip = &hip, .index = 2, .functions = f->functions, .wave_size = wave_size, .pool = &f->pool};
}

static void assert_split(int wave_size, int64_t m, int64_t n, int64_t k, int64_t n_splits, int64_t k_of_split)
{
    struct hgemm_split split = hgemm_split_of(wave_size, hgemm_splitk_tile(HGEMM_FUNCTION_fma), m, n, k);
    assert_int_equal(split.n_splits, n_splits);
    assert_int_equal(split.k_of_split, k_of_split);
}

/* Tiles of 32 x 64 outputs and 64 of k. 16 tiles of C: 96 blocks are 6 splits of 18.7 tiles of k each, rounded up; 304 are
 * 19, of which 16 are allowed, of 7 tiles. 40 tiles: 2 splits, or 7. */
static void splits_fill_a_device(void **state)
{
    (void)state;
    assert_split(32, 1, 1024, 7168, 6, 1216);
    assert_split(64, 32, 1024, 7168, 16, 448);
    assert_split(32, 32, 2560, 7168, 2, 3584);
    assert_split(64, 1, 2560, 7168, 7, 1024);
    assert_split(32, 33, 6144, 7168, 1, 7168); /* 192 tiles */
}

/* 10 tiles of k are five splits of two at the most; a single one may be shorter. */
static void no_split_is_shorter_than_two_tiles(void **state)
{
    (void)state;
    assert_split(32, 1, 1, 640, 5, 128);
    assert_split(64, 1, 1, 191, 1, 192);
    assert_split(32, 1, 1, 1, 1, 64);
}

static void splits_cover_k_and_none_is_empty(void **state)
{
    (void)state;
    const struct hgemm_tile *tile = hgemm_splitk_tile(HGEMM_FUNCTION_mfma);
    for (int64_t k = 1; k < 5000; k += 7) {
        struct hgemm_split split = hgemm_split_of(64, tile, 1, 64, k);
        assert_int_equal(split.k_of_split % tile->k, 0);
        assert_true(split.n_splits >= 1 && split.n_splits <= 16);
        assert_true((split.n_splits - 1) * split.k_of_split < k && k <= split.n_splits * split.k_of_split);
    }
}

/* 3 x 1000 outputs: 1 x 16 tiles, so 6 splits; 3000 sums, 1024 a block. */
static void a_product_is_partial_sums_and_their_sum(void **state)
{
    (void)state;
    struct fixture f;
    struct error error = {0};
    fixture_open(&f, 32, HGEMM_FUNCTION_wmma);
    assert_true(hgemm_splitk_launch(&f.device, &f.product, &error));
    assert_int_equal(runtime.n_launches, 2);
    const struct noted *partials = &runtime.launches[0], *sum = &runtime.launches[1];
    assert_ptr_equal(partials->function, function_of(HGEMM_FUNCTION_wmma));
    assert_int_equal(partials->threads, hgemm_splitk_tile(HGEMM_FUNCTION_wmma)->threads);
    assert_memory_equal(partials->grid, ((unsigned[]){16, 1, 6}), sizeof partials->grid);
    assert_memory_equal(partials->integers, ((int[]){3, 1000, 7168, 1216}), sizeof partials->integers);
    assert_ptr_equal(partials->pointers[2], f.pool.memory);
    assert_int_equal(f.pool.n_bytes, 6 * 3000 * 4);
    assert_ptr_equal(sum->function, function_of(HGEMM_FUNCTION_SUM));
    assert_memory_equal(sum->grid, ((unsigned[]){3, 1, 1}), sizeof sum->grid);
    assert_ptr_equal(sum->pointers[0], f.pool.memory);
    assert_ptr_equal(sum->pointers[1], f.product.c);
    assert_memory_equal(sum->integers, ((int[]){3000, 6, 0, 0}), sizeof sum->integers);
    launch_scratch_free(&f.pool, &hip);
}

static void the_pool_is_kept_for_smaller_products(void **state)
{
    (void)state;
    struct fixture f;
    struct error error = {0};
    fixture_open(&f, 32, HGEMM_FUNCTION_fma);
    assert_true(hgemm_splitk_launch(&f.device, &f.product, &error));
    f.product.n = 500;
    assert_true(hgemm_splitk_launch(&f.device, &f.product, &error));
    assert_int_equal(runtime.n_allocations, 1);
    launch_scratch_free(&f.pool, &hip);
}

/* C is cleared, and no pool is taken. */
static void an_atomic_product_adds_to_a_cleared_c(void **state)
{
    (void)state;
    struct fixture f;
    struct error error = {0};
    fixture_open(&f, 64, HGEMM_FUNCTION_mfma);
    assert_true(hgemm_atomic_launch(&f.device, &f.product, &error));
    assert_int_equal(runtime.cleared_bytes, 3000 * 4);
    assert_int_equal(runtime.n_launches, 1);
    assert_ptr_equal(runtime.launches[0].pointers[2], f.product.c);
    assert_int_equal(runtime.n_allocations, 0);
}

/* By either launcher, with nothing launched, cleared or allocated. */
static void assert_refused(const struct fixture *f, const char *expected)
{
    struct error error = {0};
    assert_false(hgemm_splitk_launch(&f->device, &f->product, &error));
    assert_int_equal(error.status, STATUS_USAGE);
    assert_string_equal(error.text, expected);
    assert_false(hgemm_atomic_launch(&f->device, &f->product, &error));
    assert_int_equal(runtime.n_launches, 0);
    assert_int_equal(runtime.n_allocations, 0);
    assert_int_equal(runtime.cleared_bytes, 0);
}

static void shapes_over_the_kernels_limits_are_refused(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f, 32, HGEMM_FUNCTION_fma);
    f.product.m = 0;
    assert_refused(&f, "split-K takes m from 1 to 2097120, not 0");
    f.product.m = INT64_C(65535) * 32 + 1;
    assert_refused(&f, "split-K takes m from 1 to 2097120, not 2097121");
    f.product.m = 1 << 20; /* 2^31 - 1 - 1024 outputs are 2047 columns of so many rows */
    f.product.n = 2048;
    assert_refused(&f, "split-K takes n from 1 to 2047, not 2048");
    f.product.k = INT64_C(1) << 31;
    assert_refused(&f, "split-K takes k from 1 to 2147481599, not 2147483648");
}

static void devices_without_a_variant_are_refused(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f, 16, HGEMM_FUNCTION_fma);
    assert_refused(&f, "split-K has no variant for device 2, with waves of 16; it is built for 32 and 64");
    fixture_open(&f, 32, HGEMM_FUNCTION_fma);
    f.functions[HGEMM_FUNCTION_fma] = NULL;
    assert_refused(&f, "split-K has no variant for device 2, with waves of 32; it is built for 32 and 64");
}

/* Two stages of (32 + 64) rows of 64 bf16 and 16 bytes: 27648. */
static void a_device_with_too_little_lds_is_refused(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f, 32, HGEMM_FUNCTION_fma);
    runtime.lds_bytes = 27647;
    assert_refused(&f, "split-K takes 27648 bytes of LDS a block; device 2 has 27647");
}

static void pointers_where_no_vector_may_start_are_refused(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f, 32, HGEMM_FUNCTION_fma);
    f.product.a = (const void *)0x1010;
    f.product.b = (const void *)0x2008;
    f.product.c = (void *)0x3000;
    assert_refused(&f, "split-K takes A, B and C at multiples of 16 bytes, not 0x1010, 0x2008 and 0x3000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_fill_a_device),
        cmocka_unit_test(no_split_is_shorter_than_two_tiles),
        cmocka_unit_test(splits_cover_k_and_none_is_empty),
        cmocka_unit_test(a_product_is_partial_sums_and_their_sum),
        cmocka_unit_test(the_pool_is_kept_for_smaller_products),
        cmocka_unit_test(an_atomic_product_adds_to_a_cleared_c),
        cmocka_unit_test(shapes_over_the_kernels_limits_are_refused),
        cmocka_unit_test(devices_without_a_variant_are_refused),
        cmocka_unit_test(a_device_with_too_little_lds_is_refused),
        cmocka_unit_test(pointers_where_no_vector_may_start_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
