#include "tests/support/everyday.h"

#include <stdio.h>

#include "records/chips.h"

static struct everyday_build running;

const struct everyday_build *everyday_build(void)
{
    return &running;
}

static int open_module(void **state)
{
    struct kernel_module *module = calloc(1, sizeof *module);
    struct kernel_source source = {.path = "tests/kernels/everyday.hip",
                                   .chip = running.chip,
                                   .optimisation = running.optimisation,
                                   .wave_size = running.wave_size};
    *state = module;
    return module && kernel_module_open(module, &source, 2) ? 0 : -1;
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

/* Chips of record stand for their families; gfx908 is the one family that has none. */
static bool is_asked(const struct chip *chip, const char *name)
{
    return name ? !strcmp(chip->name, name) : chip->of_record || chip->family == CHIP_CDNA1;
}

int everyday_run(int argc, char **argv, const char *what, const struct CMUnitTest *tests, size_t n_tests)
{
    static const char *const optimisations[] = {"-O3", "-O0"};
    size_t n_chips;
    int failed = 0;
    const struct chip *chips = chip_table(&n_chips);
    for (size_t i = 0; i < n_chips; i++)
        for (unsigned wave_size = 32; wave_size <= 64; wave_size += 32)
            for (size_t o = 0; o < 2; o++) {
                if (!is_asked(&chips[i], argc > 1 ? argv[1] : NULL) ||
                    !(wave_size == 32 ? chips[i].has_wave32 : chips[i].has_wave64))
                    continue;
                running = (struct everyday_build){chips[i].name, optimisations[o], wave_size};
                failed += run_build(what, tests, n_tests);
            }
    return failed;
}
