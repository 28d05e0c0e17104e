/*
 * Gate 1: the same bytes in every run, and only its own memory written.
 *
 * Each run starts from freshly poisoned outputs, alternating between two poisons, and on a device that takes schedules each
 * has its own (the first the natural one). Where the device can place them so, the second run's tensors lie across
 * multiples of 4 GiB: an address that loses its carry is another one there; what a launcher allocates always does. On a
 * device that reports findings, the last run is made with all its checks and without guards, so that the first byte past a
 * tensor is already outside an allocation.
 */
#include "contract/gates.h"

#include <stdio.h>
#include <string.h>

#include "contract/finding_source.h"
#include "contract/harness_fault.h"

static bool fail(struct verdict *verdict)
{
    verdict->status = VERDICT_FAIL;
    return false;
}

/* Findings first: they say why a launch failed. The first is a note only where there is no fault. Those that let a launch
 * go on are red at this gate; the rest end it. */
static bool launch_ok(const struct launch_result *result, struct device *device, const char *name, struct verdict *verdict)
{
    bool dropped = harness_has(HARNESS_FINDINGS_DROPPED);
    const struct finding *finding = result->n_findings && !dropped ? &result->findings[0] : NULL;
    const char *kind = finding ? finding_kind_name(finding->kind) : "", *text = finding ? finding->text : "";
    if (finding) {
        verdict->has_finding = true;
        verdict->finding = *finding;
        finding_read_source(&verdict->finding);
    }
    bool is_note = finding && finding->kind == FINDING_NAN;
    if (finding && !is_note && (CHECKS_ALL >> finding->kind & 1 || result->code == hipSuccess)) {
        verdict_reason(verdict, "%s: %s: %s", name, kind, text);
        return fail(verdict);
    }
    if (result->code == hipSuccess)
        return true;
    verdict->status = VERDICT_LAUNCH_FAILED;
    if (result->is_refused && *result->refused.text) {
        verdict_reason(verdict, "%s: the launcher: %.500s%s%s%s%.600s", name, result->refused.text, *kind ? ": " : "", kind,
                       *kind ? ": " : "", text);
        return false;
    }
    verdict_reason(verdict, "%s: %s: %s%s%s%s%s", name, result->where, device->hip->hipGetErrorName(result->code),
                   *kind ? ": " : "", kind, *kind ? ": " : "", text);
    return false;
}

static bool guards_intact(const struct workspace *ws, const char *name, struct verdict *verdict)
{
    static const char *const sides[] = {[GUARD_BEFORE] = "before", [GUARD_AFTER] = "after"};
    for (int t = 0; t < ws->host->plan.n_tensors && !harness_has(HARNESS_GUARDS_UNSEEN); t++)
        for (int side = GUARD_BEFORE; side <= GUARD_AFTER; side++) {
            int64_t at = workspace_guard_change(ws, t, (enum guard_side)side);
            if (at < 0)
                continue;
            verdict_reason(verdict, "%s: guard %s tensor %s was written, %lld bytes from its edge", name, sides[side],
                           ws->host->plan.tensor[t].name, (long long)at);
            return fail(verdict);
        }
    return true;
}

static bool inputs_unchanged(const struct workspace *ws, const char *name, struct verdict *verdict)
{
    for (int t = 0; t < ws->host->plan.n_tensors && !harness_has(HARNESS_INPUTS_UNSEEN); t++) {
        const struct reg_tensor *tensor = &ws->host->plan.tensor[t];
        int64_t at = workspace_input_change(ws, t);
        if (at < 0)
            continue;
        verdict_reason(verdict, "%s: input %s was changed at element %lld", name, tensor->name,
                       (long long)(at / format_facts(tensor->format)->n_bytes));
        return fail(verdict);
    }
    return true;
}

static bool is_poison(const unsigned char *bytes, size_t first, size_t n_bytes, enum poison poison)
{
    for (size_t i = first; i < first + n_bytes; i++)
        if (bytes[i] != poison_byte(poison, i))
            return false;
    return true;
}

/* Elements of one output tensor that no run wrote, and those that differ between the runs. */
struct difference {
    int64_t n_unwritten, n_different, first_unwritten, first_different;
};

static struct difference differences(const struct reg_tensor *tensor, const unsigned char *a, enum poison a_poison,
                                     const unsigned char *b, enum poison b_poison)
{
    struct difference d = {.first_unwritten = -1, .first_different = -1};
    size_t n_bytes = format_facts(tensor->format)->n_bytes;
    for (int64_t i = 0, n = tensor_elements(tensor) - harness_has(HARNESS_GATE_1_SKIPS_LAST); i < n; i++) {
        size_t at = (size_t)i * n_bytes;
        if (memcmp(a + at, b + at, n_bytes) == 0)
            continue;
        bool unwritten = is_poison(a, at, n_bytes, a_poison) && is_poison(b, at, n_bytes, b_poison);
        int64_t *count = unwritten ? &d.n_unwritten : &d.n_different;
        int64_t *first = unwritten ? &d.first_unwritten : &d.first_different;
        if ((*count)++ == 0)
            *first = i;
    }
    return d;
}

static void name_element(struct verdict *verdict, const struct reg_tensor *tensor, int64_t index, const void *data,
                         int64_t n)
{
    snprintf(verdict->worst.tensor, sizeof verdict->worst.tensor, "%s", tensor->name);
    verdict->worst.index = index;
    verdict->worst.got_bits = format_bits(tensor->format, data, index);
    verdict->worst.got = format_load(tensor->format, data, index);
    verdict->n_wrong = n;
}

bool gate1_compare(const struct reg_plan *plan, const struct outputs *first, enum poison first_poison,
                   const struct outputs *later, enum poison later_poison, const char *first_name, const char *later_name,
                   struct verdict *verdict)
{
    for (int t = next_output(plan, 0); t >= 0; t = next_output(plan, t + 1)) {
        const struct reg_tensor *tensor = &plan->tensor[t];
        if (memcmp(first->data[t], later->data[t], tensor_bytes(tensor)) == 0 || harness_has(HARNESS_GATE_1_PASSES))
            continue;
        struct difference d = differences(tensor, first->data[t], first_poison, later->data[t], later_poison);
        if (!d.n_unwritten && !d.n_different)
            continue;
        if (d.n_unwritten) {
            name_element(verdict, tensor, d.first_unwritten, later->data[t], d.n_unwritten);
            verdict_reason(verdict, "%lld of %lld elements of %s were never written, first %lld", (long long)d.n_unwritten,
                           (long long)tensor_elements(tensor), tensor->name, (long long)d.first_unwritten);
        } else {
            name_element(verdict, tensor, d.first_different, later->data[t], d.n_different);
            uint64_t bits = format_bits(tensor->format, first->data[t], d.first_different);
            verdict_reason(verdict, "%s differs from %s in %lld elements of %s, first %lld: 0x%llx, then 0x%llx",
                           later_name, first_name, (long long)d.n_different, tensor->name, (long long)d.first_different,
                           (unsigned long long)bits, (unsigned long long)verdict->worst.got_bits);
        }
        return fail(verdict);
    }
    return true;
}

struct outputs workspace_outputs(const struct workspace *ws)
{
    struct outputs outputs = {0};
    for (int t = next_output(&ws->host->plan, 0); t >= 0; t = next_output(&ws->host->plan, t + 1))
        outputs.data[t] = workspace_tensor(ws, t);
    return outputs;
}

static bool keep_outputs(const struct reg_plan *plan, const struct outputs *outputs, struct arena *arena,
                         struct outputs *kept)
{
    for (int t = next_output(plan, 0); t >= 0; t = next_output(plan, t + 1)) {
        void *copy = arena_alloc(arena, tensor_bytes(&plan->tensor[t]));
        if (!copy)
            return false;
        kept->data[t] = memcpy(copy, outputs->data[t], tensor_bytes(&plan->tensor[t]));
    }
    return true;
}

static struct hash128 hash_outputs(const struct reg_plan *plan, const struct outputs *outputs)
{
    struct hash128 hash = {0};
    for (int t = next_output(plan, 0); t >= 0; t = next_output(plan, t + 1))
        hash = hash_more(hash, outputs->data[t], harness_has(HARNESS_HASH_CONSTANT) ? 0 : tensor_bytes(&plan->tensor[t]));
    return hash;
}

static void not_run(struct verdict *verdict, const char *name, const struct error *error)
{
    verdict->status = VERDICT_LAUNCH_FAILED;
    verdict_reason(verdict, "%s: %s", name, error->text);
}

static void set_schedule(struct device *device, uint64_t schedule)
{
    if (device->set_schedule)
        device->set_schedule(device, schedule);
}

static void set_checks(struct device *device, unsigned checks)
{
    if (device->set_checks)
        device->set_checks(device, checks);
}

/* How the device is to run what it has been given; NULL: in the natural order, with the cheap checks. */
static void set_launch(struct device *device, const struct gate1_launch *launch, unsigned checks)
{
    set_schedule(device, launch ? launch->schedule : 0);
    set_checks(device, launch ? launch->checks : checks & CHECKS_BASIC);
}

bool gate1_start(const struct launch_target *target, const struct host_case *host, const struct launch_fault *fault,
                 const struct gate1_launch *launch, struct workspace *ws, struct launch_result *result,
                 struct verdict *verdict)
{
    struct error error = {0};
    launch_straddle(target->device, launch->straddles);
    bool is_open = workspace_open(ws, target->device, host, fault, launch->layout, launch->poison, &error);
    launch_straddle(target->device, false);
    if (!is_open) {
        not_run(verdict, launch->name, &error);
        return false;
    }
    set_launch(target->device, launch, launch->checks);
    launch_start(target, ws, result);
    return true;
}

bool gate1_finish(const struct launch_target *target, const struct gate1_launch *launch, struct workspace *ws,
                  struct launch_result *result, struct verdict *verdict)
{
    struct error error = {0};
    set_launch(target->device, launch, launch->checks);
    launch_finish(target, result);
    set_launch(target->device, NULL, launch->checks);
    bool ran = launch_ok(result, target->device, launch->name, verdict);
    if (result->code != hipSuccess)
        return false;
    if (!workspace_read(ws, &error)) {
        if (ran)
            not_run(verdict, launch->name, &error);
        return false;
    }
    if (ran && guards_intact(ws, launch->name, verdict))
        inputs_unchanged(ws, launch->name, verdict);
    return true;
}

bool gate1_did_nothing(const struct launch_result *result, const struct workspace *ws, const char *name,
                       struct verdict *verdict)
{
    struct launch_result findings = *result;
    findings.code = hipSuccess; /* that it failed is not asked */
    return launch_ok(&findings, ws->device, name, verdict) && guards_intact(ws, name, verdict) &&
           inputs_unchanged(ws, name, verdict);
}

bool gate1_launch(const struct launch_target *target, const struct host_case *host, const struct launch_fault *fault,
                  const struct gate1_launch *launch, struct workspace *ws, struct verdict *verdict)
{
    struct launch_result result = {0};
    return gate1_start(target, host, fault, launch, ws, &result, verdict) &&
           gate1_finish(target, launch, ws, &result, verdict);
}

bool gate1_keep(const struct workspace *ws, const struct gate1_launch *launch, struct arena *arena, struct outputs *kept,
                struct verdict *verdict)
{
    struct error no_memory = {.text = "out of host memory for the outputs"};
    struct outputs outputs = workspace_outputs(ws);
    if (!keep_outputs(&ws->host->plan, &outputs, arena, kept)) {
        not_run(verdict, launch->name, &no_memory);
        return false;
    }
    verdict->output = hash_outputs(&ws->host->plan, kept);
    return true;
}

void gate1_name_schedule(const struct device *device, const struct gate1_launch *launch, struct verdict *verdict)
{
    char reason[VERDICT_REASON_BYTES];
    verdict->schedule = device->set_schedule ? launch->schedule : 0;
    if (!verdict->schedule || !verdict->reason[0])
        return;
    snprintf(reason, sizeof reason, "%s", verdict->reason);
    verdict_reason(verdict, "%s (--schedule 0x%llx of `hipcontract run` repeats it)", reason,
                   (unsigned long long)launch->schedule);
    verdict->schedule = launch->schedule;
}

/* Keeps the first run's outputs, and compares later runs with the first. */
static void judge_run(const struct workspace *ws, int run, const struct gate1_launch *launch, struct arena *arena,
                      struct outputs *first, struct verdict *verdict)
{
    if (run == 0) {
        gate1_keep(ws, launch, arena, first, verdict);
    } else if (verdict->status == VERDICT_PASS) {
        struct outputs outputs = workspace_outputs(ws);
        gate1_compare(&ws->host->plan, first, POISON_NAN, &outputs, launch->poison, "run 1", launch->name, verdict);
    }
}

/* True while the verdict is still a pass. */
static bool one_run(const struct launch_target *target, const struct host_case *host, const struct launch_fault *fault,
                    int run, const struct gate1_launch *launch, struct arena *arena, struct outputs *first,
                    struct verdict *verdict)
{
    struct workspace ws;
    if (gate1_launch(target, host, fault, launch, &ws, verdict))
        judge_run(&ws, run, launch, arena, first, verdict);
    workspace_close(&ws);
    if (verdict->status != VERDICT_PASS)
        gate1_name_schedule(target->device, launch, verdict);
    return verdict->status == VERDICT_PASS;
}

uint64_t gate1_schedule(uint64_t seed, uint64_t schedule, int n)
{
    if (n == 0 || schedule || harness_has(HARNESS_SCHEDULE_NATURAL))
        return n == 0 ? 0 : schedule;
    return random_bits((struct random_key){seed}, (uint64_t)n) | 1;
}

void gate1_name_checks(const struct device *device, unsigned checks, struct verdict *verdict)
{
    if (device->set_checks)
        finding_kinds_list(checks, " ", verdict->checks, sizeof verdict->checks);
}

/* Mem and sync cost nothing and are made in every run; the others make a launch up to three times as long. */
static unsigned checks_of(const struct gate1_options *options, int run)
{
    return run == options->n_runs - 1 ? options->checks : options->checks & CHECKS_BASIC;
}

bool gate1_open(const struct launch_target *target, struct launch_target *opened, struct verdict *verdict)
{
    struct error error = {0};
    *opened = *target;
    if (launch_open(opened, &error))
        return true;
    not_run(verdict, "the launcher's open", &error);
    return false;
}

static void make_runs(const struct launch_target *target, const struct host_case *host, const struct launch_fault *fault,
                      const struct gate1_options *options, struct arena *arena, struct outputs *first,
                      struct verdict *verdict)
{
    bool tight_last = target->device->take_findings && !options->guarded_only && options->n_runs > 2;
    for (int r = 0; r < options->n_runs; r++) {
        char name[24];
        struct gate1_launch launch = {.name = name,
                                      .poison = r % 2 ? POISON_PATTERN : POISON_NAN,
                                      .layout = tight_last && r == options->n_runs - 1 ? LAYOUT_TIGHT : LAYOUT_GUARDED,
                                      .schedule = gate1_schedule(options->seed, options->schedule, r),
                                      .checks = checks_of(options, r),
                                      .straddles = r == 1};
        snprintf(name, sizeof name, "run %d", r + 1);
        gate1_name_checks(target->device, launch.checks, verdict); /* of the last run that begins */
        if (!one_run(target, host, fault, r, &launch, arena, first, verdict))
            break;
    }
}

void gate1_run(const struct launch_target *target, const struct host_case *host, const struct launch_fault *fault,
               const struct gate1_options *options, struct arena *arena, struct outputs *first, struct verdict *verdict)
{
    struct launch_target opened;
    verdict->n_runs = options->n_runs;
    verdict->n_compared = plan_outputs(&host->plan);
    if (gate1_open(target, &opened, verdict))
        make_runs(&opened, host, fault, options, arena, first, verdict);
    launch_close(&opened);
}

bool gate1_once(const struct launch_target *target, const struct host_case *host, const struct launch_fault *fault,
                unsigned checks, struct arena *arena, struct outputs *first, struct verdict *verdict)
{
    struct gate1_launch launch = {.name = "run 1", .checks = checks & CHECKS_BASIC};
    struct launch_target opened;
    if (gate1_open(target, &opened, verdict))
        one_run(&opened, host, fault, 0, &launch, arena, first, verdict);
    launch_close(&opened);
    return next_output(&host->plan, 0) >= 0 && first->data[next_output(&host->plan, 0)] != NULL;
}
