/*
 * The kernels of tests/kernels/agreement/ leave the host's bytes on one chip of each family, optimised and not, in either
 * wave size. `make conformance` holds every chip to them. Chips named on the command line are run alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/chip_names.h"
#include "tests/support/kernel_agreement.h"

static const struct kernel_build builds[] = {
    {"gfx1030", "-O3", 32}, {"gfx1151", "-O3", 32}, {"gfx1151", "-O3", 64}, {"gfx1151", "-O0", 32},
    {"gfx1201", "-O3", 32}, {"gfx1201", "-O0", 64}, {"gfx908", "-O3", 64},  {"gfx90a", "-O3", 64},
    {"gfx90a", "-O0", 64},  {"gfx942", "-O3", 64},  {"gfx950", "-O3", 64},
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
    (void)argc;
    struct CMUnitTest tests[sizeof builds / sizeof *builds];
    size_t n = 0;
    if (!chip_names_check(argv + 1))
        return 1;
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++)
        if (chip_names_have(argv + 1, chip_find(builds[i].chip)))
            tests[n++] = (struct CMUnitTest){.name = builds[i].chip,
                                             .test_func = a_build_gives_the_hosts_bytes,
                                             .initial_state = (void *)(uintptr_t)&builds[i]};
    if (n == 0) {
        fprintf(stderr, "test_agreement: no build is for the chips named; conformance holds every chip\n");
        return 1;
    }
    return _cmocka_run_group_tests("kernels agree with the host", tests, n, NULL, NULL);
}
