/*
 * Byte contracts of the EXL3 kernels on the emulated gfx1151, beside their bounds: a row's output has the same bytes
 * whatever rows share the launch, the kernels equal their own steps written down once more, and each planted fault breaks
 * the contract that guards against it.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "contract/base/random.h"
#include "device/device.h"
#include "tests/support/exl3_model.h"
#include "toolchain/toolchain.h"

enum { BITS = 4, TILE_WORDS = 16 * BITS };

struct fixture {
    struct device *device;
    struct toolchain *toolchain;
};

static int open_fixture(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct error error = {0};
    struct emulator_options options = {.chip = "gfx1151", .n_devices = 1, .n_threads = 2, .checks = CHECKS_BASIC};
    if (f && (f->toolchain = toolchain_open(NULL, &error)) && emulator_open(&options, &f->device, &error)) {
        *state = f;
        return 0;
    }
    print_error("%s\n", error.text);
    return -1;
}

static int close_fixture(void **state)
{
    struct fixture *f = *state;
    f->device->close(f->device);
    toolchain_close(f->toolchain);
    free(f);
    return 0;
}

/* The family's code object, with a fault where define is not NULL. */
static hipModule_t load_optimised(const struct fixture *f, const char *define, const char *optimisation)
{
    struct compile_request request = {.source_path = "kernels/exl3/exl3.hip",
                                      .family = "exl3",
                                      .chip = "gfx1151",
                                      .defines = &define,
                                      .n_defines = define != NULL,
                                      .optimisation = optimisation};
    struct compiled compiled;
    struct error error = {0};
    hipModule_t module;
    if (!toolchain_compile(f->toolchain, &request, &compiled, &error))
        fail_msg("%s", error.text);
    assert_int_equal(f->device->hip->hipModuleLoadData(&module, compiled.bytes), hipSuccess);
    compiled_free(&compiled);
    return module;
}

static hipModule_t load(const struct fixture *f, const char *define)
{
    return load_optimised(f, define, NULL);
}

static void *upload(const struct fixture *f, const void *from, size_t n_bytes)
{
    void *to;
    assert_int_equal(f->device->hip->hipMalloc(&to, n_bytes), hipSuccess);
    if (from)
        assert_int_equal(f->device->hip->hipMemcpy(to, from, n_bytes, hipMemcpyHostToDevice), hipSuccess);
    return to;
}

static void launch(const struct fixture *f, hipModule_t module, const char *symbol, const unsigned grid[2],
                   unsigned threads, void **parameters)
{
    const struct hip_api *hip = f->device->hip;
    hipFunction_t function;
    struct finding finding;
    assert_int_equal(hip->hipModuleGetFunction(&function, module, symbol), hipSuccess);
    hipError_t launched =
        hip->hipModuleLaunchKernel(function, grid[0], grid[1], 1, threads, 1, 1, 0, NULL, parameters, NULL);
    hipError_t ran = hip->hipDeviceSynchronize();
    if (f->device->take_findings(f->device, &finding, 1))
        fail_msg("%s", finding.text);
    assert_int_equal(launched, hipSuccess);
    assert_int_equal(ran, hipSuccess);
}

/* rot_in */

struct rot_format {
    const char *symbol;
    enum number_format format;
};

static const struct rot_format rot_formats[] = {
    {"tf_exl3_rot_in", FORMAT_F32}, {"tf_exl3_rot_in_f16", FORMAT_F16}, {"tf_exl3_rot_in_bf16", FORMAT_BF16}};

enum { ROT_ROWS = 254, ROT_K = 512, ROT_VALUES = ROT_ROWS * ROT_K }; /* three formats: 390,144 values */

static void run_rot_in(const struct fixture *f, hipModule_t module, const struct rot_format *format, const void *x,
                       const uint16_t *suh, uint16_t *out)
{
    const struct hip_api *hip = f->device->hip;
    int k = ROT_K;
    float scale = EXL3_SCALE;
    void *device_x = upload(f, x, (size_t)ROT_VALUES * format_facts(format->format)->n_bytes);
    void *device_suh = upload(f, suh, ROT_K * sizeof *suh), *device_out = upload(f, NULL, ROT_VALUES * sizeof *out);
    void *parameters[] = {&device_x, &device_suh, &device_out, &scale, &k};
    launch(f, module, format->symbol, (unsigned[]){ROT_K / 512, ROT_ROWS}, 128, parameters);
    assert_int_equal(hip->hipMemcpy(out, device_out, ROT_VALUES * sizeof *out, hipMemcpyDeviceToHost), hipSuccess);
    hip->hipFree(device_x);
    hip->hipFree(device_suh);
    hip->hipFree(device_out);
}

/* How many of the kernel's values differ from the host's two-rounding steps. */
static int64_t rot_in_differences(const struct fixture *f, hipModule_t module, const struct rot_format *format)
{
    float *x = calloc(ROT_VALUES, sizeof *x);
    uint16_t suh[ROT_K], *out = calloc(ROT_VALUES, sizeof *out);
    assert_true(x && out);
    struct random_key key = random_key_for(1, format->symbol);
    for (int i = 0; i < ROT_VALUES; i++)
        format_store(format->format, x, i, ldexp(2 * random_unit(key, (uint64_t)i) - 1, i / ROT_K % 12 - 6));
    for (int i = 0; i < ROT_K; i++)
        format_store(FORMAT_F16, suh, i, random_unit(key, (uint64_t)(ROT_VALUES + i)) - 0.5);
    run_rot_in(f, module, format, x, suh, out);
    int64_t n_different = 0;
    for (int64_t first = 0; first < ROT_VALUES; first += 128) {
        float group[128], signs[128], expected[128];
        for (int i = 0; i < 128; i++) {
            group[i] = (float)format_load(format->format, x, first + i);
            signs[i] = (float)format_load(FORMAT_F16, suh, first % ROT_K + i);
        }
        exl3_rot_in_group(group, signs, expected);
        for (int i = 0; i < 128; i++)
            n_different += format_load(FORMAT_F16, out, first + i) != expected[i];
    }
    free(x);
    free(out);
    return n_different;
}

static void rot_in_equals_the_two_rounding_steps_bit_for_bit(void **state)
{
    const struct fixture *f = *state;
    hipModule_t module = load(f, NULL);
    for (int i = 0; i < 3; i++)
        assert_int_equal(rot_in_differences(f, module, &rot_formats[i]), 0);
    f->device->hip->hipModuleUnload(module);
}

static void a_fused_or_dividing_or_early_rounding_rot_in_does_not(void **state)
{
    const struct fixture *f = *state;
    const char *const faults[] = {"EXL3_FAULT_FUSED", "EXL3_FAULT_DIVIDE", "EXL3_FAULT_F16_PRODUCT"};
    for (int i = 0; i < 3; i++) {
        hipModule_t module = load(f, faults[i]);
        assert_int_not_equal(rot_in_differences(f, module, &rot_formats[0]), 0);
        f->device->hip->hipModuleUnload(module);
    }
}

/* linear */

enum { K = 256, N = 128, MOST_ROWS = 64, TILES = K / 16 * (N / 16) };

struct inputs {
    uint16_t x[MOST_ROWS * K], w[TILES * TILE_WORDS], svh[N];
};

static struct inputs *random_inputs(void)
{
    struct inputs *in = calloc(1, sizeof *in);
    struct random_key key = random_key_for(2, "linear");
    assert_non_null(in);
    for (int i = 0; i < MOST_ROWS * K; i++)
        format_store(FORMAT_F16, in->x, i, 4 * random_unit(key, (uint64_t)i) - 2);
    for (int i = 0; i < TILES * TILE_WORDS; i++)
        in->w[i] = (uint16_t)random_bits(key, (uint64_t)(1000000 + i));
    for (int i = 0; i < N; i++)
        format_store(FORMAT_F16, in->svh, i, 2 * random_unit(key, (uint64_t)(2000000 + i)) - 1);
    return in;
}

struct linear_kernel {
    const char *symbol;
    int n_waves;
    enum number_format out;
};

static const struct linear_kernel linear_kernels[] = {{"tf_exl3_linear_k8_w4", 4, FORMAT_F32},
                                                      {"tf_exl3_linear_k8_w8", 8, FORMAT_F32},
                                                      {"tf_exl3_linear_k8_w4_bf16", 4, FORMAT_BF16},
                                                      {"tf_exl3_linear_k8_w8_bf16", 8, FORMAT_BF16}};
enum { N_LINEAR = sizeof linear_kernels / sizeof *linear_kernels };

/* Rows first … first + rows - 1 of x, in one launch. */
static void run_linear(const struct fixture *f, hipModule_t module, const struct linear_kernel *kernel,
                       const struct inputs *in, int first, int rows, void *out)
{
    const struct hip_api *hip = f->device->hip;
    int k = K, n = N;
    float scale = EXL3_SCALE;
    size_t out_bytes = (size_t)rows * N * format_facts(kernel->out)->n_bytes;
    void *x = upload(f, in->x + first * K, (size_t)rows * K * sizeof *in->x), *w = upload(f, in->w, sizeof in->w);
    void *svh = upload(f, in->svh, sizeof in->svh), *device_out = upload(f, NULL, out_bytes);
    void *parameters[] = {&x, &w, &svh, &device_out, &scale, &rows, &k, &n};
    launch(f, module, kernel->symbol, (unsigned[]){N / 128, (unsigned)(rows + 15) / 16}, 32 * (unsigned)kernel->n_waves,
           parameters);
    assert_int_equal(hip->hipMemcpy(out, device_out, out_bytes, hipMemcpyDeviceToHost), hipSuccess);
    hip->hipFree(x);
    hip->hipFree(w);
    hip->hipFree(svh);
    hip->hipFree(device_out);
}

/* How many rows have other bytes in some window of rows than in the launch of all. */
static int rows_that_differ(const struct fixture *f, hipModule_t module, const struct linear_kernel *kernel)
{
    static const int windows[][2] = {{0, 1},  {63, 1}, {17, 1}, {5, 2},   {9, 3},   {3, 4},   {2, 5},   {30, 7},
                                     {1, 15}, {7, 16}, {8, 17}, {33, 20}, {40, 24}, {11, 12}, {50, 13}, {0, 64}};
    struct inputs *in = random_inputs();
    unsigned char all[MOST_ROWS * N * 4], some[MOST_ROWS * N * 4];
    size_t row_bytes = N * format_facts(kernel->out)->n_bytes;
    int n_different = 0;
    run_linear(f, module, kernel, in, 0, MOST_ROWS, all);
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        int first = windows[i][0], rows = windows[i][1];
        run_linear(f, module, kernel, in, first, rows, some);
        for (int row = 0; row < rows; row++)
            n_different += memcmp(some + row * row_bytes, all + (first + row) * row_bytes, row_bytes) != 0;
    }
    free(in);
    return n_different;
}

static void a_rows_bytes_do_not_depend_on_the_rows_beside_it(void **state)
{
    const struct fixture *f = *state;
    hipModule_t module = load(f, NULL);
    for (int i = 0; i < N_LINEAR; i++)
        assert_int_equal(rows_that_differ(f, module, &linear_kernels[i]), 0);
    f->device->hip->hipModuleUnload(module);
}

static void another_order_of_dot_steps_for_several_rows_breaks_that(void **state)
{
    const struct fixture *f = *state;
    hipModule_t module = load(f, "EXL3_FAULT_ORDER");
    assert_true(rows_that_differ(f, module, &linear_kernels[0]) > 0);
    f->device->hip->hipModuleUnload(module);
}

/* Outputs that differ from gfx11's steps written down once more: the dot2 adder, the chains, the waves, the rotation. */
static int64_t linear_differences(const struct fixture *f, hipModule_t module, const struct linear_kernel *kernel,
                                  const struct inputs *in, int rows)
{
    struct exl3_linear p = {rows, K, N, BITS, kernel->n_waves, kernel->out, EXL3_SCALE, in->x, in->w, in->svh, 1, false};
    double *weights = calloc(N * K, sizeof *weights);
    unsigned char out[MOST_ROWS * N * 4];
    int64_t n_different = 0;
    assert_non_null(weights);
    for (int c = 0; c < N; c++)
        exl3_column_of(&p, c, weights + c * K);
    run_linear(f, module, kernel, in, 0, rows, out);
    for (int row = 0; row < rows; row++) {
        float expected[N];
        exl3_linear_group(&p, dot2_gfx11, row, 0, weights, expected);
        for (int c = 0; c < N; c++)
            n_different += format_load(kernel->out, out, row * N + c) != format_round(kernel->out, expected[c]);
    }
    free(weights);
    return n_different;
}

static void the_linear_kernels_equal_gfx11s_steps_bit_for_bit(void **state)
{
    const struct fixture *f = *state;
    hipModule_t module = load(f, NULL);
    struct inputs *in = random_inputs();
    for (int i = 0; i < N_LINEAR; i++)
        assert_int_equal(linear_differences(f, module, &linear_kernels[i], in, 5), 0);
    f->device->hip->hipModuleUnload(module);
    free(in);
}

/* Other instructions, spills and scratch throughout, but the same arithmetic. */
static void unoptimised_kernels_give_the_same_bytes(void **state)
{
    const struct fixture *f = *state;
    hipModule_t module = load_optimised(f, NULL, "-O0");
    struct inputs *in = random_inputs();
    assert_int_equal(rot_in_differences(f, module, &rot_formats[2]), 0);
    for (int i = 0; i < N_LINEAR; i++)
        assert_int_equal(linear_differences(f, module, &linear_kernels[i], in, i == 0 ? 5 : 1), 0);
    f->device->hip->hipModuleUnload(module);
    free(in);
}

/* Rows of the identity: each output is a sum of one row of W, so that each weight is seen alone; the window fault is seen
 * too. */
static void identity_rows_show_each_weight(void **state)
{
    const struct fixture *f = *state;
    hipModule_t module = load(f, NULL), faulty = load(f, "EXL3_FAULT_WINDOW");
    struct inputs *in = random_inputs();
    for (int first = 0; first < K; first += MOST_ROWS) {
        memset(in->x, 0, sizeof in->x);
        for (int row = 0; row < MOST_ROWS; row++)
            format_store(FORMAT_F16, in->x, row * K + first + row, 1);
        assert_int_equal(linear_differences(f, module, &linear_kernels[0], in, MOST_ROWS), 0);
    }
    assert_true(linear_differences(f, faulty, &linear_kernels[0], in, MOST_ROWS) > MOST_ROWS * N / 2);
    f->device->hip->hipModuleUnload(module);
    f->device->hip->hipModuleUnload(faulty);
    free(in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rot_in_equals_the_two_rounding_steps_bit_for_bit),
        cmocka_unit_test(a_fused_or_dividing_or_early_rounding_rot_in_does_not),
        cmocka_unit_test(a_rows_bytes_do_not_depend_on_the_rows_beside_it),
        cmocka_unit_test(another_order_of_dot_steps_for_several_rows_breaks_that),
        cmocka_unit_test(the_linear_kernels_equal_gfx11s_steps_bit_for_bit),
        cmocka_unit_test(unoptimised_kernels_give_the_same_bytes),
        cmocka_unit_test(identity_rows_show_each_weight),
    };
    return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}
