/*
 * The race and sync checks on compiled kernels: each protocol sound and with one planted fault, on a chip of each family.
 * Arguments name chips; none: all of `chips`.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/kernel_module.h"

enum { N_GROUPS = 12, N_THREADS = 256, N_WORDS = N_GROUPS * N_THREADS };

static const char *const chips[] = {"gfx1151", "gfx90a", "gfx1201", "gfx942", "gfx1030"};

struct protocol {
    const char *kernel;
    enum finding_kind kind; /* of the fault */
    const char *line;       /* what the source line of the finding's place, or of the other's, holds */
};

static const struct protocol protocols[] = {
    {"exchange_lds", FINDING_RACE, "shared[255 - threadIdx.x]"},
    {"exchange_memory", FINDING_RACE, "own[255 - threadIdx.x]"},
    {"neighbours", FINDING_RACE, "= 7"},
    {"last_group_adds", FINDING_RACE, "sum += partial[i]"},
    {"chain", FINDING_RACE, "before = sums[b - 1]"},
    {"locked_counter", FINDING_RACE, "out[0] += 1"},
    {"grid_barrier", FINDING_RACE, "= data[next"},
    {"count_all", FINDING_RACE, "out[0] = 0"},
    {"histogram", FINDING_RACE, "= blockIdx.x"},
    {"fenced", FINDING_RACE, "* blockDim.x + i] = i"},
    {"half_a_barrier", FINDING_SYNC, "__builtin_amdgcn_s_barrier"},
    {"early_return", FINDING_SYNC, "__builtin_amdgcn_s_barrier"},
};

struct outcome {
    bool ok;
    uint32_t out[N_WORDS];
    size_t n_found;
    struct finding found[4];
};

static struct outcome run(struct kernel_module *module, const char *kernel, uint32_t fault, uint64_t schedule)
{
    static uint32_t data[N_WORDS], sync[N_WORDS];
    struct outcome outcome = {0};
    memset(data, 0, sizeof data);
    memset(sync, 0, sizeof sync);
    module->device->set_schedule(module->device, schedule);
    module->found = outcome.found;
    module->found_capacity = 4;
    struct kernel_call call = {.kernel = kernel,
                               .grid = {N_GROUPS},
                               .block = {N_THREADS},
                               .buffers = {{outcome.out, sizeof outcome.out}, {data, sizeof data}, {sync, sizeof sync}},
                               .scalars = {fault},
                               .n_scalars = 1};
    outcome.ok = kernel_module_call(module, &call);
    outcome.n_found = module->n_found;
    module->found = NULL;
    return outcome;
}

/* The text of a line of the kernels' source; "" where there is none. */
static void source_line(uint32_t number, char *text, size_t n_bytes)
{
    FILE *file = fopen("tests/kernels/races.hip", "r");
    assert_non_null(file);
    text[0] = 0;
    for (uint32_t i = 0; i < number && fgets(text, (int)n_bytes, file); i++)
        continue;
    fclose(file);
}

static bool at_line(const struct finding_place *place, const char *wanted)
{
    char text[300];
    source_line(place->line, text, sizeof text);
    return strstr(text, wanted) != NULL;
}

static void open_module(struct kernel_module *module, const char *chip, int n_threads)
{
    const struct kernel_build build = {.chip = chip, .optimisation = "-O3"};
    assert_true(kernel_module_open(module, "tests/kernels/races.hip", &build, n_threads));
    module->device->set_checks(module->device, CHECKS_BASIC | 1u << FINDING_RACE);
}

static void hold_chip(const char *chip)
{
    struct kernel_module module;
    open_module(&module, chip, 2);
    for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++) {
        const struct protocol *p = &protocols[i];
        for (uint64_t schedule = 0; schedule < 3; schedule++) {
            struct outcome sound = run(&module, p->kernel, 0, schedule);
            if (!sound.ok || sound.n_found)
                fail_msg("%s: %s, schedule %d: %s", chip, p->kernel, (int)schedule,
                         sound.n_found ? sound.found[0].text : "failed");
            struct outcome faulty = run(&module, p->kernel, 1, schedule);
            if (faulty.ok || !faulty.n_found || faulty.found[0].kind != p->kind)
                fail_msg("%s: the fault of %s is not found with schedule %d", chip, p->kernel, (int)schedule);
            const struct finding *finding = &faulty.found[0];
            if (!finding->has_other || (!at_line(&finding->place, p->line) && !at_line(&finding->other, p->line)))
                fail_msg("%s: %s: no party is at \"%s\": %s", chip, p->kernel, p->line, finding->text);
        }
    }
    kernel_module_close(&module);
}

static int n_wanted;
static char **wanted;

static void planted_faults_are_found_and_sound_twins_are_clean(void **state)
{
    (void)state;
    if (n_wanted)
        for (int i = 0; i < n_wanted; i++)
            hold_chip(wanted[i]);
    else
        for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
            hold_chip(chips[i]);
}

/* Findings are the first by the order of workgroups, with the same parties, however many threads ran them. */
static void findings_do_not_depend_on_host_threads(void **state)
{
    (void)state;
    struct kernel_module module;
    struct outcome one, two;
    open_module(&module, "gfx1151", 1);
    one = run(&module, "neighbours", 1, 5);
    kernel_module_close(&module);
    open_module(&module, "gfx1151", 7);
    two = run(&module, "neighbours", 1, 5);
    kernel_module_close(&module);
    assert_true(one.n_found > 0);
    assert_int_equal(one.n_found, two.n_found);
    for (size_t i = 0; i < one.n_found; i++)
        assert_string_equal(one.found[i].text, two.found[i].text);
}

/* Without atomics or coherent accesses nothing orders workgroups, and they run on all threads at once. */
static void a_fence_alone_leaves_workgroups_on_many_threads(void **state)
{
    (void)state;
    struct kernel_module module;
    open_module(&module, "gfx1151", 8);
    for (uint64_t schedule = 0; schedule < 20; schedule++) {
        struct outcome sound = run(&module, "fenced", 0, schedule);
        assert_true(sound.ok);
        assert_int_equal(sound.n_found, 0);
    }
    kernel_module_close(&module);
}

static bool same_parties(const struct finding *a, const struct finding *b)
{
    return memcmp(a->place.workgroup, b->place.workgroup, sizeof a->place.workgroup) == 0 &&
           memcmp(a->other.workgroup, b->other.workgroup, sizeof a->other.workgroup) == 0;
}

/* Which workgroups meet at the counter is the schedule's choice: seeds differ, and each repeats. */
static void a_schedule_replays_a_kernel_with_global_atomics(void **state)
{
    (void)state;
    struct kernel_module module;
    open_module(&module, "gfx1151", 2);
    bool differs = false;
    struct outcome first = run(&module, "locked_counter", 1, 1);
    for (uint64_t seed = 1; seed < 5; seed++) {
        struct outcome a = run(&module, "locked_counter", 1, seed), b = run(&module, "locked_counter", 1, seed);
        assert_true(a.n_found > 0);
        assert_int_equal(a.n_found, b.n_found);
        for (size_t i = 0; i < a.n_found; i++)
            assert_true(same_parties(&a.found[i], &b.found[i]));
        differs |= !same_parties(&a.found[0], &first.found[0]);
    }
    assert_true(differs);
    kernel_module_close(&module);
}

int main(int argc, char **argv)
{
    n_wanted = argc - 1;
    wanted = argv + 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_faults_are_found_and_sound_twins_are_clean),
        cmocka_unit_test(findings_do_not_depend_on_host_threads),
        cmocka_unit_test(a_fence_alone_leaves_workgroups_on_many_threads),
        cmocka_unit_test(a_schedule_replays_a_kernel_with_global_atomics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
