/*
 * What each check of the sanitizer costs: all registered kernels of a chip at their smallest default shape, launched
 * without any check, with each alone, and with all, in one run on one host thread. Prints the rate without checks and the
 * ratios, asserts nothing. Arguments are chips; without them one of each family is measured.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "commands/session.h"
#include "contract/builds.h"
#include "contract/registry_list.h"
#include "contract/workspace.h"
#include "tests/support/chip_names.h"

enum { REPEATS = 3 };

static const struct {
    const char *name;
    unsigned checks;
} settings[] = {
    {"none", 0},
    {"mem+sync", CHECKS_BASIC},
    {"init", CHECKS_BASIC | 1u << FINDING_INIT},
    {"race", CHECKS_BASIC | 1u << FINDING_RACE},
    {"wait", CHECKS_BASIC | 1u << FINDING_WAIT},
    {"nan", CHECKS_BASIC | 1u << FINDING_NAN},
    {"all", CHECKS_ALL},
};
enum { N_SETTINGS = sizeof settings / sizeof *settings };

struct costs {
    double seconds[N_SETTINGS];
    uint64_t lane_instructions; /* of one launch of each kernel */
    int n_kernels;
};

/* Time that this process computed: other load on the machine does not count. */
static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Seconds of a launch on a fresh workspace; less than 0 where it failed. */
static double launch_seconds(const struct launch_target *target, const struct host_case *host, struct error *error)
{
    struct launch_fault fault = launch_as_planned(host);
    struct workspace ws;
    struct launch_result result;
    double seconds = -1;
    if (workspace_open(&ws, target->device, host, &fault, LAYOUT_GUARDED, POISON_NAN, error)) {
        double start = cpu_seconds();
        launch_run(target, &ws, &result);
        seconds = cpu_seconds() - start;
        if (result.code != hipSuccess) {
            error_set(error, STATUS_RED, "%s: %s", hip_error_name(result.code),
                      result.n_findings ? result.findings[0].text : "");
            seconds = -1;
        }
    }
    workspace_close(&ws);
    return seconds;
}

/* Adds the kernel's shortest time with each setting. */
static bool measure_case(const struct launch_target *target, const struct host_case *host, struct costs *costs,
                         struct error *error)
{
    struct costs sum = *costs;
    for (int s = 0; s < N_SETTINGS; s++) {
        double shortest = -1;
        target->device->set_checks(target->device, settings[s].checks);
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            emulator_take_statistics(target->device);
            double seconds = launch_seconds(target, host, error);
            if (seconds < 0)
                return error_prefix(error, "--check %s", settings[s].name);
            shortest = shortest < 0 || seconds < shortest ? seconds : shortest;
        }
        sum.seconds[s] += shortest;
    }
    sum.lane_instructions += emulator_take_statistics(target->device).lane_instructions;
    sum.n_kernels++;
    *costs = sum;
    return true;
}

static void measure_kernel(struct builds *builds, const struct registration *registration, struct costs *costs)
{
    struct error error;
    struct launch_target target;
    struct host_case host;
    const struct reg_shape *shape = registration->shapes;
    bool ok = builds_target(builds, registration, NULL, &target, &error);
    if (ok) {
        ok = host_case_open(&host, registration, shape, REG_PATTERN_SIGNED, 1, 1, &error) &&
             measure_case(&target, &host, costs, &error);
        host_case_close(&host);
    }
    if (!ok)
        printf("  %s %s is left out: %s\n", registration->name, shape->label, error.text);
}

static void print_costs(const char *chip, const struct costs *costs)
{
    if (!costs->n_kernels)
        return;
    printf("%-8s %3d kernels %8.3f e9 lane-instructions/s without checks; ratios:", chip, costs->n_kernels,
           (double)costs->lane_instructions / costs->seconds[0] * 1e-9);
    for (int s = 1; s < N_SETTINGS; s++)
        printf(" %s %.2f", settings[s].name, costs->seconds[s] / costs->seconds[0]);
    printf("\n");
    fflush(stdout);
}

static bool measure_chip(const char *chip, const struct registry *registry, struct builder *builder, struct error *error)
{
    struct emulator_options options = {.chip = chip, .n_devices = 1, .n_threads = 1};
    struct builds builds = {.builder = builder};
    struct costs costs = {0};
    if (!emulator_open(&options, &builds.device, error))
        return false;
    for (size_t i = 0; i < registry->n_registrations; i++)
        if (registration_is_for(registry->registrations[i], chip))
            measure_kernel(&builds, registry->registrations[i], &costs);
    print_costs(chip, &costs);
    builds_free(&builds);
    builds.device->close(builds.device);
    return true;
}

int main(int argc, char **argv)
{
    (void)argc;
    struct error error;
    struct arena arena = {0};
    struct registry registry;
    size_t n_chips;
    const struct chip *chips = chip_table(&n_chips);
    if (!chip_names_check(argv + 1))
        return STATUS_USAGE;
    struct toolchain *toolchain = toolchain_open(NULL, &error);
    struct builder builder = session_builder(toolchain);
    bool ok = toolchain && registry_collect(&arena, &registry, &error);
    printf("cost of checks, all registered kernels at their first shape, one host thread\n");
    for (size_t i = 0; i < n_chips && ok; i++)
        if (chip_names_have_or_family(argv + 1, &chips[i]))
            ok = measure_chip(chips[i].name, &registry, &builder, &error);
    if (!ok)
        fprintf(stderr, "bench: %s\n", error.text);
    if (toolchain)
        toolchain_close(toolchain);
    arena_free(&arena);
    return ok ? 0 : (int)error.status;
}
