/*
 * A matrix product that clang makes of each chip's builtins, with every check on: the host's sums, and no finding. A layout
 * that the tables and the compiler's users see differently fails here.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contract/base/random.h"
#include "reference/format.h"
#include "tests/support/kernel_module.h"

enum { SIZE = 32, ELEMENTS = SIZE * SIZE };

static void fill(uint16_t *halves, int *values, const char *name)
{
    struct random_key key = random_key_for(1, name);
    for (int at = 0; at < ELEMENTS; at++) {
        values[at] = (int)random_below(key, (unsigned)at, 17) - 8;
        format_store(FORMAT_F16, halves, at, values[at]);
    }
}

/* Elements off by less than the tolerance pass; 0: none may be off. */
static void check(const char *chip, const char *optimisation, unsigned lanes, double tolerance)
{
    static uint16_t a[ELEMENTS], b[ELEMENTS];
    static int left[ELEMENTS], right[ELEMENTS];
    static float d[ELEMENTS];
    fill(a, left, "left");
    fill(b, right, "right");
    struct kernel_module module;
    const struct kernel_build build = {.chip = chip, .optimisation = optimisation};
    assert_true(kernel_module_open(&module, "tests/kernels/matrix.hip", &build, 1));
    module.device->set_checks(module.device, CHECKS_ALL);
    assert_true(
        kernel_module_call(&module, &(struct kernel_call){.kernel = "multiply_halves",
                                                          .block = {lanes},
                                                          .buffers = {{a, sizeof a}, {b, sizeof b}, {d, sizeof d}}}));
    kernel_module_close(&module);
    for (int at = 0; at < ELEMENTS; at++) {
        int sum = 0;
        for (int k = 0; k < SIZE; k++)
            sum += left[at / SIZE * SIZE + k] * right[k * SIZE + at % SIZE];
        double error = fabs((double)d[at] - sum);
        if (!(error == 0 || error < tolerance))
            fail_msg("%s %s: D[%d][%d] is %g, not %d", chip, optimisation, at / SIZE, at % SIZE, (double)d[at], sum);
    }
}

static void compiled_products_are_the_hosts(void **state)
{
    (void)state;
    static const struct {
        const char *chip;
        unsigned lanes;
    } chips[] = {{"gfx908", 64}, {"gfx90a", 64}, {"gfx942", 64}, {"gfx950", 64}, {"gfx1201", 32}};
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++) {
        check(chips[i].chip, "-O0", chips[i].lanes, 0);
        check(chips[i].chip, "-O3", chips[i].lanes, 0);
    }
}

/* gfx11's adder is a one's-complement one: sums of mixed signs are off. |sum| <= 2^11, so each of 16 steps is off by at
 * most two units of 2^(11-26) or three of 2^(6-24), and then half a unit of 2^(11-23): below 2^-8 in all. */
static void compiled_products_of_gfx11_are_near_the_hosts(void **state)
{
    (void)state;
    check("gfx1151", "-O3", 32, 0x1p-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiled_products_are_the_hosts),
        cmocka_unit_test(compiled_products_of_gfx11_are_near_the_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
