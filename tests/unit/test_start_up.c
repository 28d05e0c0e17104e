/*
 * What a launch sets up, on every chip: user and system registers, preloaded arguments, scratch by each way that LLVM
 * knows, calls, implicit arguments, in both wave sizes and in code object versions 5 and 6. The kernel
 * (tests/kernels/start_up.hip) says what it found, and the host knows it.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/base/file.h"
#include "contract/base/project.h"
#include "device/device.h"
#include "tests/support/scratch.h"

enum { MAX_BUILD_FLAGS = 6 };

/* One way to compile the kernel. */
static const struct build {
    const char *chip;
    unsigned wave_size;
    const char *flags[MAX_BUILD_FLAGS];
} builds[] = {
    {"gfx1030", 32, {"-O0", "-mcode-object-version=5"}},
    {"gfx1030", 64, {"-O3", "-mcode-object-version=6", "-mwavefrontsize64"}},
    {"gfx1030", 32, {"-O3", "-mcumode", "-Xclang", "-target-feature", "-Xclang", "+enable-flat-scratch"}},
    {"gfx1100", 64, {"-O0", "-mcode-object-version=6", "-mwavefrontsize64"}},
    {"gfx1151", 32, {"-O3", "-mcode-object-version=6"}},
    {"gfx1200", 64, {"-O0", "-mcode-object-version=5", "-mwavefrontsize64"}},
    {"gfx1201", 32, {"-O0", "-mcode-object-version=6"}},
    {"gfx1201", 64, {"-O3", "-mwavefrontsize64"}},
    {"gfx908", 64, {"-O0", "-mcode-object-version=6"}},
    {"gfx908", 64, {"-O3", "-mcode-object-version=5"}},
    {"gfx90a", 64, {"-O0", "-mcode-object-version=6"}},
    {"gfx908", 64, {"-O1", "-Xclang", "-target-feature", "-Xclang", "+enable-flat-scratch"}},
    {"gfx90a", 64, {"-O0", "-Xclang", "-target-feature", "-Xclang", "+enable-flat-scratch"}},
    {"gfx90a", 64, {"-O3", "-mllvm", "-amdgpu-kernarg-preload-count=2"}},
    {"gfx90a", 64, {"-O0", "-mllvm", "-amdgpu-kernarg-preload-count=8"}},
    {"gfx942", 64, {"-O0", "-mcode-object-version=5"}},
    {"gfx942", 64, {"-O3", "-mllvm", "-amdgpu-kernarg-preload-count=8", "-mcode-object-version=6"}},
    {"gfx950", 64, {"-O0", "-mcode-object-version=6"}},
    {"gfx950", 64, {"-O3", "-mllvm", "-amdgpu-kernarg-preload-count=4"}},
};

static char *compile(const struct build *build, const char *folder)
{
    char arch[32], source[PATH_MAX], *bytes = NULL;
    static char path[SCRATCH_PATH_BYTES + 16];
    struct error error;
    size_t n_bytes;
    snprintf(arch, sizeof arch, "--offload-arch=%s", build->chip);
    snprintf(path, sizeof path, "%s/start_up.co", folder);
    assert_true(project_path("tests/kernels/start_up.hip", source, sizeof source, &error));
    const char *argv[32] = {"clang-22",  "-x",   "hip", arch, "--cuda-device-only", "--no-gpu-bundle-output", "-nogpulib",
                            "-nogpuinc", source, "-o",  path};
    size_t n = 11;
    for (size_t i = 0; i < MAX_BUILD_FLAGS && build->flags[i]; i++)
        argv[n++] = build->flags[i];
    char *out = scratch_run(argv);
    assert_non_null(out);
    free(out);
    assert_true(file_read(path, &bytes, &n_bytes, &error));
    return bytes;
}

enum { GRID_X = 3, GRID_Y = 2, GRID_Z = 2, BLOCK_X = 10, BLOCK_Y = 4, BLOCK_Z = 4, WORDS = 16 };
enum { BLOCK_ITEMS = BLOCK_X * BLOCK_Y * BLOCK_Z, N_ITEMS = GRID_X * GRID_Y * GRID_Z * BLOCK_ITEMS };
static const uint32_t small_argument = 0x1234567;
static const uint64_t large_argument = UINT64_C(0xfedcba9876543210);
static const uint8_t byte_argument = 0xa5;

static uint32_t packed(uint32_t x, uint32_t y, uint32_t z)
{
    return x | y << 8 | z << 16;
}

/* The number in the whole grid of a workgroup's work-item. */
static uint32_t place_of(const uint32_t group[3], uint32_t item)
{
    uint32_t x = group[0] * BLOCK_X + item % BLOCK_X, y = group[1] * BLOCK_Y + item / BLOCK_X % BLOCK_Y,
             z = group[2] * BLOCK_Z + item / (BLOCK_X * BLOCK_Y);
    return (z * GRID_Y * BLOCK_Y + y) * GRID_X * BLOCK_X + x;
}

static void expected_words(uint32_t place, uint32_t wave_size, uint32_t words[WORDS])
{
    static const uint32_t fibonacci[8] = {0, 1, 1, 2, 3, 5, 8, 13};
    uint32_t x = place % (GRID_X * BLOCK_X), y = place / (GRID_X * BLOCK_X) % (GRID_Y * BLOCK_Y),
             z = place / (GRID_X * BLOCK_X * GRID_Y * BLOCK_Y);
    const uint32_t group[3] = {x / BLOCK_X, y / BLOCK_Y, z / BLOCK_Z};
    const uint32_t item = (z % BLOCK_Z * BLOCK_Y + y % BLOCK_Y) * BLOCK_X + x % BLOCK_X;
    uint32_t written = 0; /* the i with (5 i + place) % 16 == 3 place % 16 */
    while ((written * 5 + place) % 16 != place * 3 % 16)
        written++;
    const uint32_t expected[WORDS] = {
        packed(group[0], group[1], group[2]),
        packed(x % BLOCK_X, y % BLOCK_Y, z % BLOCK_Z),
        packed(GRID_X, GRID_Y, GRID_Z),
        packed(BLOCK_X, BLOCK_Y, BLOCK_Z),
        GRID_X * BLOCK_X,
        GRID_Y * BLOCK_Y,
        GRID_Z * BLOCK_Z,
        small_argument,
        (uint32_t)large_argument,
        (uint32_t)(large_argument >> 32),
        byte_argument,
        written * 100 + small_argument,
        place & 1 ? place + small_argument : place * small_argument,
        place_of(group, item ^ 1),
        fibonacci[place % 8],
        wave_size,
    };
    memcpy(words, expected, sizeof expected);
}

static void print_findings(struct device *device)
{
    struct finding findings[4];
    size_t n = device->take_findings(device, findings, 4);
    for (size_t i = 0; i < n; i++)
        fprintf(stderr, "%s\n", findings[i].text);
}

static void run(struct device *device, const char *image, uint32_t *words)
{
    const struct hip_api *hip = device->hip;
    hipModule_t module;
    hipFunction_t function;
    void *out;
    assert_int_equal(hip->hipModuleLoadData(&module, image), hipSuccess);
    assert_int_equal(hip->hipModuleGetFunction(&function, module, "start_up"), hipSuccess);
    assert_int_equal(hip->hipMalloc(&out, N_ITEMS * WORDS * 4), hipSuccess);
    void *parameters[] = {&out, (void *)&small_argument, (void *)&large_argument, (void *)&byte_argument};
    hipError_t result = hip->hipModuleLaunchKernel(function, GRID_X, GRID_Y, GRID_Z, BLOCK_X, BLOCK_Y, BLOCK_Z,
                                                   BLOCK_ITEMS * 4, NULL, parameters, NULL);
    print_findings(device);
    assert_int_equal(result, hipSuccess);
    assert_int_equal(hip->hipMemcpy(words, out, N_ITEMS * WORDS * 4, hipMemcpyDeviceToHost), hipSuccess);
    assert_int_equal(hip->hipModuleUnload(module), hipSuccess);
}

static void check_build(const struct build *build, const char *folder)
{
    static uint32_t words[N_ITEMS * WORDS];
    struct emulator_options options = {.chip = build->chip, .n_devices = 1, .n_threads = 1, .checks = CHECKS_BASIC};
    struct device *device;
    struct error error;
    char *image = compile(build, folder);
    assert_true(emulator_open(&options, &device, &error));
    run(device, image, words);
    device->close(device);
    free(image);
    for (uint32_t place = 0; place < N_ITEMS; place++) {
        uint32_t expected[WORDS];
        expected_words(place, build->wave_size, expected);
        for (int i = 0; i < WORDS; i++)
            if (words[place * WORDS + (uint32_t)i] != expected[i])
                fail_msg("%s %s %s: work-item %u word %d: got %#x, expected %#x", build->chip, build->flags[0],
                         build->flags[1], place, i, words[place * WORDS + (uint32_t)i], expected[i]);
    }
}

/* In the natural order and in permuted ones, where waves switch between the barrier's two parts. */
static void both_parts_of_a_split_barrier_order_the_waves(void **state)
{
    (void)state;
    enum { GROUPS = 2, ITEMS = 256 };
    const struct build build = {"gfx1201", 32, {"-O2"}};
    struct emulator_options options = {.chip = build.chip, .n_devices = 1, .n_threads = 1, .checks = CHECKS_BASIC};
    char folder[SCRATCH_PATH_BYTES];
    struct device *device;
    struct error error;
    hipModule_t module;
    hipFunction_t function;
    void *out;
    uint32_t values[GROUPS * ITEMS];
    assert_true(scratch_open(folder));
    char *image = compile(&build, folder);
    scratch_close(folder);
    assert_true(emulator_open(&options, &device, &error));
    assert_int_equal(device->hip->hipModuleLoadData(&module, image), hipSuccess);
    assert_int_equal(device->hip->hipModuleGetFunction(&function, module, "split_barrier"), hipSuccess);
    assert_int_equal(device->hip->hipMalloc(&out, sizeof values), hipSuccess);
    for (uint64_t seed = 0; seed < 5; seed++) {
        void *parameters[] = {&out};
        device->set_schedule(device, seed);
        hipError_t result =
            device->hip->hipModuleLaunchKernel(function, GROUPS, 1, 1, ITEMS, 1, 1, 0, NULL, parameters, NULL);
        print_findings(device);
        assert_int_equal(result, hipSuccess);
        assert_int_equal(device->hip->hipMemcpy(values, out, sizeof values, hipMemcpyDeviceToHost), hipSuccess);
        for (uint32_t i = 0; i < GROUPS * ITEMS; i++)
            assert_int_equal(values[i], 100000 + 100 + i % 32 + 1000 * (i / ITEMS));
    }
    device->close(device);
    free(image);
}

static void every_way_to_start_a_kernel_gives_it_what_the_launch_says(void **state)
{
    (void)state;
    char folder[SCRATCH_PATH_BYTES];
    assert_true(scratch_open(folder));
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++)
        check_build(&builds[i], folder);
    scratch_close(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_to_start_a_kernel_gives_it_what_the_launch_says),
        cmocka_unit_test(both_parts_of_a_split_barrier_order_the_waves),
    };
    return cmocka_run_group_tests_name("start-up", tests, NULL, NULL);
}
