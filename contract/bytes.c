#include "contract/bytes_judging.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "contract/harness_fault.h"
#include "contract/relations.h"

int bytes_launches(const struct reg_bytes *contract)
{
    return 1 + (int)contract->n_windows + relation_launches(contract);
}

struct reg_shape bytes_window_shape(const struct reg_bytes *contract, const struct reg_window *window)
{
    struct reg_shape shape = contract->shape;
    shape.dim[contract->row_dim] = window->rows;
    return shape;
}

bool bytes_open(struct bytes_case *open, const struct reg_bytes *contract, const struct registration *registration,
                const struct bytes_options *options, struct error *error)
{
    open->contract = contract;
    open->registration = *registration;
    if (contract->fill)
        open->registration.fill = contract->fill;
    return host_case_open(&open->host, &open->registration, &contract->shape, contract->pattern, options->seed,
                          options->n_threads, error);
}

void bytes_close(struct bytes_case *open)
{
    host_case_close(&open->host);
}

struct verdict bytes_verdict(const struct bytes_case *open, const struct launch_target *target)
{
    struct verdict verdict = verdict_for_case(&open->host, target, GATE_BYTES);
    snprintf(verdict.name, sizeof verdict.name, "%s", open->contract->name);
    return verdict;
}

/* The first row of a tensor in the window that begins at that row of the launch. */
static int64_t tensor_row(const struct judging *j, int tensor, int64_t row)
{
    const struct reg_bytes *contract = j->open->contract;
    return row * (j->open->host.plan.tensor[tensor].rows / contract->shape.dim[contract->row_dim]);
}

static size_t tensor_row_bytes(const struct judging *j, int tensor, int64_t row)
{
    const struct reg_tensor *t = &j->open->host.plan.tensor[tensor];
    return (size_t)(tensor_row(j, tensor, row) * t->columns) * format_facts(t->format)->n_bytes;
}

bool judging_is_same(const struct reg_tensor *tensor, const void *got, int64_t i, const void *expected, int64_t k)
{
    size_t n_bytes = format_facts(tensor->format)->n_bytes;
    return memcmp((const char *)got + (size_t)i * n_bytes, (const char *)expected + (size_t)k * n_bytes, n_bytes) == 0;
}

void judging_note(struct judging *j, const struct reg_tensor *tensor, int64_t row, int64_t column, const void *got,
                  int64_t i, const void *expected, int64_t k)
{
    struct bytes_difference d = {.tensor = tensor,
                                 .row = row,
                                 .column = column,
                                 .got_bits = format_bits(tensor->format, got, i),
                                 .expected_bits = format_bits(tensor->format, expected, k),
                                 .got = format_load(tensor->format, got, i),
                                 .expected = format_load(tensor->format, expected, k)};
    if (j->verdict->n_wrong++ == 0)
        j->first = d;
    if (j->options->differs)
        j->options->differs(j->options->context, &d);
}

void judging_refuse(struct judging *j, const char *why)
{
    j->verdict->status = VERDICT_INVALID;
    verdict_reason(j->verdict, "%s", why);
}

/* One output of a launch whose first row is that tensor row of the launch of all. */
static void compare(struct judging *j, const struct reg_tensor *tensor, const void *got, const void *expected,
                    int64_t first_row)
{
    int64_t n = tensor_elements(tensor);
    j->verdict->n_compared += n;
    if (memcmp(got, expected, tensor_bytes(tensor)) == 0 || harness_has(HARNESS_BYTES_EQUAL))
        return;
    for (int64_t i = 0; i < n; i++)
        if (!judging_is_same(tensor, got, i, expected, i))
            judging_note(j, tensor, first_row + i / tensor->columns, i % tensor->columns, got, i, expected, i);
}

/* The verdict of the launch that was compared last. */
static void conclude(struct judging *j, const struct reg_plan *plan, const char *launch, const char *expected)
{
    struct verdict *v = j->verdict;
    const struct bytes_difference *d = &j->first;
    if (!d->tensor)
        return;
    v->status = VERDICT_FAIL;
    snprintf(v->worst.tensor, sizeof v->worst.tensor, "%s", d->tensor->name);
    v->worst.index = d->row * d->tensor->columns + d->column;
    v->worst.got_bits = d->got_bits;
    v->worst.got = d->got;
    v->worst.reference = d->expected;
    verdict_reason(v,
                   "%s: %s[%" PRId64 "][%" PRId64 "] is 0x%" PRIx64 " and %s 0x%" PRIx64 "; %" PRId64 " of %" PRId64
                   " elements differ",
                   launch, d->tensor->name, d->row, d->column, d->got_bits, expected, d->expected_bits, v->n_wrong,
                   plan_outputs(plan));
}

/* True while nothing is wrong, with the outputs kept in j->all. */
static bool launch_all(struct judging *j, const struct launch_fault *fault)
{
    const struct gate1_launch launch = {.name = "the launch of all", .checks = j->options->checks & CHECKS_BASIC};
    struct workspace ws;
    if (gate1_launch(j->target, &j->open->host, fault, &launch, &ws, j->verdict))
        gate1_keep(&ws, &launch, j->arena, &j->all, j->verdict);
    workspace_close(&ws);
    return j->verdict->status == VERDICT_PASS;
}

/* The case of a window: its rows of the whole case's inputs; outputs need no space on the host. */
static bool window_case(const struct judging *j, const struct reg_shape *shape, int64_t first, struct host_case *part,
                        struct error *error)
{
    const struct host_case *whole = &j->open->host;
    *part = (struct host_case){.c = whole->c};
    part->c.shape = shape;
    part->c.plan = &part->plan;
    if (!whole->c.registration->plan(shape, &part->plan, error))
        return error_prefix(error, "the launch of %lld rows", (long long)shape->dim[j->open->contract->row_dim]);
    for (int t = 0; t < part->plan.n_tensors; t++)
        if (j->open->contract->row_tensors >> t & 1)
            part->c.data[t] = (char *)whole->c.data[t] + tensor_row_bytes(j, t, first);
    return true;
}

bool judging_launch(struct judging *j, const struct host_case *derived, int index, const char *name, const char *expected,
                    judging_compare *compare_outputs, const void *context)
{
    struct gate1_launch launch = {.name = name,
                                  .poison = POISON_PATTERN,
                                  .schedule =
                                      gate1_schedule(reg_key(&j->open->host.c, 0).value, j->options->schedule, index),
                                  .checks = j->options->checks & CHECKS_BASIC};
    struct launch_fault fault = launch_as_planned(derived);
    struct workspace ws;
    if (gate1_launch(j->target, derived, &fault, &launch, &ws, j->verdict) && j->verdict->status == VERDICT_PASS) {
        compare_outputs(j, &ws, context);
        conclude(j, &derived->plan, name, expected);
    }
    workspace_close(&ws);
    if (j->verdict->status != VERDICT_PASS)
        gate1_name_schedule(j->target->device, &launch, j->verdict);
    return j->verdict->status == VERDICT_PASS;
}

static void compare_window(struct judging *j, const struct workspace *ws, const void *context)
{
    const struct reg_plan *plan = &ws->host->plan;
    int64_t first = *(const int64_t *)context;
    for (int t = next_output(plan, 0); t >= 0; t = next_output(plan, t + 1))
        compare(j, &plan->tensor[t], workspace_tensor(ws, t),
                (const unsigned char *)j->all.data[t] + tensor_row_bytes(j, t, first), tensor_row(j, t, first));
}

static void window_name(const struct reg_window *window, char *name, size_t n_bytes)
{
    if (window->rows == 1)
        snprintf(name, n_bytes, "row %" PRId64 " alone", window->first);
    else
        snprintf(name, n_bytes, "rows %" PRId64 " to %" PRId64 " alone", window->first, window->first + window->rows - 1);
}

/* True while nothing is wrong. */
static bool judge_window(struct judging *j, size_t index)
{
    const struct reg_window *window = &j->open->contract->windows[index];
    const struct reg_shape shape = bytes_window_shape(j->open->contract, window);
    char name[64];
    struct host_case part;
    struct error error = {0};
    window_name(window, name, sizeof name);
    if (!window_case(j, &shape, window->first, &part, &error)) {
        judging_refuse(j, error.text);
        return false;
    }
    return judging_launch(j, &part, (int)index + 1, name, "in the launch of all", compare_window, &window->first);
}

static void judge_expected(struct judging *j)
{
    const struct host_case *host = &j->open->host;
    for (int t = next_output(&host->plan, 0); t >= 0; t = next_output(&host->plan, t + 1)) {
        void *expected = arena_alloc(j->arena, tensor_bytes(&host->plan.tensor[t]));
        if (!expected || !j->open->contract->expect(&host->c, t, expected)) {
            j->verdict->status = VERDICT_LAUNCH_FAILED;
            verdict_reason(j->verdict, "out of host memory for the expected bytes");
            return;
        }
        compare(j, &host->plan.tensor[t], j->all.data[t], expected, 0);
    }
    conclude(j, &host->plan, "the launch of all", "by the kernel's steps");
}

void bytes_judge(const struct bytes_case *open, const struct launch_target *target, const struct launch_fault *fault,
                 const struct bytes_options *options, struct verdict *verdict)
{
    struct arena arena = {0};
    struct launch_target opened;
    struct judging j = {.open = open, .target = &opened, .options = options, .arena = &arena, .verdict = verdict};
    verdict->n_runs = bytes_launches(open->contract);
    gate1_name_checks(target->device, options->checks & CHECKS_BASIC, verdict);
    if (gate1_open(target, &opened, verdict) && launch_all(&j, fault)) {
        if (open->contract->expect)
            judge_expected(&j);
        for (size_t i = 0; i < open->contract->n_windows && judge_window(&j, i); i++)
            ;
        relation_judge(&j);
    }
    launch_close(&opened);
    arena_free(&arena);
}
