#include "contract/launcher.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The case on one of the devices. */
struct place {
    int device;
    struct launch_target target;
    struct workspace ws;
    struct launch_result result;
    bool started;
    char name[48]; /* "run 3 on device 1" */
    struct gate1_launch launch;
};

/* A check of several devices while it is made. */
struct placing {
    const struct host_case *host;
    const struct launch_fault *fault;
    const struct launcher_options *options;
    struct device *device;
    struct place places[REG_MAX_DEVICES];
    int n_places;
    struct arena arena;
    struct outputs first;
    char first_name[48]; /* of the launch that left them */
    struct verdict *verdict;
};

struct verdict launcher_verdict(enum reg_launcher_check check, const struct host_case *host,
                                const struct launch_target *target)
{
    struct verdict verdict = verdict_for_case(host, target, GATE_BYTES);
    snprintf(verdict.name, sizeof verdict.name, "%s", reg_launcher_check_name(check));
    return verdict;
}

static void failed(struct verdict *verdict, const char *text)
{
    verdict->status = VERDICT_LAUNCH_FAILED;
    verdict_reason(verdict, "%.600s", text);
}

static bool set_device(struct placing *p, int device)
{
    hipError_t code = p->device->hip->hipSetDevice(device);
    if (code == hipSuccess)
        return true;
    p->verdict->status = VERDICT_LAUNCH_FAILED;
    verdict_reason(p->verdict, "hipSetDevice of device %d: %s", device, p->device->hip->hipGetErrorName(code));
    return false;
}

/* Another chip's code object is refused with one of these. */
static bool is_of_another_chip(hipError_t code)
{
    return code == hipErrorNoBinaryForGpu || code == hipErrorInvalidImage;
}

/* The devices that take the code object. */
static bool find_places(struct placing *p, struct builds *builds)
{
    for (int d = 0; d < p->device->n_devices && d < REG_MAX_DEVICES; d++) {
        struct place *place = &p->places[p->n_places];
        struct error error = {0};
        if (!set_device(p, d))
            return false;
        hipError_t code = builds_on_device(builds, p->host->c.registration, p->options->define, d, &place->target, &error);
        place->device = d;
        p->n_places += code == hipSuccess;
        if (code != hipSuccess && !is_of_another_chip(code)) {
            failed(p->verdict, error.text);
            return false;
        }
    }
    return true;
}

/* Starts the place's launch of a run. */
static void start(struct placing *p, struct place *place, int run)
{
    snprintf(place->name, sizeof place->name, "run %d on device %d", run + 1, place->device);
    place->launch = (struct gate1_launch){.name = place->name,
                                          .poison = run % 2 ? POISON_PATTERN : POISON_NAN,
                                          .schedule = gate1_schedule(p->options->seed, 0, run),
                                          .checks = p->options->checks & CHECKS_BASIC};
    place->started = set_device(p, place->device) &&
                     gate1_start(&place->target, p->host, p->fault, &place->launch, &place->ws, &place->result, p->verdict);
}

static void name_device(const struct place *place, struct verdict *verdict)
{
    char reason[VERDICT_REASON_BYTES];
    snprintf(reason, sizeof reason, "%s", verdict->reason);
    verdict_reason(verdict, "%s: %s", place->name, reason);
}

/* The first launch's outputs are kept; all others are compared with them. */
static void compare(struct placing *p, struct place *place)
{
    if (!p->first.data[next_output(&p->host->plan, 0)]) {
        gate1_keep(&place->ws, &place->launch, &p->arena, &p->first, p->verdict);
        snprintf(p->first_name, sizeof p->first_name, "%s", place->name);
        return;
    }
    struct outputs outputs = workspace_outputs(&place->ws);
    if (!gate1_compare(&p->host->plan, &p->first, POISON_NAN, &outputs, place->launch.poison, p->first_name, "it",
                       p->verdict))
        name_device(place, p->verdict);
}

/* Waits for what was started also where the verdict is already red: nothing may be in flight when its memory is freed. */
static void finish(struct placing *p, struct place *place)
{
    struct verdict later = *p->verdict;
    bool decided = p->verdict->status != VERDICT_PASS;
    if (!place->started || !set_device(p, place->device))
        return;
    bool read = gate1_finish(&place->target, &place->launch, &place->ws, &place->result, decided ? &later : p->verdict);
    if (read && p->verdict->status == VERDICT_PASS)
        compare(p, place);
}

static void close_place(struct placing *p, struct place *place)
{
    if (p->device->hip->hipSetDevice(place->device) == hipSuccess)
        workspace_close(&place->ws);
    place->ws = (struct workspace){0};
}

/* One launch on each device, the first of them another in each run. True while nothing is wrong. */
static bool run_on_all(struct placing *p, int run)
{
    int n = p->n_places;
    for (int i = 0; i < n; i++) {
        struct place *place = &p->places[(run + i) % n];
        place->ws = (struct workspace){.device = p->device};
        place->started = false;
        if (p->verdict->status == VERDICT_PASS)
            start(p, place, run);
    }
    for (int i = 0; i < n; i++)
        finish(p, &p->places[(run + i) % n]);
    for (int i = 0; i < n; i++)
        close_place(p, &p->places[i]);
    return p->verdict->status == VERDICT_PASS;
}

/* All devices share one state, as the launches of a process do. */
static void run_on_devices(struct placing *p)
{
    struct launch_target opened = p->places[0].target;
    if (gate1_open(&p->places[0].target, &opened, p->verdict)) {
        for (int i = 0; i < p->n_places; i++)
            p->places[i].target.state = opened.state;
        for (int run = 0; run < LAUNCHER_DEVICES_RUNS && run_on_all(p, run); run++)
            ;
    }
    launch_close(&opened);
}

static void check_devices(const struct host_case *host, const struct launch_target *target,
                          const struct launch_fault *fault, struct builds *builds, const struct launcher_options *options,
                          struct verdict *verdict)
{
    struct placing p = {.host = host, .fault = fault, .options = options, .device = target->device, .verdict = verdict};
    int home = 0;
    gate1_name_checks(p.device, options->checks & CHECKS_BASIC, verdict);
    if (p.device->n_devices > 1 && p.device->hip->hipGetDevice(&home) == hipSuccess && find_places(&p, builds)) {
        verdict->n_runs = LAUNCHER_DEVICES_RUNS;
        verdict->n_compared = plan_outputs(&host->plan) * p.n_places;
        if (p.n_places > 1)
            run_on_devices(&p);
    }
    if (verdict->status == VERDICT_PASS && p.n_places < 2) {
        verdict->status = VERDICT_NOT_RUN;
        verdict_reason(verdict, "one device of chip %s here; it takes two", p.device->chip);
    }
    if (p.device->n_devices > 1)
        p.device->hip->hipSetDevice(home);
    arena_free(&p.arena);
}

/* Whether the launch was refused before anything was launched or written. */
static void judge_refusal(int wave_size, const struct workspace *ws, const struct launch_result *result,
                          uint64_t n_launches, struct verdict *verdict)
{
    const struct reg_plan *plan = &ws->host->plan;
    char name[48];
    snprintf(name, sizeof name, "the refusal of waves of %d", wave_size);
    if (result->is_refused && !gate1_did_nothing(result, ws, name, verdict))
        return;
    verdict->status = VERDICT_FAIL;
    if (!result->is_refused) {
        verdict_reason(verdict, "a device with waves of %d was launched on; refuse a size that no variant is for",
                       wave_size);
        return;
    }
    for (int t = 0; t < plan->n_tensors; t++)
        if (memcmp(workspace_tensor(ws, t), ws->image[t] + ws->guard_bytes, tensor_bytes(&plan->tensor[t])) != 0) {
            verdict_reason(verdict, "a device with waves of %d was refused only after %s was written", wave_size,
                           plan->tensor[t].name);
            return;
        }
    if (n_launches == 0)
        verdict->status = VERDICT_PASS;
    else
        verdict_reason(verdict, "a device with waves of %d was refused only after launches of kernels: %" PRIu64, wave_size,
                       n_launches);
}

/* One launch by a launcher that has not seen the device's true wave size, and may refuse it as soon as it is opened. */
static void open_and_launch(const struct launch_target *target, const struct workspace *ws, struct launch_result *result)
{
    struct launch_target opened = *target;
    *result = (struct launch_result){0};
    if (launch_open(&opened, &result->refused))
        launch_start(&opened, ws, result);
    else
        result->is_refused = true;
    launch_finish(&opened, result);
    launch_close(&opened);
}

static void launch_with_wave(int wave_size, const struct host_case *host, const struct launch_target *target,
                             const struct launch_fault *fault, const struct launcher_options *options,
                             struct verdict *verdict)
{
    struct device *device = target->device;
    struct workspace ws;
    struct launch_result result;
    struct error error = {0};
    if (device->set_checks)
        device->set_checks(device, options->checks & CHECKS_BASIC);
    if (!workspace_open(&ws, device, host, fault, LAYOUT_GUARDED, POISON_NAN, &error)) {
        failed(verdict, error.text);
    } else {
        uint64_t n_before = device->count_launches(device);
        device->report_wave_size(device, wave_size);
        open_and_launch(target, &ws, &result);
        device->report_wave_size(device, 0);
        if (workspace_read(&ws, &error))
            judge_refusal(wave_size, &ws, &result, device->count_launches(device) - n_before, verdict);
        else
            failed(verdict, error.text);
    }
    workspace_close(&ws);
}

static void check_wave_size(const struct host_case *host, const struct launch_target *target,
                            const struct launch_fault *fault, struct builds *builds, const struct launcher_options *options,
                            struct verdict *verdict)
{
    static const int unknown[] = {16, 128};
    (void)builds;
    if (!target->device->report_wave_size) {
        verdict->status = VERDICT_NOT_RUN;
        verdict_reason(verdict, "this device cannot be made to report another wave size");
        return;
    }
    gate1_name_checks(target->device, options->checks & CHECKS_BASIC, verdict);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown && verdict->status == VERDICT_PASS; i++) {
        verdict->n_runs++;
        launch_with_wave(unknown[i], host, target, fault, options, verdict);
    }
}

void launcher_check(enum reg_launcher_check check, const struct host_case *host, const struct launch_target *target,
                    const struct launch_fault *fault, struct builds *builds, const struct launcher_options *options,
                    struct verdict *verdict)
{
    static void (*const checks[])(const struct host_case *, const struct launch_target *, const struct launch_fault *,
                                  struct builds *, const struct launcher_options *, struct verdict *) = {
        [REG_LAUNCHER_DEVICES] = check_devices, [REG_LAUNCHER_WAVE] = check_wave_size};
    checks[check](host, target, fault, builds, options, verdict);
}
