/*
 * The group functions that kernels share (kernels/lanes.h) on waves of 32 and of 64, on every kind of chip, in blocks of
 * one, two and three dimensions: what lanes get is what the host works out from their places in the wave.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "contract/base/random.h"
#include "tests/support/kernel_module.h"

enum { LANES = 192, RESULTS = 5 };

struct values {
    float in[LANES];
    uint32_t from[LANES];
    float out[RESULTS][LANES];
};

static void fill(struct values *v)
{
    struct random_key key = random_key_for(1, "group lanes");
    for (unsigned i = 0; i < LANES; i++) {
        v->in[i] = (float)(2 * random_unit(key, i) - 1);
        v->from[i] = random_below(key, LANES + i, 1 << 10); /* past every width: taken modulo it */
    }
}

/* Neighbours first, then pairs of sums, as a tree: any other order has other bits. */
static float tree_sum(const float *of, unsigned width)
{
    return width == 1 ? of[0] : tree_sum(of, width / 2) + tree_sum(of + width / 2, width / 2);
}

static float largest(const float *of, unsigned width)
{
    float most = of[0];
    for (unsigned i = 1; i < width; i++)
        most = fmaxf(most, of[i]);
    return most;
}

static void check_width(struct kernel_module *module, const unsigned block[3], unsigned width, const char *where)
{
    static struct values v;
    fill(&v);
    char kernel[16];
    snprintf(kernel, sizeof kernel, "group%u", width);
    assert_true(kernel_module_call(
        module, &(struct kernel_call){.kernel = kernel,
                                      .block = {block[0], block[1], block[2]},
                                      .buffers = {{v.in, sizeof v.in}, {v.from, sizeof v.from}, {v.out, sizeof v.out}}}));
    for (unsigned i = 0; i < LANES; i++) {
        unsigned first = i - i % width;
        float expected[RESULTS] = {tree_sum(v.in + first, width), largest(v.in + first, width),
                                   v.in[first + v.from[i] % width], (float)first, (float)(i % width)};
        for (int r = 0; r < RESULTS; r++)
            if (v.out[r][i] != expected[r])
                fail_msg("%s, block %ux%ux%u, width %u: result %d of lane %u is %g, not %g", where, block[0], block[1],
                         block[2], width, r, i, (double)v.out[r][i], (double)expected[r]);
    }
}

static void check_chip(const char *chip, unsigned wave_size, const char *optimisation, unsigned widest)
{
    static const unsigned blocks[][3] = {{LANES, 1, 1}, {6, 32, 1}, {4, 3, 16}};
    char where[64];
    snprintf(where, sizeof where, "%s wave%u %s", chip, wave_size, optimisation);
    struct kernel_module module;
    const struct kernel_build build = {chip, optimisation, wave_size};
    assert_true(kernel_module_open(&module, "tests/kernels/lanes.hip", &build, 1));
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
        for (unsigned width = 2; width <= widest; width *= 2)
            check_width(&module, blocks[b], width, where);
    kernel_module_close(&module);
}

static void groups_are_those_of_the_wave(void **state)
{
    (void)state;
    check_chip("gfx1030", 32, "-O3", 32);
    check_chip("gfx1030", 64, "-O3", 32);
    check_chip("gfx1151", 32, "-O0", 32);
    check_chip("gfx1151", 64, "-O3", 32);
    check_chip("gfx1201", 32, "-O3", 32);
    check_chip("gfx1201", 64, "-O3", 32);
    check_chip("gfx90a", 64, "-O3", 64);
    check_chip("gfx942", 64, "-O0", 64);
    check_chip("gfx950", 64, "-O3", 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups_are_those_of_the_wave)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
