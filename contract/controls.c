#include "contract/controls.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/bytes.h"
#include "contract/diagnosis.h"
#include "contract/harness_fault.h"
#include "contract/launcher.h"

enum { OTHER_SEED = 0x5EED };

static size_t rounded_up(size_t n_bytes)
{
    return (n_bytes + 255) / 256 * 256;
}

/* The tensor as another seed fills it: plausible, and not the case's. */
static const void *other_values(const struct host_case *host, int tensor, struct arena *arena)
{
    struct reg_case other = host->c;
    other.seed ^= OTHER_SEED;
    void *data = arena_alloc(arena, tensor_bytes(&host->plan.tensor[tensor]));
    if (!data)
        return NULL;
    other.data[tensor] = data;
    (other.registration->fill ? other.registration->fill : reg_fill)(&other, tensor, data);
    return data;
}

static bool plant_pointer(const struct control *k, const struct host_case *host, struct arena *arena,
                          struct launch_fault *fault)
{
    const struct reg_tensor *tensor = &host->plan.tensor[k->tensor];
    int64_t row_bytes = tensor->columns * format_facts(tensor->format)->n_bytes;
    fault->offset_bytes[k->tensor] = k->offset_rows * row_bytes + k->offset_bytes;
    fault->guard_bytes += rounded_up((size_t)llabs(fault->offset_bytes[k->tensor]));
    if (tensor->role == REG_INPUT)
        fault->around[k->tensor] = other_values(host, k->tensor, arena);
    return tensor->role != REG_INPUT || fault->around[k->tensor];
}

static bool plant_swap(const struct control *k, const struct host_case *host, struct arena *arena,
                       struct launch_fault *fault)
{
    (void)arena;
    struct reg_arg *a = &fault->plan.arg[k->arg], *b = &fault->plan.arg[k->other_arg];
    fault->guard_bytes +=
        rounded_up(tensor_bytes(&host->plan.tensor[a->tensor]) + tensor_bytes(&host->plan.tensor[b->tensor]));
    int tensor = a->tensor;
    a->tensor = b->tensor;
    b->tensor = tensor;
    return true;
}

static bool plant_scalar(const struct control *k, const struct host_case *host, struct arena *arena,
                         struct launch_fault *fault)
{
    (void)host, (void)arena;
    fault->plan.arg[k->arg].integer += k->delta;
    return true;
}

static bool plant_grid(const struct control *k, const struct host_case *host, struct arena *arena,
                       struct launch_fault *fault)
{
    (void)host, (void)arena;
    fault->plan.grid[k->arg]--;
    return true;
}

static bool plant_stale(const struct control *k, const struct host_case *host, struct arena *arena,
                        struct launch_fault *fault)
{
    fault->upload[k->tensor] = other_values(host, k->tensor, arena);
    return fault->upload[k->tensor] != NULL;
}

static bool plant_nothing(const struct control *k, const struct host_case *host, struct arena *arena,
                          struct launch_fault *fault)
{
    (void)k, (void)host, (void)arena, (void)fault;
    return true;
}

static bool plant_record(const struct control *k, const struct host_case *host, struct arena *arena,
                         struct launch_fault *fault)
{
    (void)host, (void)arena;
    fault->plan.block[0] = (uint32_t)k->delta;
    fault->plan.block[1] = fault->plan.block[2] = 1;
    return true;
}

bool control_plant(const struct control *control, const struct host_case *host, struct arena *arena,
                   struct launch_fault *fault, struct error *error)
{
    static bool (*const plant[])(const struct control *, const struct host_case *, struct arena *,
                                 struct launch_fault *) = {
        [CONTROL_POINTER] = plant_pointer, [CONTROL_SWAP] = plant_swap,       [CONTROL_SCALAR] = plant_scalar,
        [CONTROL_GRID] = plant_grid,       [CONTROL_STALE] = plant_stale,     [CONTROL_BUILD] = plant_nothing,
        [CONTROL_RECORD] = plant_record,   [CONTROL_LAUNCHER] = plant_nothing};
    *fault = launch_as_planned(host);
    if (!plant[control->how](control, host, arena, fault))
        return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the fault of control %s", control->name);
    return true;
}

/* Red for the control's reason: at its gate, and by its check where it names one. */
static bool is_red_as_planted(const struct control *k, const struct verdict *gate)
{
    if (harness_has(HARNESS_CONTROLS_RED))
        return true;
    bool found = k->finding && gate->has_finding && gate->finding.kind == finding_kind_find(k->finding, strlen(k->finding));
    bool at_gate = gate->gate == k->gate || harness_has(HARNESS_ANY_GATE);
    return gate->status == VERDICT_FAIL && at_gate && (!k->finding || found);
}

/* Where the fault must do no harm: a pass is what is wanted, anything else a miss. */
static void as_green_control(const struct control *k, const struct verdict *gate, struct verdict *verdict)
{
    *verdict = *gate;
    verdict->status = gate->status == VERDICT_PASS ? VERDICT_GREEN : VERDICT_MISS;
    if (verdict->status == VERDICT_GREEN)
        verdict_reason(verdict, "right here by coincidence: %s", k->what);
    else
        verdict_reason(verdict, "must stay green here, is %s at gate %d: %.600s",
                       gate->status == VERDICT_FAIL ? "red" : verdict_status_name(gate->status), gate->gate, gate->reason);
}

/* The verdict of a control from that of its gate on the faulty run. */
static void as_control(const struct control *k, const struct verdict *gate, struct verdict *verdict)
{
    if (control_duty(k, gate->chip) == CONTROL_MUST_BE_GREEN) {
        as_green_control(k, gate, verdict);
        return;
    }
    bool red = is_red_as_planted(k, gate);
    double factor = gate->gate == GATE_BOUND ? gate->worst_ratio : 0;
    *verdict = *gate;
    verdict->worst_ratio = factor;
    bool enough = factor >= k->least_factor || harness_has(HARNESS_FACTOR_IGNORED);
    verdict->status = red && enough ? VERDICT_RED : VERDICT_MISS;
    if (red && verdict->status == VERDICT_MISS)
        verdict_reason(verdict, "red at gate %d by %.4g times the bound, less than the %.4g it must be", k->gate, factor,
                       k->least_factor);
    else if (!red && gate->status == VERDICT_FAIL && gate->gate == k->gate)
        verdict_reason(verdict, "red without a finding of %s: %.500s", k->finding, gate->reason);
    else if (!red && gate->status == VERDICT_FAIL)
        verdict_reason(verdict, "red at gate %d instead of gate %d: %.500s", gate->gate, k->gate, gate->reason);
    else if (gate->status == VERDICT_PASS)
        verdict_reason(verdict, "stayed green: %s", k->what);
}

/* The bit of the check that a control names, of those that the device makes; 0: none. */
static unsigned named_check(const struct device *device, unsigned checks, const char *name)
{
    return device->take_findings ? checks & 1u << finding_kind_find(name, strlen(name)) : 0;
}

/* The verdict of one of a launcher's checks. */
static void judge_launcher_fault(const struct control *k, const struct host_case *host, const struct launch_target *target,
                                 const struct launch_fault *fault, struct builds *builds,
                                 const struct control_options *options, struct verdict *verdict)
{
    enum reg_launcher_check check = reg_launcher_check_find(k->check);
    struct launcher_options launcher = {
        .seed = options->seed, .checks = options->checks, .define = k->how == CONTROL_BUILD ? k->define : NULL};
    struct verdict gate = launcher_verdict(check, host, target);
    launcher_check(check, host, target, fault, builds, &launcher, &gate);
    if (gate.status == VERDICT_NOT_RUN)
        *verdict = gate;
    else
        as_control(k, &gate, verdict);
}

/* Gate 1's verdict on the faulty launch, and for other gates the judge's on the first run's outputs. */
static void judge_fault(const struct control *k, const struct host_case *host, const struct launch_target *target,
                        const struct launch_fault *fault, const struct control_options *options, struct arena *arena,
                        struct verdict *verdict)
{
    struct outputs first = {0};
    struct verdict gate = verdict_for_case(host, target, GATE_BYTES);
    if (k->gate == GATE_BYTES) {
        struct gate1_options runs = {options->n_runs, options->seed, .checks = options->checks};
        if (k->finding) { /* alone, so that no other check's finding comes first */
            runs.n_runs = 1;
            runs.checks = named_check(target->device, options->checks, k->finding);
        }
        gate1_run(target, host, fault, &runs, arena, &first, &gate);
    } else if (gate1_once(target, host, fault, options->checks, arena, &first, &gate)) {
        struct verdict elsewhere = gate;
        gate = verdict_for_case(host, target, gate_of_pattern(host->c.pattern));
        gate_judge(host, &first, &gate);
        diagnosis_make(host, &first, &gate);
        if (gate.status == VERDICT_PASS && elsewhere.status == VERDICT_FAIL)
            gate = elsewhere;
    }
    as_control(k, &gate, verdict);
}

static void judge_launch(const struct control *k, const struct host_case *host, const struct launch_target *target,
                         const struct launch_fault *fault, struct builds *builds, const struct launch_checker *checker,
                         struct verdict *verdict)
{
    size_t n_bytes = 0;
    const unsigned char *bytes = builds_bytes(builds, host->c.registration, NULL, &n_bytes);
    static const enum verdict_status statuses[] = {
        [LAUNCH_FITS] = VERDICT_PASS, [LAUNCH_IS_OVER] = VERDICT_FAIL, [LAUNCH_UNKNOWN] = VERDICT_NOT_RUN};
    struct verdict gate = verdict_for_case(host, target, GATE_LIMITS);
    enum launch_fit fit = LAUNCH_UNKNOWN;
    if (checker && bytes)
        fit = checker->fits(checker->context, host->c.registration, target->device->chip, bytes, n_bytes, &fault->plan,
                            gate.reason);
    else
        verdict_reason(&gate, "the limits of a launch cannot be checked here");
    if (harness_has(HARNESS_LAUNCHES_FIT))
        fit = LAUNCH_FITS;
    gate.status = statuses[fit];
    if (fit == LAUNCH_UNKNOWN && control_duty(k, gate.chip) == CONTROL_MUST_BE_GREEN)
        *verdict = gate;
    else
        as_control(k, &gate, verdict);
}

static void name_control(const struct control *k, struct verdict *verdict)
{
    verdict->subject = SUBJECT_CONTROL;
    verdict->gate = k->gate;
    snprintf(verdict->name, sizeof verdict->name, "%s", k->name);
}

/* The kernel to launch. False where the control has a verdict without one: its check is not made here, or nothing was
 * built.
 */
static bool find_target(const struct control *k, const struct host_case *host, struct builds *builds,
                        const struct control_options *options, struct launch_target *target, struct verdict *verdict)
{
    struct error error = {0};
    if (k->finding && !named_check(builds->device, options->checks, k->finding)) {
        *verdict = verdict_for_case(host, &(struct launch_target){.device = builds->device}, k->gate);
        verdict->status = VERDICT_NOT_RUN;
        verdict_reason(verdict, "its check, %s, is not made here", k->finding);
        return false;
    }
    if (builds_target(builds, host->c.registration, k->how == CONTROL_BUILD ? k->define : NULL, target, &error))
        return true;
    *verdict = verdict_for_case(host, target, k->gate);
    verdict->status = VERDICT_MISS;
    verdict_reason(verdict, "not run: %.600s", error.text);
    return false;
}

/* A byte contract's verdict on the faulty kernel or launch. */
static bool run_on_bytes(const struct control *k, const struct registration *registration, struct builds *builds,
                         const struct control_options *options, struct verdict *verdict, struct error *error)
{
    const struct reg_bytes *contract = registration_bytes(registration, k->bytes);
    struct bytes_options bytes = {.seed = options->seed, .n_threads = options->n_threads, .checks = options->checks};
    struct bytes_case open;
    struct launch_target target;
    struct launch_fault fault;
    bool ok = bytes_open(&open, contract, registration, &bytes, error) &&
              control_plant(k, &open.host, &open.host.arena, &fault, error);
    if (ok && find_target(k, &open.host, builds, options, &target, verdict)) {
        struct verdict gate = bytes_verdict(&open, &target);
        bytes_judge(&open, &target, &fault, &bytes, &gate);
        as_control(k, &gate, verdict);
    }
    bytes_close(&open);
    return ok;
}

static bool run_on_shape(const struct control *k, const struct registration *registration, struct builds *builds,
                         const struct launch_checker *checker, const struct control_options *options,
                         struct verdict *verdict, struct error *error)
{
    const struct reg_shape *shape = registration_shape(registration, k->shape);
    struct host_case host;
    struct launch_target target;
    struct launch_fault fault;
    bool ok = host_case_open(&host, registration, shape, k->pattern, options->seed, options->n_threads, error) &&
              host_case_reference(&host, error) && control_plant(k, &host, &host.arena, &fault, error);
    if (ok && find_target(k, &host, builds, options, &target, verdict)) {
        if (k->how == CONTROL_RECORD)
            judge_launch(k, &host, &target, &fault, builds, checker, verdict);
        else if (k->check)
            judge_launcher_fault(k, &host, &target, &fault, builds, options, verdict);
        else
            judge_fault(k, &host, &target, &fault, options, &host.arena, verdict);
    }
    host_case_close(&host);
    return ok;
}

struct verdict control_verdict(const struct control *control, const struct registration *registration,
                               struct device *device)
{
    struct control_place place = control_place(control, registration);
    struct host_case host = {.c = {.registration = registration, .shape = place.shape, .pattern = place.pattern}};
    struct verdict verdict = verdict_for_case(&host, &(struct launch_target){.device = device}, control->gate);
    verdict.status = VERDICT_NOT_RUN;
    name_control(control, &verdict);
    return verdict;
}

static void not_here(const struct control *k, const struct registration *registration, struct device *device,
                     struct verdict *verdict)
{
    *verdict = control_verdict(k, registration, device);
    verdict_reason(verdict, "no fault of this chip; red on %.400s%s%.400s", k->chips, k->green_chips ? ", green on " : "",
                   k->green_chips ? k->green_chips : "");
}

bool control_run(const struct control *control, const struct registration *registration, struct builds *builds,
                 const struct launch_checker *checker, const struct control_options *options, struct verdict *verdict,
                 struct error *error)
{
    if (control_duty(control, builds->device->chip) == CONTROL_NOT_HERE) {
        not_here(control, registration, builds->device, verdict);
        return true;
    }
    struct registration faulty = *registration;
    if (control->how == CONTROL_LAUNCHER)
        faulty.launcher = control->launcher;
    bool ok = control->bytes ? run_on_bytes(control, &faulty, builds, options, verdict, error)
                             : run_on_shape(control, &faulty, builds, checker, options, verdict, error);
    if (ok)
        name_control(control, verdict);
    return ok;
}
