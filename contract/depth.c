#include "contract/depth.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "contract/harness_fault.h"

bool depth_declared(const struct host_case *host, int tensor, struct depth *depth)
{
    const struct registration *r = host->c.registration;
    struct reg_case c = host->c;
    *depth = (struct depth){0};
    if (!r->depth || !format_facts(host->plan.tensor[tensor].format)->is_float)
        return false;
    memset(c.data, 0, sizeof c.data);
    r->depth(&c, tensor, depth);
    return true;
}

/* "7 the chain + 5 the lanes". */
static void list_parts(const struct depth *depth, char *text, size_t capacity)
{
    size_t used = 0;
    *text = 0;
    for (int i = 0; i < depth->n_parts && used < capacity; i++)
        used += (size_t)snprintf(text + used, capacity - used, "%s%" PRId64 " %s", i ? " + " : "", depth->part[i].additions,
                                 depth->part[i].what);
}

/* An output's depth as found, and where. */
struct measured {
    int64_t depth, element;
};

static struct measured measure(const struct workspace *ws, int tensor)
{
    const struct reg_tensor *t = &ws->host->plan.tensor[tensor];
    size_t at;
    int64_t depth = ws->device->depth_of(ws->device, workspace_pointer(ws, tensor), tensor_bytes(t), &at);
    return (struct measured){depth, (int64_t)(at / format_facts(t->format)->n_bytes)};
}

/* Whether measured / declared is above the verdict's, of one more each: both may be 0. */
static bool is_nearer(const struct verdict *verdict, int64_t measured, int64_t declared)
{
    return !*verdict->depth_tensor ||
           (measured + 1) * (verdict->depth_declared + 1) > (verdict->depth_measured + 1) * (declared + 1);
}

/* Counts end somewhere: from there on no declared depth is shown to be enough. */
static bool is_cut(const struct measured *m)
{
    return m->depth >= DEVICE_DEPTH_MOST;
}

static void compare(const struct workspace *ws, int tensor, const struct depth *declared, struct verdict *verdict)
{
    const char *name = ws->host->plan.tensor[tensor].name;
    struct measured m = measure(ws, tensor);
    int64_t total = depth_total(declared);
    bool is_red = m.depth > total || is_cut(&m);
    if (verdict->status != VERDICT_PASS || (!is_red && !is_nearer(verdict, m.depth, total)))
        return;
    snprintf(verdict->depth_tensor, sizeof verdict->depth_tensor, "%s", name);
    verdict->depth_declared = total;
    verdict->depth_measured = m.depth;
    list_parts(declared, verdict->depth_parts, sizeof verdict->depth_parts);
    if (!is_red)
        return;
    verdict->status = VERDICT_FAIL;
    verdict_reason(verdict,
                   "depth: element %" PRId64 " of %s comes through %s%" PRId64 " additions that round, and %" PRId64
                   " are declared (%s): %s",
                   m.element, name, is_cut(&m) ? "at least " : "", m.depth, total, verdict->depth_parts,
                   is_cut(&m) ? "no more are counted" : "its bound rests on too few");
}

static void measure_outputs(const struct launch_target *target, const struct host_case *host, unsigned checks,
                            struct verdict *verdict)
{
    const struct gate1_launch launch = {.name = "the depth audit", .checks = checks & CHECKS_BASIC};
    struct launch_fault fault = launch_as_planned(host);
    struct workspace ws = {0};
    if (gate1_launch(target, host, &fault, &launch, &ws, verdict))
        for (int t = next_output(&host->plan, 0); t >= 0; t = next_output(&host->plan, t + 1)) {
            struct depth declared;
            if (depth_declared(host, t, &declared))
                compare(&ws, t, &declared, verdict);
        }
    workspace_close(&ws);
}

void depth_judge(const struct launch_target *target, const struct host_case *host, unsigned checks, struct verdict *verdict)
{
    struct device *device = target->device;
    struct launch_target opened;
    if (host->c.pattern != REG_PATTERN_SIGNED || !host->c.registration->depth || !device->measure_depth ||
        harness_has(HARNESS_DEPTH_PASSES) || verdict->status != VERDICT_PASS)
        return;
    device->measure_depth(device, true);
    if (gate1_open(target, &opened, verdict))
        measure_outputs(&opened, host, checks, verdict);
    launch_close(&opened);
    device->measure_depth(device, false);
}
