/*
 * The EXL3 kernels on the emulated gfx1151 equal their own steps written down once more, optimised or not. What a
 * registration's byte contracts hold (rows, weights, roundings) is not repeated here.
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

enum { MOST_TILE_WORDS = 16 * EXL3_MAX_BITS };

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

static hipModule_t load(const struct fixture *f, const char *source, const char *optimisation)
{
    struct compile_request request = {
        .source_path = source, .family = "exl3", .chip = "gfx1151", .optimisation = optimisation};
    struct compiled compiled;
    struct error error = {0};
    hipModule_t module;
    if (!toolchain_compile(f->toolchain, &request, &compiled, &error))
        fail_msg("%s", error.text);
    assert_int_equal(f->device->hip->hipModuleLoadData(&module, compiled.bytes), hipSuccess);
    compiled_free(&compiled);
    return module;
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

static void rot_in_equals_its_steps_unoptimised_too(void **state)
{
    const struct fixture *f = *state;
    const char *const optimisations[] = {NULL, "-O0"};
    for (int o = 0; o < 2; o++) {
        hipModule_t module = load(f, "kernels/exl3/rot_in.hip", optimisations[o]);
        assert_int_equal(rot_in_differences(f, module, &rot_formats[2]), 0);
        f->device->hip->hipModuleUnload(module);
    }
}

/* linear */

enum { K = 256, N = 128, MOST_ROWS = 5, TILES = K / 16 * (N / 16) };

struct inputs {
    uint16_t x[MOST_ROWS * K], w[TILES * MOST_TILE_WORDS], svh[N];
};

static struct inputs *random_inputs(void)
{
    struct inputs *in = calloc(1, sizeof *in);
    struct random_key key = random_key_for(2, "linear");
    assert_non_null(in);
    for (int i = 0; i < MOST_ROWS * K; i++)
        format_store(FORMAT_F16, in->x, i, 4 * random_unit(key, (uint64_t)i) - 2);
    for (int i = 0; i < TILES * MOST_TILE_WORDS; i++)
        in->w[i] = (uint16_t)random_bits(key, (uint64_t)(1000000 + i));
    for (int i = 0; i < N; i++)
        format_store(FORMAT_F16, in->svh, i, 2 * random_unit(key, (uint64_t)(2000000 + i)) - 1);
    return in;
}

struct linear_kernel {
    const char *source, *symbol;
    int bits, n_waves;
    enum number_format out;
};

#define WIDTH(k, bits)                                                                                                     \
    {"kernels/exl3/linear_" k ".hip", "tf_exl3_linear_" k "_w4", bits, 4, FORMAT_F32},                                     \
    {                                                                                                                      \
        "kernels/exl3/linear_" k ".hip", "tf_exl3_linear_" k "_w8_bf16", bits, 8, FORMAT_BF16                              \
    }
static const struct linear_kernel linear_kernels[] = {WIDTH("k4", 2),  WIDTH("k6", 3),  WIDTH("k8", 4),
                                                      WIDTH("k10", 5), WIDTH("k12", 6), WIDTH("k16", 8)};
enum { N_LINEAR = sizeof linear_kernels / sizeof *linear_kernels };

static void run_linear(const struct fixture *f, hipModule_t module, const struct linear_kernel *kernel,
                       const struct inputs *in, int rows, void *out)
{
    const struct hip_api *hip = f->device->hip;
    int k = K, n = N, strips = 0;
    float scale = EXL3_SCALE;
    size_t out_bytes = (size_t)rows * N * format_facts(kernel->out)->n_bytes;
    void *x = upload(f, in->x, (size_t)rows * K * sizeof *in->x), *w = upload(f, in->w, sizeof in->w);
    void *svh = upload(f, in->svh, sizeof in->svh), *device_out = upload(f, NULL, out_bytes);
    void *parameters[] = {&x, &w, &svh, &device_out, &scale, &rows, &k, &n, &strips};
    launch(f, module, kernel->symbol, (unsigned[]){N / 128, (unsigned)(rows + 15) / 16}, 32 * (unsigned)kernel->n_waves,
           parameters);
    assert_int_equal(hip->hipMemcpy(out, device_out, out_bytes, hipMemcpyDeviceToHost), hipSuccess);
    hip->hipFree(x);
    hip->hipFree(w);
    hip->hipFree(svh);
    hip->hipFree(device_out);
}

/* Outputs that differ from gfx11's steps written down once more: the dot2 adder, the chains, the waves, the rotation. */
static int64_t linear_differences(const struct fixture *f, hipModule_t module, const struct linear_kernel *kernel,
                                  const struct inputs *in, int rows)
{
    struct exl3_linear p = {rows,  K,       N, kernel->bits, kernel->n_waves, kernel->out, EXL3_SCALE, in->x,
                            in->w, in->svh, 1, false};
    double *weights = calloc(N * K, sizeof *weights);
    unsigned char out[MOST_ROWS * N * 4];
    int64_t n_different = 0;
    assert_non_null(weights);
    for (int c = 0; c < N; c++)
        exl3_column_of(&p, c, weights + c * K);
    run_linear(f, module, kernel, in, rows, out);
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
    struct inputs *in = random_inputs();
    for (int i = 0; i < N_LINEAR; i++) {
        hipModule_t module = load(f, linear_kernels[i].source, NULL);
        assert_int_equal(linear_differences(f, module, &linear_kernels[i], in, 5), 0);
        f->device->hip->hipModuleUnload(module);
    }
    free(in);
}

/* Other instructions, spills and scratch throughout, but the same arithmetic. */
static void unoptimised_linear_kernels_give_the_same_bytes(void **state)
{
    const struct fixture *f = *state;
    struct inputs *in = random_inputs();
    hipModule_t module = load(f, "kernels/exl3/linear_k8.hip", "-O0");
    assert_int_equal(linear_differences(f, module, &linear_kernels[2 * 2], in, 5), 0);
    f->device->hip->hipModuleUnload(module);
    free(in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rot_in_equals_its_steps_unoptimised_too),
        cmocka_unit_test(the_linear_kernels_equal_gfx11s_steps_bit_for_bit),
        cmocka_unit_test(unoptimised_linear_kernels_give_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}
