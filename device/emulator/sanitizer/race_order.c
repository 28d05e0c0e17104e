#include "device/emulator/sanitizer/race_order.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SYNCS = 64 };

struct race_sync {
    uint64_t key;
    uint32_t phase;
    uint32_t clock[RACE_MAX_WAVES];
};

void race_order_start(struct race_order *order, uint32_t n_waves)
{
    order->n_waves = n_waves;
    order->phase++;
    order->n_live = 0;
    order->to_pass = 0;
    for (uint32_t wave = 0; wave < n_waves; wave++) {
        order->clock[wave] = 1;
        order->signalled[wave] = 0;
        memset(order->known[wave], 0, sizeof order->known[wave]);
        order->known[wave][wave] = UINT32_MAX;
    }
}

void race_order_release_storage(struct race_order *order)
{
    free(order->syncs);
    order->syncs = NULL;
    order->n_syncs = 0;
}

static uint32_t later_of(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

void race_order_signal(struct race_order *order, unsigned wave)
{
    order->signalled[wave] = order->clock[wave];
    race_order_advance(order, wave);
}

void race_order_pass(struct race_order *order, unsigned wave)
{
    if (!(order->to_pass >> wave & 1))
        return;
    order->to_pass &= ~(1u << wave);
    for (uint32_t other = 0; other < order->n_waves; other++)
        order->known[wave][other] = later_of(order->known[wave][other], order->arrived[other]);
}

void race_order_barrier(struct race_order *order, uint32_t later)
{
    uint32_t next = 0;
    for (uint32_t wave = 0; wave < order->n_waves; wave++) {
        if (!order->signalled[wave])
            race_order_signal(order, wave);
        next = later_of(next, order->clock[wave]);
    }
    memcpy(order->arrived, order->signalled, sizeof order->arrived);
    order->to_pass = UINT32_MAX;
    for (uint32_t wave = 0; wave < order->n_waves; wave++) {
        order->clock[wave] = next;
        order->signalled[wave] = 0;
        if (!(later >> wave & 1))
            race_order_pass(order, wave);
    }
    order->phase++;
    order->n_live = 0;
}

static uint32_t slot_of(const struct race_order *order, uint64_t key)
{
    return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (order->n_syncs - 1);
}

/* The entry of a key, or the free one where it would go. */
static struct race_sync *find(const struct race_order *order, uint64_t key)
{
    uint32_t slot = slot_of(order, key);
    while (order->syncs[slot].phase == order->phase && order->syncs[slot].key != key)
        slot = (slot + 1) & (order->n_syncs - 1);
    return &order->syncs[slot];
}

static bool grow(struct race_order *order)
{
    struct race_order grown = *order;
    grown.n_syncs = order->n_syncs ? 2 * order->n_syncs : FIRST_SYNCS;
    grown.syncs = calloc(grown.n_syncs, sizeof *grown.syncs);
    if (!grown.syncs)
        return false;
    for (uint32_t i = 0; i < order->n_syncs; i++)
        if (order->syncs[i].phase == order->phase)
            *find(&grown, order->syncs[i].key) = order->syncs[i];
    free(order->syncs);
    order->syncs = grown.syncs;
    order->n_syncs = grown.n_syncs;
    return true;
}

bool race_order_acquire(struct race_order *order, unsigned wave, uint64_t key)
{
    if (!order->n_live)
        return false;
    const struct race_sync *sync = find(order, key);
    if (sync->phase != order->phase)
        return false;
    for (uint32_t other = 0; other < order->n_waves; other++)
        order->known[wave][other] = later_of(order->known[wave][other], sync->clock[other]);
    return true;
}

bool race_order_release(struct race_order *order, unsigned wave, uint64_t key)
{
    if (2 * (order->n_live + 1) > order->n_syncs && !grow(order))
        return false;
    struct race_sync *sync = find(order, key);
    if (sync->phase != order->phase) {
        *sync = (struct race_sync){.key = key, .phase = order->phase};
        order->n_live++;
    }
    for (uint32_t other = 0; other < order->n_waves; other++)
        if (other != wave)
            sync->clock[other] = later_of(sync->clock[other], order->known[wave][other]);
    sync->clock[wave] = order->clock[wave];
    return true;
}

void race_order_advance(struct race_order *order, unsigned wave)
{
    if (order->clock[wave] < UINT32_MAX - 1)
        order->clock[wave]++;
}

void race_order_learn(struct race_order *order, unsigned wave, unsigned other, uint32_t clock)
{
    for (uint32_t third = 0; third < order->n_waves; third++)
        if (third != other)
            order->known[wave][third] = later_of(order->known[wave][third], order->known[other][third]);
    order->known[wave][other] = later_of(order->known[wave][other], clock);
}
