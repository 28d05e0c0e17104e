#include "contract/relations.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contract/harness_fault.h"

enum { SCALINGS = 2, ORDERS = 2, NAME_BYTES = 64 };

/* A case that is derived from the contract's, and what its outputs must be, as tensors of the contract's sizes. */
struct derived {
    struct host_case host; /* its data is the judging's, or the contract's */
    struct outputs expected;
    const struct reg_scaling *scaling; /* NULL: every element is judged */
};

static bool no_memory(struct judging *j)
{
    j->verdict->status = VERDICT_LAUNCH_FAILED;
    verdict_reason(j->verdict, "out of host memory for the inputs and outputs of a relation");
    return false;
}

static const struct reg_plan *own_plan(const struct judging *j)
{
    return &j->open->host.plan;
}

/* A copy of the contract's case, whose bytes it borrows. */
static void derive(const struct judging *j, struct derived *derived)
{
    *derived = (struct derived){.host = {.c = j->open->host.c, .plan = j->open->host.plan}, .expected = j->all};
    derived->host.c.plan = &derived->host.plan;
}

static bool is_output(const struct reg_plan *plan, int t)
{
    return plan->tensor[t].role == REG_OUTPUT;
}

/* The bytes of a tensor in the launch of all. */
static const void *own_bytes(const struct judging *j, int t)
{
    return is_output(own_plan(j), t) ? j->all.data[t] : j->open->host.c.data[t];
}

static void set_bytes(struct derived *derived, const struct reg_plan *plan, int t, void *bytes)
{
    if (is_output(plan, t))
        derived->expected.data[t] = bytes;
    else
        derived->host.c.data[t] = bytes;
}

/* Where an output has a narrower range than what it is rounded from, only what is a normal number in both launches is
 * known to scale; the smallest may have been rounded up to, on the wider grid of those below. */
static bool is_decided(const struct derived *derived, enum number_format format, const void *all, const void *expected,
                       int64_t k)
{
    if (!derived->scaling || !scaling_is_narrower(format, derived->scaling->sums))
        return true;
    const struct format_facts *facts = format_facts(format);
    double own = fabs(format_load(format, all, k)), scaled = fabs(format_load(format, expected, k));
    double smallest = ldexp(1, facts->exponent_min);
    return own > smallest && own <= facts->largest && scaled >= smallest && scaled <= facts->largest;
}

static void compare_tensor(struct judging *j, const struct derived *derived, int t, const void *got)
{
    const struct reg_tensor *own = &own_plan(j)->tensor[t];
    const void *all = j->all.data[t], *expected = derived->expected.data[t];
    int64_t columns = derived->host.plan.tensor[t].columns;
    j->verdict->n_compared += tensor_elements(own);
    for (int64_t k = 0; k < tensor_elements(own) && !harness_has(HARNESS_BYTES_EQUAL); k++) {
        int64_t row = k / own->columns, column = k % own->columns, i = row * columns + column;
        if (!is_decided(derived, own->format, all, expected, k))
            j->verdict->n_undecided++;
        else if (!judging_is_same(own, got, i, expected, k))
            judging_note(j, own, row, column, got, i, expected, k);
    }
}

static void compare_outputs(struct judging *j, const struct workspace *ws, const void *context)
{
    const struct derived *derived = context;
    const struct reg_plan *plan = own_plan(j);
    for (int t = next_output(plan, 0); t >= 0; t = next_output(plan, t + 1))
        compare_tensor(j, derived, t, workspace_tensor(ws, t));
}

static bool launch_derived(struct judging *j, const struct derived *derived, int index, const char *name)
{
    return judging_launch(j, &derived->host, index, name, "by the relation", compare_outputs, derived);
}

/* Scaling */

static bool scale_tensor(struct judging *j, struct derived *derived, int t, int power)
{
    const struct reg_tensor *tensor = &own_plan(j)->tensor[t];
    void *scaled = arena_alloc(j->arena, tensor_bytes(tensor));
    if (!scaled)
        return no_memory(j);
    for (int64_t i = 0; i < tensor_elements(tensor); i++)
        format_store(tensor->format, scaled, i, ldexp(format_load(tensor->format, own_bytes(j, t), i), power));
    set_bytes(derived, own_plan(j), t, scaled);
    return true;
}

/* "x and w times 2^-60" */
static void scaling_name(const struct judging *j, unsigned inputs, int power, char name[NAME_BYTES])
{
    size_t used = 0;
    name[0] = '\0';
    for (int t = 0; t < own_plan(j)->n_tensors && used < NAME_BYTES; t++)
        if (inputs >> t & 1)
            used +=
                (size_t)snprintf(name + used, NAME_BYTES - used, "%s%s", used ? " and " : "", own_plan(j)->tensor[t].name);
    if (used < NAME_BYTES)
        snprintf(name + used, NAME_BYTES - used, " times 2^%d", power);
}

static bool judge_scaled(struct judging *j, int index, int power)
{
    const struct reg_scaling *scaling = j->open->contract->scaling;
    struct derived derived;
    char name[NAME_BYTES];
    derive(j, &derived);
    derived.scaling = scaling;
    for (int t = 0; t < own_plan(j)->n_tensors; t++)
        if ((scaling->inputs | scaling->outputs) >> t & 1 && !scale_tensor(j, &derived, t, power))
            return false;
    scaling_name(j, scaling->inputs, power, name);
    return launch_derived(j, &derived, index, name);
}

static void judge_scaling(struct judging *j)
{
    int powers[SCALINGS];
    struct error error = {0};
    if (!scaling_powers(j->open->contract->scaling, &j->open->host, &j->all, powers, &error)) {
        judging_refuse(j, error.text);
        return;
    }
    j->verdict->n_runs = 1;
    for (int i = 0; i < SCALINGS && j->verdict->status == VERDICT_PASS; i++)
        if (powers[i] != 0) {
            j->verdict->n_runs++;
            judge_scaled(j, i + 1, powers[i]);
        }
    if (j->verdict->status == VERDICT_PASS)
        verdict_reason(j->verdict, "from 2^%d to 2^%d", powers[0], powers[1]);
    if (j->verdict->status == VERDICT_PASS && j->verdict->n_undecided == j->verdict->n_compared)
        judging_refuse(j, "no output is a normal number of its format, so that none is judged");
}

/* Permutations */

/* Item i of an order is item order[i] of the launch of all. */
static void make_order(const struct judging *j, int which, int64_t n, int64_t *order)
{
    struct random_key key = random_key_for(reg_key(&j->open->host.c, 0).value, "order");
    for (int64_t i = 0; i < n; i++)
        order[i] = which == 0 ? (i + 1) % n : i;
    for (int64_t i = n - 1; i > 0 && which != 0; i--) {
        int64_t other = (int64_t)(random_bits(key, (uint64_t)i) % (uint64_t)(i + 1)), item = order[i];
        order[i] = order[other];
        order[other] = item;
    }
}

/* `from` is `outer` times `n` items of so many bytes each. */
static void reorder(const unsigned char *from, unsigned char *to, int64_t outer, int64_t n, size_t item_bytes,
                    const int64_t *order)
{
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < n; i++)
            memcpy(to + (size_t)(o * n + i) * item_bytes, from + (size_t)(o * n + order[i]) * item_bytes, item_bytes);
}

static bool permute_tensor(struct judging *j, struct derived *derived, int t, int64_t n, const int64_t *order)
{
    const struct reg_tensor *tensor = &own_plan(j)->tensor[t];
    bool by_rows = j->open->contract->permutation->row_tensors >> t & 1;
    void *permuted = arena_alloc(j->arena, tensor_bytes(tensor));
    if (!permuted)
        return no_memory(j);
    int64_t outer = by_rows ? 1 : tensor->rows;
    reorder(own_bytes(j, t), permuted, outer, n, tensor_bytes(tensor) / (size_t)(outer * n), order);
    set_bytes(derived, own_plan(j), t, permuted);
    return true;
}

int64_t permutation_items(const struct reg_permutation *permutation, const struct reg_shape *shape)
{
    return shape->dim[permutation->dim] / (permutation->group ? permutation->group : 1);
}

static bool judge_order(struct judging *j, int which)
{
    static const char *const names[ORDERS] = {"rotated by one", "shuffled"};
    const struct reg_permutation *permutation = j->open->contract->permutation;
    int64_t n = permutation_items(permutation, &j->open->contract->shape);
    int64_t *order = arena_alloc(j->arena, (size_t)n * sizeof *order);
    struct derived derived;
    if (!order)
        return no_memory(j);
    make_order(j, which, n, order);
    derive(j, &derived);
    for (int t = 0; t < own_plan(j)->n_tensors; t++)
        if ((permutation->row_tensors | permutation->column_tensors) >> t & 1 && !permute_tensor(j, &derived, t, n, order))
            return false;
    return launch_derived(j, &derived, which + 1, names[which]);
}

static void judge_permutation(struct judging *j)
{
    for (int which = 0; which < ORDERS && judge_order(j, which); which++)
        ;
}

/* Padding */

static void pad(const struct reg_tensor *own, const unsigned char *from, const struct reg_tensor *padded, double number,
                unsigned char *to)
{
    const struct format_facts *facts = format_facts(own->format);
    size_t own_row = (size_t)own->columns * facts->n_bytes, row = (size_t)padded->columns * facts->n_bytes;
    memset(to, 0, tensor_bytes(padded));
    for (int64_t i = 0; facts->is_float && i < tensor_elements(padded); i++)
        format_store(own->format, to, i, number);
    for (int64_t r = 0; r < own->rows; r++)
        memcpy(to + (size_t)r * row, from + (size_t)r * own_row, own_row);
}

static bool pad_inputs(struct judging *j, struct derived *derived)
{
    const struct reg_plan *plan = &derived->host.plan;
    for (int t = 0; t < plan->n_tensors; t++) {
        if (plan->tensor[t].role != REG_INPUT)
            continue;
        void *padded = arena_alloc(j->arena, tensor_bytes(&plan->tensor[t]));
        if (!padded)
            return no_memory(j);
        pad(&own_plan(j)->tensor[t], own_bytes(j, t), &plan->tensor[t], j->open->contract->padding->number, padded);
        derived->host.c.data[t] = padded;
    }
    return true;
}

static void judge_padding(struct judging *j)
{
    const struct reg_padding *padding = j->open->contract->padding;
    struct derived derived;
    struct error error = {0};
    char name[NAME_BYTES];
    derive(j, &derived);
    derived.host.c.shape = &padding->shape;
    if (!j->open->registration.plan(&padding->shape, &derived.host.plan, &error)) {
        judging_refuse(j, error.text);
        return;
    }
    snprintf(name, sizeof name, "padded to %s", padding->shape.label);
    if (pad_inputs(j, &derived))
        launch_derived(j, &derived, 1, name);
}

int relation_launches(const struct reg_bytes *contract)
{
    return contract->scaling ? SCALINGS : contract->permutation ? ORDERS : contract->padding ? 1 : 0;
}

void relation_judge(struct judging *j)
{
    if (j->open->contract->scaling)
        judge_scaling(j);
    else if (j->open->contract->permutation)
        judge_permutation(j);
    else if (j->open->contract->padding)
        judge_padding(j);
}
