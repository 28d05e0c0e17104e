/*
 * The kernels of tests/kernels/agreement/ leave the host's bytes on one chip of each family, optimised and not, in either
 * wave size. `make conformance` holds every chip to them. A chip's name on the command line stands for it alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/kernel_agreement.h"

static const struct kernel_build builds[] = {
    {"gfx1030", 32, "-O3"}, {"gfx1151", 32, "-O3"}, {"gfx1151", 64, "-O3"}, {"gfx1151", 32, "-O0"},
    {"gfx1201", 32, "-O3"}, {"gfx1201", 64, "-O0"}, {"gfx908", 64, "-O3"},  {"gfx90a", 64, "-O3"},
    {"gfx90a", 64, "-O0"},  {"gfx942", 64, "-O3"},  {"gfx950", 64, "-O3"},
};

static void a_build_gives_the_hosts_bytes(void **state)
{
    struct kernel_tally tally = {0};
    kernels_agree(*state, stderr, &tally);
    assert_true(tally.n_run >= 60);
    assert_int_equal(tally.n_agreed, tally.n_run);
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[sizeof builds / sizeof *builds];
    size_t n = 0;
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++)
        if (argc < 2 || strcmp(argv[1], builds[i].chip) == 0)
            tests[n++] = (struct CMUnitTest){.name = builds[i].chip,
                                             .test_func = a_build_gives_the_hosts_bytes,
                                             .initial_state = (void *)(uintptr_t)&builds[i]};
    return _cmocka_run_group_tests("kernels agree with the host", tests, n, NULL, NULL);
}
