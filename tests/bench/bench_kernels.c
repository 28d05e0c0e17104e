/*
 * Every registered kernel at its largest default shape: the emulator's lane-instructions per second and the float64
 * reference's time. Prints figures, asserts nothing.
 */
#include <stdio.h>

#include "commands/session.h"
#include "contract/base/clock.h"
#include "contract/base/parallel.h"
#include "contract/builds.h"
#include "contract/registry_list.h"
#include "contract/workspace.h"

static const char chip_name[] = "gfx1151";

static double shape_size(const struct reg_shape *shape)
{
    double size = 1;
    for (int i = 0; i < REG_MAX_DIMS; i++)
        size *= shape->dim[i] > 0 ? (double)shape->dim[i] : 1;
    return size;
}

static const struct reg_shape *largest_default_shape(const struct registration *registration)
{
    const struct reg_shape *largest = NULL;
    for (size_t i = 0; i < registration->n_shapes; i++)
        if (!registration->shapes[i].heavy && (!largest || shape_size(&registration->shapes[i]) > shape_size(largest)))
            largest = &registration->shapes[i];
    return largest;
}

static double seconds_since(uint64_t start)
{
    return (double)(clock_ns() - start) * 1e-9;
}

static bool measure_launch(const struct launch_target *target, const struct host_case *host, struct error *error)
{
    struct launch_fault fault = launch_as_planned(host);
    struct workspace ws;
    struct launch_result result;
    if (!workspace_open(&ws, target->device, host, &fault, LAYOUT_GUARDED, POISON_NAN, error)) {
        workspace_close(&ws);
        return false;
    }
    emulator_take_statistics(target->device);
    uint64_t start = clock_ns();
    launch_run(target, &ws, &result);
    double seconds = seconds_since(start);
    struct emulator_statistics statistics = emulator_take_statistics(target->device);
    workspace_close(&ws);
    if (result.code != hipSuccess)
        return error_set(error, STATUS_RED, "%s: %s", hip_error_name(result.code),
                         result.n_findings ? result.findings[0].text : "");
    printf("%-34s %-16s %8.3f s %10.2f e6 instructions %7.3f e9 lane-instructions/s", host->c.registration->name,
           host->c.shape->label, seconds, (double)statistics.wave_instructions * 1e-6,
           (double)statistics.lane_instructions / seconds * 1e-9);
    return true;
}

static void measure_reference(struct host_case *host, struct error *error)
{
    uint64_t start = clock_ns();
    if (!host_case_reference(host, error)) {
        printf("  reference: %s\n", error->text);
        return;
    }
    double seconds = seconds_since(start);
    printf("  reference %.3f s, %.0f ns an output\n", seconds, seconds * 1e9 / (double)plan_outputs(&host->plan));
}

static void measure(struct builds *builds, const struct registration *registration, int n_threads)
{
    struct error error;
    struct launch_target target;
    struct host_case host;
    const struct reg_shape *shape = largest_default_shape(registration);
    bool ok = shape && builds_target(builds, registration, NULL, &target, &error);
    if (ok) {
        ok = host_case_open(&host, registration, shape, REG_PATTERN_SIGNED, 1, n_threads, &error) &&
             measure_launch(&target, &host, &error);
        if (ok)
            measure_reference(&host, &error);
        host_case_close(&host);
    }
    if (!ok)
        printf("%-34s %s\n", registration->name, shape ? error.text : "no default shape");
    fflush(stdout);
}

int main(void)
{
    struct error error;
    struct arena arena = {0};
    struct registry registry;
    int n_threads = parallel_processors();
    struct emulator_options options = {.chip = chip_name, .n_devices = 1, .n_threads = n_threads, .checks = CHECKS_BASIC};
    struct builds builds = {0};
    struct toolchain *toolchain = toolchain_open(NULL, &error);
    struct builder builder = session_builder(toolchain);
    bool ok = toolchain && emulator_open(&options, &builds.device, &error) && registry_collect(&arena, &registry, &error);
    builds.builder = &builder;
    if (ok) {
        printf("kernels on the emulator, %s, %d threads, at the largest default shape\n", chip_name, n_threads);
        for (size_t i = 0; i < registry.n_registrations; i++)
            if (registration_is_for(registry.registrations[i], chip_name))
                measure(&builds, registry.registrations[i], n_threads);
        builds_free(&builds);
    } else {
        fprintf(stderr, "bench: %s\n", error.text);
    }
    if (builds.device)
        builds.device->close(builds.device);
    if (toolchain)
        toolchain_close(toolchain);
    arena_free(&arena);
    return ok ? 0 : (int)error.status;
}
