#include "tests/support/everyday.h"

#include <stdio.h>

#include "tests/support/chip_names.h"

static struct kernel_build running;

const struct kernel_build *everyday_build(void)
{
    return &running;
}

static int open_module(void **state)
{
    struct kernel_module *module = calloc(1, sizeof *module);
    *state = module;
    return module && kernel_module_open(module, "tests/kernels/everyday.hip", &running, 2) ? 0 : -1;
}

static int close_module(void **state)
{
    kernel_module_close(*state);
    free(*state);
    return 0;
}

static int run_build(const char *what, const struct CMUnitTest *tests, size_t n_tests)
{
    char name[128];
    snprintf(name, sizeof name, "%s on %s wave%u at %s", what, running.chip, running.wave_size, running.optimisation);
    return _cmocka_run_group_tests(name, tests, n_tests, open_module, close_module);
}

int everyday_run(char **names, const char *what, const struct CMUnitTest *tests, size_t n_tests)
{
    static const char *const optimisations[] = {"-O3", "-O0"};
    size_t n_chips;
    int failed = 0;
    if (!chip_names_check(names))
        return 1;
    const struct chip *chips = chip_table(&n_chips);
    for (size_t i = 0; i < n_chips; i++)
        for (unsigned wave_size = 32; wave_size <= 64; wave_size += 32)
            for (size_t o = 0; o < 2; o++) {
                if (!chip_names_have_or_family(names, &chips[i]) ||
                    !(wave_size == 32 ? chips[i].has_wave32 : chips[i].has_wave64))
                    continue;
                running = (struct kernel_build){chips[i].name, optimisations[o], wave_size};
                failed += run_build(what, tests, n_tests);
            }
    return failed;
}
