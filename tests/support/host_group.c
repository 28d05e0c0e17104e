#include "tests/support/host_group.h"

#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { MAX_ITEMS = 256, STACK_BYTES = 64 << 10 };

struct group {
    struct host_item items[MAX_ITEMS];
    ucontext_t contexts[MAX_ITEMS], scheduler;
    bool ended[MAX_ITEMS];
    uint32_t exchanged[MAX_ITEMS];
    unsigned n_items, current;
    host_kernel *kernel;
    const uint32_t *in;
    uint32_t *out;
    int n;
    char stacks[MAX_ITEMS][STACK_BYTES];
};

static _Thread_local struct group *running;

const struct host_item *host_group_item(void)
{
    return &running->items[running->current];
}

void host_group_barrier(void)
{
    struct group *group = running;
    swapcontext(&group->contexts[group->current], &group->scheduler);
}

uint32_t host_group_shuffle(uint32_t value, unsigned lane)
{
    struct group *group = running;
    unsigned own = group->current;
    group->exchanged[own] = value;
    host_group_barrier();
    uint32_t result = group->exchanged[own / 32 * 32 + lane];
    host_group_barrier();
    return result;
}

uint32_t host_group_ballot(bool condition)
{
    struct group *group = running;
    unsigned first = group->current / 32 * 32;
    uint32_t mask = 0;
    group->exchanged[group->current] = condition;
    host_group_barrier();
    for (unsigned lane = 0; lane < 32 && first + lane < group->n_items; lane++)
        mask |= group->exchanged[first + lane] << lane;
    host_group_barrier();
    return mask;
}

static void run_item(void)
{
    struct group *group = running;
    group->kernel(group->in, group->out, group->n);
    group->ended[group->current] = true;
}

static void start_item(struct group *group, unsigned i)
{
    ucontext_t *context = &group->contexts[i];
    getcontext(context);
    context->uc_stack.ss_sp = group->stacks[i];
    context->uc_stack.ss_size = STACK_BYTES;
    context->uc_link = &group->scheduler;
    makecontext(context, run_item, 0);
    group->ended[i] = false;
}

/* Every work-item in turn to its next barrier, until all have ended. */
static void run_block(struct group *group)
{
    for (unsigned i = 0; i < group->n_items; i++)
        start_item(group, i);
    for (bool any = true; any;) {
        any = false;
        for (unsigned i = 0; i < group->n_items; i++) {
            if (group->ended[i])
                continue;
            group->current = i;
            swapcontext(&group->scheduler, &group->contexts[i]);
            any |= !group->ended[i];
        }
    }
}

bool host_group_run(host_kernel *kernel, unsigned n_blocks, unsigned block_size, size_t dynamic_lds_bytes,
                    const uint32_t *in, uint32_t *out, int n)
{
    if (block_size > MAX_ITEMS)
        return false;
    struct group *group = malloc(sizeof *group);
    uint32_t *lds = calloc(1, dynamic_lds_bytes + 4);
    bool ok = group && lds;
    if (ok) {
        group->n_items = block_size;
        group->kernel = kernel;
        group->in = in;
        group->out = out;
        group->n = n;
        running = group;
    }
    for (unsigned b = 0; ok && b < n_blocks; b++) {
        for (unsigned i = 0; i < block_size; i++)
            group->items[i] = (struct host_item){{i, 0, 0}, {b, 0, 0}, {block_size, 1, 1}, {n_blocks, 1, 1}, lds};
        run_block(group);
    }
    running = NULL;
    free(lds);
    free(group);
    return ok;
}
